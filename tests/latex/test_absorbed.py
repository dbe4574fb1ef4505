from skip_absorption.latex import absorbed

from .conftest import make_absorbed


def test_both_variants_have_a_row_for_each_precision() -> None:
    rows = [
        line.split(" & ") for line in absorbed.absorbed_table(make_absorbed()).splitlines() if "&" in line
    ]
    assert [row[:4] for row in rows[1:]] == [
        ["minimal", "single", "1920", "no"],
        ["minimal", "double", "1920", "no"],
        ["exact", "single", "2304", "yes"],
        ["exact", "double", "2304", "yes"],
    ]
    assert rows[3][4] == "0"
    assert rows[1][7] == "5.5"


def test_what_is_not_proved_is_said_in_red() -> None:
    table = make_absorbed()
    table.loc[table["variant"] == "exact", "proved"] = False
    assert absorbed.absorbed_table(table).count(r"\failed{not proved}") == 2
    assert absorbed.absorbed_macros(table)["ResAbsorbedProved"] == "0"


def test_macros_take_each_number_from_its_variant() -> None:
    table = make_absorbed()
    table.loc[table["precision"] == "float64", "round_off"] = 2e-7
    macros = absorbed.absorbed_macros(table)
    assert macros["ResAbsorbedRoundOff"] == r"\ensuremath{1.0\times10^{-7}}"
    assert (macros["ResAbsorbedMinimalWidth"], macros["ResAbsorbedExactWidth"]) == ("1920", "2304")
    assert macros["ResAbsorbedMinimalGrowth"] == "25"
    assert macros["ResAbsorbedParameters"] == r"22\,713\,728"
    assert macros["ResAbsorbedExactDouble"] == r"\ensuremath{2.0\times10^{-16}}"
    assert macros["ResAbsorbedSeconds"] == "120"
    assert macros["ResAbsorbedDelta"] == "4.9"


def test_without_a_run_the_same_macros_say_so() -> None:
    ran, absent = (absorbed.absorbed_macros(make_absorbed(ran=which)) for which in (True, False))
    assert ran.keys() == absent.keys()
    assert (ran["ifResAbsorbedRun"], absent["ifResAbsorbedRun"]) == ("true", "false")
    assert absent["ResAbsorbedExactDifference"] == r"\notrun{}"
    assert absorbed.absorbed_table(make_absorbed(ran=False)).count(r"\notrun{}") == 4
