"""Refutation by degree 2: the solution set put into s_i^2 = s_i, every product of free units a new unknown.

With ``s_pivot = L(z)``, z the free units, each pivot row gives ``L(z)^2 - L(z) = 0``; with ``z_f^2 = z_f``
that is a multilinear polynomial in z. If 1 is a combination of them there is no 0/1 solution. Generically
this works iff delta (delta + 1) / 2 <= r - 1 for delta free units and r equations. Source: X4 and part H.
"""

from __future__ import annotations

from skip_absorption.absorption.search.affine import AffineSet
from skip_absorption.absorption.search.outcome import Reached, Refutation

_LARGEST = 1_000_000  # entries of the linearised system


def quadratic(affine: AffineSet, n: int) -> Reached:
    """Look for the constant 1 in the span of the linearised squares.

    Parameters
    ----------
    affine
        The solution set mod p, or a component of it.
    n
        The number N of units of the whole problem.
    """
    r, delta = affine.matrix.shape
    monomials = delta * (delta + 1) // 2
    if r == 0 or r * monomials > _LARGEST:
        return Reached(f"quadratic: {r} squares in {monomials} monomials not tried")
    mu = _combination(affine)
    if mu is None:
        return Reached(f"quadratic: 1 is not in the span of {r} squares in {monomials} monomials")
    return Reached(f"quadratic: 1 is in the span of {r} squares", refutation=_refutation(affine, mu, n))


def _combination(affine: AffineSet) -> list[int] | None:
    """Return mu with ``sum_k mu_k (L_k^2 - L_k) = 1`` modulo the ``z_f^2 - z_f``, if there is one."""
    import flint

    p = affine.p
    r, delta = affine.matrix.shape
    constants, columns = [], []
    for row, offset in zip(affine.matrix, affine.offset, strict=True):
        b, c = [int(x) for x in row], int(offset)  # L = c - b . z
        constants.append((c * c - c) % p)
        single = [(x * x - 2 * c * x + x) % p for x in b]  # z_f^2 and z_f together
        double = [2 * b[f] * b[g] % p for f in range(delta) for g in range(f)]
        columns.append(single + double)
    if columns[0]:
        flat = [x for monomial in zip(*columns, strict=True) for x in monomial]
        kernel, nullity = flint.nmod_mat(len(columns[0]), r, flat, p).nullspace()
        vectors = [[int(kernel[k, j]) for k in range(r)] for j in range(nullity)]
    else:
        vectors = [[int(k == j) for k in range(r)] for j in range(r)]
    for vector in vectors:
        value = sum(x * c for x, c in zip(vector, constants, strict=True)) % p
        if value:
            inverse = pow(value, -1, p)
            return [x * inverse % p for x in vector]
    return None


def _refutation(affine: AffineSet, mu: list[int], n: int) -> Refutation:
    """Write the combination as an identity in F_p[s].

    Pivot row k says ``E_k(s) = s_k + b . s_free - c = s_k - L(s_free)``, and
    ``s_k^2 - s_k = (s_k + L - 1) E_k + L^2 - L``; so ``ell_k = -mu_k (s_k + L - 1)``, and the squares of the
    free units enter with ``-sum_k mu_k b_f^2``.
    """
    p = affine.p
    all_mu = [0] * n
    ell, matrices = [], []
    for k, factor in enumerate(mu):
        if factor == 0:
            continue
        line = [0] * (1 + n)
        line[0] = -factor * (int(affine.offset[k]) - 1) % p
        line[1 + int(affine.pivots[k])] = -factor % p
        all_mu[int(affine.pivots[k])] = factor
        for f, x in zip(affine.free, affine.matrix[k], strict=True):
            line[1 + int(f)] = factor * int(x) % p
            all_mu[int(f)] = (all_mu[int(f)] - factor * int(x) ** 2) % p
        ell.append(line)
        matrices.append(affine.equations.matrix_of_row(int(affine.rows[k])))
    return {"kind": "quadratic", "p": p, "mu": all_mu, "ell": ell, "Y": matrices}
