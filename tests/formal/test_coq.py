"""Compiling and auditing, with a stand-in for the compiler."""

from pathlib import Path

import pytest

from support import coq
from support.formal import rows

from .conftest import SUMMARY, Compiler

AXIOM = "Axioms:\nboolp.propositional_extensionality : forall P Q : Prop,\n  P <-> Q -> P = Q\n"


EXAMINED = ["audit_main.v", "audit_main_instance.v", "coqchk", "SkipAbsorption.first"]


def run(library: Path, compiler: Compiler) -> list[dict[str, object]]:
    return rows(library, compiler.cache, jobs=2, version="8.16.1")


def calls(compiler: Compiler) -> list[str]:
    """Return the calls, those that run side by side in alphabetical order."""
    names = compiler.calls()
    examined = {"coqchk", *(name for name in names if name.startswith(("audit", "Skip")))}
    return [name for name in names if name not in examined] + sorted(
        examined.intersection(names), key=str.lower
    )


def test_files_are_compiled_in_order_and_only_when_something_changed(
    library: Path, compiler: Compiler
) -> None:
    (row,) = run(library, compiler)
    assert calls(compiler) == ["first.v", "second.v", *EXAMINED]
    assert (row["status"], row["axioms"], row["lines"]) == ("proved", "none", 5)
    assert run(library, compiler) == [row]
    assert calls(compiler) == EXAMINED
    path = library / "second.v"
    path.write_text(path.read_text() + "\n")
    run(library, compiler)
    assert calls(compiler) == ["second.v", *EXAMINED]
    path = library / "first.v"
    path.write_text(path.read_text() + "\n")
    run(library, compiler)
    assert calls(compiler) == ["first.v", "second.v", *EXAMINED]
    coq.compile_all(library, compiler.cache, jobs=2, version="8.16.2")
    assert calls(compiler) == ["first.v", "second.v"]
    assert sorted(path.name for path in library.iterdir()) == [
        "_CoqProject",
        "first.v",
        "ledger.csv",
        "second.v",
    ]


def test_a_file_that_does_not_compile_is_named_in_one_line(library: Path, compiler: Compiler) -> None:
    path = library / "first.v"
    path.write_text(path.read_text() + "wrong")
    with pytest.raises(coq.Unproved, match=r"^formal/first\.v:7: This is wrong\.$"):
        run(library, compiler)
    assert calls(compiler) == ["first.v"]
    path.write_text(path.read_text().removesuffix("wrong"))
    run(library, compiler)
    assert calls(compiler) == ["first.v", "second.v", *EXAMINED]


def test_an_import_that_is_missing_is_named(library: Path, compiler: Compiler) -> None:
    path = library / "second.v"
    path.write_text(path.read_text().replace("  first.", "  first third."))
    with pytest.raises(coq.Unproved, match=r"formal/second\.v imports third, which is not there"):
        run(library, compiler)


def test_classical_axioms_are_listed(library: Path, compiler: Compiler) -> None:
    compiler.answers(AXIOM)
    (row,) = run(library, compiler)
    assert row["axioms"] == "boolp.propositional_extensionality"


@pytest.mark.parametrize("name", ["oracle", "second.oracle", "Eqdep.Eq_rect_eq.eq_rect_eq"])
def test_any_other_axiom_is_refused(library: Path, compiler: Compiler, name: str) -> None:
    compiler.answers(f"{AXIOM}{name}\n  : 0 = 1")
    with pytest.raises(coq.Unproved, match=rf"main assumes {name}"):
        run(library, compiler)


def test_the_real_numbers_are_left_out_of_the_second_check(library: Path, compiler: Compiler) -> None:
    (row,) = run(library, compiler)
    assert row["rechecked"] is True
    path = library / "first.v"
    path.write_text(path.read_text().replace("all_ssreflect", "all_ssreflect\n reals"))
    (row,) = run(library, compiler)
    assert row["rechecked"] is False


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("Coq.Floats.PrimFloat.Leibniz.eqb", "second.oracle", "coqchk: axiom second.oracle$"),
        (
            "type-in-type: <none>",
            "type-in-type: second.main",
            "coqchk: Constants/Inductives relying on type-in-type: second.main$",
        ),
        (SUMMARY, "Fatal Error: bad digest", "coqchk: Fatal Error: bad digest$"),
    ],
)
def test_what_the_second_check_finds_is_refused(
    library: Path, compiler: Compiler, old: str, new: str, complaint: str
) -> None:
    compiler.rechecks(SUMMARY.replace(old, new))
    with pytest.raises(coq.Unproved, match=complaint):
        run(library, compiler)


def test_silence_about_a_theorem_is_refused(library: Path, compiler: Compiler) -> None:
    compiler.answers("")
    with pytest.raises(coq.Unproved, match="Coq does not say what main assumes"):
        run(library, compiler)


def test_coq_is_used_where_it_is_complete_and_of_the_right_version(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert coq.version_to_run("auto") == ""  # the libraries are not there
    with pytest.raises(coq.Unproved, match=r"formal: true needs Coq 8\.16"):
        coq.version_to_run(True)
    for name in coq.NEEDED:
        path = compiler.folder / "user-contrib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert coq.version_to_run("auto") == coq.version_to_run(True) == "8.16.1"
    assert coq.version_to_run(False) == ""
    program = compiler.folder / "coqc"
    program.write_text(program.read_text().replace("8.16.1", "8.20.0"))
    assert coq.version_to_run("auto") == ""
    monkeypatch.setenv("PATH", "")
    assert coq.version_to_run("auto") == ""
