"""Audit a checkpoint: for every MLP block, which statement covers its skip, and the exact answer with proof.

Gated blocks and blocks of a degree other than 1 are settled for any weights, at any width (Propositions 1
and 2). The others are decided (Theorem 4, with biases X1b; X5 where the generic hypotheses fail), and every
certificate is read back and re-checked by the second program. Blocks are loaded one at a time.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skip_absorption.absorption import certificate_json
from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.condition import decide
from skip_absorption.absorption.decision import Absorption, Decision
from skip_absorption.absorption.margin import Margin, margin
from skip_absorption.absorption.width import minimal_width, seeded
from skip_absorption.checkpoints.block import CheckpointBlock
from skip_absorption.checkpoints.families import find_blocks
from skip_absorption.checkpoints.remarks import remarks
from skip_absorption.checkpoints.tensors import Tensors, open_tensors
from skip_absorption.errors import InvalidInput, plain
from skip_absorption.networks.activations import Activation, absorbing, activation
from skip_absorption.networks.blocks import Mlp, Residual

if TYPE_CHECKING:
    from skip_absorption.absorption.certificate import Certificate

_SEARCHED = 28  # units up to which the least width is searched for


@dataclass(frozen=True)
class AuditRow:
    """What was found about one block.

    Attributes
    ----------
    number, block
        The block's place among those of the checkpoint, from 0; the block as the checkpoint has it: name,
        family, sizes, activation, place of the norm.
    biases
        Which biases it has, of ``up``, ``down``, ``gate``.
    statement
        What covers the block: by a decision, ``Theorem 4`` (``X1b`` with biases, ``X5`` where the generic
        hypotheses fail); for any weights at any width, ``Proposition 1`` or ``Proposition 2``; or ``none``.
    verdict, proof
        Whether the skip of x -> x + MLP(x) is absorbed at width N, and why, in one line.
    hypotheses
        How the generic hypotheses fail, one line each; () where they hold; None where none are needed.
    flip_set
        The units to flip, where condition (3) holds.
    certificate_entries, checked
        The certificate's size, and whether the second program accepted it; None where there is none.
    distance
        Bounds of the distance to condition (3), in floats; None where (3) does not matter.
    lower, upper
        Proved bounds of the least width less N; None where no width absorbs the skip, or nothing is known.
    width_proof
        One line for each bound.
    seconds, peak_mebibytes
        Wall-clock time for this block; the process's greatest use of memory up to its end.
    """

    number: int
    block: CheckpointBlock
    biases: tuple[str, ...]
    statement: str
    verdict: Absorption
    proof: str
    hypotheses: tuple[str, ...] | None = None
    flip_set: tuple[int, ...] | None = None
    certificate_entries: int | None = None
    checked: bool | None = None
    distance: Margin | None = None
    lower: int | None = None
    upper: int | None = None
    width_proof: tuple[str, ...] = ()
    seconds: float = 0.0
    peak_mebibytes: float = 0.0


def audit(
    path: str | os.PathLike[str],
    *,
    up: str | None = None,
    down: str | None = None,
    gate: str | None = None,
    activation: str | None = None,
    blocks: Sequence[str] | None = None,
    budget: Budget | None = None,
    certificates: str | os.PathLike[str] | None = None,
    progress: Callable[[float], None] | None = None,
    remark: Callable[[str], None] | None = None,
) -> Iterator[AuditRow]:
    """Audit the MLP blocks of a checkpoint, one after the other, and yield a row for each.

    Parameters
    ----------
    path
        Anything that `open_tensors` opens.
    up, down, gate, activation
        How the tensors are called and what stands between them, where the family is not known; see
        `find_blocks`.
    blocks
        The blocks to audit, each by its name or its number from 0; None for all.
    budget
        For the searches of each block; linear algebra always runs to its end.
    certificates
        A directory for certificates, created if absent; without one they are re-checked all the same.
    progress
        Called with the fraction done.
    remark
        Called with a line for each thing that the checkpoint holds and no row speaks of; see `remarks`.

    Raises
    ------
    InvalidInput
        For a file that cannot be read, blocks that are not found, or weights that are not numbers in a block
        that is decided (those that any weights settle are not read).
    """
    with open_tensors(Path(path)) as tensors:
        whole = find_blocks(tensors, up=up, down=down, gate=gate, activation=activation)
        found = chosen(whole, blocks)
        if remark is not None:
            for line in remarks(tensors, whole):
                remark(line)
        files = certificate_files([block.name for block in found.values()], certificates)
        for done, ((number, block), file) in enumerate(zip(found.items(), files, strict=True)):

            def show(fraction: float, done: int = done) -> None:
                if progress is not None:
                    progress((done + fraction) / len(found))

            show(0.0)
            yield audit_block(block, tensors, number=number, certificate=file, budget=budget, progress=show)
        if progress is not None:
            progress(1.0)


def chosen(found: Sequence[CheckpointBlock], words: Iterable[str] | None) -> dict[int, CheckpointBlock]:
    """Return the blocks that are meant by their numbers from 0; each word is a name or a number.

    Raises
    ------
    InvalidInput
        For a word that is neither, and for no word at all.
    """
    if words is None:
        return dict(enumerate(found))
    names = {block.name: number for number, block in enumerate(found)}
    numbers = set[int]()
    for word in words:
        number = names.get(word, int(word) if re.fullmatch(r"[0-9]{1,9}", word) else -1)
        if not 0 <= number < len(found):
            known = f"be the number (0 to {len(found) - 1}) or the name of a block, such as {found[0].name}"
            raise InvalidInput("blocks", known, word)
        numbers.add(number)
    if not numbers:
        raise InvalidInput("blocks", "name at least one block", "none")
    return {number: found[number] for number in sorted(numbers)}


def certificate_files(names: Sequence[str], folder: str | os.PathLike[str] | None) -> tuple[Path | None, ...]:
    """Return a file in the folder, which is made, for each block: its name in plain characters."""
    if folder is None:
        return (None,) * len(names)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput("certificates", "be a writable directory", f"{folder}: {error.strerror}") from None
    files: list[Path | None] = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9._-]", "_", name).lstrip(".")[:100] or "block"
        while Path(folder, f"{plain}.json") in files:
            plain += "_"
        files.append(Path(folder, f"{plain}.json"))
    return tuple(files)


def audit_block(
    block: CheckpointBlock,
    tensors: Tensors,
    *,
    number: int = 0,
    certificate: Path | None = None,
    budget: Budget | None = None,
    progress: Callable[[float], None] | None = None,
) -> AuditRow:
    """Audit one block; see `audit`."""
    begin = time.monotonic()
    refs = {"up": block.b_up, "down": block.b_down, "gate": block.b_gate}
    biases = tuple(name for name, ref in refs.items() if ref is not None)
    hidden = any(np.any(ref.read(tensors)) for ref in (block.b_up, block.b_gate) if ref is not None)
    act = activation(block.activation)
    row = AuditRow(number, block, biases, "none", Absorption.UNKNOWN, "")
    settled = _for_any_weights(block, act, hidden=hidden)
    if settled is None:
        mlp = block.load(tensors)
        assert isinstance(mlp, Mlp)  # gated blocks are settled, or covered by nothing
        row = _decided(row, mlp, certificate, budget or Budget(), progress)
    else:
        statement, proof = settled
        verdict = Absorption.UNKNOWN if statement == "none" else Absorption.NOT_ABSORBABLE
        row = replace(row, statement=statement, verdict=verdict, proof=proof)
    return replace(row, seconds=time.monotonic() - begin, peak_mebibytes=_peak())


def _for_any_weights(block: CheckpointBlock, act: Activation, *, hidden: bool) -> tuple[str, str] | None:
    """Return the statement that settles a block whatever its weights are, and its proof; None to decide.

    A bias on the output alone changes nothing: at x = 0 all else vanishes, so both sides have the same one.
    """
    if block.kind == "gated":
        if hidden:
            return "none", "no statement covers a gated MLP with biases before the product"
        if not _vanishes_at_zero(act):
            return "none", f"the gate {act.name} does not vanish at 0, so Proposition 2 says nothing"
        return "Proposition 2", (
            f"the gate {act.name} is continuous and 0 at 0: for every gated MLP without hidden biases, "
            "whatever its weights and width, MLP(tx)/t -> 0 as t -> 0"
        )
    if act.degree is not None and act.degree != 1:
        if hidden:
            return "none", f"no statement covers an activation of degree {act.degree} with hidden biases"
        return "Proposition 1", (
            f"degree {act.degree}: for every such MLP without hidden biases, whatever its weights and width, "
            f"MLP(tx) = t^{act.degree} MLP(x) for t > 0"
        )
    try:
        absorbing(act)
    except InvalidInput as error:
        return "none", f"no statement covers it: {error.value}"
    return None


def _vanishes_at_zero(act: Activation) -> bool:
    """Whether g(0) = 0, exactly; every activation of the library is continuous."""
    import flint

    return act.rational(0) == 0 if act.is_rational else bool(act.ball(flint.arb(0)).is_zero())


def _decided(
    row: AuditRow,
    mlp: Mlp,
    file: Path | None,
    budget: Budget,
    progress: Callable[[float], None] | None,
) -> AuditRow:
    """Decide an ungated block, re-check the certificate, and add its distance and its least width."""
    network: dict[str, Any] = {"activation": mlp.activation, "b_up": mlp.b_up, "b_down": mlp.b_down}
    decision = decide(mlp.w_up, mlp.w_down, **network, budget=budget, progress=progress)
    if file is not None:
        _without(file)
    entries, checked = None, None
    if decision.certificate is not None:
        stored = _stored(decision.certificate, file)
        entries, checked = stored.size, check_certificate(stored, mlp.w_up, mlp.w_down, **network).valid
    lower, upper, lines = _least_width(mlp, decision, budget)
    generic = "X1b" if mlp.b_up is not None or mlp.b_down is not None else "Theorem 4"
    return replace(
        row,
        statement=generic if not decision.hypotheses or decision.flip_set is not None else "X5",
        verdict=decision.verdict,
        proof=decision.proof,
        hypotheses=decision.hypotheses,
        flip_set=decision.flip_set,
        certificate_entries=entries,
        checked=checked,
        distance=_distance(mlp, decision),
        lower=lower,
        upper=upper,
        width_proof=lines,
    )


def _without(file: Path) -> None:
    """Delete the certificate of an earlier audit, which may be of other weights."""
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput("certificate file", "be replaceable", f"{file}: {error.strerror}") from None


def _stored(certificate: Certificate, file: Path | None) -> Certificate:
    """Write a certificate and return what can be read back: from the file, or without one from its text."""
    if file is None:
        return certificate_json.load(certificate_json.dump(certificate))
    certificate_json.write(certificate, file)
    return certificate_json.read(file)


def _distance(mlp: Mlp, decision: Decision) -> Margin | None:
    if decision.flip_set is not None:
        return Margin(0.0, 0.0, 0.0, len(decision.flip_set))
    return margin(mlp.w_up, mlp.w_down, odd=mlp.activation.odd)


def _least_width(
    mlp: Mlp, decision: Decision, budget: Budget
) -> tuple[int | None, int | None, tuple[str, ...]]:
    """Return proved bounds of the least width less N, a line for each; what was decided is not redone."""
    from skip_absorption.absorption.width_bounds import width_bounds
    from skip_absorption.exact.rational import identity

    n, d = mlp.width, mlp.d_in
    if decision.hypotheses or n <= _SEARCHED:
        found = minimal_width(
            mlp.w_up,
            mlp.w_down,
            activation=mlp.activation,
            b_up=mlp.b_up,
            b_down=mlp.b_down,
            budget=budget,
        )
        return found.lower - n, found.upper - n, found.how
    if decision.verdict is Absorption.ABSORBABLE:
        return 0, 0, ("condition (3) holds, and fewer units than N never do",)
    assert mlp.activation.odd is not None
    bounds = width_bounds(
        mlp.w_up,
        mlp.w_down,
        identity(d),
        mlp.activation.odd,
        rng=seeded(Residual(mlp), mlp),
        clock=budget.start(),
    )
    lower, how = bounds.lower, bounds.lower_how
    if lower == 0 and decision.verdict is Absorption.NOT_ABSORBABLE:
        lower, how = 1, "condition (3) fails"
    lines = (f">= N + {lower}: {how}", f"<= N + {bounds.upper}: {bounds.upper_how}")
    return lower, bounds.upper, lines


def _peak() -> float:
    """Return the process's greatest use of memory so far, in MiB."""
    unit = 1 << (20 if sys.platform == "darwin" else 10)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def as_record(row: AuditRow) -> dict[str, Any]:
    """Return a row as plain values, for JSON and for tables; absent ones are None."""
    found, block = row.distance, row.block
    return {
        "number": row.number,
        "block": plain(block.name),
        "family": block.family,
        "kind": block.kind,
        "d": block.d,
        "N": block.n,
        "activation": block.activation,
        "biases": ", ".join(row.biases) or "none",
        "norm": block.norm,
        "statement": row.statement,
        "verdict": row.verdict.value,
        "proof": row.proof,
        "hypotheses": "none needed" if row.hypotheses is None else "; ".join(row.hypotheses) or "generic",
        "flipped": None if row.flip_set is None else len(row.flip_set),
        "certificate_entries": row.certificate_entries,
        "checked": row.checked,
        "margin_lower": found.lower if found else None,
        "margin_upper": found.upper if found else None,
        "extra_lower": row.lower,
        "extra_upper": row.upper,
        "seconds": row.seconds,
        "peak_mebibytes": row.peak_mebibytes,
    }
