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
# # 4. Random weights
#
# Almost no weights absorb their skip, and quantised ones do so with a probability that can be counted: a few
# thousand networks decided here, all of them in the small cases, and the tables of this run.
#
# "Almost" is in the sense of volume. Weights in a computer are finitely many numbers, and at low precision
# the exceptional set has a positive probability. Each network is decided exactly; only the frequencies are
# estimates, with their 95 % intervals.
#
# Statements: Corollary 5(i), Remark D2, X1. Tables are those of the full run where there is one, else of the
# smoke run; `SKIP_ABSORPTION_TIER=smoke` in the environment chooses.

# %%
from fractions import Fraction

import numpy as np
import pandas as pd

from skip_absorption import check_certificate, decide
from skip_absorption.absorption.batch import decide_batch
from skip_absorption.distributions import distribution
from skip_absorption.experiments.random_measures import clopper_pearson
from skip_absorption.figures import distance as distance_figure
from skip_absorption.figures import random_measures
from skip_absorption.figures.inline import show
from skip_absorption.measures import generator
from skip_absorption.results.stored import describe_run, stored_table

print(describe_run())

# %% [markdown]
# ## Gaussian weights: never
#
# The condition asks for $d^2$ equations to hold at once for one of $2^N$ sets, which cuts out a null set.
# Here are two thousand draws; each is one exact question about the dyadic rationals that the floats are.

# %%
rng = generator("notebook", "random_measures")
up, down = distribution("gaussian").draw((2000, 2, 4), rng)
answers = decide_batch(up, down, rng=rng)

print(f"{answers.condition.sum()} of {len(up)} satisfy condition (3)")
assert not answers.condition.any()
assert answers.generic.all()

# %% [markdown]
# A single draw with its proof: one matrix modulo a prime, accepted by the second program.

# %%
decision = decide(up[0], down[0])

print(decision.proof)
assert decision.verdict.value == "NOT_ABSORBABLE"
assert check_certificate(decision.certificate, up[0], down[0]).valid

# %% [markdown]
# ## Integer weights: sometimes
#
# Uniform on $\{-B,\dots,B\}$ the exceptional set is hit. The finer the grid, the less often.

# %%
rows = []
for name in ("ternary", "integers_2", "integers_4", "integers_8"):
    up, down = distribution(name).draw((20000, 2, 2), rng)
    hits = int(decide_batch(up, down, rng=rng).condition.sum())
    low, high = clopper_pearson(hits, len(up))
    rows.append({"weights": name, "hits": hits, "of": len(up), "at least": low, "at most": high})
shares = pd.DataFrame(rows)
assert shares["hits"].is_monotonic_decreasing
shares

# %% [markdown]
# ## All ternary networks of two units
#
# At $d=N=2$ there are $3^8=6561$ networks with entries in $\{-1,0,1\}$: no sampling is needed. The exact
# share lies within the interval that the draws gave.

# %%
entries = np.array(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 8)).reshape(8, -1).T
up, down = entries[:, :4].reshape(-1, 2, 2), entries[:, 4:].reshape(-1, 2, 2)
found = decide_batch(up, down, rng=rng)
exact = Fraction(int(found.condition.sum()), len(entries))

print(f"{found.condition.sum()} of {len(entries)}, that is {exact} or {float(exact):.4f}")
assert shares.loc[0, "at least"] <= exact <= shares.loc[0, "at most"]

# %% [markdown]
# They can be counted by hand: with two units the set must be both of them, so $W_{\mathrm{up}}$ is
# invertible and $W_{\mathrm{down}}$ is minus its inverse. The share is that of ternary matrices whose
# inverse is ternary.

# %%
squares = up[::81]  # each W_up once
determinants = squares[:, 0, 0] * squares[:, 1, 1] - squares[:, 0, 1] * squares[:, 1, 0]
ternary = (abs(determinants) == 1).sum()

print(f"{ternary} of {len(squares)} ternary 2 x 2 matrices have determinant 1 or -1")
assert ternary == found.condition.sum()

# %% [markdown]
# ## The tables of this run
#
# Filled: the share of networks that absorb. Hollow: the share that satisfies condition (3), which differs
# where the generic hypotheses fail. An arrow: nothing found, and the bar ends at the upper bound.

# %%
table = stored_table("random_measures")
if table is not None:
    show(
        random_measures.plot(table),
        "Panels, one a size: for each distribution the probability to absorb with its interval, logarithmic. "
        "Continuous ones have arrows to the left; the coarser the integers, the larger the probability",
    )

# %% [markdown]
# No continuous distribution produced a single instance; and wherever a share was counted exactly, the
# estimate that was drawn is compatible with it.

# %%
if table is not None:
    kinds = table["measure"].map(lambda name: distribution(name).kind)
    assert table.loc[kinds == "continuous", "condition"].sum() == 0
    both = table[table["method"] == "sampling"].merge(
        table[table["method"] == "enumeration"], on=["measure", "d", "N"], suffixes=("", " exactly")
    )
    for row in both.to_dict("records"):
        low, high = clopper_pearson(row["absorbable"], row["decided"], level=0.9999)
        assert low <= row["fraction exactly"] <= high
both[["measure", "d", "N", "low", "high", "fraction exactly"]] if table is not None else None

# %% [markdown]
# ## How far away are the others?
#
# Not absorbing is not the same as being far from it. The least Frobenius norm of
# $W_{\mathrm{down}}[:,S]\,W_{\mathrm{up}}[S,:]+I$ over all sets, relative to that of $I$, shrinks as $N$
# grows, since there are more sets to choose from. Where weights have variance 1 and $d$ is large, every unit
# alone is so long that the empty set stays the best one found. None reaches zero: width adds subsets, not
# freedom.

# %%
distances = stored_table("distance")
if distances is not None:
    assert (distances["upper"] > 0).all()
    means = distances.groupby(["measure", "d", "N"])["upper"].mean().groupby(["measure", "d"])
    assert (means.last() <= means.first()).all()
    assert (means.last() < means.first())["lecun"].all()
    show(
        distance_figure.plot(distances),
        "Curves with bars: the least relative distance to condition (3) against N/d, one curve a dimension; "
        "none rises as N/d grows, and all stay above 0",
    )
