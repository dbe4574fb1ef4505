"""What the sources of the proofs must not contain, and their ledger."""

import re
from pathlib import Path

import pandas as pd
import pytest

from skip_absorption.results.schema import validate_table
from support.coq import Unproved
from support.formal import complaints, read_ledger, rows, without_comments

from .conftest import REPOSITORY

PROOFS = REPOSITORY / "formal"


def test_the_proofs_assume_nothing_and_agree_with_the_ledger() -> None:
    assert list(complaints(PROOFS)) == []


def test_the_ledger_uses_labels_of_the_paper_once_each_theorem() -> None:
    entries = read_ledger(PROOFS)
    text = "".join(path.read_text() for path in (REPOSITORY / "paper/sections").glob("*.tex"))
    labels = set(re.findall(r"\\label\{([\w:-]+)\}", text))
    assert {entry.label for entry in entries} - {""} <= labels
    assert len({entry.theorem for entry in entries}) == len(entries)


def test_every_numbered_statement_of_the_source_paper_is_there() -> None:
    whole = {entry.statement for entry in read_ledger(PROOFS) if entry.extent == "whole"}
    assert whole >= {
        "Proposition 1", "Proposition 2", "Corollary 3", "Theorem 4", "Corollary 5", "Lemma 6", "Lemma 7",
        "Proposition 8",
    }  # fmt: skip


def test_every_theorem_is_compared_with_the_paper_beside_its_instance() -> None:
    label, compared = "", list[tuple[str, ...]]()
    for line in (PROOFS / "COMPARISON.md").read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"## .* \(`([\w:-]+)`\)", line):
            label = heading[1]
        elif row := re.fullmatch(r"\| `([\w']+)` \| .+ \| .+ \| (?:–|`([\w']+)`) \|", line):
            compared.append((label, row[1], row[2] or "-"))
    listed = [(entry.label, entry.theorem, entry.instance) for entry in read_ledger(PROOFS)]
    assert sorted(compared) == sorted(listed)


def test_a_sound_library_has_no_complaints(library: Path) -> None:
    assert list(complaints(library)) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("second.v", "by []. Qed", "Admitted", "second.v:4: Admitted"),
        ("second.v", "by []. Qed", "admit. Qed", "second.v:4: admit"),
        ("second.v", "by []. Qed", "give_up. Qed", "second.v:4: give_up"),
        ("second.v", "Example", "Axiom oracle : 0 = 1.\nExample", "second.v:5: Axiom"),
        ("second.v", "Example", "(* *) Conjecture c : False.\nExample", "second.v:5: Conjecture"),
        ("first.v", "Variable", "Parameter", "first.v:4: Parameter"),
        ("first.v", "Section S.\n", "", "first.v:3: Variable outside a section"),
        ("first.v", "End S.", "End S. Hypothesis g : False.", "first.v:7: Hypothesis outside a section"),
        ("first.v", "Section S.", "Unset Guard Checking. Section S.", "first.v:3: Unset Guard Checking"),
        ("first.v", "Lemma", "Theorem", "first.v: theorem aid is not in ledger.csv"),
        ("second.v", "Theorem main ", "Theorem other ", "ledger.csv: second.v does not state main"),
        (
            "second.v",
            "Example main_instance",
            "Example other",
            "ledger.csv: no file states main_instance, the instance for main",
        ),
        ("_CoqProject", "first.v", "", "first.v is not in _CoqProject"),
    ],
)
def test_what_is_planted_is_found(library: Path, file: str, old: str, new: str, complaint: str) -> None:
    path = library / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert complaint in list(complaints(library))
    with pytest.raises(Unproved, match=re.escape(complaint)):
        rows(library, library / "cache", jobs=1, version="")


def test_comments_nest_and_keep_their_lines() -> None:
    assert without_comments('x (* "*)" (* \n *) Axiom *) y "Axiom"').split() == ["x", "y"]
    assert without_comments("a\n(* b\nc *)\nd").splitlines()[3] == "d"


def test_without_coq_the_table_lists_everything_as_not_run(library: Path) -> None:
    table = validate_table("formal", pd.DataFrame(rows(library, library / "cache", jobs=1, version="")))
    assert table.loc[0, ["number", "theorem", "status", "lines"]].tolist() == [1, "main", "not run", 5]
    assert table.loc[0, ["seconds", "axioms", "rechecked"]].isna().all()
    assert not (library / "cache").exists()
