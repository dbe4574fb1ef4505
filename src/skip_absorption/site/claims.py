"""One entry a statement: badge, statement, what was found, how, the controls, and where everything is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skip_absorption.results.outcome import status
from skip_absorption.site.markup import Html, element, join, link
from skip_absorption.site.prose import prose
from skip_absorption.site.tables import definition_list

if TYPE_CHECKING:
    import pandas as pd

Claim = Mapping[str, Any]

WORDS = {"pass": "✓ PASS", "fail": "✗ FAIL", "unknown": "? UNKNOWN"}
MARKS = {
    "whole": ("✓ Coq", "all that the statement says is proved in Coq"),
    "part": ("✓ Coq, in part", "a part of the statement is proved in Coq"),
    "notrun": ("Coq: not run", "there are proofs in Coq, which were not compiled in this run"),
}
GROUPS = (
    ("Statements of the source paper", ("Proposition", "Theorem", "Corollary", "Lemma")),
    ("Results that are new here", ("X",)),
    ("Remarks of its discussion", ("Remark",)),
    ("Hypotheses and architectures", ("",)),
)


def machine_check(claim: Claim, formal: pd.DataFrame) -> str | None:
    """Return "whole", "part" or "notrun" for a statement with proofs in Coq, None for one without."""
    label = claim["label"]
    known = set(formal["label"].dropna())
    proofs = formal[formal["label"] == (label if label in known else label.rpartition("-")[0])]
    if proofs.empty:
        return None
    if (proofs["status"] != "proved").any():
        return "notrun"
    return "part" if (proofs["extent"] == "part").any() else "whole"


def grouped(claims: Iterable[Claim]) -> list[tuple[str, list[Claim]]]:
    """Return the claims in their order under headings; empty groups are left out."""
    groups: dict[str, list[Claim]] = {heading: [] for heading, _ in GROUPS}
    for claim in claims:
        heading = next(name for name, starts in GROUPS if claim["title"].startswith(starts))
        groups[heading].append(claim)
    return [(heading, found) for heading, found in groups.items() if found]


def entry(claim: Claim, mark: str | None, paper: Html | None, links: Sequence[Html]) -> Html:
    """Return a claim's entry.

    Parameters
    ----------
    claim
        Its result file.
    mark
        What `machine_check` says.
    paper
        The statement as the paper gives it, if it is to be had.
    links
        Where the parts of the evidence are.
    """
    id_ = claim["id"]
    title = element(
        "h4", link(claim["title"], f"#{id_}"), " ", badge(claim), " ", machine_mark(mark), id=f"{id_}-title"
    )
    rejected = sum(bool(control["rejected"]) for control in claim["controls"])
    facts = definition_list(
        [
            ("evidence", claim["evidence"]),
            ("cases", str(claim["cases"])),
            ("controls rejected", f"{rejected} of {len(claim['controls'])}"),
            ("time", f"{claim['seconds']:.1f} s"),
        ],
        class_="facts",
    )
    found = definition_list(
        [("Found", prose(claim["found"])), ("Expected", prose(claim["expected"]))], class_="found"
    )
    return element(
        "article",
        title,
        element("p", prose(claim["statement"]), class_="statement"),
        facts,
        found,
        element("details", element("summary", "As the paper states it"), paper) if paper else None,
        element("details", element("summary", "How it was checked"), _method(claim)),
        element("ul", *(element("li", item) for item in links), class_="links"),
        id=id_,
        class_=f"claim {status(claim)}",
        aria_labelledby=f"{id_}-title",
    )


def badge(claim: Claim) -> Html:
    """Return the outcome as a coloured word."""
    kind = status(claim)
    return element("span", WORDS[kind], class_=f"badge {kind}", title=claim["verdict"])


def machine_mark(mark: str | None) -> Html | None:
    """Return the mark of a statement with proofs in Coq."""
    if mark is None:
        return None
    word, meaning = MARKS[mark]
    return link(word, "#formal", class_=f"badge {'unrun' if mark == 'notrun' else 'coq'}", title=meaning)


def _method(claim: Claim) -> Html:
    controls = [
        element(
            "li",
            element(
                "span",
                "✓ rejected" if control["rejected"] else "✗ NOT rejected",
                class_="yes" if control["rejected"] else "no",
            ),
            " ",
            prose(control["name"]),
        )
        for control in claim["controls"]
    ]
    seeds = ", ".join(map(str, claim["seed"]))
    return definition_list(
        [
            ("Hypotheses", element("ul", *(element("li", prose(text)) for text in claim["hypotheses"]))),
            ("Method", prose(claim["method"])),
            ("Controls", element("ul", *controls, class_="controls") if controls else "none"),
            ("Verdict", join([claim["verdict"], f" (seed {seeds})"])),
        ]
    )
