"""The commands about whole checkpoints: each is one function, with one that declares its arguments."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skip_absorption.errors import InvalidInput, SkipAbsorptionError, Undecided, plain

if TYPE_CHECKING:
    from skip_absorption.absorption.budget import Budget
    from skip_absorption.checkpoints.audit import AuditRow

DECIDED, FAILED, MISUSE, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 130
STOPS = (SkipAbsorptionError, OSError, MemoryError, KeyboardInterrupt)

Answer = tuple[int, dict[str, Any], str]

_WHOLE = "no file was left half written"


def told(stop: BaseException) -> int:
    """Say in one line on standard error what ended a command, one of `STOPS`, and return the exit status."""
    if isinstance(stop, KeyboardInterrupt):
        line, status = f"interrupted; {_WHOLE}", INTERRUPTED
    elif isinstance(stop, MemoryError):
        line, status = f"there is not enough memory for this; {_WHOLE}", MISUSE
    else:
        line, status = str(stop), UNKNOWN if isinstance(stop, Undecided) else MISUSE
    print(f"skip-absorption: {line}", file=sys.stderr)
    return status


def finds_blocks(sub: argparse.ArgumentParser) -> None:
    """Declare how blocks are found in a checkpoint, and which of them are meant."""
    sub.add_argument(
        "model", type=Path, metavar="MODEL", help=".safetensors, .onnx, .npz, a directory, or a wheel"
    )
    sub.add_argument("--up", metavar="PATTERN", help="names of W_up, {} standing for the layer's number")
    sub.add_argument("--down", metavar="PATTERN", help="names of W_down")
    sub.add_argument("--gate", metavar="PATTERN", help="names of W_gate, for gated blocks")
    sub.add_argument(
        "--activation", help="sigma or the gate g: relu, gelu, gelu_tanh, silu, relu_squared, ..."
    )
    sub.add_argument(
        "--blocks",
        type=_words,
        metavar="LIST",
        help="numbers or names of blocks, such as 0,2-5 (default all)",
    )


def declare_audit(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``audit``."""
    finds_blocks(sub)
    sub.add_argument("--certificates", type=Path, metavar="DIR", help="write a certificate for each block")
    sub.add_argument("--csv", action="store_true", help="print the table as CSV")
    sub.add_argument("--latex", action="store_true", help="print the table for LaTeX with booktabs")


def audit(arguments: argparse.Namespace, budget: Budget, progress: Callable[[float], None] | None) -> Answer:
    """Audit every MLP block of a checkpoint, one at a time; what ends it early leaves the rows before it."""
    from skip_absorption.checkpoints import audit as auditing

    if arguments.json + arguments.csv + arguments.latex > 1:
        raise InvalidInput("--json, --csv and --latex", "be given one at a time", "several")
    remarks: list[str] = []
    found = auditing.audit(
        arguments.model,
        up=arguments.up,
        down=arguments.down,
        gate=arguments.gate,
        activation=arguments.activation,
        blocks=arguments.blocks,
        budget=budget,
        certificates=arguments.certificates,
        progress=progress,
        remark=remarks.append,
    )
    rows: list[AuditRow] = []
    stopped = None
    try:
        for row in found:
            rows.append(row)  # noqa: PERF402  # what was found stays when a later block fails
    except STOPS as stop:
        if not rows:
            raise
        stopped = told(stop)
        remarks.append(f"the audit ended early: no block after {rows[-1].block.name} was decided")
    data = {"model": str(arguments.model), "blocks": [_entry(row) for row in rows], "remarks": remarks}
    if stopped is not None:
        status = stopped
    elif any(row.checked is False for row in rows):
        status = FAILED
    else:
        status = UNKNOWN if any(row.verdict.value == "UNKNOWN" for row in rows) else DECIDED
    if arguments.csv or arguments.latex:  # a table and nothing else
        for line in remarks:
            print(f"skip-absorption: note: {plain(line)}", file=sys.stderr)
    return status, data, _printed(arguments, rows, remarks)


def _words(text: str) -> list[str]:
    """Return the blocks of a list such as ``0,2-5,encoder.layer.7``."""
    words: list[str] = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        bounds = re.fullmatch(r"([0-9]{1,6})-([0-9]{1,6})", word)
        words += map(str, range(int(bounds[1]), int(bounds[2]) + 1)) if bounds else [word]
    return words


def _entry(row: AuditRow) -> dict[str, Any]:
    from skip_absorption.checkpoints.audit import as_record

    return as_record(row) | {
        "flip_set": None if row.flip_set is None else list(row.flip_set),
        "width_proof": list(row.width_proof),
        "map": row.block.map_in_words,
        "activation_from": row.block.activation_from,
        "norm_from": row.block.norm_from,
    }


def _printed(arguments: argparse.Namespace, rows: Sequence[AuditRow], remarks: Sequence[str]) -> str:
    if arguments.csv or arguments.latex:
        from skip_absorption.experiments.checkpoint_audit import frame

        table = frame(rows, plain(arguments.model.name))
        if arguments.csv:
            return str(table.to_csv(index=False, lineterminator="\n")).rstrip("\n")
        from skip_absorption.latex.checkpoints import audit_table

        return audit_table(table, references=False).rstrip("\n")
    return "\n".join([_text(rows), *(f"note: {plain(line)}" for line in remarks)])


def _text(rows: Sequence[AuditRow]) -> str:
    """Return a table with aligned columns, then what it does not say for itself, as notes."""
    notes: list[str] = []
    header = (
        "block", "d", "N", "activation", "biases", "norm", "covered by", "verdict", "margin", "least width",
        "certificate", "time", "notes",
    )  # fmt: skip
    lines = [header, *(_cells(row, notes) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    right = {1, 2, 11}
    shown = [
        "  ".join(
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    legend = [
        "margin: least norm of A_S B_S + I over that of I, at least .. at most, in floats.",
        "least width: of an MLP without skip that computes the same function; proved bounds.",
    ]
    return "\n".join([*shown, "", *legend, *(f"[{k}] {note}" for k, note in enumerate(notes, start=1))])


def _cells(row: AuditRow, notes: list[str]) -> tuple[str, ...]:
    block, found = row.block, row.distance
    said = [
        block.map_in_words,
        row.proof if row.statement in ("Proposition 1", "Proposition 2", "none") else "",
    ]
    said += [*(row.hypotheses or ()), *(row.width_proof if row.lower != row.upper else ())]
    said = [plain(note) for note in said]
    for note in filter(None, said):
        if note not in notes:
            notes.append(note)
    if row.certificate_entries is None:
        certificate = "-"
    else:
        certificate = f"{row.certificate_entries} entries, {'valid' if row.checked else 'INVALID'}"
    return (
        plain(block.name),
        str(block.d),
        str(block.n),
        block.activation + (" (gate)" if block.kind == "gated" else ""),
        "+".join(row.biases) or "none",
        block.norm,
        row.statement,
        row.verdict.value,
        "-" if found is None else f"{found.lower:.3f} .. {found.upper:.3f}",
        _width(row),
        certificate,
        f"{row.seconds:.1f} s",
        "".join(f"[{notes.index(note) + 1}]" for note in filter(None, said)),
    )


def _width(row: AuditRow) -> str:
    if row.lower is None or row.upper is None:
        return "none" if row.statement.startswith("Proposition") else "-"
    if row.lower == row.upper:
        return f"N{row.lower:+d}"
    return f"N{row.lower:+d} .. N{row.upper:+d}"


def numbers(text: str) -> list[int] | str:
    """Return the numbers of a list such as 0,1,3, or "all"."""
    if text == "all":
        return text
    if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", text):
        raise argparse.ArgumentTypeError(f"must be all or numbers such as 0,1,3; got {text[:40]}")
    return [int(number) for number in text.split(",")]


def is_model(path: Path) -> bool:
    """Whether a path names a whole checkpoint, not one block under the names w_up and w_down."""
    if path.suffix != ".safetensors" or not path.is_file():
        return path.is_dir() or path.suffix in (".whl", ".zip", ".onnx") or path.name.endswith(".index.json")
    from skip_absorption.checkpoints.tensors import open_tensors

    with open_tensors(path) as tensors:
        return not any(name.endswith("w_up") for name in tensors.names())


def absorb(arguments: argparse.Namespace, budget: Budget, progress: Callable[[float], None] | None) -> Answer:
    """Write a checkpoint whose chosen blocks have no skip."""
    from skip_absorption.checkpoints.absorb_model import absorb_model

    manifest = absorb_model(
        arguments.weights,
        arguments.output,
        blocks=None if arguments.blocks == "all" else arguments.blocks,
        width=arguments.width or "minimal",
        names={"activation": arguments.activation},
        budget=budget,
        progress=progress,
    )
    lines = [
        f"{arguments.output}: {len(manifest['blocks'])} blocks without skip, "
        f"{'the same function' if manifest['exact'] else 'the same function up to the rounding of weights'}"
    ]
    for block in manifest["blocks"]:
        residual = block["residual"]
        rounding = (
            f"|M' - I| <= {residual['skip_rounded']:.1e}, |W' - W| <= {residual['columns_rounded']:.1e}"
        )
        lines.append(
            f"{plain(block['name'])}: width {block['N']} -> {block['width']}, "
            f"{'exact' if block['exact'] else rounding}, proved, {block['seconds']:.1f} s"
        )
    lines += [
        f"parameters: {manifest['parameters_before']} -> {manifest['parameters_after']}",
        *(f"note: {plain(note)}" for note in manifest["notes"]),
    ]
    return DECIDED, manifest, "\n".join(lines)
