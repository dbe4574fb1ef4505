"""The tables about checkpoints: the audit of every block, and how far blocks are from condition (3)."""

from __future__ import annotations

from skip_absorption.results.columns import NOT_RUN, Column, Table

VERDICTS = ("ABSORBABLE", "NOT_ABSORBABLE", "UNKNOWN", NOT_RUN)

_KEY = (
    Column("model", "string", "the checkpoint; generated/... for small ones with known answers", key=True),
    Column("number", "integer", "index of the block, from 0", unit="1", key=True),
)

CHECKPOINTS = (
    Table(
        "checkpoint_audit",
        "What settles the skip of each MLP block of a checkpoint, and the answer",
        (
            *_KEY,
            Column("block", "string", "the block's name in the checkpoint", nullable=True),
            Column("family", "string", "the family of models whose names and shapes it has", nullable=True),
            Column("kind", "string", "whether it is gated", nullable=True, allowed=("ungated", "gated")),
            Column("d", "integer", "width of the residual stream", unit="1", nullable=True),
            Column("N", "integer", "hidden width", unit="1", nullable=True),
            Column("activation", "string", "the activation σ, or the gate g", nullable=True),
            Column("biases", "string", 'which of up, down, gate have biases, or "none"', nullable=True),
            Column(
                "norm",
                "string",
                "a norm between the skip and the MLP, after their sum, nowhere; or it is not known",
                nullable=True,
                allowed=("pre", "post", "none", "unknown"),
            ),
            Column(
                "statement",
                "string",
                "the statement that covers the block",
                nullable=True,
                allowed=("Theorem 4", "X1b", "X5", "Proposition 1", "Proposition 2", "none"),
            ),
            Column("verdict", "string", "whether the skip is absorbed at width N", allowed=VERDICTS),
            Column("expected", "string", "the known answer", nullable=True, allowed=VERDICTS[:3]),
            Column("proof", "string", "what proves the verdict", nullable=True),
            Column("hypotheses", "string", "the generic hypotheses, checked exactly", nullable=True),
            Column(
                "flipped", "integer", "size of the set S of (3), where there is one", unit="1", nullable=True
            ),
            Column("certificate_entries", "integer", "size of the certificate", unit="1", nullable=True),
            Column("checked", "boolean", "whether the checker accepted the certificate", nullable=True),
            Column(
                "margin_lower",
                "number",
                "the distance to (3) over the norm of I is at least, in floats",
                unit="1",
                nullable=True,
            ),
            Column("margin_upper", "number", "and at most, for the best set found", unit="1", nullable=True),
            Column(
                "extra_lower",
                "integer",
                "least width − N is at least; empty where no width will do",
                unit="1",
                nullable=True,
            ),
            Column("extra_upper", "integer", "and at most", unit="1", nullable=True),
            Column("seconds", "number", "wall-clock time", unit="s", nullable=True),
            Column(
                "peak_mebibytes", "number", "memory of the process at its peak", unit="MiB", nullable=True
            ),
        ),
    ),
    Table(
        "checkpoint_margin",
        "The distance to condition (3) over the norm of I: trained blocks, and random ones of their shape",
        (
            *_KEY,
            Column(
                "weights",
                "string",
                "the block's own, or normal ones with the standard deviations of its two matrices",
                key=True,
                allowed=("trained", "random"),
            ),
            Column("draw", "integer", "index of the random block", unit="1", key=True),
            Column("lower", "number", "for weights s in [0, 1]: at least, in floats", unit="1"),
            Column("relaxed", "number", "for weights s in [0, 1]: at most", unit="1"),
            Column("upper", "number", "for sets: at most, at the best set found", unit="1"),
            Column("units", "integer", "size of that set", unit="1"),
        ),
    ),
)
