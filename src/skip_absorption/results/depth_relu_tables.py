"""The tables of the depth experiments with ReLU: functional dimensions, and the fold that is drawn."""

from __future__ import annotations

from skip_absorption.results.columns import MEASURE, SECONDS, Column, Table

DEPTH_RELU = (
    Table(
        "depth_relu",
        "Visible units and functional dimensions of random ReLU compositions, all regions enumerated (X7b)",
        (
            MEASURE,
            Column("d", "integer", "dimension of the stream", unit="1", key=True),
            Column("N", "integer", "hidden width of every block", unit="1", key=True),
            Column("L", "integer", "number of blocks", unit="1", key=True),
            Column("scale", "number", "factor on W_down", unit="1", key=True),
            Column("draws", "integer", "compositions drawn", unit="1"),
            Column("visible", "number", "mean number of visible units", unit="1"),
            Column("all_visible", "integer", "compositions with all units visible", unit="1"),
            Column("dimension_least", "integer", "least functional dimension", unit="1"),
            Column("dimension_median", "number", "its median", unit="1"),
            Column("violations", "integer", "those below (2d − 1)·#visible", unit="1"),
            Column("plain_dimension", "integer", "k_H − LN for the same widths and depth", unit="1"),
            Column("excluded", "integer", "compositions with (2d − 1)·#visible above it", unit="1"),
            Column("fraction", "number", "excluded / draws", unit="1"),
            Column("low", "number", "its probability is at least (95 %)", unit="1"),
            Column("high", "number", "its probability is at most (95 %)", unit="1"),
            Column("by_dimension", "integer", "compositions of functional dimension above it", unit="1"),
            SECONDS,
        ),
    ),
    Table(
        "fold",
        "An absorbed ReLU composition on the plane: images of the unit circle under H, block by block (X7c)",
        (
            Column("block", "integer", "blocks of H applied; 0 is the circle itself", unit="1", key=True),
            Column("point", "integer", "index of the point on the circle", unit="1", key=True),
            Column("sector", "integer", "the sector of F that begins at the point or holds it", unit="1"),
            Column("ray", "boolean", "whether the point lies on a ray of the fan of F"),
            Column("x", "number", "first coordinate of the image", unit="1"),
            Column("y", "number", "second coordinate", unit="1"),
        ),
    ),
)
