"""The tables of the experiments on depth, analytic part (Corollary 3 and X6)."""

from __future__ import annotations

from skip_absorption.results.columns import (
    ACTIVATION,
    HELDOUT,
    RESTARTS,
    SECONDS,
    TARGET,
    TRAIN,
    Column,
    D,
    Table,
)

_N = Column("N", "integer", "hidden width of the residual blocks", unit="1", key=True)
_L = Column("L", "integer", "number of residual blocks", unit="1", key=True)
_K_H = Column("k_H", "integer", "dimensions that residual-free blocks can have at most", unit="1")
_PARAMETERS = Column("parameters", "integer", "D = 2d·ΣN_l, weights of the residual blocks", unit="1")

DEPTH = (
    Table(
        "depth_analytic",
        "Ranks of the Jacobian of residual compositions: proved by certificates, and in floats (X6)",
        (
            Column(
                "family",
                "string",
                "identity, invertible or singular skips; N < d (narrow); unequal widths (mixed)",
                key=True,
                allowed=("identity", "narrow", "mixed", "invertible", "singular"),
            ),
            ACTIVATION,
            D,
            Column("widths", "string", "hidden widths, block by block", key=True),
            Column("ranks", "string", "ranks of the skips, block by block", key=True),
            Column("L", "integer", "number of blocks", unit="1"),
            _PARAMETERS,
            Column("bound", "integer", "greatest rank possible: D, or less for singular skips", unit="1"),
            Column("k_H", "integer", "dimensions of residual-free blocks of these widths at most", unit="1"),
            Column("naive", "integer", "D less d² an interface, wrong for widths below d", unit="1"),
            Column("numerical_residual", "integer", "rank in floats, with skips; no proof", unit="1"),
            Column("numerical_plain", "integer", "rank in floats, without skips; no proof", unit="1"),
            Column(
                "certified", "integer", "rank proved by a re-checked certificate", unit="1", nullable=True
            ),
            Column("log10_low", "number", "log₁₀ |det| of the minor is at least", unit="1", nullable=True),
            Column("log10_high", "number", "and at most", unit="1", nullable=True),
            Column("bits", "integer", "precision that decided it", unit="bit", nullable=True),
            Column("rechecked", "boolean", "whether the checker accepted the certificate"),
            SECONDS,
        ),
    ),
    Table(
        "depth_excluded",
        "Residual-free compositions of equal widths: ruled out, sufficient, or open (X6, X7a)",
        (
            D,
            _N,
            _L,
            Column("width", "integer", "hidden width N' of the residual-free blocks", unit="1", key=True),
            Column("depth", "integer", "their number L'", unit="1", key=True),
            _K_H,
            _PARAMETERS,
            Column(
                "status",
                "string",
                "excluded for almost every θ, sufficient for almost every θ, or neither proved",
                allowed=("excluded", "open", "suffices"),
            ),
        ),
    ),
    Table(
        "depth_scaling",
        "|H(tx)|/|F(tx)| along a ray for random compositions without and with skips (Corollary 3)",
        (
            Column("activation", "string", "relu_squared, swiglu or relu_root", key=True),
            _L,
            Column("t", "number", "the scale", unit="1", key=True),
            Column("ratio", "number", "|H(tx)|/|F(tx)|", unit="1"),
            Column("slope", "number", "its exponent as predicted, k^L − 1", unit="1"),
        ),
    ),
    Table(
        "depth_fits",
        "Best fit of residual-free to residual compositions of the same depth; numerical, no proof (X6)",
        (
            ACTIVATION,
            D,
            _N,
            _L,
            TARGET,
            Column("widths", "string", "hidden widths of the fit, block by block", key=True),
            _K_H,
            _PARAMETERS,
            TRAIN,
            HELDOUT,
            RESTARTS,
            SECONDS,
        ),
    ),
)
