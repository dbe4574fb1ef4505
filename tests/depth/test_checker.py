"""The checker: accepts sound certificates, and rejects every change that it cannot re-derive."""

import copy
import json
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skip_absorption.depth import checker
from skip_absorption.depth.analytic import draw_layers, prove_rank
from skip_absorption.depth.certificate import Certificate, digest, from_json, to_json
from skip_absorption.depth.checker import check
from skip_absorption.depth.jacobian import float_jacobian
from skip_absorption.errors import InvalidInput
from skip_absorption.networks.activations import activation


def make(act: str = "gelu", d: int = 2, widths=(2, 2), skips=None, rank=None) -> Certificate:
    rng = np.random.default_rng(11)
    layers = draw_layers(d, list(widths), rng=rng, skips=skips)
    found = prove_rank(layers, act, rank or 2 * d * sum(widths), rng=rng)
    assert found is not None
    return found


GOOD = to_json(make())


def forged(change) -> dict:
    """Return the good certificate after a change in place, with a fresh digest."""
    data = copy.deepcopy(GOOD)
    change(data)
    data["sha256"] = digest(data)
    return data


@pytest.mark.parametrize("act", ["gelu", "gelu_tanh", "silu"])
@pytest.mark.parametrize(("d", "widths"), [(1, (1, 2)), (2, (2, 2)), (3, (2,)), (2, (3, 1, 2))])
def test_sound_certificates_are_accepted(act, d, widths):
    found = make(act, d, widths)
    outcome = check(json.loads(json.dumps(to_json(found))))
    assert outcome.accepted
    assert outcome.is_full
    assert outcome.rank == outcome.parameters == 2 * d * sum(widths)
    assert outcome.distance < 1e-6


def test_a_smaller_rank_is_accepted_and_not_called_full():
    outcome = check(to_json(make(skips=[None, None], rank=12)))
    assert outcome.accepted
    assert (outcome.rank, outcome.parameters, outcome.is_full) == (12, 16, False)


@pytest.mark.parametrize("act", ["gelu", "gelu_tanh", "silu"])
@pytest.mark.parametrize(
    "skips", [None, [None, None], [np.array([[1, 2], [0, 1]]), np.array([[0, 1], [0, 0]])]]
)
def test_the_minor_is_the_provers(act, skips):
    found = make(act, skips=skips, rank=8)
    layers = draw_layers(2, [2, 2], rng=np.random.default_rng(11), skips=skips)
    points = np.array(found.points, dtype=object)
    floats = float_jacobian(layers, points, activation(act), found.rows)[:, list(found.columns)]
    for row, expected in zip(checker._minor(found), floats, strict=True):
        for x, value in zip(row, expected, strict=True):
            scale = 2.0**-checker.PLACES
            assert x.hi - x.lo < 1 << 60
            assert x.lo * scale - 1e-12 <= value <= x.hi * scale + 1e-12


def swap_value(data, value="5/64"):
    data["layers"][0]["w_up"][0][0] = value


def twin_rows(data):
    data["layers"][1]["w_up"][1] = data["layers"][1]["w_up"][0]


def zero_column(data):
    for row in data["layers"][0]["w_down"]:
        row[0] = "0"


def repeat_row(data):
    data["rows"][0] = data["rows"][1]


def repeat_column(data):
    data["columns"][0] = data["columns"][1]


CHANGES = {
    "another weight": (swap_value, "the determinant is not the one that is stated"),
    "another point": (
        lambda data: data["points"][0].__setitem__(0, "1/3"),
        "the determinant is not the one that is stated",
    ),
    "another activation": (
        lambda data: data.update(activation="silu"),
        "the determinant is not the one that is stated",
    ),
    "equal rows": (twin_rows, "the minor is not proved invertible"),
    "a zero column": (zero_column, "the minor is not proved invertible"),
    "no skip": (lambda data: data["layers"][0].update(skip=None), None),
    "a repeated row": (repeat_row, "malformed: rows must be 16 different pairs"),
    "a repeated column": (repeat_column, "malformed: columns must be 16 different indices"),
    "a rank too small": (lambda data: data.update(rank=15), "malformed: rows must be 15 different pairs"),
    "a rank too large": (lambda data: data.update(rank=17), "malformed: rank must be an integer in 1..16"),
    "a row too few": (lambda data: data["rows"].pop(), "malformed: rows must be 16 different pairs"),
    "a point that is not there": (
        lambda data: data["rows"].__setitem__(0, [99, 0]),
        "malformed: rows must be pairs",
    ),
    "a coordinate that is not there": (
        lambda data: data["rows"].__setitem__(0, [0, 2]),
        "malformed: rows must be pairs",
    ),
    "a column that is not there": (
        lambda data: data["columns"].__setitem__(0, 16),
        "malformed: columns must be",
    ),
    "a true for a one": (lambda data: data["columns"].__setitem__(1, True), "malformed: columns must be"),
    "another determinant": (
        lambda data: data.update(log10_determinant=["1.000000", "1.000001"]),
        "the determinant is not the one that is stated",
    ),
    "an unknown activation": (
        lambda data: data.update(activation="relu"),
        "malformed: activation must be one of",
    ),
    "the last row again": (
        lambda data: data["rows"].__setitem__(0, [-1, 0]),
        "malformed: rows must be pairs",
    ),
    "the last column again": (
        lambda data: data["columns"].__setitem__(0, -1),
        "malformed: columns must be",
    ),
    "a row too few in W_down": (
        lambda data: data["layers"][0]["w_down"].pop(),
        "malformed: w_down must have shape (2, 2)",
    ),
    "a column too many in W_down": (
        lambda data: [row.append("1") for row in data["layers"][1]["w_down"]],
        "malformed: w_down must have shape (2, 2)",
    ),
    "a column too few in W_up": (
        lambda data: [row.pop() for row in data["layers"][1]["w_up"]],
        "malformed: w_up must have 2 columns",
    ),
    "a row too many in a skip": (
        lambda data: data["layers"][1]["skip"].append(["0", "1"]),
        "malformed: skip must have shape (2, 2)",
    ),
    "a column too many in a skip": (
        lambda data: [row.append("1") for row in data["layers"][1]["skip"]],
        "malformed: skip must have shape (2, 2)",
    ),
    "too many weights": (
        lambda data: data.update(layers=data["layers"] * 65),
        "malformed: layers must hold at most 1024 weights",
    ),
    "bits as text": (lambda data: data.update(bits="64"), "malformed: bits must be a number of bits"),
    "a determinant without bounds": (
        lambda data: data.update(log10_determinant=["-inf", "inf"]),
        "malformed: log10_determinant must be two decimals",
    ),
    "a float": (lambda data: swap_value(data, 0.5), "malformed: w_up must be a full matrix of exact numbers"),
    "an exponent": (lambda data: swap_value(data, "1e9"), "malformed: w_up must be a full matrix"),
    "a zero denominator": (
        lambda data: swap_value(data, "1/0"),
        "malformed: w_up must have nonzero denominators",
    ),
    "a short row": (lambda data: data["layers"][0]["w_up"][0].pop(), "malformed: w_up must be a full matrix"),
    "a missing block": (lambda data: data["layers"].pop(), "malformed: "),
    "no blocks": (lambda data: data.update(layers=[]), "malformed: layers must be a list of blocks"),
    "another format": (lambda data: data.update(format="2"), "malformed: format must be"),
    "an unknown key": (lambda data: data.update(more=1), "malformed: certificate must have the keys"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_rejected_with_its_reason(name):
    change, reason = CHANGES[name]
    outcome = check(forged(change))
    assert not outcome.accepted
    assert outcome.rank == 0
    assert outcome.reason.startswith(reason or "the ")


def test_a_change_without_a_fresh_digest_is_rejected_unread():
    data = copy.deepcopy(GOOD)
    swap_value(data)
    assert check(data).reason.startswith("malformed: sha256 must be the digest")


def test_another_sound_statement_is_re_evaluated_and_accepted():
    """Other weights with their own determinant are another true certificate, not a forgery."""
    data = forged(swap_value)
    layers = from_json(data).blocks
    log10 = checker._distance_and_size(checker._minor(from_json(data)))[1]
    data["log10_determinant"] = [f"{log10 - 1e-6:.6f}", f"{log10 + 1e-6:.6f}"]
    data["sha256"] = digest(data)
    assert str(layers[0].w_up[0][0]) == "5/64"
    assert check(data).accepted


@pytest.mark.parametrize("data", [None, [], {}, 3, "text", {"format": 1}])
def test_what_is_no_certificate_is_rejected(data):
    assert check(data).reason.startswith("malformed: ")


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


WITHOUT_TEXT = {"nan": float("nan"), "inf": float("inf"), "long": 10**5000, "deep": nested(10**5), "set": {1}}


@pytest.mark.parametrize("name", WITHOUT_TEXT)
def test_what_has_no_canonical_text_is_rejected(name):
    outcome = check({**GOOD, "bits": WITHOUT_TEXT[name]})
    assert outcome.reason.startswith("malformed: certificate must have a canonical text")


def huge(data):
    """Many blocks, in each of which a skip enlarges all that follows by 10^60."""
    block = copy.deepcopy(data["layers"][0]) | {"skip": [["9" * 60, "0"], ["0", "9" * 60]]}
    data["layers"] = [copy.deepcopy(block) for _ in range(10)]


def vast(data):
    """Entries within floats, but intervals that are not."""
    for layer in data["layers"]:
        layer["skip"] = [["9" * 60, "1"], ["1", "9" * 60]]
        layer["w_down"] = [["9" * 60] * 2, ["1"] * 2]


@pytest.mark.parametrize("change", [huge, vast])
def test_numbers_beyond_floats_are_rejected(change):
    assert check(forged(change)).reason == "the minor is not proved invertible"


def test_a_bound_beyond_floats_is_no_proof():
    wide = checker.Interval(-(10**320) << checker.PLACES, (10**320 + 2) << checker.PLACES)
    assert checker._distance_and_size([[wide]])[0] == float("inf")
    wide = checker.Interval(1 - (10**320 << checker.PLACES), (10**320 + 2) << checker.PLACES)
    assert checker._distance_and_size([[wide]])[0] == float("inf")


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 6), st.integers(0, 10**6), st.booleans())
def test_singular_integer_matrices_are_never_proved_invertible(n, seed, singular):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-9, 10, size=(n, n))
    if singular:
        matrix[-1] = matrix[:-1].sum(axis=0)
    rows = [[checker.exact(int(x)) for x in row] for row in matrix]
    distance = checker._distance_and_size(rows)[0]
    regular = round(float(np.linalg.det(matrix.astype(float)))) != 0
    assert (distance < 1) == regular
    wide = [
        [checker.Interval(x.lo - (100 << checker.PLACES), x.hi + (100 << checker.PLACES)) for x in row]
        for row in rows
    ]
    assert not checker._distance_and_size(wide)[0] < 1  # these intervals hold singular matrices


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.integers(-20, 20), min_size=4, max_size=4),
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
)
@example([-6, 9, -15, 20], [3, 1, 2, 1])  # seems regular with upper ends rounded down
@example([-13, 10, -3, 3], [1, 2, 1, 3])  # and this with lower ends rounded up
def test_at_few_places_every_rounding_is_outward(lows, widths):
    """A determinant is linear in each entry, so its signs at the ends decide whether all are regular."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checker, "PLACES", 2)
        ends = [(low, low + width) for low, width in zip(lows, widths, strict=True)]
        a, b, c, d = (checker.Interval(*pair) for pair in ends)
        proved = checker._distance_and_size([[a, b], [c, d]])[0] < 1
    determinants = [p * s - q * r for p, q, r, s in product(*ends)]
    assert not proved or min(determinants) > 0 or max(determinants) < 0


def test_the_program_checks_files_and_says_so(tmp_path, capsys):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps({"cases": [{"certificate": GOOD}, {"certificate": None}]}))
    bad.write_text(json.dumps([GOOD, forged(repeat_row)]))
    assert checker.main([str(good)]) == 0
    assert "accepted, rank 16 of 16 weights" in capsys.readouterr().out
    assert checker.main([str(good), str(bad)]) == 1
    assert "REJECTED, malformed: rows" in capsys.readouterr().out


def test_reading_gives_back_what_was_written():
    found = make("silu", skips=[np.array([[1, 2], [0, 1]]), None], rank=10)
    assert from_json(json.loads(json.dumps(to_json(found)))) == found
    with pytest.raises(InvalidInput, match="certificate must have the keys"):
        from_json({})
