from skip_absorption.latex.formal import formal_badges, formal_macros, formal_table

from .conftest import make_formal


def test_counts_and_axioms() -> None:
    table = make_formal()
    macros = formal_macros(table)
    assert macros["ifResFormalRun"] == "true"
    assert macros["ResFormalTheorems"] == str(len(table))
    assert (macros["ResFormalFree"], macros["ResFormalClassical"]) == ("1", str(len(table) - 1))
    assert macros["ResFormalFiles"] == str(table["file"].nunique())


def test_without_coq_nothing_is_claimed() -> None:
    table = make_formal(ran=False)
    macros = formal_macros(table)
    assert macros["ifResFormalRun"] == "false"
    assert macros["ResFormalFree"] == macros["ResFormalSeconds"] == r"\notrun{}"
    assert set(formal_badges(table).values()) == {r"\formalmark{notrun}"}
    assert "classical" not in formal_table(table)


def test_one_theorem_that_was_not_compiled_is_enough_to_say_so() -> None:
    table = make_formal()
    (one, *_) = table.index[table["label"] == "prop:homogeneous"]
    table.loc[one, "status"] = "not run"
    assert formal_macros(table)["ifResFormalRun"] == "false"
    assert formal_badges(table)["BadgeFormalPropHomogeneous"] == r"\formalmark{notrun}"
    assert formal_badges(table)["BadgeFormalThmUngated"] == r"\formalmark{whole}"


def test_a_statement_of_which_a_part_is_missing_says_so() -> None:
    table = make_formal()
    assert formal_badges(table)["BadgeFormalThmUngated"] == r"\formalmark{whole}"
    table.loc[table["theorem"] == "thm4", "extent"] = "part"
    assert formal_badges(table)["BadgeFormalThmUngated"] == r"\formalmark{part}"


def test_theorems_are_grouped_by_statement_and_examples_left_out() -> None:
    table = make_formal()
    text = formal_table(table)
    first = text.splitlines()[4]
    assert first.startswith(
        r"\Cref{prop:homogeneous} & whole & \nolinkurl{prop1}, \nolinkurl{prop1_activation}"
    )
    assert first.endswith(r"& none, classical \\")
    assert text.count(r"\Cref{thm:ungated}") == 1
    assert "opposed_rows" not in text
    assert text.count("nolinkurl") == (table["statement"] != "Examples").sum()
    table.loc[table["theorem"] == "thm4", "extent"] = "part"
    assert r"\Cref{thm:ungated} & in part & " in formal_table(table)
