"""The command line: answers, exit statuses, and one line for every mistake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from skip_absorption.cli import main

PLANTED = {"w_up": [[1, 0], [0, 1], [1, 1]], "w_down": [[-1, 0, 5], [0, -1, "7/3"]], "activation": "relu"}
NEVER = {"w_up": [[1, 0], [0, 1]], "w_down": [[1, 0], [0, 1]], "activation": "gelu"}
OPPOSED = {"w_up": [[1, 0], [-1, 0]], "w_down": [[-1, 1], [0, 0]], "activation": "relu"}


@pytest.fixture
def file(tmp_path):
    def write(name: str, content: object) -> str:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    return write


def answer(capsys, *arguments: str) -> tuple[int, dict]:
    status = main([*arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def complaint(capsys, *arguments: str) -> str:
    """Run a misuse, check the exit status, and return the one line on standard error."""
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith("skip-absorption: ")
    return line.removeprefix("skip-absorption: ")


def test_decide_planted_and_check(file, tmp_path, capsys):
    weights, certificate = file("w.json", PLANTED), str(tmp_path / "c.json")
    status, found = answer(capsys, "decide", weights, "--certificate", certificate)
    assert status == 0
    assert found["verdict"] == "ABSORBABLE"
    assert found["flip_set"] == [0, 1]
    assert found["hypotheses"] == []
    assert {"proof", "seconds"} <= found.keys()
    status, checked = answer(capsys, "check", certificate, weights)
    assert (status, checked["valid"]) == (0, True)


def test_decide_refuted_and_certificate_for_other_weights(file, tmp_path, capsys):
    weights, certificate = file("w.json", NEVER), str(tmp_path / "c.json")
    status, found = answer(capsys, "decide", weights, "--certificate", certificate)
    assert (status, found["verdict"], found["flip_set"]) == (0, "NOT_ABSORBABLE", None)
    assert main(["check", certificate, weights]) == 0
    other = file("other.json", NEVER | {"w_down": [[1, 0], [0, 2]]})
    capsys.readouterr()
    status, checked = answer(capsys, "check", certificate, other)
    assert (status, checked["valid"]) == (1, False)
    assert "digest differs" in checked["reason"]


def test_hypotheses_fail_and_the_canonical_form_answers(file, capsys):
    weights = file("w.json", OPPOSED)
    status, found = answer(capsys, "decide", weights)
    assert (status, found["verdict"]) == (0, "ABSORBABLE")
    assert found["hypotheses"] == ["rows 0 and 1 of w_up are collinear"]
    assert "canonical" in found["proof"]
    status, found = answer(capsys, "decide", weights, "--condition")
    assert (status, found["verdict"]) == (0, "NOT_ABSORBABLE")  # condition (3) alone has no solution


@pytest.mark.parametrize("suffix", ["json", "npz"])
@pytest.mark.parametrize("case", [(PLANTED, 3), (NEVER, 4), (OPPOSED, 2)])
def test_absorb_at_the_least_width_is_equal(file, tmp_path, capsys, case, suffix):
    content, width = case
    weights, twin = file("w.json", content), str(tmp_path / f"twin.{suffix}")
    status, found = answer(capsys, "width", weights)
    assert (status, found["width"], found["lower"], found["upper"]) == (0, width, width, width)
    assert found["extra"] == width - len(content["w_up"])
    status, found = answer(capsys, "absorb", weights, "-o", twin)
    assert (status, found["width"]) == (0, width)
    assert answer(capsys, "equal", weights, twin) == (0, {"equal": True, "difference": None})
    assert f"the least width is {width}" in complaint(
        capsys, "absorb", weights, "-o", str(tmp_path / "no.json"), "--width", str(width - 1)
    )
    assert not (tmp_path / "no.json").exists()


def test_equal_says_where_the_functions_differ(file, capsys):
    first, second = file("a.json", PLANTED), file("b.json", PLANTED | {"w_down": [[-1, 0, 5], [0, -1, 2]]})
    status, found = answer(capsys, "equal", first, second)
    assert (status, found["equal"]) == (1, False)
    assert "differ" in found["difference"]


def test_unknown_is_status_3_and_says_what_was_tried(file, capsys):
    rng = np.random.default_rng(0)
    w_up, w_down = rng.integers(-(2**20), 2**20, (70, 2)), rng.integers(-(2**20), 2**20, (2, 70))
    weights = file("w.json", {"w_up": w_up.tolist(), "w_down": w_down.tolist(), "activation": "relu"})
    status, found = answer(capsys, "decide", weights, "--seconds", "0.2")
    assert (status, found["verdict"], found["flip_set"]) == (3, "UNKNOWN", None)
    assert found["tried"]


@pytest.mark.parametrize(
    "case",
    [
        ({"w_up": [[1, 2]], "activation": "relu"}, "w_down"),
        (PLANTED | {"w_down": [[1, 2], [3, 4]]}, "w_down"),
        (PLANTED | {"w_up": [[1, 0], [0, "x"], [1, 1]]}, "x"),
        (PLANTED | {"skip": [[1, 2, 3]]}, "skip"),
        (PLANTED | {"activation": "swish"}, "swish"),
        (PLANTED | {"activation": "relu_squared"}, "relu_squared"),
        (PLANTED | {"b_up": [1]}, "b_up"),
        ({key: value for key, value in PLANTED.items() if key != "activation"}, "--activation"),
        ('{"w_up": [[NaN, 0]], "w_down": [[1], [1]], "activation": "relu"}', "finite"),
        ("[" * 100_000, "w.json"),
        ("not json", "w.json"),
        ("", "w.json"),
    ],
)
@pytest.mark.parametrize("command", ["decide", "width", "absorb"])
def test_bad_weights_are_one_line(file, tmp_path, capsys, command, case):
    content, expected = case
    out = tmp_path / "out.json"
    extra = ["-o", str(out)] if command == "absorb" else []
    assert expected in complaint(capsys, command, file("w.json", content), *extra)
    assert not out.exists()


def test_missing_and_unreadable_files(file, tmp_path, capsys):
    assert "absent.json" in complaint(capsys, "decide", str(tmp_path / "absent.json"))
    assert "w.pt" in complaint(capsys, "decide", file("w.pt", "x"))
    assert str(tmp_path) in complaint(capsys, "decide", str(tmp_path))
    assert "c.json" in complaint(capsys, "check", file("c.json", "{}"), file("w.json", PLANTED))
    # an output folder that does not exist is found out, and nothing is written
    assert "nowhere" in complaint(
        capsys, "absorb", file("w.json", PLANTED), "-o", str(tmp_path / "nowhere" / "v.json")
    )


@pytest.mark.parametrize(
    "arguments",
    [[], ["decides"], ["decide"], ["decide", "w.json", "--seconds", "-1"], ["absorb", "w.json"]],
)
def test_misuse_of_the_parser_is_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_interrupt_is_one_line(file, capsys, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("skip_absorption.absorption.condition.decide", interrupted)
    assert main(["decide", file("w.json", PLANTED)]) == 130
    assert capsys.readouterr().err.count("\n") == 1


def test_too_little_memory_is_one_line(file, capsys, monkeypatch):
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("skip_absorption.absorption.condition.decide", exhausted)
    assert main(["decide", file("w.json", PLANTED)]) == 2
    assert (
        capsys.readouterr().err
        == "skip-absorption: there is not enough memory for this; no file was left half written\n"
    )


@pytest.mark.parametrize(("redirect", "status"), [("| true", 0), (">&-", 0), ("> /dev/full", 2)])
def test_an_output_that_cannot_be_written_is_no_failed_check(file, redirect, status):
    command = f"{sys.executable} -m skip_absorption.cli decide {file('w.json', PLANTED)} {redirect}"
    shell = ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"]
    done = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert done.stderr.count("\n") == (status != 0)


def test_without_standard_error_the_answer_is_the_same(file):
    command = f"{sys.executable} -m skip_absorption.cli decide {file('w.json', PLANTED)} 2>&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("ABSORBABLE")


def test_no_command_replaces_its_own_input(file, capsys):
    path = file("w.json", PLANTED)
    said = complaint(capsys, "absorb", path, "-o", path)
    assert said == f"--output must be another file than the weights; got {path}"
    said = complaint(capsys, "decide", path, "--certificate", path)
    assert said == f"--certificate must be another file than the weights; got {path}"
    assert json.loads(Path(path).read_text()) == PLANTED


def test_a_device_is_not_replaced_by_a_certificate(file, tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    said = complaint(capsys, "decide", file("w.json", PLANTED), "--certificate", str(tmp_path / "pipe"))
    assert "certificate file must be writable" in said
    assert "something that is no file stands there" in said
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize(
    ("words", "requirement"),
    [
        (["--width", "wide"], "must be minimal, exact or a number of units; got wide"),
        (["--blocks", "9" * 5000], "must be all or numbers such as 0,1,3; got 999"),
        (["--seconds", "soon"], "must be a positive number; got soon"),
    ],
)
def test_the_parser_names_the_requirement(words, requirement, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["absorb", "w.json", "-o", "out.json", *words])
    line = capsys.readouterr().err.splitlines()[-1]
    assert words[0] in line
    assert requirement in line
    assert len(line) < 200


@pytest.mark.parametrize("memory", ["1e-12", "1e300"])
def test_any_positive_number_is_a_memory(file, memory, capsys):
    assert main(["decide", file("w.json", PLANTED), "--memory", memory]) == 0
    assert capsys.readouterr().err == ""


def test_a_path_that_is_no_text_is_shown_escaped(file, tmp_path, capsys):
    out = tmp_path / "w\udcff.json"
    assert main(["absorb", file("w.json", PLANTED), "-o", str(out)]) == 0
    assert "w\\udcff.json: the same function" in capsys.readouterr().out


def test_an_error_shows_no_control_characters(file, capsys):
    assert main(["decide", file("w.json", {**PLANTED, "activation": "\x1b[31mre\nlu"})]) == 2
    assert capsys.readouterr().err.endswith("got \\x1b[31mre lu\n")


def test_claims_without_results_says_not_run(tmp_path, capsys):
    status, found = answer(capsys, "claims", "--results", str(tmp_path))
    assert status == 0
    assert {row["verdict"] for row in found["claims"]} == {"not run"}
    assert main(["claims", "--results", str(tmp_path)]) == 0
    assert f"note: {tmp_path} holds no claim's result" in capsys.readouterr().out.splitlines()[-1]


def test_start_up_imports_nothing_heavy():
    heavy = "{'numpy', 'scipy', 'numba', 'pandas'}"
    code = f"import sys, skip_absorption.cli; print(sorted({heavy} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "[]\n"


def test_installed_command_runs():
    command = Path(sys.executable).parent / "skip-absorption"
    shown = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
    assert "Exit status: 0 decided" in shown
