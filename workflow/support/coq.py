"""Compiles Coq files in parallel, outside their folder, and asks Coq's kernel what their theorems assume.

A file is compiled again when its text, a file that it imports, or the compiler has changed.
"""

import hashlib
import json
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from pathlib import Path

from skip_absorption.errors import SkipAbsorptionError

LIBRARY = "SkipAbsorption"
SUPPORTED = "Coq 8.16 with MathComp 1.15, MathComp-Analysis 0.6, Multinomials 1.5 and Algebra Tactics 1.0"
NEEDED = (
    "mathcomp/algebra/all_algebra.vo",
    "mathcomp/algebra_tactics/ring.vo",
    "mathcomp/analysis/lebesgue_integral.vo",
    "SsrMultinomials/mpoly.vo",
)
# The axioms of classical mathematics on which MathComp-Analysis builds its real numbers.
CLASSICAL = frozenset(
    {"propositional_extensionality", "functional_extensionality_dep", "constructive_indefinite_description"}
)

# What coqchk lists as axioms wherever Coq's machine integers and floats are loaded.
PRIMITIVE = re.compile(r"Coq\.(?:Numbers\.Cyclic\.Int63\.PrimInt63|Floats\.PrimFloat)\.[\w.]+")
UNSAFE = 3  # kinds of unsafe definition that coqchk reports, each as <none>
AUDITS = 4  # a long audit in parts that run side by side


class Unproved(SkipAbsorptionError):
    """A file that does not compile, assumes something, or disagrees with the ledger."""


def coq_version() -> str | None:
    """Return the version of Coq if it is a supported one and the libraries that the proofs need are here."""
    if shutil.which("coqc") is None:
        return None
    version = _output("coqc", "--print-version").split()[0]
    library = Path(_output("coqc", "-where").strip(), "user-contrib")
    complete = all((library / name).exists() for name in NEEDED)
    return version if complete and version.startswith("8.16.") else None


def version_to_run(wish: bool | str) -> str:
    """Return the version of Coq to run with, "" for none; ``wish`` is true, false or "auto"."""
    version = coq_version() if wish else None
    if wish is True and version is None:
        raise Unproved(f"formal: true needs {SUPPORTED}; ./reproduce formal installs them on Debian 12")
    return version or ""


def imports(text: str) -> list[str]:
    """Return the files of this library that Coq text imports, without their suffix."""
    found = re.findall(rf"From\s+{LIBRARY}\s+Require\s+(?:Import|Export)\s+([^.]+)\.", text)
    return [name for names in found for name in names.split()]


def compile_all(folder: Path, cache: Path, *, jobs: int, version: str) -> dict[str, float]:
    """Compile every file, in parallel, and return the seconds that each took when it was last compiled.

    Raises
    ------
    Unproved
        If a file does not compile; the first line of the compiler's complaint is in the message.
    """
    cache.mkdir(parents=True, exist_ok=True)
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.v"))}
    needs = {name: imports(text) for name, text in texts.items()}
    for name, wanted in needs.items():
        if missing := set(wanted) - texts.keys():
            raise Unproved(f"formal/{name}.v imports {min(missing)}, which is not there")
    digests = _digests(texts, needs, version)
    seconds, running, waiting = dict[str, float](), dict[Future[float], str](), TopologicalSorter(needs)
    waiting.prepare()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while waiting.is_active():
                for name in waiting.get_ready():
                    running[pool.submit(_compile, name, texts[name], digests[name], cache)] = name
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    name = running.pop(done)
                    seconds[name] = done.result()
                    waiting.done(name)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return {f"{name}.v": seconds[name] for name in texts}


def _digests(texts: Mapping[str, str], needs: Mapping[str, list[str]], version: str) -> dict[str, str]:
    """Return for each file a digest of all that its compiled form depends on."""
    digests = dict[str, str]()
    for name in TopologicalSorter(needs).static_order():
        parts = [version, texts[name], *(digests[other] for other in needs[name])]
        digests[name] = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return digests


def _compile(name: str, text: str, digest: str, cache: Path) -> float:
    """Compile one file unless its record says that this has been done; return the seconds of that time."""
    record = cache / f"{name}.json"
    if record.exists() and (cache / f"{name}.vo").exists():
        last = json.loads(record.read_text(encoding="utf-8"))
        if last["digest"] == digest:
            return float(last["seconds"])
    record.unlink(missing_ok=True)
    (cache / f"{name}.v").write_text(text, encoding="utf-8")
    start = time.monotonic()
    _coqc(f"{name}.v", cache)
    seconds = time.monotonic() - start
    print(f"{name}.v compiled in {seconds:.1f} s", flush=True)
    partial = cache / f"{name}.partial"
    partial.write_text(json.dumps({"digest": digest, "seconds": seconds}), encoding="utf-8")
    partial.replace(record)
    return seconds


def _coqc(file: str, cache: Path) -> str:
    command = ["coqc", "-q", "-Q", ".", LIBRARY, "-w", "none", file]
    done = subprocess.run(command, cwd=cache, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="", flush=True)
        told = re.search(r"line (\d+).*?Error:\s*(.+?)(?:\n\n|\Z)", done.stderr, re.DOTALL)
        where, what = (f":{told[1]}", " ".join(told[2].split())[:200]) if told else ("", "coqc failed")
        raise Unproved(f"formal/{file}{where}: {what}")
    return done.stdout


def examine(
    places: Mapping[str, str], folder: Path, cache: Path, *, jobs: int
) -> tuple[dict[str, list[str]], set[str]]:
    """Return what the theorems assume, and the files that the independent checker has gone through.

    Parameters
    ----------
    places
        The file of each theorem, without the suffix.
    folder, cache
        The sources, and where `compile_all` has left them compiled.
    jobs
        How many processes to use.

    Returns
    -------
    axioms
        For each theorem the axioms that its proof uses, as Coq's kernel lists them.
    rechecked
        The algebraic files, without suffix: ``coqchk`` has checked them and all that they rest on.

    Raises
    ------
    Unproved
        If one of them is not among the axioms of classical mathematics.
    """
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.v"))}
    checked, names = _algebraic(texts), sorted(places)
    with ThreadPoolExecutor(jobs) as pool:
        recheck = pool.submit(_recheck, checked, cache)
        parts = [names[start::AUDITS] for start in range(AUDITS)]
        audits = [pool.submit(_audit, {name: places[name] for name in part}, cache) for part in parts if part]
        found = {name: used for audit in audits for name, used in audit.result().items()}
        recheck.result()
    return found, checked


def _algebraic(texts: Mapping[str, str]) -> set[str]:
    """Return the files that do not rest on the library's real numbers."""
    needs = {name: imports(text) for name, text in texts.items()}
    found = set[str]()
    for name in TopologicalSorter(needs).static_order():
        if not re.search(r"From mathcomp Require Import[^.]*\breals\b", texts[name]) and found.issuperset(
            needs[name]
        ):
            found.add(name)
    return found


def _recheck(names: set[str], cache: Path) -> None:
    """Check compiled files, and all that they rest on, with Coq's independent checker."""
    command = [
        "coqchk",
        "-silent",
        "-o",
        "-Q",
        ".",
        LIBRARY,
        *(f"{LIBRARY}.{name}" for name in sorted(names)),
    ]
    done = subprocess.run(command, cwd=cache, capture_output=True, text=True, check=False)
    told = done.stdout + done.stderr
    (cache / "coqchk.txt").write_text(told, encoding="utf-8")
    assumed = re.findall(
        r"^    (\S+)$", told.partition("* Axioms:")[2].partition("* Constants")[0], re.MULTILINE
    )
    findings = [f"axiom {name}" for name in assumed if not PRIMITIVE.fullmatch(name)]
    verdicts = re.findall(r"^\* ((?:Constants|Inductives)\b.*)$", told, re.MULTILINE)
    findings += [verdict for verdict in verdicts if not verdict.endswith(": <none>")]
    if done.returncode != 0 or findings or len(verdicts) != UNSAFE:
        raise Unproved(f"formal: coqchk: {'; '.join(findings) or ' '.join(told.split())[-200:] or 'failed'}")


def _audit(places: Mapping[str, str], cache: Path) -> dict[str, list[str]]:
    lines = [f"From {LIBRARY} Require {' '.join(sorted(set(places.values())))}."]
    for name, module in places.items():
        lines += [f'Goal True. idtac "@@ {name}". Abort.', f"Print Assumptions {LIBRARY}.{module}.{name}."]
    file = f"audit_{min(places)}.v".replace("'", "")
    (cache / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    told = dict(re.findall(r"@@ ([\w']+)\n(.*?)(?=@@ |\Z)", _coqc(file, cache), re.DOTALL))
    return {name: _axiom_names(name, told.get(name, "")) for name in places}


def _axiom_names(name: str, told: str) -> list[str]:
    """Return the axioms in the answer to `Print Assumptions`, all of them classical."""
    if "Closed under the global context" in told:
        return []
    names = sorted(re.findall(r"^([A-Za-z_][\w.']*)\s*(?::|$)", told.partition("Axioms:")[2], re.MULTILINE))
    if not names:
        raise Unproved(f"formal: Coq does not say what {name} assumes")
    if foreign := [axiom for axiom in names if axiom.rpartition(".")[2] not in CLASSICAL]:
        raise Unproved(f"formal: {name} assumes {', '.join(foreign)}")
    return names


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
