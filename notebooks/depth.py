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
# # 5. Depth
#
# Stacks of blocks: an exact scaling law that settles gated and homogeneous ones, a count of dimensions with a
# certificate for GELU, and a stack of ReLU blocks whose skips can all be absorbed, drawn block by block.
#
# Write $F=f_L\circ\dots\circ f_1$ with $f_l=\mathrm{id}+\mathrm{MLP}_l$, and $H=h_L\circ\dots\circ h_1$ for a
# stack of MLPs without skips. Can $H$ equal $F$?
#
# Statements: Corollary 3, X6, X7a, X7b, X7c. Tables are those of the full run where there is one, else of the
# smoke run; `SKIP_ABSORPTION_TIER=smoke` in the environment chooses.

# %%
from copy import deepcopy
from fractions import Fraction

import numpy as np

from skip_absorption import Mlp, Residual, decide
from skip_absorption.depth.analytic import draw_layers, prove_rank
from skip_absorption.depth.certificate import digest, to_json
from skip_absorption.depth.checker import check
from skip_absorption.depth.counts import is_excluded, plain_dimension, residual_dimension
from skip_absorption.depth.folding import fold_box, fold_depth, is_idle, unfolded
from skip_absorption.depth.relu_fan import differing_sectors, fan
from skip_absorption.figures import depth_excluded, depth_relu, depth_scaling, fold
from skip_absorption.figures.inline import show
from skip_absorption.measures import generator
from skip_absorption.networks.blocks import Composition
from skip_absorption.results.store import read_json
from skip_absorption.results.stored import describe_run, stored_file, stored_table

rng = generator("notebook", "depth")
print(describe_run())

# %% [markdown]
# ## Homogeneous blocks: a scaling law
#
# ReLU² has degree $k=2$. Two such blocks without skips have $H(tx)=t^4H(x)$, exactly, while $F(tx)/t\to x$
# as $t\to0$. So $H(tx)/t\to0$ and $H\neq F$, whatever the weights and the widths are (Corollary 3).

# %%
f1 = Mlp([[1, 1], [2, -1], [0, -1]], [[1, -1, 2], [0, 1, 1]], "relu_squared")
f2 = Mlp([[1, 0], [1, 2], [-1, 1]], [[1, 1, 0], [-1, 1, 3]], "relu_squared")
F, H = Composition([Residual(f1), Residual(f2)]), Composition([f1, f2])
x = np.array([Fraction(3), Fraction(-1)])

for t in (Fraction(1, 10), Fraction(1, 1000)):
    assert (H.rational(t * x) == t**4 * H.rational(x)).all()
    away = max(abs(F.rational(t * x) / t - x))
    print(f"t = {t}: F(tx)/t is {float(away):.1e} away from x")
    assert 0 < away < 1000 * t

# %% [markdown]
# The same along random rays for three activations. Dashed: the slopes $k^L-1$ that are predicted for
# $\lvert H(tx)\rvert/\lvert F(tx)\rvert$. For $k<1$ the limit is at infinity.

# %%
rays = stored_table("depth_scaling")
if rays is not None:
    show(
        depth_scaling.plot(rays),
        "Three panels with logarithmic axes: the ratio of H to F along a ray falls as a straight line of the "
        "predicted slope, steeper for more blocks",
    )

# %%
if rays is not None:
    for _, ray in rays.groupby(["activation", "L"]):
        ends = ray.sort_values("t", ascending=ray["slope"].iloc[0] > 0).head(2)  # nearest to the limit
        rise = np.diff(np.log(ends["ratio"]))[0] / np.diff(np.log(ends["t"]))[0]
        assert abs(rise - ray["slope"].iloc[0]) < 0.1
    print("all slopes as predicted, to 0.1")

# %% [markdown]
# ## GELU: counting dimensions
#
# A stack with skips uses all of its $2dLN$ weights: near almost every choice of them, different weights are
# different functions. A stack without skips wastes some, since between two blocks only a product of matrices
# of rank at most $d$ matters. Fewer dimensions cannot cover more (X6).

# %%
d, widths = 2, [3, 3]
print("with skips:   ", residual_dimension(d, widths), "dimensions")
print("without skips:", plain_dimension(d, widths), "at most")

assert is_excluded(d, widths, widths)
assert not is_excluded(d, [3], [3])  # a single block: a tie, and Theorem 4 is needed

# %% [markdown]
# That the stack with skips has full dimension needs a proof: a minor of its Jacobian, at rational weights and
# sample points, whose determinant is not zero in ball arithmetic. Nonzero at one choice of weights, it is
# nonzero at almost every one.

# %%
proved = prove_rank(draw_layers(d, widths, rng=rng), "gelu", residual_dimension(d, widths), rng=rng)
certificate = to_json(proved)

print("rank", certificate["rank"], "| log10 of the determinant in", certificate["log10_determinant"])

# %% [markdown]
# The second program recomputes the minor in intervals of integers and bounds its inverse. A copy with one
# weight changed is refused: its determinant is another one.

# %%
outcome = check(certificate)
assert outcome.is_full
print(f"accepted: rank {outcome.rank} of {outcome.parameters} weights")

forged = deepcopy(certificate)
forged["layers"][0]["w_up"][0][0] = "7/3"
forged["sha256"] = digest(forged)
assert not check(forged).accepted
print("refused:", check(forged).reason)

# %% [markdown]
# The certificates that this run stored, one a kind of stack and activation, are re-checked here as well: the
# first few of them.

# %%
path = stored_file("certificates/depth.json")
cases = [] if path is None else read_json(path)["cases"]
for case in cases[:3]:
    again = check(case["certificate"])
    assert again.accepted
    print(f"{case['activation']}, d = {case['d']}, widths {case['widths']}: rank {again.rank} proved")

# %%
ranks = stored_table("depth_analytic")
if ranks is not None:
    skips = ranks[ranks["family"] == "identity"]
    assert (skips["certified"] == skips["parameters"]).all()
    assert (skips["k_H"] < skips["parameters"]).all()
    ranks = skips[["activation", "d", "widths", "parameters", "k_H", "certified", "rechecked"]]
ranks

# %% [markdown]
# Which shapes of stacks without skips are ruled out, by the count or, below width $2d$, because of their
# first block (X7a)? The star marks the stack with skips.

# %%
excluded = stored_table("depth_excluded")
if excluded is not None:
    show(
        depth_excluded.plot(excluded),
        "Grids of width against depth of stacks without skips: small ones are excluded, wide ones suffice, "
        "between them a band is open; the star, the same shape as the stack with skips, is excluded",
    )

# %% [markdown]
# ## ReLU: an exception with an inside
#
# For ReLU "almost every" is false at depth. On the plane let the first of $8N-15$ residual blocks of width
# $N=4$ fold the plane onto a cone, where all later rows are negative: these blocks do nothing. No single
# block without a skip is that fold (Theorem 4), but seventeen of them can bend its rays into place.

# %%
n = 4
residual = fold_box(n, rng=rng, lift=Fraction(1, 8)).inside(rng=rng)
plain = unfolded(residual[0])

print(len(residual), "residual blocks,", len(plain), "blocks without skips of width", plain[0].width)
assert len(residual) == len(plain) == fold_depth(n)
assert decide(residual[0].block.w_up, residual[0].block.w_down).verdict.value == "NOT_ABSORBABLE"

# %% [markdown]
# Both stacks are linear on sectors of the plane. They are compared there as matrices of fractions: equal on
# every sector, and unequal as soon as one block is left out.

# %%
folded = fan(residual)
differing, sectors = differing_sectors(folded, fan(plain))
print(f"they differ on {len(differing)} of {sectors} sectors")

assert not differing
assert all(is_idle(block, folded.images) for block in residual[1:])
assert differing_sectors(folded, fan(plain[1:]))[0]

# %% [markdown]
# The weights came from a box with an inside, so the absorbed stacks are no null set (X7c). Below: the sectors
# of a fold, the disc after all blocks but the last, the folded disc, and every block on the way.

# %%
drawn = stored_table("fold")
if drawn is not None:
    show(
        fold.plot(drawn),
        "Above, the unit disc in coloured sectors, the disc with its sectors moved, and its image, folded "
        "onto a cone. Below, the disc after each of the blocks; in each group of four one ray moves",
    )

# %% [markdown]
# How often does that happen? A count of the units whose kinks are visible rules it out for most random
# stacks, and for fewer as the weights grow (X7b).

# %%
visible = stored_table("depth_relu")
if visible is not None:
    assert (visible["violations"] == 0).all()
    show(
        depth_relu.plot(visible),
        "Curves, one a size: the share of random ReLU stacks that is excluded, against the factor on W_down",
    )
