"""Figures, tables and notebooks as the page shows them, and which statements each one bears on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ALTERNATIVES = {
    "checkpoint_margin": "Ranges, one a block: the margins of trained blocks beside those of random blocks "
    "of the same shape.",
    "depth_excluded": "Grids of width against depth, one a size: small shapes are ruled out, wide ones "
    "suffice, a band between them is open. A star marks the residual composition's own shape.",
    "depth_fits": "Curves, logarithmic, one panel an activation: the best training loss against the "
    "parameters to spare; shaded where an exact fit is ruled out.",
    "depth_relu": "Curves: the share of random ReLU compositions that is excluded, against the factor on "
    "W_down, one curve a size and distribution.",
    "depth_scaling": "Curves, logarithmic: the relative size of compositions with and without skips along a "
    "ray towards the origin.",
    "distance": "Curves with bars: the relative distance to condition (3) against N/d, one curve a dimension "
    "and distribution.",
    "fold": "A row of small plane pictures: sectors of the plane, then their images after each block, the "
    "last of which folds.",
    "homogeneous": "Curves, one a target: the greatest error on the unit ball against the width; all stay "
    "above the dashed line of the proved bound.",
    "minimal_width": "Two rows of panels. Above, circles on the predicted line: least widths found against "
    "k* predicted. Below, bars: shares of each least width for random weights.",
    "random_measures": "Points with intervals, logarithmic, one panel a size: the probability of absorption, "
    "one line a distribution; arrows where nothing was found.",
    "width_success": "Left, a grid of success counts by extra width and exact least width: failures below "
    "the diagonal, successes on and above it. Right, circles on the diagonal.",
    "width_threshold": "Small panels, one an activation and size: error curves that fall by many orders of "
    "magnitude at a vertical line, the predicted width.",
}
"""What a reader who does not see a figure should know of its shape; the caption says the rest."""


@dataclass(frozen=True)
class Exhibit:
    """A figure, table or notebook of the run.

    Attributes
    ----------
    name
        The file's name without its suffix.
    rule, rules_file
        The rule that makes it, and the file with that rule, relative to the repository.
    caption
        What it shows, as plain text with ``code``; "" if it has none.
    tables
        The stored tables that it is made from.
    """

    name: str
    rule: str
    rules_file: str
    caption: str = ""
    tables: Sequence[str] = ()

    @property
    def title(self) -> str:
        """The name as words, unless the caption opens with a title in ``**``."""
        found = re.match(r"\s*\*\*(.+?)\.?\*\*", self.caption, re.DOTALL)
        return " ".join(found[1].split()) if found else self.name.replace("_", " ").capitalize()

    @property
    def text(self) -> str:
        """The caption without its title."""
        return re.sub(r"\A\s*\*\*.+?\*\*\s*", "", self.caption, flags=re.DOTALL)

    @property
    def alternative(self) -> str:
        """The text in place of the picture."""
        return ALTERNATIVES.get(self.name, self.title)

    @property
    def statements(self) -> list[str]:
        """The statements that the caption names after "Statement:" or "Statements:"."""
        found = re.search(r"Statements?: ([^.]+)\.", " ".join(self.caption.split()))
        return re.split(r", (?:and )?| and ", found[1]) if found else []


def shown_for(claim: Mapping[str, Any], exhibits: Iterable[Exhibit]) -> list[Exhibit]:
    """Return the exhibits whose caption names the claim's title."""
    return [exhibit for exhibit in exhibits if claim["title"] in exhibit.statements]
