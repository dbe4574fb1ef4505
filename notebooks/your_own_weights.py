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
# # 7. Your own weights
#
# Ten lines that decide whether your block absorbs its skip, write down the proof, check it, find the least
# width without a skip, and build the network of that width.
#
# Any `.npz`, `.safetensors` or `.json` file with `w_up` of shape $(N,d)$ and `w_down` of shape $(d,N)$ will
# do, with `b_up`, `b_down` and `skip` if there are such. Whole checkpoints are for `skip-absorption audit`
# and for notebook 6.
#
# Statements: Theorem 4, X1, X1b, X4.

# %%
import numpy as np

from skip_absorption import Mlp, Residual, absorb, check_certificate, decide, equal_functions, minimal_width
from skip_absorption.absorption.certificate import Certificate
from skip_absorption.measures import generator
from skip_absorption.networks.weights import Weights, read_weights

# %% [markdown]
# ## Change this cell
#
# Put the path of your file here and name its activation: `relu`, `leaky_relu:SLOPE`, `gelu`, `gelu_tanh` or
# `silu`. Without a path a small random block takes its place. Such a file is written by
# `numpy.savez("weights.npz", w_up=..., w_down=...)`.

# %%
path = None  # for example "weights.npz"
activation = "gelu"

# %%
rng = generator("notebook", "your_own_weights")
if path is None:
    mlp = Mlp(np.float32(rng.standard_normal((8, 4))), np.float32(rng.standard_normal((4, 8))), activation)
    weights = Weights(mlp.w_up, mlp.w_down, None, None, None, mlp.activation)
else:
    weights = read_weights(path, activation=activation)

print(f"d = {weights.w_up.shape[1]}, N = {weights.w_up.shape[0]}, {weights.activation.name}")

# %% [markdown]
# ## The ten lines
#
# Everything is exact: floats are taken as the fractions that they are, and every answer is proved. Where a
# search would take too long, the verdict is UNKNOWN and the width lies between proved bounds.

# %%
biases = {"b_up": weights.b_up, "b_down": weights.b_down}
network = {"activation": weights.activation, "skip": weights.skip, **biases}
decision = decide(weights.w_up, weights.w_down, **network)
proof = decision.certificate.to_json() if decision.certificate else None
check = check_certificate(proof and Certificate.from_json(proof), weights.w_up, weights.w_down, **network)
least = minimal_width(weights.w_up, weights.w_down, **network)
mlp = Mlp(weights.w_up, weights.w_down, weights.activation, **biases)
twin = absorb(mlp, skip=weights.skip, width=least.upper)
same = equal_functions(Residual(mlp, weights.skip), twin)
assert same

# %% [markdown]
# ## What they say

# %%
print(decision.verdict.value, "|", decision.proof)
print("certificate:", "valid" if check.valid else "none", "|", check.reason)
print("least width:", least.width if least.width is not None else f"{least.lower} to {least.upper}")
print(*least.how, sep="\n")
print("units to flip, where that is enough:", decision.flip_set or "it is not")
print("a network of width", twin.width, "without skip is the same function:", same)

# %% [markdown]
# ## The same from the command line
#
# ```
# skip-absorption decide weights.npz --activation gelu --certificate proof.json
# skip-absorption check proof.json weights.npz --activation gelu
# skip-absorption width weights.npz --activation gelu
# skip-absorption absorb weights.npz --activation gelu -o twin.npz
# ```
