"""A configuration is accepted, or refused in one line that names key, requirement and value."""

import copy
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.common.configfile import load_configfile
from snakemake.utils import update_config

from skip_absorption.claims.ledger import CLAIMS
from support.config import SCHEMA, BadConfig, check

ROOT = Path(__file__).resolve().parents[2]


FURTHER = {"package": "p", "version": "1", "sha256": "0" * 64, "blocks": []}


def load(*names: str) -> dict[str, Any]:
    config: dict[str, Any] = {}
    for name in names:
        update_config(config, load_configfile(str(ROOT / "config" / name)))
    return config


def changed(path: str, value: Any) -> dict[str, Any]:
    config = copy.deepcopy(load("config.yaml"))
    *folders, last = path.split(".")
    inner = config
    for folder in folders:
        inner = inner[folder]
    inner[last] = value
    return config


def test_both_tiers_are_accepted() -> None:
    check(load("config.yaml"))
    check(load("config.yaml", "smoke.yaml"))


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        ("tier", "smok", 'tier must be one of full, smoke, large; got "smok", did you mean smoke?'),
        ("tier", 3, "tier must be one of full, smoke, large; got 3"),
        ("sead", 1, "unknown key sead, did you mean seed? (allowed: "),
        ("seed", -1, "seed must be at least 0; got -1"),
        ("seed", "one", 'seed must be of type integer; got "one"'),
        ("seed", True, "seed must be of type integer; got true"),
        ("seed", 1.5, "seed must be of type integer; got 1.5"),
        ("claims.theorm_4", {}, "unknown key theorm_4 in claims, did you mean theorem_4? (allowed: "),
        ("claims.theorem_4", {"cases": 3}, "claims.theorem_4.dims is missing"),
        ("claims.theorem_4.cases", 0, "claims.theorem_4.cases must be at least 1; got 0"),
        ("claims.theorem_4.dims", [], "claims.theorem_4.dims must have at least 1 entries; got []"),
        (
            "claims.theorem_4.dims",
            [[2, 3], [1, 4]],
            "claims.theorem_4.dims[1] must satisfy 2 <= d <= N; got d = 1, N = 4",
        ),
        (
            "width_threshold.sizes",
            [[5, 4]],
            "width_threshold.sizes[0] must satisfy 2 <= d <= N; got d = 5, N = 4",
        ),
        ("homogeneous.sizes", [[5, 4]], "homogeneous.sizes[0] must satisfy 2 <= d <= N; got d = 5, N = 4"),
        (
            "minimal_width.sizes",
            [[1, 4]],
            "minimal_width.sizes[0] must satisfy 2 <= d <= N; got d = 1, N = 4",
        ),
        (
            "minimal_width.sizes",
            [[2, 28], [2, 29]],
            "minimal_width.sizes[1] must satisfy N <= 28; got N = 29",
        ),
        ("random_measures.sizes", [[2, 40], [2, 41]], "random_measures.sizes[1] must satisfy N <= 40; got N"),
        ("random_measures.sizes", [[3, 2]], "random_measures.sizes[0] must satisfy 2 <= d <= N; got d = 3"),
        (
            "width_threshold.sizes",
            [[2, 3, 4]],
            "width_threshold.sizes[0] must have at most 2 entries; got [2, 3, 4]",
        ),
        ("width_threshold.sizes", 4, "width_threshold.sizes must be of type array; got 4"),
        (
            "width_threshold.activations",
            ["relu", "geluu"],
            "width_threshold.activations must be one of relu, leaky_relu:SLOPE, gelu, gelu_tanh, ",
        ),
        (
            "width_threshold.activations",
            ["relu_squared"],
            "width_threshold.activations must be one of relu, ",
        ),
        ("width_threshold.activations", ["a/b"], "width_threshold.activations[0] must match "),
        (
            "random_measures.measures",
            ["gaussian", "cauchy"],
            "random_measures.measures must be one of gaussian, kaiming, ",
        ),
        ("random_measures.enumerated", {"cauchy": [[2, 2]]}, "random_measures.enumerated must be one of "),
        ("depth.fits.activations", ["relu_squared"], "depth.fits.activations must be one of relu, "),
        ("distance.measures", ["integers_0"], "distance.measures must be one of gaussian, kaiming, "),
        (
            "random_measures.enumerated",
            {"ternary": [[3, 2]]},
            "random_measures.enumerated.ternary[0] must satisfy 2 <= d <= N; got d = 3, N = 2",
        ),
        (
            "claims.x7c.dims",
            [[2, 4], [2, 3]],
            "claims.x7c.dims[1] must satisfy d = 2 and N >= 4; got d = 2, N = 3",
        ),
        ("claims.x7c.dims", [[3, 4]], "claims.x7c.dims[0] must satisfy d = 2 and N >= 4; got d = 3, N = 4"),
        ("claims.x7b.dims", [[4, 8]], "claims.x7b.dims[0] must satisfy d = 2 or 3, d <= N; got d = 4, N = 8"),
        ("depth_relu.sizes", [[3, 2, 2]], "depth_relu.sizes[0] must satisfy d = 2 or 3, d <= N; got d = 3"),
        ("depth_relu.sizes", [[2, 4]], "depth_relu.sizes[0] must have at least 3 entries; got [2, 4]"),
        ("depth_relu.measures", ["cauchy"], "depth_relu.measures must be one of gaussian, kaiming, "),
        ("depth_relu.scales", [0], "depth_relu.scales[0] must be at least 0.001; got 0"),
        ("distance.units", 65, "distance.units must be at most 64; got 65"),
        ("width_threshold.restarts", None, "width_threshold.restarts must be of type integer; got null"),
        ("width_threshold.targets", 10**30, "width_threshold.targets must be at most 1000; got 1" + "0" * 30),
        ("checkpoint.layers", [6], "checkpoint.layers[0] must be at most 5; got 6"),
        ("checkpoint.layers", [1, 1], "checkpoint.layers must have no repeated entries; got [1, 1]"),
        ("checkpoint.sha256", "abc", 'checkpoint.sha256 must match ^[0-9a-f]{64}$; got "abc"'),
        ("checkpoint.package", "--index", "checkpoint.package must match "),
        ("checkpoint", 7, "checkpoint must be of type object; got 7"),
        ("checkpoint_audit.draws", 0, "checkpoint_audit.draws must be at least 1; got 0"),
        ("checkpoint_audit.further", {"a": {"blocks": [0]}}, "checkpoint_audit.further.a.package is missing"),
        ("checkpoint_audit.further", {"a/b": FURTHER}, "checkpoint_audit.further must "),
        ("checkpoint_audit.further", {1: FURTHER}, "checkpoint_audit.further must have names that are texts"),
        (
            "checkpoint_audit.further",
            {"checkpoint": FURTHER},
            "checkpoint_audit.further must have other names",
        ),
        (
            "checkpoint_audit.further",
            {"all-MiniLM-L6-v2": FURTHER},
            "checkpoint_audit.further must have other names than checkpoint and all-MiniLM-L6-v2; got ",
        ),
        ("checkpoint_audit.seconds", float("nan"), "checkpoint_audit.seconds must be a number; got NaN"),
        ("depth_relu.scales", [1, float("nan")], "depth_relu.scales[1] must be a number; got NaN"),
    ],
)
@pytest.mark.case("typos in the configuration are told in one line each")
def test_a_bad_value_is_one_line(path: str, value: Any, complaint: str) -> None:
    with pytest.raises(BadConfig) as error:
        check(changed(path, value))
    assert str(error.value).startswith(complaint)
    assert "\n" not in str(error.value)


def test_the_schema_knows_the_claims_of_the_ledger() -> None:
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    assert list(schema["properties"]["claims"]["properties"]) == list(CLAIMS)
    assert list(load("config.yaml")["claims"]) == list(CLAIMS)


def test_the_manual_explains_every_key() -> None:
    manual = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    for name, value in schema["properties"].items():
        for key in value.get("properties", {}) if name != "claims" else ("<id>.cases", "<id>.dims"):
            assert re.search(rf"`{name}\.{key}`|`{name}\.[^|]*`\.{key}`", manual), f"{name}.{key}"
        if "properties" not in value:
            assert f"`{name}`" in manual
