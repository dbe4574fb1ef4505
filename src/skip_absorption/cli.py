"""The command line ``skip-absorption``: parsing and printing only; every answer comes from the library.

Exit status: 0 decided, 1 a check failed, 2 misuse, 3 UNKNOWN, 130 interrupted.
A weights file without ``skip`` carries the identity skip; ``absorb`` writes an explicit zero skip.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skip_absorption import cli_checkpoints
from skip_absorption.cli_checkpoints import DECIDED, FAILED, STOPS, UNKNOWN, Answer, told
from skip_absorption.errors import InvalidInput

if TYPE_CHECKING:
    from skip_absorption.absorption.budget import Budget
    from skip_absorption.networks.blocks import Mlp
    from skip_absorption.networks.weights import Weights


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; a user's mistake is one line on standard error."""
    arguments = _parser().parse_args(argv)
    try:
        status, data, text = arguments.command(arguments)
        _print(json.dumps(data, indent=2) if arguments.json else text)
    except STOPS as stop:
        return told(stop)
    return int(status)


def _print(text: str) -> None:
    """Print the answer; a reader that has left, or never was, is no error, and a full disk is one."""
    if sys.stdout is None:  # the shell's >&-
        return
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again at its exit
        if not isinstance(error, BrokenPipeError):
            raise InvalidInput("standard output", "be writable", error.strerror) from None


def _decide(arguments: argparse.Namespace) -> Answer:
    from skip_absorption.absorption.condition import Absorption, decide

    if arguments.certificate is not None:
        _keep(arguments.weights, "--certificate", arguments.certificate)
    weights = _read(arguments.weights, arguments)
    decision = decide(
        **_network(weights),
        budget=_budget(arguments),
        condition_only=arguments.condition,
        progress=_progress("decide"),
    )
    data = {
        "verdict": decision.verdict.name,
        "flip_set": None if decision.flip_set is None else list(decision.flip_set),
        "hypotheses": None if decision.hypotheses is None else list(decision.hypotheses),
        "proof": decision.proof,
        "tried": list(decision.tried),
        "seconds": round(decision.seconds, 4),
    }
    lines = [f"{decision.verdict.name}: {decision.proof} ({decision.seconds:.2f} s)"]
    if decision.flip_set is not None:
        lines.append(f"flip set ({len(decision.flip_set)} units): {_units(decision.flip_set) or 'empty'}")
    lines += [f"outside the generic hypotheses: {line}" for line in decision.hypotheses or ()]
    if arguments.certificate is not None:
        if decision.certificate is None:
            lines.append("no certificate written: this decision has no short one")
        else:
            decision.certificate.write(arguments.certificate)
            lines.append(f"certificate: {arguments.certificate}")
    if decision.verdict is Absorption.UNKNOWN:
        lines += [f"tried: {line}" for line in decision.tried]
    return (UNKNOWN if decision.verdict is Absorption.UNKNOWN else DECIDED), data, "\n".join(lines)


def _check(arguments: argparse.Namespace) -> Answer:
    from skip_absorption.absorption.certificate import Certificate
    from skip_absorption.absorption.checker import check_certificate

    started = time.perf_counter()
    certificate = Certificate.read(arguments.certificate)
    result = check_certificate(certificate, **_network(_read(arguments.weights, arguments)))
    data = {
        "valid": result.valid,
        "reason": result.reason,
        "seconds": round(time.perf_counter() - started, 4),
    }
    text = f"{'valid' if result.valid else 'INVALID'}: {result.reason}"
    return (DECIDED if result.valid else FAILED), data, text


def _absorb(arguments: argparse.Namespace) -> Answer:
    named = isinstance(arguments.width, str)
    if arguments.layer is None and (
        arguments.blocks is not None or named or cli_checkpoints.is_model(arguments.weights)
    ):
        if not named and arguments.width is not None:
            raise InvalidInput("--width", "be minimal or exact for a checkpoint", arguments.width)
        if arguments.transpose:
            raise InvalidInput("--transpose", "be left out for a checkpoint, whose layout is found", "given")
        return cli_checkpoints.absorb(arguments, _budget(arguments), _progress("absorb"))
    if arguments.blocks is not None or named:
        raise InvalidInput(
            "--blocks and --width minimal or exact", "be given for a whole checkpoint", "--layer"
        )
    import numpy as np

    from skip_absorption.absorption.construct import absorb
    from skip_absorption.networks.weights import write_weights

    _keep(arguments.weights, "--output", arguments.output)
    weights = _read(arguments.weights, arguments)
    mlp = _mlp(weights)
    twin = absorb(mlp, skip=weights.skip, width=arguments.width, budget=_budget(arguments))
    write_weights(arguments.output, twin, skip=np.zeros((mlp.d_out, mlp.d_in), dtype=np.int64))
    data = {"width": twin.width, "extra": twin.width - mlp.width, "output": str(arguments.output)}
    text = f"{arguments.output}: the same function, no skip, width {twin.width} (was {mlp.width})"
    return DECIDED, data, text


def _width(arguments: argparse.Namespace) -> Answer:
    from skip_absorption.absorption.width import minimal_width

    started = time.perf_counter()
    weights = _read(arguments.weights, arguments)
    network = _network(weights)
    network.pop("b_down")
    result = minimal_width(**network, budget=_budget(arguments))
    exact = result.width is not None
    data = {
        "extra": result.extra,
        "width": result.width,
        "lower": result.lower,
        "upper": result.upper,
        "flipped": None if result.flipped is None else list(result.flipped),
        "doubled": None if result.doubled is None else list(result.doubled),
        "proof": list(result.how),
        "seconds": round(time.perf_counter() - started, 4),
    }
    found = f"{result.width} (N {result.extra:+d})" if exact else f"between {result.lower} and {result.upper}"
    text = "\n".join([f"least width of a residual-free MLP: {found}", *result.how])
    return (DECIDED if exact else UNKNOWN), data, text


def _equal(arguments: argparse.Namespace) -> Answer:
    from skip_absorption.networks.blocks import Residual
    from skip_absorption.networks.canonical import difference

    first, second = (_read(path, arguments) for path in (arguments.first, arguments.second))
    where = difference(Residual(_mlp(first), first.skip), Residual(_mlp(second), second.skip))
    data = {"equal": where is None, "difference": where}
    text = "equal: the two networks are the same function" if where is None else f"different: {where}"
    return (DECIDED if where is None else FAILED), data, text


def _audit(arguments: argparse.Namespace) -> Answer:
    return cli_checkpoints.audit(arguments, _budget(arguments), _progress("audit"))


def _claims(arguments: argparse.Namespace) -> Answer:
    from skip_absorption.claims.ledger import CLAIMS, passed
    from skip_absorption.results.store import read_claim

    rows, failed = [], False
    for claim in CLAIMS.values():
        path = arguments.results / "claims" / f"{claim.id}.json"
        row: dict[str, Any] = {"id": claim.id, "title": claim.title, "statement": claim.statement}
        if path.exists():
            result = read_claim(path)
            row |= {key: result[key] for key in ("evidence", "cases", "verdict", "seconds")}
            row["passed"] = passed(result)
            failed |= not row["passed"]
        else:
            row |= {"verdict": "not run", "passed": None}
        rows.append(row)
    text = "\n".join(map(_claim_line, rows))
    if all(row["passed"] is None for row in rows):
        text += f"\nnote: {arguments.results} holds no claim's result; ./reproduce smoke writes smoke/results"
    return (FAILED if failed else DECIDED), {"claims": rows}, text


def _claim_line(row: dict[str, Any]) -> str:
    seconds = f"{row['seconds']:.1f} s" if "seconds" in row else "-"
    found = f"{row['id']:<20} {row['verdict']:<16} {row.get('evidence', '-'):<10} {seconds:>8}"
    return f"{found}  {row['title']}: {row['statement']}"


def _keep(weights: Path, option: str, output: Path) -> None:
    """Refuse to write over the weights that are read."""
    if output.exists() and weights.exists() and output.samefile(weights):
        raise InvalidInput(option, "be another file than the weights", str(output))


def _read(path: Path, arguments: argparse.Namespace) -> Weights:
    from skip_absorption.networks.weights import read_weights

    weights = read_weights(
        path, activation=arguments.activation, layer=arguments.layer, transpose=arguments.transpose
    )
    if weights.activation is None:
        raise InvalidInput("--activation", f"be given, since {path} names none", "nothing")
    return weights


def _network(weights: Weights) -> dict[str, Any]:
    names = ("w_up", "w_down", "activation", "skip", "b_up", "b_down")
    return {name: getattr(weights, name) for name in names}


def _mlp(weights: Weights) -> Mlp:
    from skip_absorption.networks.blocks import Mlp

    assert weights.activation is not None  # `_read` saw to it
    return Mlp(weights.w_up, weights.w_down, weights.activation, b_up=weights.b_up, b_down=weights.b_down)


def _budget(arguments: argparse.Namespace) -> Budget:
    from skip_absorption.absorption.budget import Budget

    memory = max(1, int(min(arguments.memory * 2**30, 2**62)))
    return Budget(seconds=arguments.seconds, memory_bytes=memory)


def _units(units: Sequence[int], most: int = 40) -> str:
    shown = ", ".join(map(str, units[:most]))
    return shown + (f", ... and {len(units) - most} more" if len(units) > most else "")


def _progress(what: str) -> Callable[[float], None] | None:
    """Return a callback that shows the fraction done and the time left, on a terminal only."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    started = time.perf_counter()

    def show(fraction: float) -> None:
        spent = time.perf_counter() - started
        if spent < 1:
            return
        left = spent * (1 - fraction) / fraction if fraction > 0 else float("inf")
        end = "\n" if fraction >= 1 else ""
        print(f"\r{what}: {fraction:4.0%}, about {left:.0f} s left ", end=end, file=sys.stderr, flush=True)

    return show


def _positive(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < float(text) < float("inf"):
            return float(text)
    raise argparse.ArgumentTypeError(f"must be a positive number; got {text}")


def _width_asked(text: str) -> int | str:
    if text in ("minimal", "exact"):
        return text
    with contextlib.suppress(ValueError):
        return int(text)
    raise argparse.ArgumentTypeError(f"must be minimal, exact or a number of units; got {text[:40]}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="skip-absorption",
        description="Decide exactly whether an MLP absorbs its skip connection.",
        epilog="Exit status: 0 decided, 1 a check failed, 2 misuse, 3 unknown.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, run: Callable[[argparse.Namespace], Answer], summary: str
    ) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=summary, description=summary)
        sub.set_defaults(command=run)
        sub.add_argument("--json", action="store_true", help="print one JSON object")
        return sub

    def reads_weights(sub: argparse.ArgumentParser) -> None:
        sub.add_argument("--activation", help="relu, leaky_relu:SLOPE, gelu, gelu_tanh or silu")
        sub.add_argument("--layer", metavar="NAME", help="read the keys NAME.w_up, NAME.w_down, ...")
        sub.add_argument(
            "--transpose", action="store_true", help="the file holds w_up as (d, N), w_down as (N, d)"
        )

    def searches(sub: argparse.ArgumentParser) -> None:
        sub.add_argument("--seconds", type=_positive, default=60.0, help="time for searches (default 60)")
        sub.add_argument(
            "--memory", type=_positive, default=2.0, metavar="GIB", help="memory for searches (default 2)"
        )

    sub = command("decide", _decide, "Is this skip absorbed at this width?")
    sub.add_argument("weights", type=Path, metavar="W", help=".npz, .safetensors or .json")
    sub.add_argument("--certificate", type=Path, metavar="OUT", help="write the certificate as JSON")
    sub.add_argument("--condition", action="store_true", help="decide the absorption condition alone")
    reads_weights(sub)
    searches(sub)

    sub = command("check", _check, "Check a certificate against weights, with code of its own.")
    sub.add_argument("certificate", type=Path, metavar="CERT")
    sub.add_argument("weights", type=Path, metavar="W")
    reads_weights(sub)

    sub = command(
        "absorb", _absorb, "Write an MLP, or a checkpoint with MLPs, without skip: the same function."
    )
    sub.add_argument("weights", type=Path, metavar="W", help="weights of one block, or a whole checkpoint")
    sub.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="OUT",
        help=".json, .npz or .safetensors; for a checkpoint a new directory or .safetensors file",
    )
    sub.add_argument(
        "--width",
        type=_width_asked,
        help="its width (default: the least one); for a checkpoint minimal (default; rounded) or exact",
    )
    sub.add_argument(
        "--blocks",
        type=cli_checkpoints.numbers,
        metavar="LIST",
        help="for a checkpoint: all, or numbers such as 0,1,3 (default all)",
    )
    reads_weights(sub)
    searches(sub)

    sub = command("width", _width, "The least width at which the skip can be absorbed.")
    sub.add_argument("weights", type=Path, metavar="W")
    reads_weights(sub)
    searches(sub)

    sub = command("equal", _equal, "Are two networks, with their skips, the same function?")
    sub.add_argument("first", type=Path, metavar="A")
    sub.add_argument("second", type=Path, metavar="B")
    reads_weights(sub)

    sub = command("audit", _audit, "Which skips of a checkpoint's MLP blocks are absorbed, and why?")
    cli_checkpoints.declare_audit(sub)
    searches(sub)

    sub = command("claims", _claims, "List the paper's claims and how each was found.")
    sub.add_argument(
        "--results", type=Path, default=Path("results"), help="the results folder (default results)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
