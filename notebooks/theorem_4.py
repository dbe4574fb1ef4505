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
# # 2. Theorem 4 by hand
#
# Both halves of the theorem on three units and whole numbers: why flipping signs absorbs the skip, why
# nothing else of the same width can, and a refusal that anyone can check with a pencil.
#
# A twin without a skip is sought for $r(x)=x+\sum_i a_i\,\sigma(w_i\cdot x)$. All numbers are `Fraction`s; no
# float occurs before the last section.
#
# Statements: Theorem 4, Lemma 6, Lemma 7, Hypotheses. Tables are those of the full run where there is one,
# else of the smoke run; `SKIP_ABSORPTION_TIER=smoke` in the environment chooses.

# %%
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd

from skip_absorption import Mlp, Residual, check_certificate, decide, equal_functions
from skip_absorption.absorption.construct import flip
from skip_absorption.networks.hypotheses import hypotheses
from skip_absorption.results.stored import describe_run, stored_table

print(describe_run())

# %% [markdown]
# ## Three units
#
# Rows $w_i$ and columns $a_i$ on the plane. The columns $a_0$, $a_1$ are minus the inverse of the first two
# rows, so that $a_0w_0^{\mathsf T}+a_1w_1^{\mathsf T}=-I$.

# %%
F = Fraction
w = [(F(1), F(0)), (F(1), F(1)), (F(1), F(-2))]
a = [(F(-1), F(1)), (F(0), F(-1)), (F(2), F(3))]


def dyad(u, v):
    """The matrix u v^T."""
    return [[ui * vj for vj in v] for ui in u]


def total(matrices):
    """Their sum, 0 if there are none."""
    return [[sum((m[i][j] for m in matrices), F(0)) for j in range(2)] for i in range(2)]


assert total([dyad(a[0], w[0]), dyad(a[1], w[1])]) == [[-1, 0], [0, -1]]

# %% [markdown]
# The generic hypotheses: no row and no column is zero, and no two rows are collinear, which three
# determinants show.

# %%
for i, j in combinations(range(3), 2):
    determinant = w[i][0] * w[j][1] - w[i][1] * w[j][0]
    print(f"det(w{i}, w{j}) = {determinant}")
    assert determinant != 0
assert all(any(vector) for vector in [*w, *a])

# %% [markdown]
# ## A flip moves the linear part
#
# $\sigma(z)-\sigma(-z)=z$ for ReLU. So negating $w_i$ changes the MLP by $-a_i\,(w_i\cdot x)$, and negating
# all rows in $S$ by $-\sum_{i\in S}a_iw_i^{\mathsf T}x$. Where that sum is $-I$, the change is $+x$: the
# skip.


# %%
def relu(z):
    return max(z, F(0))


def dot(u, v):
    return sum(ui * vi for ui, vi in zip(u, v, strict=True))


def mlp_at(rows, x):
    """The MLP with these rows and the columns a."""
    return [sum(a[i][c] * relu(dot(rows[i], x)) for i in range(3)) for c in range(2)]


def flipped(units):
    return [tuple(-t for t in w[i]) if i in units else w[i] for i in range(3)]


x = (F(5, 3), F(-7, 2))
print("with skip:   ", *(xc + m for xc, m in zip(x, mlp_at(w, x), strict=True)))
print("without skip:", *mlp_at(flipped({0, 1}), x))

# %% [markdown]
# The two agree on all points of a grid, with equality of fractions. The identity above says that they agree
# everywhere.

# %%
grid = [(F(i, 3), F(j, 3)) for i in range(-9, 10) for j in range(-9, 10)]
for x in grid:
    assert [xc + m for xc, m in zip(x, mlp_at(w, x), strict=True)] == mlp_at(flipped({0, 1}), x)
print(len(grid), "points, no difference")

# %% [markdown]
# ## Values give the weights away
#
# Why is there no cleverer twin? Take a point $x_0$ on the line $w_i\cdot x=0$ and step off it both ways, by
# $\pm te$. In $r(x_0+te)+r(x_0-te)-2r(x_0)$ everything linear cancels, the skip included, and so does every
# unit whose kink is elsewhere, if $t$ is small. What is left is $t\,a_i\,\lvert w_i\cdot e\rvert$ (Lemma
# 6). A twin has the same values, so it has the same kinks and, behind each of them, the same column.


# %%
def r(x):
    return [xc + m for xc, m in zip(x, mlp_at(w, x), strict=True)]


def jump(i):
    """The second difference of r across the kink of unit i, divided by t |w_i . e|."""
    x0, e, t = (-w[i][1], w[i][0]), w[i], F(1, 100)
    plus, minus = ([x0[k] + s * t * e[k] for k in range(2)] for s in (1, -1))
    sides = zip(r(plus), r(minus), r(x0), strict=True)
    return tuple((p + m - 2 * at) / (t * dot(w[i], e)) for p, m, at in sides)


for i in range(3):
    print(f"unit {i}: read off the values of r: ({jump(i)[0]}, {jump(i)[1]})")
    assert jump(i) == a[i]

# %% [markdown]
# ## All eight candidates
#
# So a twin of width 3 has the rows $\pm w_i$ (up to a positive factor that its column undoes): only signs are
# free, eight sign patterns in all. For each one the matrix sum and the equality of functions are decided
# independently; they agree, and one pattern works.

# %%
w_up, w_down = np.array(w, dtype=object), np.array(a, dtype=object).T
mlp = Mlp(w_up, w_down, "relu")
rows = []
for size in range(4):
    for units in combinations(range(3), size):
        matrix = total([dyad(a[i], w[i]) for i in units])
        rows.append(
            {
                "S": str(set(units) or "{}"),
                "sum over S": "  ".join(str([str(t) for t in row]).replace("'", "") for row in matrix),
                "is -I": matrix == [[-1, 0], [0, -1]],
                "absorbs": equal_functions(Residual(mlp), flip(mlp, units)),
            }
        )
candidates = pd.DataFrame(rows)
assert (candidates["is -I"] == candidates["absorbs"]).all()
assert candidates["absorbs"].sum() == 1
candidates

# %% [markdown]
# ## A refusal with a pencil
#
# Change the last entry of $a_0$ from 1 to 2. To refute all $2^3$ sets at once, look for a matrix $Y$ with
# $a_i^{\mathsf T}Yw_i=0$ for all units: three equations for four numbers, so there is one. Were some sum
# $\sum_{i\in S}a_iw_i^{\mathsf T}$ equal to $-I$, then
# $-\operatorname{tr}Y=\sum_{i\in S}a_i^{\mathsf T}Yw_i=0$. But the trace is not zero.

# %%
other = [(F(-1), F(2)), *a[1:]]
Y = [[F(8), F(13)], [F(4), F(-4)]]


def form(u, v):
    """u^T Y v"""
    return sum(u[i] * Y[i][j] * v[j] for i in range(2) for j in range(2))


for i in range(3):
    print(f"a{i}^T Y w{i} =", form(other[i], w[i]))
    assert form(other[i], w[i]) == 0
print("tr Y =", Y[0][0] + Y[1][1])
assert Y[0][0] + Y[1][1] != 0

# %% [markdown]
# The library finds such a matrix modulo a prime, where numbers stay short at any size; a check modulo $p$
# proves the same, since an equation over $\mathbb Q$ would hold modulo $p$ as well. The second program
# accepts it, and rejects it for the first weights.

# %%
other_down = np.array(other, dtype=object).T
no = decide(w_up, other_down)

print(no.proof)
print("Y modulo", no.certificate.modulus, "has the entries", no.certificate.entries)
assert no.verdict.value == "NOT_ABSORBABLE"
assert check_certificate(no.certificate, w_up, other_down).valid
assert not check_certificate(no.certificate, w_up, w_down).valid

# %% [markdown]
# ## GELU
#
# GELU also has $\sigma(z)-\sigma(-z)=z$, and its even part is analytic. Along a ray the units become
# $\psi(\alpha_i t)$ with one function $\psi$, and these are independent for different $\alpha_i>0$ (Lemma 7):
# the same eight candidates are left, and the same one works.

# %%
gelu = Mlp(w_up, w_down, "gelu")
absorbing = [
    S for n in range(4) for S in combinations(range(3), n) if equal_functions(Residual(gelu), flip(gelu, S))
]

print("absorbing sets:", absorbing)
assert absorbing == [(0, 1)]

# %% [markdown]
# ## Where the hypotheses bite
#
# Two opposed rows share one kink, and the theorem no longer applies: no set satisfies the condition, and yet
# there is a twin of the same width.

# %%
up, down = np.array([[1, 0], [-1, 0]]), np.array([[-1, 1], [0, 0]])
block, twin = Residual(Mlp(up, down, "relu")), Mlp([[0, 1], [0, -1]], [[0, 0], [1, -1]], "relu")
sets = [S for n in range(3) for S in combinations(range(2), n)]

print(hypotheses(up, down, "relu").violations)
assert not any((down[:, list(S)] @ up[list(S)] == -np.eye(2)).all() for S in sets)
assert equal_functions(block, twin)

# %% [markdown]
# ## In this run
#
# The same was tried on random instances, with the false variants that had to be rejected.

# %%
verdicts = stored_table("verdicts")
if verdicts is not None:
    named = verdicts["claim"].isin(["theorem_4", "lemma_6", "lemma_7", "hypotheses", "x4"])
    verdicts = verdicts.loc[named, ["title", "cases", "controls", "rejected", "verdict", "found"]]
verdicts
