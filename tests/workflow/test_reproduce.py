"""What ./reproduce says and does where something is missing, on systems made of stubs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import ROOT

BASICS = [
    "bash",
    "cat",
    "dirname",
    "env",
    "grep",
    "head",
    "id",
    "mkdir",
    "mv",
    "rm",
    "sed",
    "tail",
    "tr",
    "uname",
]


class System:
    """A checkout with nothing but ``reproduce`` in it, on a system with a few tools."""

    def __init__(self, folder: Path) -> None:
        self.checkout, self.bin = folder / "check out", folder / "bin"
        self.bin.mkdir()
        for name in BASICS:
            (self.bin / name).symlink_to(str(shutil.which(name)))
        (self.checkout / "paper").mkdir(parents=True)
        for name in ("reproduce", "requirements.lock", "pyproject.toml"):
            shutil.copy(ROOT / name, self.checkout)

    def stub(self, name: str, script: str = "exit 0") -> None:
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!{self.bin}/bash\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def with_tex(self) -> None:
        for name in ("latexmk", "pdflatex", "kpsewhich"):
            self.stub(name)

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.bin / "bash"), str(self.checkout / "reproduce"), *words],
            cwd=self.bin,
            env={"PATH": str(self.bin), "HOME": str(self.bin.parent), **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def system(tmp_path: Path) -> System:
    return System(tmp_path)


def test_help_is_eleven_lines_and_needs_nothing(system: System) -> None:
    for word in ("-h", "--help"):
        done = system.run(word)
        assert done.returncode == 0
        assert len(done.stdout.splitlines()) == 11
        assert done.stderr == ""


@pytest.mark.parametrize(
    ("manager", "command"),
    [
        ("brew", "brew install python@3.11 && brew install --cask mactex-no-gui\n"),
        ("dnf", "sudo dnf install python3.11 texlive-latexmk "),
        ("pacman", "sudo pacman -S --needed python texlive-latexextra "),
        ("zypper", "sudo zypper install python311 texlive-latexmk "),
        ("none", "install Python 3.11 or newer with venv and pip, and TeX Live with "),
    ],
)
def test_elsewhere_the_command_is_printed(system: System, manager: str, command: str) -> None:
    system.stub(manager)
    done = system.run()
    assert done.returncode == 2
    assert done.stdout.startswith(command)
    assert done.stderr.startswith(">> Python >= 3.11 or a TeX with latexmk is missing.")


def test_without_rights_the_command_is_printed(system: System) -> None:
    system.stub("apt-get", "exit 1")
    system.stub("id", "echo 1000")
    done = system.run("smoke")
    assert done.returncode == 2
    assert done.stdout.startswith(
        "apt-get update && apt-get install --no-install-recommends python3 python3-venv "
    )


def test_root_installs_what_is_missing_and_no_more(system: System) -> None:
    system.stub("apt-get", 'echo "$@" >>calls')
    system.stub("id", "echo 0")
    system.with_tex()
    done = system.run()
    assert done.returncode == 2
    assert "no Python >= 3.11 with venv was found, even after installing python3 " in done.stderr
    calls = (system.checkout / "calls").read_text(encoding="utf-8").splitlines()
    assert calls[0].endswith(" update")
    assert calls[1].endswith(" install --yes --no-install-recommends python3 python3-venv ca-certificates")


@pytest.mark.parametrize("words", [("formal",), ("smoke", "formal"), ("-n", "formal")])
def test_coq_is_installed_when_the_proofs_are_asked_for(system: System, words: tuple[str, ...]) -> None:
    system.stub("apt-get", 'echo "$@" >>calls')
    system.stub("id", "echo 0")
    system.with_tex()
    done = system.run(*words)
    assert ">> Coq and its libraries are among what is missing: 260 MB to download" in done.stderr
    calls = (system.checkout / "calls").read_text(encoding="utf-8").splitlines()
    assert calls[1].endswith(
        " ca-certificates coq=8.16* libcoq-mathcomp libcoq-mathcomp-algebra-tactics libcoq-mathcomp-analysis"
        " libcoq-mathcomp-multinomials"
    )


def test_coq_that_is_there_is_not_installed_again(system: System) -> None:
    system.stub("apt-get", 'echo "$@" >>calls')
    system.stub("id", "echo 0")
    system.stub("coqc", f'echo "{system.bin}"')
    system.with_tex()
    for name in (
        "mathcomp/analysis/lebesgue_integral",
        "SsrMultinomials/mpoly",
        "mathcomp/algebra_tactics/ring",
    ):
        path = system.bin / "user-contrib" / f"{name}.vo"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    system.run("formal")
    assert "coq" not in (system.checkout / "calls").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("--configfile=a.yaml", "claim_x1"), "a.yaml"),
        (("smoke", "--configfiles", "requirements.lock", "a.yaml"), "a.yaml"),
        (("--configfile", "requirements.lock", "claim_x1"), "claim_x1"),
    ],
)
def test_a_missing_configuration_is_told(system: System, words: tuple[str, ...], value: str) -> None:
    done = system.run(*words)
    assert done.returncode == 2
    said = "--configfile must be followed by files (a target goes after --configfile=FILE)"
    assert done.stderr == f"reproduce: {said}; got {value}\n"


def test_a_target_may_follow_a_configuration(system: System) -> None:
    for words in (
        ("--configfile=requirements.lock", "claim_x1"),
        ("--configfile", "requirements.lock", "--", "x1"),
    ):
        assert "--configfile" not in system.run(*words).stderr


def test_sudo_is_used_where_it_asks_nothing(system: System) -> None:
    system.stub("apt-get", 'echo "$@" >>calls')
    system.stub("id", "echo 1000")
    system.stub("sudo", '[ "$1" = -n ] && exit 0; echo sudo >>calls; "$@"')
    system.run()
    calls = (system.checkout / "calls").read_text(encoding="utf-8").splitlines()
    assert calls[0::2] == ["sudo", "sudo"]


def test_a_failing_apt_get_is_told(system: System) -> None:
    system.stub("apt-get", 'echo "E: cannot resolve" >&2; exit 100')
    system.stub("id", "echo 0")
    done = system.run()
    assert done.returncode == 2
    assert done.stderr.endswith(
        "E: cannot resolve\nreproduce: apt-get failed; all it said is in .cache/apt.log\n"
    )


def test_an_old_python_does_not_count(system: System) -> None:
    for name in ("python3", "python3.11"):
        system.stub(name, "exit 1")
    system.with_tex()
    assert system.run().returncode == 2


def test_a_style_that_the_paper_loads_must_be_there(system: System) -> None:
    (system.checkout / "paper" / "main.tex").write_text(
        "\\usepackage{amsmath, amssymb}\n\\usepackage[a,\n  b]{siunitx}\n", encoding="utf-8"
    )
    system.with_tex()
    system.stub("kpsewhich", 'echo "$@" >../asked; exit 1')
    assert system.run().returncode == 2
    asked = (system.checkout / "asked").read_text(encoding="utf-8").split()
    assert asked == ["article.cls", "amsmath.sty", "amssymb.sty", "siunitx.sty"]


def test_an_activated_conda_environment_is_used_as_it_is(system: System, tmp_path: Path) -> None:
    conda = tmp_path / "conda" / "bin"
    conda.mkdir(parents=True)
    wrapper = f'[ "$1" = -m ] && {{ echo "$@"; exit; }}\nexec "{sys.executable}" "$@"'
    system.stub("python", wrapper)
    (system.bin / "python").rename(conda / "python")
    system.with_tex()
    done = system.run("smoke", "claim_theorem_4", CONDA_PREFIX=str(conda.parent), CONDA_DEFAULT_ENV="skip")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "-m snakemake --configfile config/smoke.yaml --cores all claim_theorem_4\n"
    assert not (system.checkout / ".venv").exists()


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        (("-n", "--configfile", "mine.yaml"), "-n"),
        (("--configfile=mine.yaml", "claim_x1"), "claim_x1"),
    ],
)
def test_ones_own_configuration_changes_the_smoke_run(
    system: System, tmp_path: Path, words: tuple[str, ...], passed: str
) -> None:
    conda = tmp_path / "conda" / "bin"
    conda.mkdir(parents=True)
    system.with_tex()
    system.stub("python", 'case $1 in -m) echo "$@";; esac')
    (system.bin / "python").rename(conda / "python")
    (system.checkout / "mine.yaml").touch()
    (system.checkout / "config").mkdir()
    (system.checkout / "config" / "smoke.yaml").touch()
    done = system.run("smoke", *words, CONDA_PREFIX=str(conda.parent), CONDA_DEFAULT_ENV="skip")
    assert done.stdout == f"-m snakemake --configfile config/smoke.yaml mine.yaml --cores all {passed}\n"


def test_stress_runs_the_hostile_cases_and_damaged_input(system: System, tmp_path: Path) -> None:
    conda = tmp_path / "conda" / "bin"
    conda.mkdir(parents=True)
    system.with_tex()
    system.stub("python", 'case $1 in -m) echo "$FUZZ_EXAMPLES $@";; esac')
    (system.bin / "python").rename(conda / "python")
    done = system.run("stress", "-x", CONDA_PREFIX=str(conda.parent), CONDA_DEFAULT_ENV="skip")
    assert done.stdout.startswith("10000 -m pytest -m case --cases=results/hostile.csv tests/workflow ")
    assert done.stdout.endswith(" tests/stress tests/fuzz -x\n")


def test_a_conda_environment_that_lacks_something_is_one_line(system: System, tmp_path: Path) -> None:
    conda = tmp_path / "conda" / "bin"
    conda.mkdir(parents=True)
    system.stub("python", f'exec "{sys.executable}" -I -S "$@"')
    (system.bin / "python").rename(conda / "python")
    done = system.run(CONDA_PREFIX=str(conda.parent), CONDA_DEFAULT_ENV="other")
    assert done.returncode == 2
    assert done.stderr.startswith("reproduce: the active conda environment lacks fastjsonschema, flint, ")
    assert done.stderr.count("\n") == 1


def test_every_script_of_the_shell_parses() -> None:
    for name in ("reproduce", ".ci/run"):
        subprocess.run(["bash", "-n", str(ROOT / name)], check=True)
        assert os.access(ROOT / name, os.X_OK)
