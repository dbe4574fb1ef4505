"""The page of a real run: links, a real browser, the report and the reference."""

import contextlib
import json
import re
import shutil
import subprocess
import tempfile
import zlib
from html.parser import HTMLParser
from pathlib import Path

import jinja2
import pytest
import yaml
from checkout import ROOT, snakemake

from skip_absorption.claims.ledger import CLAIMS
from skip_absorption.results.schema import TABLES
from skip_absorption.site.exhibits import ALTERNATIVES
from skip_absorption.site.links import broken_links
from support.exhibits import exhibits

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PROBE = """<!DOCTYPE html><iframe src="index.html" width="{width}" height="844"></iframe>
<pre id="probe"></pre>
<script>
onload = () => {{
  const frame = document.querySelector("iframe").contentDocument;
  const shown = () => frame.querySelectorAll("article.claim:not([hidden])").length;
  const search = (words) => {{
    frame.getElementById("search").value = words;
    frame.getElementById("search").dispatchEvent(new frame.defaultView.Event("input"));
    return [shown(), frame.getElementById("count").textContent];
  }};
  const found = {{
    overflow: frame.documentElement.scrollWidth - frame.documentElement.clientWidth,
    form: !frame.querySelector("form").hidden,
    all: shown(),
    one: search("theorem_4"),
    words: search("W_down SET units"),
    none: search("qqqq"),
    again: search(""),
    pictures: [...frame.images].map((image) => (image.loading = "eager")).length,
    dark: frame.defaultView.getComputedStyle(frame.body).backgroundColor,
  }};
  document.getElementById("probe").textContent = JSON.stringify(found);
}};
</script>"""


class Page(HTMLParser):
    """The claims' entries of the page, and its pictures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.claims: list[str] = []
        self.pictures: list[str] = []
        self.hidden_form = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "article" and "claim" in (given.get("class") or "").split():
            self.claims.append(given["id"] or "")
        if tag == "img":
            self.pictures.append(given["src"] or "")
        self.hidden_form |= tag == "form" and "hidden" in given


def site(built: Path) -> Path:
    return built / "smoke" / "results" / "site" / "index.html"


def seen(built: Path, width: int) -> dict[str, object]:
    """Open the page in a browser at this width, search it, and return what was seen."""
    assert BROWSER is not None
    probe = site(built).with_name("probe.html")
    probe.write_text(PROBE.format(width=width), encoding="utf-8")
    try:
        with tempfile.TemporaryDirectory() as profile:
            flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
            flags += ["--allow-file-access-from-files", "--virtual-time-budget=5000", "--dump-dom"]
            done = subprocess.run(
                [BROWSER, *flags, f"--user-data-dir={profile}", probe.as_uri()],
                capture_output=True,
                encoding="utf-8",
                check=True,
                timeout=120,
            )
    finally:
        probe.unlink()
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout)
    assert found is not None, done.stdout[-500:]
    return json.loads(found[1])


def test_every_claim_and_figure_is_on_the_page(built: Path) -> None:
    page = Page(site(built).read_text(encoding="utf-8"))
    assert sorted(page.claims) == sorted(CLAIMS)
    assert page.hidden_form
    assert {Path(source).name for source in page.pictures} == {
        path.name for path in (built / "smoke" / "figures").glob("*.png")
    }


def test_every_link_of_the_page_leads_somewhere(built: Path) -> None:
    assert broken_links(site(built)) == []
    assert str(built) not in site(built).read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_in_a_browser(built: Path, width: int) -> None:
    if BROWSER is None:  # then what a browser would run is at least there, and the page is whole without it
        text = site(built).read_text(encoding="utf-8")
        assert "addEventListener" in text
        assert "@media (max-width: 40rem)" in text
        return
    found = seen(built, width)
    assert found["overflow"] == 0
    assert found["form"] is True
    total = len(CLAIMS)
    assert found["all"] == total
    one = found["one"]
    assert isinstance(one, list)
    assert 1 <= one[0] < total
    assert one[1] == f"{one[0]} of {total} statements"
    assert found["words"] != found["again"]
    assert found["none"] == [0, f"0 of {total} statements"]
    assert found["again"] == [total, ""]
    assert found["pictures"] == len(list((built / "smoke" / "figures").glob("*.png")))


def test_every_link_of_the_paper_leads_somewhere(built: Path) -> None:
    paper = built / "smoke" / "paper" / "main.pdf"
    parts = [paper.read_bytes()]
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", parts[0], re.DOTALL):
        with contextlib.suppress(zlib.error):
            parts.append(zlib.decompress(stream))
    found = re.findall(rb"/(?:URI|F) *\(((?:[^()\\]|\\.)*)\)", b"\n".join(parts))
    links = {re.sub(rb"\\(.)", rb"\1", link).decode().partition("#")[0] for link in found}
    assert len(links) > len(CLAIMS)
    assert [link for link in sorted(links) if "://" not in link and not (paper.parent / link).exists()] == []


def test_captions_name_known_statements_and_rules_and_say_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    rules = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "workflow/rules").glob("*.smk"))
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    titles = {claim.title for claim in CLAIMS.values()}
    names = sorted({path.stem for path in (ROOT / "workflow" / "report").glob("*.rst")} - {"overview"})
    assert len(names) > 15
    assert sorted(ALTERNATIVES) == sorted(set(re.findall(r"figures/(\w+)\.png", rules)))
    for exhibit in exhibits({name: {"rule": "", "rules_file": ""} for name in names}, config):
        name = exhibit.name
        assert f'caption="../report/{name}.rst"' in rules, name
        assert exhibit.statements, name
        if exhibit.statements[0] not in ("all", "as named in each row"):
            assert set(exhibit.statements) <= titles, name
        made_by = re.findall(r"``([a-z_0-9]+)``", exhibit.caption.rpartition("Rule")[2])
        assert made_by, name
        for rule in made_by:
            assert re.search(rf"^rule {rule}:|^use rule \w+ as {rule} with:", rules, re.MULTILINE), rule
        if f"figures/{name}.png" in rules:
            assert all(word in exhibit.text for word in ("Axes: ", "n: ", "Evidence: ")), name


def test_a_caption_that_names_an_unknown_key_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    caption = tmp_path / "workflow" / "report" / "a.rst"
    caption.parent.mkdir(parents=True)
    caption.write_text('n: {{ snakemake.config["a"].cases }} blocks.', encoding="utf-8")
    places = {"a": {"rule": "", "rules_file": ""}}
    (exhibit,) = exhibits(places, {"a": {"cases": 3}})
    assert exhibit.caption == "n: 3 blocks."
    with pytest.raises(jinja2.UndefinedError):
        exhibits(places, {"a": {"draws": 3}})


def test_the_report_holds_every_figure_and_table_with_its_caption(built: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    done = snakemake(built, "--report", str(report))
    assert done.returncode == 0, done.stderr
    text = report.read_text(encoding="utf-8")
    for section in ("Statements", "Experiments", "Depth", "Real weights", "Notebooks", "Paper"):
        assert f'"{section}"' in text or f">{section}<" in text, section
    shown = {path.stem for path in (built / "smoke" / "figures").glob("*.png")} | (set(TABLES) - {"fold"})
    for name in shown:
        assert f'"name": "{name}"' in text, name
    assert "Which widths succeed." in text
    assert "Tier of this run: smoke." in text
    assert "{{" not in "".join(re.findall(r'"caption": "(.*?)"', text))


def test_the_reference_is_written_and_its_links_lead_somewhere(built: Path) -> None:
    done = snakemake(built, "docs")
    assert done.returncode == 0, done.stderr
    folder = built / "smoke" / "results" / "docs"
    assert broken_links(folder / "tables.html") == []
    pages = sorted((folder / "api").rglob("*.html"))
    package = built / "src" / "skip_absorption"
    public = [
        path
        for path in package.rglob("*.py")
        if not re.search(r"\b_(?!_init__)", str(path.relative_to(package)))
    ]
    assert len(pages) == len(public) + 1  # and index.html
    assert {page.name: links for page in pages if (links := broken_links(page))} == {}
    assert not [page for page in pages if str(built) in page.read_text(encoding="utf-8")]
    assert "minimal_width" in (folder / "api" / "skip_absorption.html").read_text(encoding="utf-8")
