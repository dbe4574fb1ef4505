from pathlib import Path

import matplotlib as mpl
import pytest

from skip_absorption.figures import style


def drawn():
    with style.paper_style():
        fig = style.figure(height=1.0)
        fig.subplots().plot([0, 1], [1, 0], label="$x^2$")
    return fig


def test_two_figures_give_the_same_bytes_and_no_dates(tmp_path: Path) -> None:
    for name in ("one", "two"):
        style.save(drawn(), tmp_path / f"{name}.pdf")
    for suffix in ("pdf", "png"):
        one, two = (tmp_path / f"{name}.{suffix}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    assert b"CreationDate" not in (tmp_path / "one.pdf").read_bytes()
    assert b"Matplotlib" not in (tmp_path / "one.png").read_bytes()
    assert len(list(tmp_path.iterdir())) == 4


def test_the_readers_settings_do_not_matter_and_are_left_alone() -> None:
    expected = style.render(drawn(), "png")
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "mathtext.fontset": "stix"}):
        assert style.render(drawn(), "png") == expected
        assert mpl.rcParams["font.size"] == 30


def test_colours_and_markers_are_distinct() -> None:
    assert len(set(style.PALETTE)) == len(style.PALETTE) == len(set(style.MARKERS))


def test_a_failed_save_leaves_nothing(tmp_path: Path, monkeypatch) -> None:
    def fail(*_: object) -> bytes:
        raise OSError("disk full")

    monkeypatch.setattr(style, "render", fail)
    with pytest.raises(OSError, match="disk full"):
        style.save(drawn(), tmp_path / "figure.pdf")
    assert not list(tmp_path.iterdir())
