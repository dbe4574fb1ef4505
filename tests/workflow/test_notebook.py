"""An executed notebook depends on its source and its data alone; a failing cell is one line and a copy."""

import re
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from checkout import ROOT, snakemake

from skip_absorption.errors import SkipAbsorptionError
from support.notebook import execute
from support.notebooks import caption, notebooks

SOURCE = r"""
# %% [markdown]
# # A title with ∑
#
# Inline $\frac{1}{2}$, $\lvert x\rvert=-1$ and displayed
#
# $$x^2$$

# %%
import os
from pathlib import Path
import matplotlib.pyplot as plt
print(Path("data.txt").read_text(), os.environ["SKIP_ABSORPTION_TIER"])
plt.plot([1, 2]);
"""
NAMES = sorted(path.stem for path in (ROOT / "notebooks").glob("*.py"))

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jupyter = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    for name in (*jupyter, "IPYTHONDIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(name, str(tmp_path / "caches"))


class Headings(HTMLParser):
    """The levels of a page's headings, and its pictures without a description."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.undescribed = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        alt = dict(attrs).get("alt") or "No description"
        self.undescribed += tag == "img" and alt.startswith("No description")


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "demo.py"
    source.write_text(SOURCE, encoding="utf-8")
    (tmp_path / "data.txt").write_text("from the folder", encoding="utf-8")
    pairs = [(tmp_path / f"{run}.ipynb", tmp_path / f"{run}.html") for run in "ab"]
    for pair in pairs:
        execute(source, "smoke", *pair)
    for first, second in zip(*pairs, strict=True):
        assert first.read_bytes() == second.read_bytes()
    html = pairs[0][1].read_text(encoding="utf-8")
    assert "from the folder smoke" in html
    assert "image/png" in html
    assert "<title>A title with ∑</title>" in html
    assert len(re.findall("<mfrac>", html)) == 1
    assert len(re.findall('display="block"', html)) == 1
    assert len(re.findall('<mo lspace="0" rspace="0" stretchy="false">[|]</mo>', html)) == 2
    assert '<mo form="prefix">−</mo>' in html
    assert "<script" not in html


@pytest.mark.case("a notebook that raises leaves its partial copy")
def test_a_failing_cell_is_one_line_and_leaves_what_was_executed(tmp_path: Path) -> None:
    source, ipynb, html = tmp_path / "demo.py", tmp_path / "a.ipynb", tmp_path / "a.html"
    partial = tmp_path / "a.partial.ipynb"
    source.write_text(
        "# %% [markdown]\n# # T\n\n# %%\nx = 3\nx\n\n# %%\nx / 0\n\n# %%\nx\n", encoding="utf-8"
    )
    with pytest.raises(SkipAbsorptionError) as failure:
        execute(source, "full", ipynb, html)
    assert str(failure.value) == (
        f"{source}: cell 2: ZeroDivisionError: division by zero (executed so far: {partial})"
    )
    assert not ipynb.exists()
    assert not html.exists()
    executed = nbformat.read(partial, as_version=4)
    assert executed.cells[1].outputs[0].data["text/plain"] == "3"
    assert executed.cells[2].outputs[0].ename == "ZeroDivisionError"
    source.write_text("# %% [markdown]\n# # T\n\n# %%\n3\n", encoding="utf-8")
    execute(source, "full", ipynb, html)
    assert not partial.exists()


def test_the_rules_inputs_are_what_the_sources_read() -> None:
    found = notebooks(ROOT / "notebooks")
    assert [notebook["title"][:2] for notebook in found.values()] == [f"{k}." for k in range(1, 8)]
    assert found["depth"]["files"] == ["certificates/depth.json"]
    assert found["checkpoint_audit"]["downloads"] == ["checkpoint"]
    assert "width_threshold" in found["width_threshold"]["tables"]
    assert found["your_own_weights"]["tables"] == []
    assert caption("tour", found["tour"]).startswith("**1. A tour in two dimensions.** One residual block on")
    assert "Statements: Theorem 4, X1, X4." in caption("tour", found["tour"])


@pytest.mark.parametrize("name", NAMES)
def test_the_pages_of_a_build(built: Path, name: str) -> None:
    ipynb, html = (
        (built / f"smoke/results/notebooks/{name}.{kind}").read_text(encoding="utf-8")
        for kind in ("ipynb", "html")
    )
    page = Headings(html)
    assert page.levels[0] == 1
    assert set(page.levels[1:]) == {2}
    assert page.undescribed == 0
    assert "<script" not in html
    assert "$" not in re.sub(r"<pre>.*?</pre>", "", html.partition("<main>")[2], flags=re.DOTALL)
    for text in (ipynb, html):
        assert str(built.parent) not in text
        assert "No results here yet" not in text
    assert "Tables of the smoke run." in ipynb or name == "your_own_weights"


@pytest.mark.parametrize("name", ["tour", "depth", "checkpoint_audit"])
def test_a_second_execution_gives_the_bytes_of_the_build(built: Path, tmp_path: Path, name: str) -> None:
    ipynb, html = tmp_path / f"{name}.ipynb", tmp_path / f"{name}.html"
    execute(built / "notebooks" / f"{name}.py", "smoke", ipynb, html)
    for path in (ipynb, html):
        assert path.read_bytes() == (built / "smoke/results/notebooks" / path.name).read_bytes()


@pytest.mark.case("a notebook that raises fails the run with one line")
def test_a_notebook_that_lies_stops_the_run_with_one_line(built: Path, edit) -> None:
    edit("notebooks/your_own_weights.py", lambda text: text.replace("assert same", "assert not same"))
    done = snakemake(built, "notebooks")
    assert done.returncode != 0
    (line,) = re.findall(r"^notebook: notebooks/your_own_weights\.py: cell .*$", done.stderr, re.MULTILINE)
    assert "AssertionError" in line
    assert "Traceback" not in done.stderr
    partial = built / "smoke" / "results" / "notebooks" / "your_own_weights.partial.ipynb"
    assert partial.exists()
    edit("notebooks/your_own_weights.py", lambda text: text)
    assert snakemake(built, "notebooks").returncode == 0
    assert not partial.exists()
