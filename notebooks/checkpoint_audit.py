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
# # 6. Auditing a real checkpoint
#
# A trained sentence encoder, block by block: finding its MLPs, checking the hypotheses, deciding one block
# exactly, checking the proof again, the distance to the condition, and a wider block that needs no skip.
#
# The weights are taken as the rational numbers that the file stores, not as approximations of something
# else. Without the download a small generated checkpoint of the same form takes its place, and the notebook
# says so.
#
# Statements: Theorem 4, X1b, X4, Proposition 8(i). Tables are those of the full run where there is one, else
# of the smoke run; `SKIP_ABSORPTION_TIER=smoke` in the environment chooses.

# %%
import tempfile
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd

from skip_absorption import check_certificate, decide
from skip_absorption.absorption.margin import margin
from skip_absorption.checkpoints.families import find_blocks
from skip_absorption.checkpoints.generated import write_checkpoint
from skip_absorption.checkpoints.skipless import without_skip
from skip_absorption.checkpoints.tensors import open_tensors
from skip_absorption.figures import checkpoint_margin
from skip_absorption.figures.inline import show
from skip_absorption.measures import generator
from skip_absorption.networks.hypotheses import hypotheses
from skip_absorption.results.stored import describe_run, downloaded, stored_table

rng = generator("notebook", "checkpoint_audit")
print(describe_run())

# %% [markdown]
# ## Opening it
#
# `./reproduce checkpoint_decisions` downloads all-MiniLM-L6-v2. The reader opens the package as it is,
# without unpacking it and without a deep-learning library.

# %%
checkpoint = downloaded("checkpoint")
folder = tempfile.TemporaryDirectory()
if checkpoint is None:
    print("The weights of all-MiniLM-L6-v2 are not here: this is a small generated checkpoint.")
    checkpoint = write_checkpoint(folder.name, "bert", rng=rng).path
else:
    print("These are the weights of all-MiniLM-L6-v2.")

# %% [markdown]
# ## Finding the blocks
#
# Names and shapes of the tensors tell the family; the configuration tells the activation; and the place of
# the norm tells which map a verdict is about.

# %%
with open_tensors(checkpoint) as tensors:
    blocks = find_blocks(tensors)
    block, mlp = blocks[0], blocks[0].load(tensors)
folder.cleanup()

assert blocks
pd.DataFrame(
    [{"block": b.name, "d": b.d, "N": b.n, "activation": b.activation, "norm": b.norm} for b in blocks]
)

# %%
print("A verdict is about", block.map_in_words)

# %% [markdown]
# ## Exact weights
#
# A float is a fraction whose denominator is a power of two. Nothing is lost when it is taken as one.

# %%
first = Fraction(float(mlp.w_up[0, 0]))

print("the first weight:", first)
assert first.denominator.bit_count() == 1
print(f"{mlp.w_up.size + mlp.w_down.size} weights of type {mlp.w_up.dtype}")

# %% [markdown]
# ## The hypotheses
#
# With biases the theorem asks for nonzero rows and columns and for units that are not the same up to sign.
# That is compared exactly, all pairs at once.

# %%
generic = hypotheses(mlp.w_up, mlp.w_down, mlp.activation, mlp.b_up)

print("generic:", generic.generic)
assert generic.generic

# %% [markdown]
# ## Deciding one block
#
# Is there a set of units with $W_{\mathrm{down}}[:,S]\,W_{\mathrm{up}}[S,:]=-I$? There are $2^N$ sets.
# Sampled equations modulo a prime are a linear system for the flips, and where it has no solution, no set
# has the property over the rationals either.

# %%
biases = {"b_up": mlp.b_up, "b_down": mlp.b_down}
decision = decide(mlp.w_up, mlp.w_down, activation=mlp.activation, **biases)

print(decision.verdict.value)
print(decision.proof)
assert decision.verdict.value == "NOT_ABSORBABLE"

# %% [markdown]
# ## Checking the proof again
#
# The certificate is one sparse matrix $Y$ with $a_i^{\mathsf T}Yw_i\equiv0$ for all units and a trace that is
# not zero. The second program needs whole numbers alone. With one entry changed it is refused.

# %%
certificate = decision.certificate
check = check_certificate(certificate, mlp.w_up, mlp.w_down, activation=mlp.activation, **biases)

print(f"{certificate.size} entries modulo {certificate.modulus}")
print(check.reason)
assert check.valid

# %%
(row, column, value), *others = certificate.entries
forged = replace(certificate, entries=((row, column, value % certificate.modulus - 1 or 2), *others))
refused = check_certificate(forged, mlp.w_up, mlp.w_down, activation=mlp.activation, **biases)

print(refused.reason)
assert not refused.valid

# %% [markdown]
# ## How far from it?
#
# The least norm of $W_{\mathrm{down}}[:,S]\,W_{\mathrm{up}}[S,:]+I$ over all sets, relative to that of $I$,
# enclosed in floats. The empty set has distance 1.

# %%
distance = margin(mlp.w_up, mlp.w_down)

print(f"between {distance.lower:.3f} and {distance.upper:.3f}; the best set found has {distance.units} units")
assert 0 < distance.lower <= distance.upper <= 1

# %% [markdown]
# ## A wider block without the skip
#
# With $N+2d$ units the skip is absorbed exactly, in the type of the weights: pairs of units with rows
# $\pm2^pe_j$ and columns $\pm2^{-p}e_j$ compute $x$ itself. That the wider block is the same function as
# $x+\mathrm{MLP}(x)$ is proved from canonical forms before it is handed out.

# %%
skipless = without_skip(mlp, width="exact")

print(f"width {mlp.width} becomes {skipless.twin.width}, of type {skipless.twin.w_up.dtype}")
assert skipless.exact
assert skipless.twin.width <= mlp.width + 2 * block.d

# %% [markdown]
# In floats the two differ by rounding alone.

# %%
x = rng.standard_normal((16, block.d))
with_skip, without = x + mlp.float(x), skipless.twin.float(x)

assert np.allclose(with_skip, without, rtol=0, atol=1e-9)
print("the same to nine decimals on 16 inputs")

# %% [markdown]
# ## All blocks
#
# The run audited every block of the checkpoint, and small generated ones of every family, whose answers are
# known.

# %%
audit = stored_table("checkpoint_audit")
if audit is not None:
    known = audit.dropna(subset="expected")
    assert (known["verdict"] == known["expected"]).all()
    assert audit["checked"].dropna().all()
    audit = audit[["model", "number", "d", "N", "activation", "statement", "verdict", "checked"]]
    audit = audit.astype(object).where(audit.notna(), "")
audit

# %% [markdown]
# How the distance of trained blocks compares with that of random blocks of the same shape and scale.

# %%
margins = stored_table("checkpoint_margin")
if margins is not None and len(margins):
    assert (margins["lower"] > 0).all()
    show(
        checkpoint_margin.plot(margins),
        "By how much the distance to the condition falls short of 1, for trained and for random blocks, one "
        "panel a model",
    )

# %% [markdown]
# And the whole encoder without the skips of its MLPs: its sentence vectors before and after.

# %%
absorbed = stored_table("absorbed_checkpoint")
if absorbed is not None:
    assert absorbed["proved"].dropna().all()
    absorbed["1 - cosine"] = absorbed["cosine_distance"].map("{:.0e}".format, na_action="ignore")
    columns = ["variant", "precision", "status", "N", "width", "exact", "proved", "1 - cosine"]
    absorbed = absorbed[columns].astype(object).where(absorbed[columns].notna(), "")
absorbed
