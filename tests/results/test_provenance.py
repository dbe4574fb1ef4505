import re
import subprocess

from skip_absorption.results import provenance


def test_versions_name_what_decides_a_result():
    found = provenance.versions()
    assert {"python", "numpy", "scipy", "python-flint", "flint", "blas", "system", "commit"} <= set(found)
    assert all(isinstance(value, str) and value for value in found.values())
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", found["numpy"])


def test_an_absent_package_and_an_absent_git_are_said_so(monkeypatch):
    assert provenance._version("no-such-package-here") == "absent"

    def missing(*_args, **_kwargs):
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "run", missing)
    assert provenance.commit() == "unknown"


def test_a_commit_is_a_hash_or_unknown():
    assert re.fullmatch(r"unknown|[0-9a-f]{40}(-dirty)?", provenance.commit())
