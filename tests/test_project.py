"""The project's own files agree with one another: dependencies, versions, contracts, rules, README."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import skip_absorption
from skip_absorption.claims.ledger import CLAIMS

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RULES = [ROOT / "Snakefile", *sorted((ROOT / "workflow" / "rules").glob("*.smk"))]

CONDA_NAMES = {  # packages that conda-forge or bioconda call differently
    "fastjsonschema": "python-fastjsonschema",
    "matplotlib": "matplotlib-base",
    "ortools": "ortools-python",
    "snakemake": "snakemake-minimal",
}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def required() -> dict[str, Requirement]:
    project = PYPROJECT["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    return {canonicalize_name(need.name): need for need in map(Requirement, lines)}


def locked() -> list[tuple[str, str]]:
    found = re.findall(r"^([\w.-]+)==([^\s;]+)", read("requirements.lock"), re.MULTILINE)
    return [(canonicalize_name(name), version) for name, version in found]


def test_the_lock_satisfies_pyproject() -> None:
    versions = dict(locked())
    for name, need in required().items():
        assert name in versions, f"{name} is not locked"
        assert need.specifier.contains(versions[name]), name


def test_the_lock_has_one_version_of_a_package_for_every_python() -> None:
    names = [name for name, _ in locked()]
    assert len(names) > 100
    assert sorted(set(names)) == sorted(names)


def test_everything_locked_carries_hashes_and_no_address() -> None:
    for name in ("requirements.lock", "workflow/boot.lock"):
        text = read(name)
        assert "://" not in text
        entries = re.split(r"\n(?=[\w.-]+==)", text)[1:] or [text]
        assert all("--hash=sha256:" in entry for entry in entries), name


def test_environment_yml_says_the_same_as_pyproject() -> None:
    conda = {}
    for line in yaml.safe_load(read("environment.yml"))["dependencies"]:
        name, _, bound = line.partition(" ")
        conda[canonicalize_name(name)] = bound
    assert conda.pop("python") == PYPROJECT["project"]["requires-python"]
    assert conda.pop("pip") == ""
    expected = {CONDA_NAMES.get(name, name): str(need.specifier) for name, need in required().items()}
    assert conda == {canonicalize_name(name): bound for name, bound in expected.items()}


def test_one_version_everywhere() -> None:
    version = PYPROJECT["project"]["version"]
    assert skip_absorption.__version__ == version
    assert yaml.safe_load(read("CITATION.cff"))["version"] == version
    assert version in read("CHANGELOG.md")


def test_import_contracts() -> None:
    lint = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def rule_blocks() -> list[tuple[str, str]]:
    """Return each rule of the workflow with its text."""
    blocks = []
    for path in RULES:
        for block in re.split(r"^(?= *rule\b.*:$)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            name = re.match(r" *rule *(\w*)", block)
            blocks.append((f"{path.name}:{name[1] if name else ''}", block))
    return blocks


def test_rules_are_complete() -> None:
    directives = ("input", "log", "benchmark", "threads", "resources", "message", "script")
    making = [(name, text) for name, text in rule_blocks() if re.search(r"^ +output:", text, re.MULTILINE)]
    assert len(making) >= 10
    for name, text in making:
        missing = [word for word in directives if not re.search(rf"^ +{word}:", text, re.MULTILINE)]
        assert not missing, f"{name} lacks {missing}"
        assert "sources=sources(" in text or "sources=lambda" in text, name


def test_no_rule_hides_code_or_builds_a_command() -> None:
    forbidden = re.compile(r"^ +(run|notebook|wrapper|shell|conda|container):", re.MULTILINE)
    for path in RULES:
        assert not forbidden.search(path.read_text(encoding="utf-8")), path.name


def test_every_rule_with_an_output_has_a_script_of_its_name() -> None:
    for name, text in rule_blocks():
        if re.search(r"^ +output:", text, re.MULTILINE):
            assert f'"../scripts/{name.partition(":")[2]}.py"' in text, name


@pytest.mark.parametrize("path", sorted((ROOT / "workflow" / "scripts").glob("*.py")), ids=lambda p: p.stem)
def test_scripts_are_short_and_used(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert 0 < len(text.splitlines()) <= 20
    assert "begin(snakemake)" in text
    assert "snakemake.config" not in text
    assert any(f"../scripts/{path.name}" in rules.read_text(encoding="utf-8") for rules in RULES)


def table_rows() -> list[list[str]]:
    rows = [line.strip("| ").split(" | ") for line in read("README.md").splitlines() if line.startswith("| ")]
    return rows[2:]


def test_readme_lists_every_claim_with_its_target_and_file() -> None:
    rows = table_rows()
    missing = [claim for claim in CLAIMS if f"`claim_{claim}`" not in [row[1] for row in rows]]
    assert not missing, f"README.md lacks a row for {', '.join(missing)}"
    assert [row[1] for row in rows[: len(CLAIMS)]] == [f"`claim_{claim}`" for claim in CLAIMS]
    for row, claim in zip(rows, CLAIMS.values(), strict=False):
        assert row[0].startswith(f"{claim.title}:")
        assert row[2] == f"`claims/{claim.id}.json`"
    rules = {name.partition(":")[2] for name, _ in rule_blocks()}
    for row in rows[len(CLAIMS) :]:
        assert row[1].strip("`") in rules
        assert any(row[2].strip("`") in path.read_text(encoding="utf-8") for path in RULES)
    assert all(re.fullmatch(r"\d+", row[3]) for row in rows)


def test_readme_fits_a_screen() -> None:
    lines = read("README.md").splitlines()
    assert len([line for line in lines if not line.startswith("| ")]) <= 40
    assert not [line for line in lines if len(line) > 125]


def test_ignored_outputs_are_listed() -> None:
    ignored = read(".gitignore").splitlines()
    for name in (
        "/results/",
        "/smoke/",
        "/logs/",
        "/benchmarks/",
        "/paper/generated/",
        "/resources/downloads/",
    ):
        assert name in ignored


def test_precommit_runs_what_the_test_command_runs() -> None:
    hooks: list[dict[str, Any]] = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"][0]["hooks"]
    entries = {hook["entry"].split()[0] for hook in hooks}
    assert entries == {"ruff", "mypy", "snakefmt", "lint-imports"}
    assert all(f"-m {tool}" in read("reproduce") for tool in entries - {"lint-imports"})


def test_the_public_interface_is_this() -> None:
    assert dir(skip_absorption) == [
        "Absorption",
        "Activation",
        "Budget",
        "Certificate",
        "Decision",
        "InvalidInput",
        "MinimalWidth",
        "Mlp",
        "NotAbsorbable",
        "Residual",
        "SkipAbsorptionError",
        "Undecided",
        "__version__",
        "absorb",
        "canonical_form",
        "check_certificate",
        "decide",
        "equal_functions",
        "minimal_width",
    ]
    assert all(getattr(skip_absorption, name).__doc__ for name in skip_absorption.__all__)
