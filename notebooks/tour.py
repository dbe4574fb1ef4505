# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A tour in two dimensions
#
# A residual block computes $r(x) = x + W_{\mathrm{down}}\,\sigma(W_{\mathrm{up}}x)$. Could an MLP of the
# same hidden width have computed the same function without adding $x$? This tour takes one block on the
# plane, looks at its kinks, hides a solution in its weights, finds it again, proves the answer, and
# builds the twin that needs no skip. It ends with the tables of this run. Nothing below is rounded unless
# it says so.

# %%
import json
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
from IPython.display import Image, display

from skip_absorption import Mlp, Residual, absorb, check_certificate, decide, equal_functions, minimal_width
from skip_absorption.figures import style, tour
from skip_absorption.results.store import read_table


def show(figure, alt):
    """Show a figure as the paper would draw it."""
    display(Image(style.render(figure, "png"), width=640, alt=alt))


# %% [markdown]
# ## A block on the plane
#
# Four ReLU units with integer weights. The rows $w_i$ of $W_{\mathrm{up}}$ say where the kinks lie: unit
# $i$ is active on the side of the line $w_i\cdot x=0$ towards which $w_i$ points. The columns $a_i$ of
# $W_{\mathrm{down}}$ say where a unit sends its output.
#
# Two columns are *planted*: with $S=\{0, 1\}$, the matrices $a_0w_0^{\mathsf T}$ and $a_1w_1^{\mathsf T}$
# add up to $-I$. The other two units are arbitrary.

# %%
w_up = np.array([[2, 1], [1, 1], [1, -2], [1, 3]])
planted = np.array([[-1, 1], [1, -2]])
w_down = np.hstack([planted, np.array([[2, -1], [1, 1]])])

planted @ w_up[:2]

# %%
mlp = Mlp(w_up, w_down, "relu")
block = Residual(mlp)  # x + mlp(x)

print("r at (3, -2), exactly:", *block.rational(np.array([3, -2])))

# %% [markdown]
# ## Kinks and parity
#
# Since $\mathrm{ReLU}(z)=\frac12 z+\frac12|z|$, the block is a linear map plus an even function, and only
# the even part has kinks. The figure shows the first coordinate of $r$ and the two parts. Dashed: the two
# planted units.

# %%
EXTENT = 3.0


def first_coordinate(network, size=121):
    """Values on a grid of [-3, 3] x [-3, 3], in double precision."""
    ticks = np.linspace(-EXTENT, EXTENT, size)
    points = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    return network.float(points)[:, 0].reshape(size, size)


values = first_coordinate(block)
mirrored = values[::-1, ::-1]  # the values at -x

parts = {"$r_1(x)$": values, "odd part": (values - mirrored) / 2, "even part": (values + mirrored) / 2}
show(
    tour.plot(parts, w_up, extent=EXTENT, flipped=[0, 1]),
    "Contours of the block, of its linear odd part and of its even part, with four kinks through the origin",
)

# %% [markdown]
# ## Deciding
#
# Theorem 4: under the generic hypotheses the skip is absorbed at the same width exactly when some set $S$
# of units has $W_{\mathrm{down}}[:,S]\,W_{\mathrm{up}}[S,:]=-I$. `decide` finds the planted set and
# returns a certificate; `check_certificate` is a second program, in whole numbers, that shares no code
# with the first.

# %%
decision = decide(w_up, w_down, activation="relu")

print(decision.verdict.value, "with the flip set", decision.flip_set)
print(decision.proof)

# %%
check = check_certificate(decision.certificate, w_up, w_down)

print("certificate valid:", check.valid, "|", check.reason)

# %% [markdown]
# ## The twin without a skip
#
# Negating the rows in $S$ keeps every kink where it is and turns the linear part round by exactly $+x$.

# %%
twin = absorb(mlp)

print("same width:", twin.width == len(w_up))
print("rows of the twin:", twin.w_up.tolist())

# %% [markdown]
# Equality of the two *functions* is decided from their canonical forms, over the rationals. The values on
# a grid agree as well, up to rounding.

# %%
print("equal as functions:", equal_functions(block, twin))
print("largest difference on the grid:", f"{np.abs(values - first_coordinate(twin)).max():.0e}")

# %%
both = {"$r_1(x)$, with skip": values, "twin, without skip": first_coordinate(twin)}
show(
    tour.plot(both, twin.w_up, extent=EXTENT, flipped=decision.flip_set),
    "Two equal contour plots: the block with its skip and the twin without; two arrows are turned round",
)

# %% [markdown]
# ## The smallest change undoes it
#
# Move one planted weight by a millionth. No twin of this width exists any more, and a certificate proves
# it: a matrix $Y$ modulo a prime. The system for the flips $s_i\in\{0,1\}$ has as many unknowns here as
# equations, so it has a solution modulo the prime; but $Y$ isolates one unit and shows that its $s_i$ is
# neither $0$ nor $1$.

# %%
nudged = w_down.astype(object)
nudged[0, 0] += Fraction(1, 10**6)
no = decide(w_up, nudged, activation="relu")

print(no.verdict.value)
print(no.proof)

# %%
shown = json.loads(no.certificate.to_json())
shown

# %%
print("for the nudged weights:  ", check_certificate(no.certificate, w_up, nudged).reason)
print("for the original weights:", check_certificate(no.certificate, w_up, w_down).reason)

# %% [markdown]
# ## How much wider?
#
# Now that flips alone do not suffice, how many further units are needed? `minimal_width` answers for the
# given weights, and `absorb` builds a network of that width. Almost all weights need $d$ further units;
# one can always do with $d$ when $W_{\mathrm{up}}$ has rank $d$.

# %%
width = minimal_width(w_up, nudged, activation="relu")

print("least width:", width.width, "| further units:", width.extra)
print("flipped:", width.flipped, "| doubled:", width.doubled)

# %%
nudged_mlp = Mlp(w_up, nudged, "relu")
for further in (width.extra, 2):
    wider = absorb(nudged_mlp, width=len(w_up) + further)
    print(f"width {wider.width}: equal as functions: {equal_functions(Residual(nudged_mlp), wider)}")

# %% [markdown]
# ## The same for GELU
#
# The even part is smooth, there are no kinks, and the condition is the same.

# %%
smooth = Residual(Mlp(w_up, w_down, "gelu"))
smooth_twin = absorb(smooth.block)

print("equal as functions:", equal_functions(smooth, smooth_twin))
print("largest difference:", f"{np.abs(first_coordinate(smooth) - first_coordinate(smooth_twin)).max():.0e}")

# %% [markdown]
# ## This run's tables
#
# The notebook reads the tables that the paper typesets. It looks for them in the folder named by
# `SKIP_ABSORPTION_ROOT`, else in the current folder and those above it; `./reproduce` makes them.

# %%
named = os.environ.get("SKIP_ABSORPTION_ROOT")
folders = [Path(named)] if named else [Path.cwd(), *Path.cwd().parents]
root = next((folder for folder in folders if (folder / "results" / "tables").is_dir()), None)


def table(name):
    """The stored table, validated; None where this machine has not run the experiments yet."""
    return None if root is None else read_table(name, root / "results" / "tables" / f"{name}.csv")


verdicts = table("verdicts")
if verdicts is None:
    print("No results here yet: run ./reproduce (or ./reproduce smoke) in the repository first.")
else:
    display(verdicts[["title", "evidence", "cases", "controls", "rejected", "verdict"]])

# %% [markdown]
# How well can an MLP of width $m$ fit a random residual block? The loss collapses at $m=N+d$, and not
# before.

# %%
from skip_absorption.figures import width_threshold

fits = table("width_threshold")
if fits is not None:
    show(
        width_threshold.plot(fits),
        "Held-out loss against extra units: it collapses at N + d for every target",
    )

# %%
if fits is not None:
    summary = fits.groupby(["activation", "d", "N", "width_minus_N"]).agg(
        targets=("target", "nunique"), fitted=("success", "sum"), worst_loss=("best_heldout", "max")
    )
    display(summary)

# %% [markdown]
# And a real network: does a trained block absorb its skip at its own width?

# %%
decisions = table("checkpoint_decisions")
decisions if decisions is None else decisions[["layer", "d", "N", "activation", "verdict", "checked"]]
