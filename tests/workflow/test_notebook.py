"""An executed notebook depends on its source and its data alone; a failing cell is one line."""

from pathlib import Path

import pytest

from skip_absorption.errors import SkipAbsorptionError
from support.notebook import execute

SOURCE = """
# %% [markdown]
# # A title with ∑

# %%
from pathlib import Path
import matplotlib.pyplot as plt
print(Path("data.txt").read_text())
plt.plot([1, 2]);
"""


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jupyter = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    for name in (*jupyter, "IPYTHONDIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(name, str(tmp_path / "caches"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "demo.py"
    source.write_text(SOURCE, encoding="utf-8")
    (tmp_path / "data.txt").write_text("from the folder", encoding="utf-8")
    pairs = [(tmp_path / f"{run}.ipynb", tmp_path / f"{run}.html") for run in "ab"]
    for pair in pairs:
        execute(source, tmp_path, *pair)
    for first, second in zip(*pairs, strict=True):
        assert first.read_bytes() == second.read_bytes()
    html = pairs[0][1].read_text(encoding="utf-8")
    assert "from the folder" in html
    assert "image/png" in html
    assert "<title>demo</title>" in html


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_failing_cell_is_one_line_and_writes_nothing(tmp_path: Path) -> None:
    source = tmp_path / "demo.py"
    source.write_text("# %%\n1 / 0\n", encoding="utf-8")
    with pytest.raises(SkipAbsorptionError, match=r"demo\.py: ZeroDivisionError: division by zero$"):
        execute(source, tmp_path, tmp_path / "a.ipynb", tmp_path / "a.html")
    assert not list(tmp_path.glob("a.*"))
