"""Copies of the library, each wrong in one line, must turn claims red; the copy itself must not."""

from pathlib import Path

import pytest

from .sabotage import red_claims

SIZE = 25, [(2, 3), (3, 6)]  # cases, pairs (d, N)

SABOTAGES = {  # file, line, wrong line, claims that turn red
    "the copy as it is": ("errors.py", "", "", ""),
    "wrong sign in (3)": (
        "absorption/equations.py",
        "np.array([-1 / question.odd]",
        "np.array([1 / question.odd]",
        "theorem_4 corollary_5 x1b x4",
    ),
    "wrong sign in (3), in the search": (
        "absorption/condition.py",
        "-1 / question.odd",
        "1 / question.odd",
        "theorem_4 corollary_5_converse",
    ),
    "GELU's odd part": (
        "networks/activations.py",
        'name="gelu",\n    odd=_ONE',
        'name="gelu",\n    odd=_TWO',
        "theorem_4 lemma_7 proposition_8_i x1c",
    ),
    "GELU's even part": (
        "networks/_values.py",
        "flint.arb(2).sqrt()).erfc()",
        "flint.arb(3).sqrt()).erfc()",
        "lemma_7",
    ),
    "floats modulo p, off by one": (
        "exact/residues.py",
        "powers[e] = value",
        "powers[e] = (value + 1) % p",
        "theorem_4 x4",
    ),
    "integers modulo p, off by one": (
        "exact/residues.py",
        "return int(entry) % p",
        "return (int(entry) + 1) % p",
        "proposition_8_ii x1",
    ),
    "a kink that forgets |s|": (
        "networks/canonical.py",
        "return key, abs(scale) *",
        "return key, scale *",
        "corollary_5 lemma_6 x5",
    ),
    "a checker that accepts ⟨Y, T⟩ = 1": (
        "absorption/checker.py",
        "question.target_mod(certificate.entries, p) in (0, 1)",
        "question.target_mod(certificate.entries, p) == 0",
        "x4",
    ),
    "a checker without (G)": ("absorption/checker.py", "if failure is not None:", "if False:", "x4"),
    "compositions in the wrong order": (
        "networks/blocks.py",
        "block: block.ball(x), self.blocks, points",
        "block: block.ball(x), self.blocks[::-1], points",
        "corollary_3",
    ),
    "a direction outside the rows for one unit": (
        "absorption/exact_width.py",
        "found.best.cost + 2 * excess",
        "found.best.cost + excess",
        "x1",
    ),
    "an output bias that moves the wrong way": (
        "absorption/construct.py",
        "shift = act.odd * (shift - exact",
        "shift = act.odd * (shift + exact",
        "x1b",
    ),
}


@pytest.mark.parametrize("name", SABOTAGES)
def test_a_copy_that_is_wrong_in_one_line(name: str, tmp_path: Path) -> None:
    file, line, wrong, red = SABOTAGES[name]
    claims = red.split() or ["theorem_4", "lemma_6", "corollary_3", "x1", "x4", "x5"]
    assert red_claims(tmp_path, file, line, wrong, dict.fromkeys(claims, SIZE)) == red.split()
