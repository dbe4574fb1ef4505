"""The whole page: statements with their evidence, figures, tables, machine-checked proofs, versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from skip_absorption.errors import InvalidInput
from skip_absorption.results.outcome import status
from skip_absorption.results.schema import table_schema
from skip_absorption.site import claims as claim_entries
from skip_absorption.site.exhibits import Exhibit, shown_for
from skip_absorption.site.markup import Content, Html, element, join, link
from skip_absorption.site.prose import paragraphs, prose
from skip_absorption.site.tables import LONGEST, stored_table, versions_table

if TYPE_CHECKING:
    import pandas as pd

OUTPUTS = "../.."
"""The way from the page's folder to that of a tier's results, figures and paper."""
REPOSITORIES = {"full": "../..", "smoke": "../../..", "large": "../../.."}
"""The way from the page's folder to the repository."""


@dataclass(frozen=True)
class Run:
    """What a run has made.

    Attributes
    ----------
    tier
        "full", "smoke" or "large".
    claims
        The claims' result files, in the order of the paper.
    tables
        The stored tables by name; ``formal`` must be among them.
    figures, notebooks, table_exhibits
        What they show and which rule makes them.
    certificates
        Files and folders under ``results/certificates``, by name.
    statements
        Statements of the paper as HTML, by the claim's id, where they are to be had.
    """

    tier: str
    claims: Sequence[Mapping[str, Any]]
    tables: Mapping[str, pd.DataFrame]
    figures: Sequence[Exhibit] = ()
    notebooks: Sequence[Exhibit] = ()
    table_exhibits: Sequence[Exhibit] = ()
    certificates: Sequence[str] = ()
    statements: Mapping[str, Html] = field(default_factory=dict)


def page(run: Run) -> str:
    """Return the page; the same run gives the same bytes.

    Raises
    ------
    InvalidInput
        If the tier has another name, or the table ``formal`` is missing.
    """
    if run.tier not in REPOSITORIES:
        raise InvalidInput("tier", 'be "full", "smoke" or "large"', run.tier)
    if "formal" not in run.tables:
        raise InvalidInput("tables", "contain the table formal", ", ".join(sorted(run.tables)) or "none")
    sections = (
        ("statements", "Statements", _statements(run)),
        ("figures", "Figures", _figures(run)),
        ("checkpoints", "Real weights", _chosen_tables(run, lambda name: "checkpoint" in name)),
        ("formal", "Machine-checked theorems", _chosen_tables(run, lambda name: name == "formal")),
        ("tables", "All tables", _all_tables(run)),
        ("versions", "Versions", _versions(run)),
    )
    navigation = element(
        "nav",
        element("ul", *(element("li", link(title, f"#{id_}")) for id_, title, _ in sections)),
        aria_label="Sections",
    )
    main = element("main", *(_section(id_, title, body) for id_, title, body in sections), id="main")
    return document("Skip Absorption: results", [_header(run), navigation, main, _footer(run)], script=True)


def _section(id_: str, title: str, body: Html) -> Html:
    heading = element("h2", title, id=f"{id_}-title")
    return element("section", heading, body, id=id_, aria_labelledby=f"{id_}-title")


def document(title: str, body: Sequence[Content], *, script: bool = False) -> str:
    """Return an HTML document with the project's style within it, and the search if wanted."""
    assets = files("skip_absorption.site").joinpath("assets")
    style = Html(assets.joinpath("style.css").read_text(encoding="utf-8"))
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("link", rel="icon", href="data:,"),
        element("title", title),
        element("style", style),
    )
    code = Html(assets.joinpath("search.js").read_text(encoding="utf-8"))
    skip = link("Skip to the content", "#main", class_="skip")
    content = [skip, *body, element("script", code) if script else None]
    html = element("html", head, element("body", *content), lang="en")
    return f"<!DOCTYPE html>\n{html}\n"


def _header(run: Run) -> Html:
    kinds = [status(claim) for claim in run.claims]
    controls = [control for claim in run.claims for control in claim["controls"]]
    rejected = sum(bool(control["rejected"]) for control in controls)
    formal = run.tables["formal"]
    compiled = bool((formal["status"] == "proved").all())
    numbers = (
        (f"{kinds.count('pass')} of {len(kinds)}", "statements pass"),
        (_grouped(sum(claim["cases"] for claim in run.claims)), "instances tried"),
        (f"{rejected} of {len(controls)}", "false variants rejected"),
        (_grouped(len(formal)), "theorems in Coq" + ("" if compiled else ", not compiled in this run")),
    )
    smoke = "This is a smoke run: the same steps as the full run, at reduced sizes."
    return element(
        "header",
        element("h1", "Skip Absorption"),
        element(
            "p",
            prose(
                "When is x + MLP(x) itself an MLP of the same width? Every statement of the paper, how it "
                "was checked in this run, and where its evidence is."
            ),
            class_="lead",
        ),
        element("p", smoke, class_="smoke") if run.tier == "smoke" else None,
        element(
            "ul",
            *(element("li", element("strong", number), " ", text) for number, text in numbers),
            class_="numbers",
        ),
    )


def _statements(run: Run) -> Html:
    legend = (
        "PASS: the statement held exactly on every instance tried, and every control, a variant that is "
        "false on purpose, was rejected. That tests the statement and does not prove it in general: the "
        "proofs are in the paper, and those marked Coq were also checked by machine."
    )
    search = element(
        "form",
        element("label", "Search the statements", for_="search"),
        element("input", type="search", id="search", autocomplete="off", spellcheck="false"),
        element("output", for_="search", aria_live="polite", id="count"),
        role="search",
        hidden=True,
    )
    groups = [
        element(
            "div",
            element("h3", heading),
            element("div", *(_entry(run, claim) for claim in claims), class_="claims"),
            class_="group",
        )
        for heading, claims in claim_entries.grouped(run.claims)
    ]
    chips = element(
        "ul",
        *(
            element("li", link(join([claim["title"], " ", _sign(claim)]), f"#{claim['id']}"))
            for claim in run.claims
        ),
        class_="chips",
        aria_label="All statements",
    )
    return join([element("p", legend), search, chips, *groups])


def _sign(claim: Mapping[str, Any]) -> Html:
    kind = status(claim)
    sign, word = claim_entries.WORDS[kind].split(" ")
    return element("span", element("span", sign, aria_hidden="true"), class_=f"sign {kind}", title=word)


def _entry(run: Run, claim: Mapping[str, Any]) -> Html:
    repository, id_ = REPOSITORIES[run.tier], claim["id"]
    links = [
        link("result (JSON)", f"{OUTPUTS}/results/claims/{id_}.json"),
        link("its check", f"{repository}/src/skip_absorption/claims/{id_}.py"),
        link(prose(f"rule ``claim_{id_}``"), f"{repository}/workflow/rules/claims.smk"),
        link("paper (PDF)", f"{OUTPUTS}/paper/main.pdf"),
    ]
    links += [
        link(f"figure: {exhibit.title}", f"#figure-{exhibit.name}")
        for exhibit in shown_for(claim, run.figures)
    ]
    links += [
        link(f"table: {exhibit.name}", f"#table-{exhibit.name}")
        for exhibit in shown_for(claim, run.table_exhibits)
    ]
    links += [
        link(f"notebook: {exhibit.title}", f"{OUTPUTS}/results/notebooks/{exhibit.name}.html")
        for exhibit in shown_for(claim, run.notebooks)
    ]
    if any(table.name == "checkpoint_audit" for table in shown_for(claim, run.table_exhibits)):
        links.append(link("certificates", "#certificates"))
    mark = claim_entries.machine_check(claim, run.tables["formal"])
    return claim_entries.entry(claim, mark, run.statements.get(id_), links)


def _figures(run: Run) -> Html:
    return element("div", *(_figure(run, exhibit) for exhibit in run.figures), class_="figures")


def _figure(run: Run, exhibit: Exhibit) -> Html:
    source = f"{OUTPUTS}/figures/{exhibit.name}"
    links = [
        link("PDF", f"{source}.pdf"),
        link(prose(f"rule ``{exhibit.rule}``"), f"{REPOSITORIES[run.tier]}/{exhibit.rules_file}"),
    ]
    links += [link(f"table: {name}", f"#table-{name}") for name in exhibit.tables]
    return element(
        "figure",
        element("h3", exhibit.title),
        link(
            element("img", src=f"{source}.png", alt=exhibit.alternative, loading="lazy"),
            f"{source}.png",
        ),
        element("figcaption", paragraphs(exhibit.text)),
        element("ul", *(element("li", item) for item in links), class_="links"),
        id=f"figure-{exhibit.name}",
    )


def _chosen_tables(run: Run, chosen: Any) -> Html:
    names = [name for name in run.tables if chosen(name)]
    captions = {exhibit.name: exhibit for exhibit in run.table_exhibits}
    parts: list[Content] = []
    for name in names:
        exhibit = captions.get(name)
        if exhibit is not None:
            parts += [element("h3", exhibit.title), paragraphs(exhibit.text)]
        parts.append(stored_table(name, run.tables[name]))
    if any("checkpoint" in name for name in names):
        parts.append(_certificates(run))
    return join(parts)


def _certificates(run: Run) -> Html:
    files_ = [link(name, f"{OUTPUTS}/results/certificates/{name}") for name in run.certificates]
    recheck = link(element("code", "docs/recheck.py"), f"{REPOSITORIES[run.tier]}/docs/recheck.py")
    return join(
        [
            element("h3", "Certificates", id="certificates"),
            element(
                "p",
                "Each decision comes with a certificate that a second program has checked; ",
                recheck,
                " checks one with Python's standard library alone.",
            ),
            element("ul", *(element("li", item) for item in files_), class_="links"),
        ]
    )


def _all_tables(run: Run) -> Html:
    exhibits = {exhibit.name: exhibit for exhibit in run.table_exhibits}
    return join(_table(run, name, exhibits.get(name)) for name in sorted(run.tables))


def _table(run: Run, name: str, exhibit: Exhibit | None) -> Html:
    frame = run.tables[name]
    source = f"{OUTPUTS}/results/tables/{name}"
    links = [link("CSV", f"{source}.csv"), link("Parquet", f"{source}.parquet")]
    if exhibit is not None:
        rule = prose(f"rule ``{exhibit.rule}``")
        links.append(link(rule, f"{REPOSITORIES[run.tier]}/{exhibit.rules_file}"))
    rows = f"{_grouped(len(frame))} row{'' if len(frame) == 1 else 's'}"
    shown = None
    if "checkpoint" in name or name == "formal":
        place = "formal" if name == "formal" else "checkpoints"
        shown = element("p", link("Shown above", f"#{place}"))
    elif len(frame) <= LONGEST:
        shown = element("details", element("summary", f"Show {rows}"), stored_table(name, frame))
    return element(
        "article",
        element("h3", element("code", name), id=f"table-{name}"),
        element("p", prose(f"{table_schema(name).meaning}; {rows}.")),
        element("ul", *(element("li", item) for item in links), class_="links"),
        shown,
        class_="table",
    )


def _versions(run: Run) -> Html:
    return versions_table(dict(claim) for claim in run.claims)


def _footer(run: Run) -> Html:
    repository = REPOSITORIES[run.tier]
    places = (
        ("README", f"{repository}/README.md"),
        ("paper (PDF)", f"{OUTPUTS}/paper/main.pdf"),
        ("the page's own rule", f"{repository}/workflow/rules/site.smk"),
    )
    notebooks = [
        link(f"notebook: {exhibit.title}", f"{OUTPUTS}/results/notebooks/{exhibit.name}.html")
        for exhibit in run.notebooks
    ]
    links = [link(text, href) for text, href in places] + notebooks
    return element("footer", element("ul", *(element("li", item) for item in links), class_="links"))


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")
