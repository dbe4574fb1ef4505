"""Copies of the library, each wrong in one line, must turn the claims on ReLU compositions red."""

from pathlib import Path

import pytest

from .sabotage import red_claims

SIZES = {"x7a": (4, [(2, 3)]), "x7b": (16, [(2, 2), (2, 3)]), "x7c": (2, [(2, 4)])}  # cases, pairs (d, N)

SABOTAGES = {  # file, line, wrong line, claims that turn red
    "the copy as it is": ("errors.py", "", "", ""),
    "a unit that is active on the wrong side": (
        "depth/relu_regions.py",
        "active[:, level] = pre > 0",
        "active[:, level] = pre < 0",
        "x7b",
    ),
    "regions that are not cut": (
        "depth/relu_regions.py",
        "if min(signs) < 0 < max(signs):",
        "if min(signs) < 0 < max(signs) and column % 2:",
        "x7b",
    ),
    "a derivative without the blocks that follow": (
        "depth/functional_dimension.py",
        "columns = _mod(after[k] @ down[k], p)",
        "columns = _mod(0 * after[k] @ down[k], p)",
        "x7b",
    ),
    "a radial move that is not undone": (
        "depth/folding.py",
        "Bend(middle, long_right, right)",
        "Bend(middle, right, long_right)",
        "x7c",
    ),
    "maps compared on no sector": (
        "depth/relu_fan.py",
        "if one != other",
        "if False",
        "x7c",
    ),
    "minors that never vanish": (
        "absorption/minors.py",
        "verdict = Verdict.REFUTED if count else",
        "verdict = Verdict.PROVED if count else",
        "x7a",
    ),
}


@pytest.mark.parametrize("name", SABOTAGES)
def test_a_copy_that_is_wrong_in_one_line(name: str, tmp_path: Path) -> None:
    file, line, wrong, red = SABOTAGES[name]
    claims = {claim: SIZES[claim] for claim in red.split() or SIZES}
    assert red_claims(tmp_path, file, line, wrong, claims) == red.split()
