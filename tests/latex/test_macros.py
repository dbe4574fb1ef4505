import pytest

from skip_absorption.latex import macros

from .conftest import make_claim, make_widths


@pytest.mark.parametrize(
    ("identifier", "name"),
    [("theorem_4", "TheoremFour"), ("corollary_10", "CorollaryOneZero"), ("discussion", "Discussion")],
)
def test_names_are_letters_only(identifier: str, name: str) -> None:
    assert macros.stem(identifier) == name


def test_claim_values_and_badge() -> None:
    claim = make_claim("theorem_4", rejected=False)
    values = macros.claim_macros([claim])
    assert values["ResTheoremFourCases"] == r"12\,345"
    assert (values["ResTheoremFourKilled"], values["ResTheoremFourControls"]) == ("1", "2")
    assert values["ResTheoremFourVerdict"] == r"\verdict{fail}{PROVED-ON-CASES}"
    badge = macros.badge_macros([claim])["BadgeTheoremFour"]
    assert badge.startswith(r"\claimbadge{theorem_4}{fail}{\ResTheoremFourEvidence}{\ResTheoremFourCases}")


def test_width_values() -> None:
    values = macros.width_macros(make_widths())
    assert (values["ResWidthTargets"], values["ResWidthSucceed"], values["ResWidthSucceedBelow"]) == (
        "8",
        "8",
        "0",
    )
    assert values["ResWidthWorst"] == r"\ensuremath{1.0\times10^{-28}}"
    assert values["ResWidthFloor"] == r"\ensuremath{1.0\times10^{-6}}"
    assert values["ResWidthFitsBelow"] == "28"


def test_written_macros() -> None:
    text = macros.write_macros({"ResX": r"1\,000", "ifResSmoke": "true"}, title="A title")
    assert text == (
        "% A title: generated, do not edit\n"
        "\\newcommand{\\ResX}{1\\,000}\n"
        "\\newif\\ifResSmoke \\ResSmoketrue\n"
    )


def test_a_smoke_paper_alone_says_that_it_is_one() -> None:
    flags = [macros.tier_macros(tier)["ifResSmoke"] for tier in ("full", "smoke", "large")]
    assert flags == ["false", "true", "false"]
    paths = [macros.tier_macros(tier)["ResRepository"] for tier in ("full", "smoke", "large")]
    assert paths == ["..", "../..", "../.."]
