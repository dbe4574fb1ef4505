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
# # 3. The width threshold
#
# How many further units replace the skip, exactly: the construction that needs one a dimension, the weights
# that need fewer, and fits from random starts that succeed from the predicted width on and not below.
#
# Theorem 4 asks for width $N$. Proposition 8 allows more units: $N+d$ always do where $W_{\mathrm{up}}$ has
# rank $d$, and for almost all weights no fewer do. For given weights the least width is $N+k^*$, with $k^*$
# a minimum over finitely many ranks.
#
# Statements: Proposition 8(i), Proposition 8(ii), X1, Remark D1. Tables are those of the full run where there
# is one, else of the smoke run; `SKIP_ABSORPTION_TIER=smoke` in the environment chooses.

# %%
from skip_absorption import Mlp, NotAbsorbable, Residual, absorb, equal_functions, minimal_width
from skip_absorption.figures import minimal_width as width_figure
from skip_absorption.figures import width_success, width_threshold
from skip_absorption.figures.inline import show
from skip_absorption.measures import generator, generic_integers, planted_width
from skip_absorption.results.stored import describe_run, stored_table

print(describe_run())

# %% [markdown]
# ## Two units carry a linear map
#
# $\sigma(z)-\sigma(-z)=z$, so a pair of opposed units computes any map of rank one: $2d$ further units would
# replace the skip. But a unit that is there already can serve as one half of a pair, which leaves $d$.

# %%
rng = generator("notebook", "width_threshold")
d, n = 3, 6
w_up, w_down = generic_integers(d, n, rng=rng)
mlp = Mlp(w_up, w_down, "relu")
block = Residual(mlp)

# %%
for width in (n + d, n + 2 * d):
    twin = absorb(mlp, width=width)
    assert equal_functions(block, twin)
    print(f"width {width}: the same function, no skip")

# %% [markdown]
# The new units are the last $d$: their rows are the negatives of rows that were there before.

# %%
twin = absorb(mlp, width=n + d)
for row in twin.w_up[n:]:
    assert any((row == -other).all() for other in w_up)
print(twin.w_up)

# %% [markdown]
# One unit less is impossible for these weights. That is not an observation but a theorem: `absorb` refuses
# with the least width that it has proved, and `minimal_width` says how.

# %%
try:
    absorb(mlp, width=n + d - 1)
except NotAbsorbable as refusal:
    print(refusal)

least = minimal_width(w_up, w_down, activation="relu")
assert least.extra == d
print(*least.how, sep="\n")

# %% [markdown]
# ## Every $k^*$ from 0 to $d$ occurs
#
# Start from weights that satisfy Theorem 4's condition with $d$ units, and replace some of their columns by
# arbitrary ones: each costs one unit.

# %%
for k in range(d + 1):
    up, down = planted_width(d, n, k, rng=rng)
    found = minimal_width(up, down, activation="gelu")
    assert found.extra == k
    assert absorb(Mlp(up, down, "gelu")).width == n + k
    print(f"{d - k} planted columns left: least width N + {found.extra}")

# %% [markdown]
# ## Fits find the same threshold
#
# An MLP without a skip is fitted to random residual blocks, from many starts. Below $N+d$ no fit succeeds,
# and at $N+d$ the error falls to rounding. The fits know nothing of the theorem.

# %%
fits = stored_table("width_threshold")
if fits is not None:
    show(
        width_threshold.plot(fits),
        "Small panels, one an activation and size: held-out errors against the number of extra units; the "
        "curves drop by many orders of magnitude at a vertical line, N + d",
    )

# %% [markdown]
# Among the targets are planted ones with every $k^*$. No fit succeeded below its exact least width: that
# would contradict a proof. How many reach it depends on the search.

# %%
if fits is not None:
    free = fits[fits["linear_terms"] == 0]
    assert (free.loc[free["success"], "width_minus_N"] >= free.loc[free["success"], "extra"]).all()
    at_threshold = free[free["width_minus_N"] == free["extra"]]
    print(f"{at_threshold['success'].sum()} of {len(at_threshold)} targets are fitted at N + k*")
    print(f"0 of {(free['width_minus_N'] < free['extra']).sum()} fits below it succeed")
    show(
        width_success.plot(fits),
        "Left, how many targets were fitted by extra width and exact least width: none below the diagonal "
        "line. Right, the least fitted width against the exact one: points on the diagonal",
    )

# %% [markdown]
# ## Exact widths of many networks
#
# Families whose $k^*$ is known beforehand, and random weights of named distributions. Every width is decided
# exactly; where a bound is left open, the table says so.

# %%
widths = stored_table("minimal_width")
if widths is not None:
    known = widths.dropna(subset="predicted")
    assert (known["lower"] <= known["predicted"]).all()
    assert (known["predicted"] <= known["upper"]).all()
    decided = known["lower"] == known["upper"]
    print(
        f"{known['count'].sum()} networks with a predicted width, {known.loc[decided, 'count'].sum()} decided"
    )
    show(
        width_figure.plot(widths),
        "Above, least widths found against predicted k*, one panel a family: all on the diagonal. Below, "
        "bars with the share of each least width, one bar a distribution",
    )
