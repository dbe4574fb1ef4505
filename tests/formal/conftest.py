"""A library of two small files with its ledger, and a stand-in for the compiler."""

import os
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "workflow"))

FIRST = """(** The first file.  Admitted (* and Axiom *) are allowed in comments. *)
From mathcomp Require Import all_ssreflect.
Section S.
Variable n : nat.
Hypothesis h : n = 0.
Lemma aid : 0 = n. Proof. by rewrite h. Qed.
End S.
"""
SECOND = """From mathcomp Require Import all_ssreflect.
From SkipAbsorption Require Import
  first.
Theorem main : 1 + 1 = 2. Proof. by []. Qed.
Example main_instance : 0 = 0. Proof. by []. Qed.
"""
LEDGER = """statement,label,theorem,file,instance,extent,covers
Theorem 0,thm:zero,main,second.v,main_instance,whole,"one, and one"
"""
# Says what it was asked to compile, knows one error and one axiom.
COMPILER = """#!{python}
import sys
from pathlib import Path
if "--print-version" in sys.argv:
    sys.exit(print("8.16.1 4.14.1"))
if "-where" in sys.argv:
    sys.exit(print(Path(__file__).parent))
name = sys.argv[-1]
text = Path(name).read_text()
with open("calls", "a") as calls:
    calls.write(name + "\\n")
if "wrong" in text:
    sys.exit(f'File "./{{name}}", line 7, characters 1-2:\\nError:\\nThis is\\nwrong.\\n')
for line in text.splitlines():
    if line.startswith("Goal"):
        print(line.split('"')[1])
    elif line.startswith("Print Assumptions"):
        print({answer!r})
Path(name).with_suffix(".vo").touch()
"""
CHECKER = "#!/bin/sh\necho coqchk $6 >>calls\ncat <<'TEXT'\n{summary}\nTEXT\n"
SUMMARY = """CONTEXT SUMMARY
* Axioms:
    Coq.Floats.PrimFloat.Leibniz.eqb
    Coq.Numbers.Cyclic.Int63.PrimInt63.add

* Constants/Inductives relying on type-in-type: <none>
* Constants/Inductives relying on unsafe (co)fixpoints: <none>
* Inductives whose positivity is assumed: <none>"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "formal"
    folder.mkdir()
    (folder / "first.v").write_text(FIRST)
    (folder / "second.v").write_text(SECOND)
    (folder / "ledger.csv").write_text(LEDGER)
    (folder / "_CoqProject").write_text("-Q . SkipAbsorption\nfirst.v\nsecond.v\n")
    return folder


class Compiler:
    """Programs called coqc and coqchk in front of all others."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.cache = folder, folder / "cache"
        folder.mkdir()
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        self.answers("Closed under the global context")
        self.rechecks(SUMMARY)

    def answers(self, assumptions: str) -> None:
        program = self.folder / "coqc"
        program.write_text(COMPILER.format(python=sys.executable, answer=assumptions))
        program.chmod(0o755)

    def rechecks(self, summary: str) -> None:
        program = self.folder / "coqchk"
        program.write_text(CHECKER.format(summary=summary))
        program.chmod(0o755)

    def calls(self) -> list[str]:
        """Return the files compiled since the last time, "coqchk" and what it checked."""
        path = self.cache / "calls"
        names = path.read_text().split() if path.exists() else []
        path.unlink(missing_ok=True)
        return names


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiler:
    return Compiler(tmp_path / "bin", monkeypatch)
