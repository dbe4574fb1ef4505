"""Re-check a certificate about condition (3) with the standard library alone, to be read in one sitting.

Usage: python recheck.py CERTIFICATE.json WEIGHTS.json, the weights as {"w_up": rows, "w_down": rows, "skip":
rows}; numbers and strings "p/q" are read exactly, and a missing skip is the identity. It says whether the
certificate proves that a flip set exists (kind flip_set) or that none does. It takes the
number odd of the activation (1 for ReLU, GELU, SiLU) from the certificate, and does not compare the digest,
look at the generic hypotheses that "not_absorbable" needs besides, or read the kind "quadratic":
`skip-absorption check` does all that.
"""

import json
import sys
from fractions import Fraction
from pathlib import Path


def recheck(certificate, weights):
    """Return True if the identities of the certificate hold for these weights."""
    names = {"w_up", "w_down", "skip"} & set(weights)
    matrix = {name: [[Fraction(x) for x in row] for row in weights[name]] for name in names}
    up, down, odd = matrix["w_up"], matrix["w_down"], Fraction(certificate["odd"])
    skip = matrix.get("skip", [[int(r == c) for c in range(len(up[0]))] for r in range(len(down))])
    target = [[-x / odd for x in row] for row in skip]
    units, p = range(len(up)), certificate.get("modulus")
    if certificate["kind"] == "flip_set":
        chosen = certificate["flip_set"]
        return sorted(chosen) == [i for i in units if i in chosen] and all(  # a set: each unit at most once
            sum(down[r][i] * up[i][c] for i in chosen) == target[r][c]
            for r in range(len(down))
            for c in range(len(up[0]))
        )
    y = [(r, c, Fraction(value)) for r, c, value in certificate["entries"]]
    forms = [sum(value * down[r][i] * up[i][c] for r, c, value in y) for i in units]
    goal = sum(value * target[r][c] for r, c, value in y)
    if certificate["kind"] == "farkas":
        return goal > sum(max(0, form) for form in forms)
    *forms, goal = (x.numerator * pow(x.denominator, -1, p) % p for x in (*forms, goal))
    if certificate["kind"] in ("inconsistent", "not_binary"):
        if forms != [int(i == certificate.get("coordinate")) for i in units]:
            return False
    elif certificate["kind"] != "support":
        return False
    sums = {0}  # what the forms of a subset can sum to, if it is to be a flip set
    for form in filter(None, forms):
        sums |= {(x + form) % p for x in sums}
    return goal not in sums


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        files = [json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:]]
        print("proved" if recheck(*files) else "not proved")
    except (OSError, ValueError, LookupError, TypeError, ArithmeticError) as error:
        sys.exit(f"not a certificate and weights: {type(error).__name__}: {error}")
