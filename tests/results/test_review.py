"""The review record holds what the benchmark files say, and reads as a document."""

from skip_absorption.results.machine import machine, tool_version
from skip_absorption.results.review import markdown, measurements, review, total

HEAD = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


def folder_of_benchmarks(tmp_path):
    (tmp_path / "claim").mkdir()
    for name, seconds, memory, cpu in (("x1", "2.5", "100.5", "2.0"), ("x2", "0.1", "NA", "-")):
        text = f"{HEAD}{seconds}\t0:00:02\t{memory}\t1\t1\t1\t0\t0\t0\t{cpu}\n"
        (tmp_path / "claim" / f"{name}.tsv").write_text(text, encoding="utf-8")
    (tmp_path / "paper.tsv").write_text(f"{HEAD}4.0\t0:00:04\t50\t1\t1\t1\t0\t0\t0\t3.5\n", encoding="utf-8")
    return tmp_path


def record(tmp_path, commit="abc-dirty"):
    return review(
        tier="smoke", commit=commit, lock="0" * 64, versions={"python": "3", "commit": "x"},
        machine={"cpu": "c"},
        rules=measurements(folder_of_benchmarks(tmp_path)), checksums={"b": "2", "a": "1"},
        changed=["a was changed"],
        claims=[
            {"title": "X1", "verdict": "UNKNOWN", "cases": 1, "controls": 2, "rejected": 1, "passed": False}
        ],
        comparison={"outside": 0},
    )  # fmt: skip


def test_rules_add_up(tmp_path):
    rules = measurements(folder_of_benchmarks(tmp_path))
    assert rules == [
        {"rule": "paper", "jobs": 1, "seconds": 4.0, "cpu": 3.5, "memory": 50.0},
        {"rule": "claim", "jobs": 2, "seconds": 2.6, "cpu": 2.0, "memory": 100.5},
    ]
    assert total(rules) == {"rule": "all rules", "jobs": 3, "seconds": 6.6, "cpu": 5.5, "memory": 100.5}
    assert total([])["memory"] == 0


def test_the_record_has_a_manifest_and_says_what_was_edited(tmp_path):
    found = record(tmp_path)
    assert (found["commit"], found["dirty"]) == ("abc", True)
    assert found["manifest"] == [{"file": "a", "sha256": "1"}, {"file": "b", "sha256": "2"}]
    assert found["versions"] == {"python": "3"}
    text = markdown(found, ["nothing moved"])
    total = "| all rules | 3 | 6.6 | 5.5 | 100 |"
    for line in (total, "| X1 | UNKNOWN | 1 | 1 of 2 | NO |", "- nothing moved", "- CHANGED: a was changed"):
        assert line in text.splitlines()


def test_outside_git_the_commit_is_unknown(tmp_path):
    found = record(tmp_path, commit="unknown")
    assert (found["commit"], found["dirty"]) == ("unknown", None)


def test_the_machine_is_named_without_its_name():
    import socket

    said = machine()
    assert set(said) == {"cpu", "cores", "memory", "system", "blas"}
    assert all(said.values())
    assert socket.gethostname() not in said["system"].split()
    assert tool_version("no such program") == "not installed"
    assert tool_version("python3", "--version").startswith("Python 3")
