from pathlib import Path

from skip_absorption.latex.lint import macro_usage, typed_numbers


def write(tmp_path: Path, text: str) -> list[Path]:
    path = tmp_path / "section.tex"
    path.write_text(text, encoding="utf-8")
    return [path]


def test_agreement(tmp_path: Path) -> None:
    files = write(tmp_path, r"\ifResSmoke \ResCases\fi \BadgeTheoremFour{}")
    assert macro_usage(files, ["ifResSmoke", "ResCases", "BadgeTheoremFour"]) == []


def test_an_unused_and_an_unknown_macro_are_named(tmp_path: Path) -> None:
    files = write(tmp_path, r"\ResCases{} and \ResTypo{}")
    assert macro_usage(files, ["ResCases", "ResSeconds"]) == [
        r"section.tex uses \ResTypo, which is not generated",
        r"\ResSeconds is generated but never used",
    ]


def test_definitions_and_comments_are_not_uses(tmp_path: Path) -> None:
    files = write(tmp_path, "\\newcommand{\\ResA}{1}\n\\newif\\ifResB \\ResBtrue\n% \\ResC\n 5\\% \\ResD\n")
    assert macro_usage(files, ["ResA", "ifResB", "ResD"]) == [
        r"\ResA is generated but never used",
        r"\ifResB is generated but never used",
    ]


def test_a_typed_number_among_measured_values_is_found(tmp_path: Path) -> None:
    files = write(
        tmp_path, "\\begin{measured}\nAll 24 of\n\\cref{tab:2} \\ResX\n\\end{measured}\n$d \\ge 2$\n"
    )
    assert typed_numbers(files) == ["section.tex has a typed number among measured values: All 24 of"]


def test_a_typed_count_is_found_anywhere(tmp_path: Path) -> None:
    files = write(tmp_path, "It took 12.5~seconds for 48 of targets.\nIn 2 dimensions.\n")
    assert typed_numbers(files) == [
        "section.tex has a typed result: 12.5~seconds",
        "section.tex has a typed result: 48 of targets",
    ]
