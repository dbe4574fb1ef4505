"""The paper's own sources: macros, links, labels, and the real build."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from skip_absorption.latex.build import build_pdf
from skip_absorption.latex.document import generate
from skip_absorption.latex.lint import macro_usage, typed_numbers

from .conftest import CLAIMS, REPOSITORY, make_absorbed, make_audit, make_claim, make_formal

PAPER = REPOSITORY / "paper"
SECTIONS = sorted((PAPER / "sections").glob("*.tex"))
FIGURES = {
    "width_threshold": "width_threshold",
    "width_success": "width_threshold",
    **{name: name for name in ("depth_excluded", "depth_fits", "fold")},
    **{name: name for name in ("minimal_width", "random_measures", "distance", "checkpoint_margin")},
}
SOURCES = [PAPER / "main.tex", PAPER / "preamble.tex", *SECTIONS]


def test_every_macro_is_generated_and_used(tmp_path: Path, claims, results) -> None:
    macros = generate(claims, results, "full", tmp_path)
    assert macro_usage([*SOURCES, *sorted(tmp_path.glob("*.tex"))], macros) == []


def test_no_result_is_typed_by_hand() -> None:
    assert typed_numbers(SECTIONS) == []


def test_every_section_is_read() -> None:
    main = (PAPER / "main.tex").read_text()
    assert sorted(re.findall(r"\\input\{sections/(\w+)\}", main)) == [path.stem for path in SECTIONS]


def test_every_link_to_a_rule_names_a_rule_in_its_file() -> None:
    text = "".join(path.read_text() for path in SECTIONS)
    links = re.findall(r"\\madeby\{(\w+)\}\{(\w+)\}", text)
    assert len(links) == text.count(r"\includegraphics") + text.count(r"\begin{table}")
    for rule, file in links:
        assert re.search(
            rf"^rule {rule}:", (REPOSITORY / "workflow/rules" / f"{file}.smk").read_text(), re.M
        ), rule


def test_every_figure_has_a_description_and_exists() -> None:
    text = "".join(path.read_text() for path in SECTIONS)
    described = re.findall(r"\\described\{[^{}]{30,}\}\{\\includegraphics\[[^]]*\]\{(\w+)\}\}", text)
    assert sorted(described) == sorted(FIGURES)
    assert len(described) == text.count(r"\includegraphics")


def test_every_link_to_a_notebook_names_one() -> None:
    text = "".join(path.read_text() for path in SECTIONS)
    linked = set(re.findall(r"\\notebook\{(\w+)\}", text))
    assert linked == {path.stem for path in (REPOSITORY / "notebooks").glob("*.py")}


def test_every_claim_has_a_row_with_its_rule(claims) -> None:
    from skip_absorption.latex.tables import verdict_table

    assert re.findall(r"\\rulelink\{claim_(\w+)\}", verdict_table(claims)) == list(CLAIMS)


def test_claims_and_statements_match_in_both_directions() -> None:
    from skip_absorption.claims.ledger import CLAIMS as LEDGER

    text = "".join(path.read_text() for path in SECTIONS)
    badged = re.findall(r"\\label\{([\w:-]+)\}\\Badge(\w+)", text)
    from skip_absorption.latex.macros import stem

    assert sorted(badged) == sorted((claim.label, stem(claim.id)) for claim in LEDGER.values())
    assert {claim.id: (claim.label, claim.title) for claim in LEDGER.values()} == CLAIMS


@pytest.mark.parametrize("tier", ["full", "smoke"])
def test_the_paper_builds_without_a_flaw(tmp_path: Path, tier: str, claims, results) -> None:
    """In the smoke tier with a refuted claim, an unknown one and no checkpoint."""
    from skip_absorption.figures import style

    if tier == "smoke":
        first, second, *rest = CLAIMS
        claims = [
            make_claim(first, verdict="REFUTED", rejected=False),
            make_claim(second, verdict="UNKNOWN"),
            *map(make_claim, rest),
        ]
        results |= make_audit(ran=False)
        results["absorbed_checkpoint"] = make_absorbed(ran=False)
        results["formal"] = make_formal(ran=False)
    generate(claims, results, tier, tmp_path / "generated")
    for figure, table in FIGURES.items():
        module = import_module(f"skip_absorption.figures.{figure}")
        style.save(module.plot(results[table]), tmp_path / "figures" / f"{figure}.pdf")
    output, log = tmp_path / "main.pdf", tmp_path / "tex.log"
    build_pdf(PAPER, tmp_path / "generated", tmp_path / "figures", output, log)
    first = output.read_bytes()
    assert ("draftwatermark.sty" in log.read_text()) == (tier == "smoke")
    if tier == "full":
        build_pdf(PAPER, tmp_path / "generated", tmp_path / "figures", output, log)
        assert output.read_bytes() == first
