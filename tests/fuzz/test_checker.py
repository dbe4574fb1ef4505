"""No certificate, however it came about, makes the checker crash, or accept what is false."""

import json
from typing import Any

import numpy as np
import pytest
from damage import fuzz, guarded, json_near
from hypothesis import given

from skip_absorption.absorption import certificate_json
from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.condition import Absorption, decide
from skip_absorption.errors import InvalidInput
from skip_absorption.measures import generator

pytestmark = pytest.mark.case("damaged certificates do not fool the checker")


def decisions() -> list[tuple[Any, Any, Absorption, dict[str, Any]]]:
    """Return small networks of every verdict and kind of certificate that random integers bring about."""
    rng, found = generator("test", "fuzzed certificates"), {}
    for number in range(400):
        d, n = 2, 2 + number % 5
        w_up, w_down = rng.integers(-2, 3, (n, d)), rng.integers(-2, 3, (d, n))
        if number % 2:
            w_up[:d], w_down[:, :d] = np.eye(d), -np.eye(d)
        decision = decide(w_up, w_down, rng=rng)
        if decision.certificate is not None:
            key = (decision.verdict, decision.certificate.kind)
            data = json.loads(certificate_json.dump(decision.certificate))
            found.setdefault(key, (w_up, w_down, decision.verdict, data))
    return list(found.values())


DECIDED = decisions()
KEPT = ("format", "version", "digest", "N", "d", "m")


def true(claim: str, w_up: Any, w_down: Any, verdict: Absorption) -> bool:
    """Return whether a claim is true of small weights, by trying all sets of units."""
    if claim in ("absorbable", "not_absorbable"):
        return (claim == "absorbable") == (verdict is Absorption.ABSORBABLE)
    n, minus = len(w_up), -np.eye(w_up.shape[1])
    sets = ([i for i in range(n) if mask >> i & 1] for mask in range(1 << n))
    return (claim == "condition_holds") == any((w_down[:, s] @ w_up[s] == minus).all() for s in sets)


def test_there_is_something_to_fuzz() -> None:
    assert {verdict for _, _, verdict, _ in DECIDED} == {Absorption.ABSORBABLE, Absorption.NOT_ABSORBABLE}
    assert len(DECIDED) >= 3
    for w_up, w_down, _, data in DECIDED:
        certificate = certificate_json.load(json.dumps(data))
        assert check_certificate(certificate, w_up, w_down).valid


@fuzz
@given(json_near(*(data for *_, data in DECIDED), protected=KEPT))
def test_damaged_certificates(value: Any) -> None:
    for w_up, w_down, verdict, whole in DECIDED:
        data = value
        if isinstance(value, dict):  # made out for these weights, whatever it was made from
            data = {**value, **{key: whole[key] for key in KEPT if key in value}}
        with guarded():
            try:
                certificate = certificate_json.load(json.dumps(data))
                result = check_certificate(certificate, w_up, w_down, activation=whole["activation"])
            except InvalidInput as error:
                assert "\n" not in str(error)
                continue
        if result.valid:
            assert true(certificate.claim, w_up, w_down, verdict)
