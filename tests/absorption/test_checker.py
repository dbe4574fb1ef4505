"""The checker: accepts what is true, refuses every mutation, and shares nothing with the prover."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skip_absorption import measures
from skip_absorption.absorption import checker, checker_flip_set, checker_hypotheses, checker_integers
from skip_absorption.absorption.certificate import Certificate, Product
from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.checker_hypotheses import PRIME, violation
from skip_absorption.absorption.checker_integers import exact_values, residue, residues
from skip_absorption.absorption.condition import decide
from skip_absorption.absorption.digest import question_digest
from skip_absorption.errors import InvalidInput
from skip_absorption.networks.hypotheses import hypotheses

recheck = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "recheck.py"))["recheck"]

#: The certificates of small questions, one of each kind: weights, skip, certificate.
EXAMPLES: dict[str, tuple] = {}


def certificate(kind, w_up, w_down, *, claim=None, skip=None, activation="relu", **fields):
    """Return a certificate with the right digest and whatever else is asked for."""
    w_up, w_down = np.asarray(w_up), np.asarray(w_down)
    digest = question_digest(
        w_up, w_down, activation=activation, skip=None if skip is None else np.asarray(skip)
    )
    return Certificate(
        kind=kind,
        claim=claim or ("condition_holds" if kind == "flip_set" else "condition_fails"),
        activation=activation,
        skip="identity" if skip is None else "given",
        width=w_up.shape[0],
        d_in=w_up.shape[1],
        d_out=w_down.shape[0],
        digest=digest,
        **fields,
    )


def example(kind):
    """Return weights, a certificate of the kind, and the rest of the question."""
    for seed in range(100) if kind not in EXAMPLES else ():
        rng, question = np.random.default_rng(seed), {}
        if kind == "flip_set":
            drawn = measures.planted(3, 6, rng=rng)
            w_up, w_down = drawn.w_up, drawn.w_down
        elif kind == "farkas":
            w_up, w_down = rng.standard_normal((12, 2)) / 20, rng.standard_normal((2, 12)) / 20
        elif kind == "support":  # -2 s_0 + 5 s_1 = -1 has solutions in [0, 1] and none in {0, 1}
            w_up, w_down = rng.integers(1, 9, (4, 2)) * 1.0, rng.integers(1, 9, (2, 4)) * 1.0
            w_up[1], w_down[:, 1] = -2.5 * w_up[0], w_down[:, 0]
            question["skip"] = -(np.outer(w_down[:, 0], w_up[0]) / 2 + np.outer(w_down[:, 2], w_up[2]))
        else:
            n, d = {"inconsistent": (6, 3), "not_binary": (9, 3), "quadratic": (6, 2)}[kind]
            w_up, w_down = 9 * rng.standard_normal((n, d)), 9 * rng.standard_normal((d, n))
        found = decide(w_up, w_down, condition_only=True, **question).certificate
        if found is not None and found.kind == kind:
            EXAMPLES[kind] = w_up, w_down, found, question
            break
    return EXAMPLES[kind]


KINDS = ("flip_set", "inconsistent", "not_binary", "farkas", "quadratic", "support")
MODULAR = ("inconsistent", "not_binary", "quadratic", "support")


@pytest.mark.parametrize("kind", KINDS)
def test_certificates_of_every_kind_are_accepted(kind):
    w_up, w_down, found, question = example(kind)
    result = check_certificate(found, w_up, w_down, **question)
    assert result.valid, result.reason
    assert bool(result)
    assert check_certificate(
        Certificate.from_json(found.to_json()), w_up.astype(object), w_down, **question
    ).valid


def mutations(found):
    """Every field that carries meaning, changed; each must lose the proof."""
    p = found.modulus
    for changes in (
        {"digest": found.digest[::-1]},
        {"activation": "gelu"},
        {"activation": "leaky_relu:1/2"},
        {"skip": "given" if found.skip == "identity" else "identity"},
        {"width": found.width + 1},
        {"d_in": found.d_in + 1},
        {"d_out": found.d_out + 1},
    ):
        yield str(changes), replace(found, **changes)
    if found.kind == "support":
        return  # for so few units nearly every Y and p make a proof
    if p is not None:
        for other in (p + 2, 4 * p + 1, 2**61 - 1):
            yield f"modulus {other}", replace(found, modulus=other)
    for k, (row, column, y) in enumerate(found.entries):
        others = [*found.entries[:k], *found.entries[k + 1 :]]
        changed = y + 1 if p is None else y % (p - 1) + 1
        if found.kind != "farkas":
            yield (
                f"entry {k} changed",
                replace(found, entries=tuple(sorted([*others, (row, column, changed)]))),
            )
            if others:
                yield f"entry {k} dropped", replace(found, entries=tuple(others))
        else:
            yield (
                f"entry {k} negated",
                replace(found, entries=tuple(sorted([*others, (row, column, -(10**6) * y)]))),
            )
    for j in range(found.width) if found.kind == "not_binary" else ():
        if j != found.coordinate:
            yield f"coordinate {j}", replace(found, coordinate=j)
    for j in range(found.width) if found.kind == "flip_set" else ():
        yield f"flip {j}", replace(found, flip_set=tuple(sorted(set(found.flip_set) ^ {j})))
    for k, (unit, mu) in enumerate(found.binary):
        terms = (*found.binary[:k], (unit, mu % (p - 1) + 1), *found.binary[k + 1 :])
        yield f"mu {k}", replace(found, binary=terms)
    for k, term in enumerate(found.products):
        for new in (
            replace(term, constant=(term.constant + 1) % p),
            replace(term, linear=term.linear[1:]),
            replace(term, entries=term.entries[1:]),
        ):
            if new != term:
                yield (
                    f"product {k}",
                    replace(found, products=(*found.products[:k], new, *found.products[k + 1 :])),
                )
        yield f"product {k} dropped", replace(found, products=(*found.products[:k], *found.products[k + 1 :]))
    if found.kind == "inconsistent":
        yield "kind", replace(found, kind="not_binary", coordinate=0)
    if found.kind == "not_binary":
        yield "kind", replace(found, kind="inconsistent", coordinate=None)


@pytest.mark.parametrize("kind", KINDS)
def test_every_mutation_is_refused(kind):
    w_up, w_down, found, question = example(kind)
    count = 0
    for name, mutant in mutations(found):
        result = check_certificate(mutant, w_up, w_down, **question)
        assert not result.valid, name
        assert result.reason
        count += 1
    assert count >= 7


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(("inconsistent", "not_binary")), st.data())
def test_random_changes_of_y_are_refused(kind, data):
    w_up, w_down, found, _ = example(kind)
    p, entries = found.modulus, list(found.entries)
    for _ in range(data.draw(st.integers(1, 3))):
        k = data.draw(st.integers(0, len(entries) - 1))
        entries[k] = (*entries[k][:2], data.draw(st.integers(1, p - 1)))
    ratios = {y * pow(old, -1, p) % p for (_, _, y), (_, _, old) in zip(entries, found.entries, strict=True)}
    assume(len(ratios) > 1)
    assert not check_certificate(replace(found, entries=tuple(entries)), w_up, w_down).valid


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(KINDS), st.integers(0, 11), st.integers(0, 1), st.booleans())
def test_one_ulp_in_any_weight_is_noticed(kind, unit, column, up):
    w_up, w_down, found, question = example(kind)
    w_up, w_down = w_up.astype(np.float64), w_down.astype(np.float64)
    changed = w_up if up else w_down.T
    where = unit % len(changed), column
    changed[where] = np.nextafter(changed[where], np.inf)
    result = check_certificate(found, w_up, w_down, **question)
    assert not result.valid
    assert result.reason.startswith("digest differs")
    forged = replace(found, digest=question_digest(w_up, w_down, activation="relu", **question))
    forged_result = check_certificate(forged, w_up, w_down, **question)
    if kind in ("inconsistent", "not_binary", "quadratic") or (
        kind == "flip_set" and where[0] in found.flip_set
    ):
        assert not forged_result.valid


def test_the_question_must_be_the_one_certified():
    w_up, w_down, found, _ = example("inconsistent")
    assert check_certificate(found, w_up, w_down, activation="relu").valid
    assert "activation" in check_certificate(found, w_up, w_down, activation="silu").reason
    assert "digest" in check_certificate(found, w_up, w_down, skip=np.zeros((3, 3))).reason
    assert check_certificate(found, w_up, w_down, skip=np.eye(3)).valid
    assert "digest" in check_certificate(found, w_up, w_down, b_up=np.zeros(6)).reason
    assert "digest" in check_certificate(found, w_up, w_down, b_down=np.zeros(3)).reason
    assert "digest" in check_certificate(found, w_up[::-1], w_down).reason
    other = replace(found, digest=question_digest(w_up, w_down, activation="gelu"))
    assert "digest" in check_certificate(other, w_up, w_down).reason


def test_an_exhausted_search_leaves_nothing_to_check():
    result = check_certificate(None, np.eye(2), np.eye(2))
    assert not result.valid
    assert "exhausted" in result.reason


@pytest.mark.parametrize(
    ("w_up", "b_up", "words"),
    [
        ([[1, 2], [0, 0], [3, 1]], None, "row 1 of w_up is zero"),
        ([[1, 2], [1, 1], [-2, -4]], None, "rows 0 and 2 of w_up are collinear"),
        ([[1, 2], [1, 1], [-2, -4]], [1, 1, -2], "rows 0 and 2 of [w_up | b_up] are collinear"),
    ],
)
def test_refuting_condition_3_alone_does_not_refute_absorption(w_up, b_up, words):
    w_up, w_down = np.array(w_up), np.array([[1, 2, 1], [3, 1, 1]])
    b_up = None if b_up is None else np.array(b_up)
    weak = decide(w_up, w_down, b_up=b_up, condition_only=True).certificate
    assert check_certificate(weak, w_up, w_down, b_up=b_up).valid
    result = check_certificate(replace(weak, claim="not_absorbable"), w_up, w_down, b_up=b_up)
    assert not result.valid
    assert words in result.reason
    if b_up is not None:
        b_up[0] += 1
        strong = decide(w_up, w_down, b_up=b_up).certificate
        assert strong.claim == "not_absorbable"
        assert check_certificate(strong, w_up, w_down, b_up=b_up).valid


def test_zero_column_is_a_violation():
    w_up, w_down = np.array([[1, 2], [1, 1]]), np.array([[1, 0], [3, 0]])
    weak = decide(w_up, w_down, condition_only=True).certificate
    result = check_certificate(replace(weak, claim="not_absorbable"), w_up, w_down)
    assert "column 1 of w_down is zero" in result.reason


@pytest.mark.parametrize("kink", [True, False])
@pytest.mark.parametrize("kind", ["integers", "floats", "wide floats", "multiples of the prime", "fractions"])
def test_hypotheses_agree_with_the_library(kink, kind):
    rng, seen = np.random.default_rng(len(kind)), set()
    for _ in range(150):
        n, d = int(rng.integers(1, 5)), int(rng.integers(1, 4))
        w_up, w_down = rng.integers(-2, 3, (n, d)), rng.integers(0, 3, (2, n))
        b_up = rng.integers(-1, 2, n) if rng.random() < 0.4 else None
        if kind == "floats":
            w_up = w_up * 0.5
        elif kind == "wide floats":
            w_up = w_up * 2.0 ** rng.integers(-400, 400, (n, 1))
        elif kind == "multiples of the prime":
            w_up = w_up * rng.choice([1, PRIME], (n, 1))
        elif kind == "fractions":
            w_up = w_up * np.array(
                [[Fraction(1, int(q))] for q in rng.choice([1, 3, PRIME], n)], dtype=object
            )
        expected = hypotheses(w_up, w_down, "relu" if kink else "gelu", b_up)
        arrays = [exact_values(x, name="x", shape=x.shape) for x in (w_up, w_down)]
        bias = None if b_up is None else exact_values(b_up, name="b_up", shape=b_up.shape)
        assert (violation(*arrays, bias, kink=kink) is None) == expected.generic
        seen.add(expected.generic)
    assert seen == {True, False}


def test_rows_alike_in_their_first_columns_are_told_apart():
    w_up, w_down = np.ones((3, 12)), np.ones((2, 3))
    w_up[1, 10], w_up[2, 11] = 2, 3
    assert violation(w_up, w_down, None, kink=True) is None
    w_up[2] = -w_up[1]
    assert violation(w_up, w_down, None, kink=True) == "rows 1 and 2 of w_up are collinear"


def test_the_primes_of_the_checker_are_prime():
    assert all(PRIME % k for k in range(2, int(PRIME**0.5) + 1))


def test_residues_of_every_float():
    rng = np.random.default_rng(0)
    for dtype, bits in ((np.float32, np.uint32), (np.float64, np.uint64)):
        info = np.finfo(dtype)
        raw = rng.integers(0, np.iinfo(bits).max, 4000, dtype=bits, endpoint=True).view(dtype)
        special = [
            0.0,
            -0.0,
            info.max,
            info.min,
            info.tiny,
            info.smallest_subnormal,
            -info.smallest_subnormal,
        ]
        values = np.concatenate([raw[np.isfinite(raw)], np.array(special, dtype=dtype)])
        for p in (3, 4194301, 2**31 - 1, 2**61 - 1):
            expected = [residue(Fraction(*x.as_integer_ratio()), p) for x in values]
            assert residues(values, p).tolist() == expected
        assert residues(values.reshape(1, -1), 3).shape == (1, len(values))
    whole = np.array([-(2**63), 2**63 - 1, 0])
    assert residues(whole, 7).tolist() == [int(x) % 7 for x in whole.tolist()]
    assert residues(whole, 2**61 - 1).tolist() == [int(x) % (2**61 - 1) for x in whole.tolist()]


@pytest.mark.parametrize("p", [2**31 - 1, 2**31 + 11, 2**61 - 1, 15, 9])
def test_any_odd_modulus_will_do(p):
    """Y = e_1 e_2^T and e_2 e_1^T see nothing of diagonal dyads; the skip has an entry there."""
    w_up, w_down = np.eye(2) * 0.5, np.array([[1.0, 0], [0, 3.0]])
    skip = np.array([[1, 1], [0, 1]])
    found = certificate("inconsistent", w_up, w_down, skip=skip, modulus=p, entries=((0, 1, p - 2),))
    assert check_certificate(found, w_up, w_down, skip=skip).valid
    entries = ((0, 0, 2),)
    found = certificate("not_binary", w_up, w_down, skip=skip, modulus=p, coordinate=0, entries=entries)
    assert check_certificate(found, w_up, w_down, skip=skip).valid
    forged = replace(found, coordinate=1)
    assert not check_certificate(forged, w_up, w_down, skip=skip).valid


def test_a_denominator_without_inverse_is_refused():
    w_up = np.array([[Fraction(1, 3), 0], [0, 1]], dtype=object)
    w_down = np.eye(2, dtype=np.int64)
    found = certificate("inconsistent", w_up, w_down, modulus=9, entries=((0, 0, 1),))
    assert check_certificate(found, w_up, w_down).reason == "a denominator is not invertible modulo 9"
    leaky = certificate(
        "inconsistent", np.eye(2), w_down, activation="leaky_relu:2", modulus=3, entries=((0, 1, 1),)
    )
    assert "not invertible" in check_certificate(leaky, np.eye(2), w_down).reason


def test_zero_and_one_are_no_refutation():
    w_up = np.eye(2)
    for column, answer in ((-1.0, False), (-2.0, True)):
        w_down = np.array([[column, 0], [0, 1]])
        p = 101
        y = pow(int(column), -1, p)
        found = certificate("not_binary", w_up, w_down, modulus=p, coordinate=0, entries=((0, 0, y),))
        assert check_certificate(found, w_up, w_down).valid is answer
    found = certificate("support", w_up, -w_up, modulus=p, entries=((0, 0, 1), (1, 1, 1)))
    assert "subset" in check_certificate(found, w_up, -w_up).reason


def test_certificates_too_large_to_expand_are_refused(monkeypatch):
    monkeypatch.setattr(checker, "_WORK", 1)
    for kind in ("farkas", "quadratic"):
        w_up, w_down, found, question = example(kind)
        assert "too large" in check_certificate(found, w_up, w_down, **question).reason
    monkeypatch.setattr(checker, "_SUPPORT", 0)
    w_up, w_down, found, question = example("support")
    assert "more than 0" in check_certificate(found, w_up, w_down, **question).reason


def test_blocks_do_not_change_the_result(monkeypatch):
    monkeypatch.setattr(checker, "_BLOCK", 1)
    monkeypatch.setattr(checker_integers, "_CHUNK", 5)
    for kind in KINDS:
        w_up, w_down, found, question = example(kind)
        assert check_certificate(found, w_up, w_down, **question).valid


@pytest.mark.parametrize("limit", [0, 1 << 62])
def test_flip_sets_over_awkward_numbers(monkeypatch, limit):
    monkeypatch.setattr(checker_flip_set, "INT64_LIMIT", limit)
    for scale in (2.0**-1000, 2.0**1000, 2.0**-1074):
        inverse = Fraction(1) / Fraction(scale)
        w_up = np.array([[scale, 0.0], [scale, scale]])
        w_down = np.array([[-inverse, 0], [inverse, -inverse]], dtype=object)
        found = certificate("flip_set", w_up, w_down, flip_set=(0, 1))
        assert check_certificate(found, w_up, w_down).valid
        w_down[1, 0] += Fraction(1, 10**400)
        found = certificate("flip_set", w_up, w_down, flip_set=(0, 1))
        assert not check_certificate(found, w_up, w_down).valid
    w_up = np.array([[1, 0], [0, 1]])
    w_down = np.array([[Fraction(-4, 5), 0], [0, Fraction(-4, 5)]], dtype=object)
    found = certificate("flip_set", w_up, w_down, activation="leaky_relu:1/4", flip_set=(0, 1))
    assert check_certificate(found, w_up, w_down).valid
    zero = np.zeros((2, 2), dtype=np.int64)
    assert check_certificate(
        certificate("flip_set", w_up, w_up, skip=zero, flip_set=()), w_up, w_up, skip=zero
    ).valid
    assert not check_certificate(certificate("flip_set", w_up, w_up, flip_set=()), w_up, w_up).valid


@pytest.mark.parametrize("limit", [0, 1 << 62])
def test_flip_sets_agree_with_fractions(monkeypatch, limit):
    monkeypatch.setattr(checker_flip_set, "INT64_LIMIT", limit)
    rng = np.random.default_rng(3)
    for _ in range(30):
        w_up, w_down = rng.integers(-3, 4, (5, 2)) / 4, rng.integers(-3, 4, (3, 5)) * 2.0
        chosen = tuple(np.flatnonzero(rng.random(5) < 0.5).tolist())
        skip = -(w_down[:, chosen] @ w_up[list(chosen)])
        for flipped in product((0, 1), repeat=5):
            units = tuple(i for i, s in enumerate(flipped) if s)
            equal = np.array_equal(w_down[:, units] @ w_up[list(units)], -skip)
            found = certificate("flip_set", w_up, w_down, skip=skip, flip_set=units)
            assert check_certificate(found, w_up, w_down, skip=skip).valid == equal


@pytest.mark.parametrize(
    "value",
    [
        [[1, 2], [3]],
        [],
        [[1.0, float("inf")], [1, 2]],
        [[1j, 2], [3, 4]],
        [[True, 2], [3, 4]],
        [["1/0", 2], [3, 4]],
        [["0.5", 2], [3, 4]],
        [["1e999999999", 2], [3, 4]],
        [["9" * 5000, 2], [3, 4]],
        [[None, 2], [3, 4]],
        np.array([[True, False], [True, True]]),
        np.array([[np.nan, 1], [1, 1]]),
        np.eye(2, dtype=np.longdouble),
        np.eye(2)[0],
    ],
    ids=repr,
)
def test_weights_that_are_none_are_misuse(value):
    found = certificate("flip_set", np.eye(2), -np.eye(2), flip_set=(0, 1))
    with pytest.raises(InvalidInput, match="w_up"):
        check_certificate(found, value, -np.eye(2))
    with pytest.raises(InvalidInput, match="skip"):
        check_certificate(found, np.eye(2), np.ones((3, 2)))
    with pytest.raises(InvalidInput, match="certificate must be"):
        check_certificate("certificate", np.eye(2), -np.eye(2))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.int8, np.uint64, np.float32, object])
def test_number_formats_of_the_weights(dtype):
    found = certificate("flip_set", np.eye(2), -np.eye(2), flip_set=(0, 1))
    assert check_certificate(found, np.eye(2).astype(dtype), -np.eye(2)).valid
    assert check_certificate(found, [["1", "0"], [0, Fraction(1)]], [[-1, 0.0], [0, "-1"]]).valid


def exact_json(array):
    return [[str(Fraction(x)) for x in row] for row in array.tolist()]


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "quadratic"])
def test_the_short_recheck_agrees(kind):
    w_up, w_down, found, question = example(kind)
    weights = {"w_up": w_up, "w_down": w_down, **question}
    weights = {name: exact_json(array) for name, array in weights.items()}
    assert recheck(json.loads(found.to_json()), weights)
    for name, mutant in mutations(found):
        if name.startswith(("entry", "modulus", "flip")):  # it does not look at the rest
            assert not recheck(json.loads(mutant.to_json()), weights), name


def test_the_short_recheck_runs_alone(tmp_path):
    w_up, w_down, found, _ = example("flip_set")
    (tmp_path / "c.json").write_text(found.to_json())
    for weights, answer in ((w_down, "proved"), (2 * w_down, "not proved")):
        # The file may hold all that `skip-absorption decide` reads.
        further = {"activation": "relu", "b_up": ["1/3"] * len(w_up), "b_down": [0] * len(w_down)}
        data = {"w_up": w_up.tolist(), "w_down": weights.tolist(), **further}
        (tmp_path / "w.json").write_text(json.dumps(data))
        script = Path(__file__).parents[2] / "docs" / "recheck.py"
        run = subprocess.run(
            [sys.executable, "-I", "-S", str(script), str(tmp_path / "c.json"), str(tmp_path / "w.json")],
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == answer
    for words, said in (
        ([], "Usage"),
        (["c.json", "none.json"], "none.json"),
        (["w.json", "c.json"], "ValueError"),
    ):
        run = subprocess.run(
            [sys.executable, "-I", "-S", str(script), *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (run.returncode, run.stdout, "Traceback" in run.stderr) == (1, "", False)
        assert said in run.stderr


@pytest.mark.parametrize("flip_set", [[0, 0], [0, -1], [-1, -1], [0, 1]])
def test_the_short_recheck_counts_a_unit_once(flip_set):
    weights = {"w_up": [[1]], "w_down": [["-1/2"]]}  # twice unit 0 would be minus the identity
    assert not recheck({"kind": "flip_set", "odd": "1", "flip_set": flip_set}, weights)


def test_the_checker_imports_nothing_of_the_prover():
    code = (
        "import sys, skip_absorption.absorption.checker, skip_absorption.absorption.certificate_json;"
        "print(*(m for m in sys.modules if m.startswith('skip_absorption.') or m.split('.')[0] in"
        " ('flint', 'numba', 'scipy', 'ortools')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == {
        "skip_absorption.absorption",
        "skip_absorption.absorption.certificate",
        "skip_absorption.absorption.certificate_json",
        "skip_absorption.absorption.checker",
        "skip_absorption.absorption.checker_flip_set",
        "skip_absorption.absorption.checker_hypotheses",
        "skip_absorption.absorption.checker_integers",
        "skip_absorption.absorption.digest",
        "skip_absorption.errors",
    }


def test_quadratic_identity_by_hand():
    """-4 (s^2 - s) + (1 - 2 s)(1 - 2 s) = 1, and 1 - 2 s vanishes at solutions of -2 s = -1."""
    w_up, w_down, question, p = np.eye(1), np.array([[-2.0]]), {}, 7
    found = certificate(
        "quadratic",
        w_up,
        w_down,
        modulus=p,
        binary=((0, 3),),
        products=(Product(1, ((0, 5),), ((0, 0, 1),)),),
    )
    assert check_certificate(found, w_up, w_down, **question).valid
    assert not check_certificate(replace(found, binary=((0, 5),)), w_up, w_down).valid
    e = ((0, 0, 1),)  # E = 1 - 2 s
    for binary, products in (
        ((), (Product(1, (), e),)),  # 1 - 2 s: only the coefficient of s is wrong
        (((0, 5),), (Product(1, (), e),)),  # 1 - 2 s^2: only that of s^2
        (((0, 6),), (Product(2, ((0, 3),), e),)),  # 2, not 1
    ):
        result = check_certificate(replace(found, binary=binary, products=products), w_up, w_down)
        assert result.reason == "the polynomial is not 1 modulo 7"
    absorbable = replace(found, digest=question_digest(w_up, -w_up, activation="relu"))
    assert not check_certificate(absorbable, w_up, -w_up).valid


def test_certificates_made_to_exhaust_the_checker_are_refused():
    w_up, w_down = np.eye(40), np.eye(40)
    digest = question_digest(w_up, w_down, activation="gelu")
    common = {"claim": "not_absorbable", "activation": "gelu", "skip": "identity", "digest": digest}
    common |= {"width": 40, "d_in": 40, "d_out": 40}
    # 1600 denominators without a common factor: their common multiple has millions of digits
    entries = tuple((k // 40, k % 40, Fraction(1, (1 << 12000) + 2 * k + 1)) for k in range(1600))
    long = Certificate(kind="farkas", entries=entries, **common)
    assert check_certificate(long, w_up, w_down).reason == "the inequality is too large to check"
    products = (Product(1, (), ((0, 0, 1),)),) * (1 << 17)
    many = Certificate(kind="quadratic", modulus=101, products=products, **common)
    assert check_certificate(many, w_up, w_down).reason == "the identity is too large to expand"


def test_the_exact_fallback_sees_every_row():
    """All rows vanish modulo the prime; only exact arithmetic tells them apart."""
    w_up = np.array([[1, 2], [1, 3], [2, 6]], dtype=np.int64) * PRIME
    assert violation(w_up, np.ones((2, 3)), None, kink=True) == "rows 1 and 2 of w_up are collinear"
    assert violation(w_up[:2], np.ones((2, 2)), None, kink=True) is None
    assert checker_hypotheses._alike(w_up) == [0, 1, 2]


def test_rows_that_start_with_zeros_are_told_apart_without_comparing_pairs():
    w_up = np.zeros((3000, 10))
    w_up[:, 8], w_up[:, 9] = 1, np.arange(3000)
    assert violation(w_up, np.ones((2, 3000)), None, kink=True) is None
    w_up[2999] = -2 * w_up[7]
    assert violation(w_up, np.ones((2, 3000)), None, kink=True) == "rows 7 and 2999 of w_up are collinear"


@pytest.mark.parametrize("masked", [True, False])
def test_a_mask_is_refused_and_a_matrix_is_an_array(masked):
    w_up, w_down = np.eye(2), -np.eye(2)
    certificate = decide(w_up, w_down).certificate
    if masked:
        with pytest.raises(InvalidInput, match="w_up must be an array without a mask"):
            check_certificate(certificate, np.ma.masked_array(w_up, w_up == 1), w_down)
        with pytest.raises(InvalidInput, match="w_up must be an array without a mask"):
            decide(np.ma.masked_array(w_up, w_up == 1), w_down)
    else:
        assert check_certificate(certificate, w_up.view(np.matrix), w_down.view(np.matrix)).valid
        assert decide(w_up.view(np.matrix), w_down.view(np.matrix)).flip_set == (0, 1)


def test_numbers_beyond_what_python_writes():
    """More than 4300 digits: decided and checked, or without a certificate where none could be read back."""
    huge = 10**5000
    w_up, w_down = [[huge, 0], [0, 1]], [[1, 2], [3, Fraction(1, huge + 1)]]
    found = decide(w_up, w_down)
    again = Certificate.from_json(found.certificate.to_json())
    assert found.verdict.value == "NOT_ABSORBABLE" and check_certificate(again, w_up, w_down).valid
    assert not check_certificate(again, [[huge + 1, 0], [0, 1]], w_down).valid
    q = 7**4700
    rows = [[Fraction(1, q), 0], [0, Fraction(3, q)], [Fraction(5, q), Fraction(1, 3**8000)], [1, -1], [1, 2]]
    columns = [[Fraction(1, q + 2), 1, 1, 1, 1], [1, 2, Fraction(1, q + 4), 4, 5]]
    found = decide(rows, columns, activation="gelu")
    assert found.verdict.value == "NOT_ABSORBABLE" and found.certificate is None


@pytest.mark.parametrize(
    ("columns", "kind", "y", "valid"),
    [
        ([1, -3], "farkas", 1, False),  # -1 > 1 - 3, but negative forms do not count
        ([-1], "farkas", -1, False),  # 1 > 1 is false, and S = {0} solves
        ([Fraction(-99, 100)], "farkas", -1, True),
        ([-1, -5], "support", 1, False),  # a proper subset reaches -1
        ([-2, -5], "support", 1, True),
    ],
)
def test_sums_of_one_dimensional_dyads(columns, kind, y, valid):
    w_up, w_down = np.ones((len(columns), 1)), np.array([columns], dtype=object)
    fields = {"modulus": 101} if kind == "support" else {}
    found = certificate(kind, w_up, w_down, entries=((0, 0, y),), **fields)
    assert check_certificate(found, w_up, w_down).valid is valid


@pytest.mark.parametrize("exponent", [29, 30, 31, 32, 40, 62, 63])
def test_numbers_at_the_edge_of_int64(exponent):
    """Sums that wrap around in 64 bits must not look like the identity."""
    large = 2**exponent
    w_up = np.array([[large, 0], [large, 1], [0, 1]], dtype=object)
    w_down = np.array([[large, -large, 0], [0, 0, -1]], dtype=object)
    w_down = np.concatenate([w_down, np.array([[0], [0]])], axis=1)
    w_up = np.concatenate([w_up, np.array([[1, 1]])])
    for target, valid in (((0, large), True), ((0, large - 1), False), ((2**64, large), False)):
        skip = np.array([target, (0, 1)], dtype=object)
        found = certificate("flip_set", w_up, w_down, skip=skip, flip_set=(0, 1, 2, 3))
        assert check_certificate(found, w_up, w_down, skip=skip).valid is valid
