"""The tables about checkpoints: the audit of every block, and how far blocks are from condition (3)."""

from __future__ import annotations

from skip_absorption.results.columns import NOISE, NOT_RUN, PATH, SINGLE, Column, Table

VERDICTS = ("ABSORBABLE", "NOT_ABSORBABLE", "UNKNOWN", NOT_RUN)

GENERATED = "generated/"
"""How the models of the small checkpoints with known answers begin."""

_KEY = (
    Column("model", "string", f"the checkpoint; {GENERATED}... for small ones with known answers", key=True),
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
            Column(
                "margin_upper",
                "number",
                "and at most, for the best set found",
                unit="1",
                nullable=True,
                tolerance=PATH,
            ),
            Column(
                "extra_lower",
                "integer",
                "least width − N is at least, by vectors that floats propose; empty where none will do",
                unit="1",
                nullable=True,
                tolerance=PATH,
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
            Column("upper", "number", "for sets: at most, at the best set found", unit="1", tolerance=PATH),
            Column("units", "integer", "size of that set", unit="1", tolerance=PATH),
        ),
    ),
    Table(
        "absorbed_checkpoint",
        "A sentence encoder before and after the skips of its MLP blocks are absorbed",
        (
            Column("model", "string", "the checkpoint", key=True),
            Column(
                "variant",
                "string",
                "minimal: N + d units, rounded weights; exact: weights that compute the same function",
                key=True,
                allowed=("minimal", "exact"),
            ),
            Column(
                "precision",
                "string",
                "the arithmetic in which the encoder was run",
                key=True,
                allowed=("float32", "float64"),
            ),
            Column("status", "string", "whether the weights could be had", allowed=("run", NOT_RUN)),
            Column("blocks", "integer", "blocks whose skip was absorbed", unit="1", nullable=True),
            Column("d", "integer", "width of the residual stream", unit="1", nullable=True),
            Column("N", "integer", "hidden width before", unit="1", nullable=True),
            Column("width", "integer", "hidden width after", unit="1", nullable=True),
            Column(
                "least_width",
                "integer",
                "hidden width below which provably no weights would do for all these blocks",
                unit="1",
                nullable=True,
            ),
            Column("exact", "boolean", "whether each block computes x + MLP(x) exactly", nullable=True),
            Column(
                "proved", "boolean", "whether the function of each block's weights is proved", nullable=True
            ),
            Column("largest_delta", "number", "greatest correction of a column", unit="1", nullable=True),
            Column(
                "skip_error", "number", "greatest entry of M' - I over the blocks", unit="1", nullable=True
            ),
            Column(
                "skip_error_norm", "number", "greatest |M' - I|_F over the blocks", unit="1", nullable=True
            ),
            Column("column_error", "number", "greatest entry of W'_down - W_down", unit="1", nullable=True),
            Column("bias_error", "number", "greatest entry of c' - c", unit="1", nullable=True),
            Column("parameters_before", "integer", "parameters of the model", unit="1", nullable=True),
            Column("parameters_after", "integer", "parameters after", unit="1", nullable=True),
            Column(
                "operations_before",
                "integer",
                "additions and multiplications in these blocks for one token",
                unit="1",
                nullable=True,
            ),
            Column("operations_after", "integer", "the same after", unit="1", nullable=True),
            Column("sentences", "integer", "sentences compared", unit="1", nullable=True),
            Column(
                "cosine_distance", "number", "greatest 1 - cosine", unit="1", nullable=True, tolerance=NOISE
            ),
            Column(
                "difference",
                "number",
                "greatest difference of two entries",
                unit="1",
                nullable=True,
                tolerance=NOISE,
            ),
            Column(
                "ulps",
                "number",
                "the same in units of the last place of the vector's greatest entry",
                unit="1",
                nullable=True,
                tolerance=NOISE,
            ),
            Column(
                "round_off",
                "number",
                "greatest difference of the original model in this and in the other precision",
                unit="1",
                nullable=True,
                tolerance=NOISE,
            ),
            Column(
                "mistaken_cosine_distance",
                "number",
                "greatest 1 - cosine if the skips are added all the same",
                unit="1",
                nullable=True,
                tolerance=SINGLE,
            ),
            Column("seconds", "number", "time to rewrite and prove the blocks", unit="s", nullable=True),
        ),
    ),
)
