"""Checks a configuration before anything runs: every complaint is one line that names key and remedy."""

import difflib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema  # jsonschema would take a second to import beside Jupyter, at every start
import yaml
from fastjsonschema import JsonSchemaValueException

from skip_absorption.absorption import batch, exact_width
from skip_absorption.distributions import distribution
from skip_absorption.errors import InvalidInput
from skip_absorption.networks.activations import absorbing

SCHEMA = Path(__file__).resolve().parents[1] / "schemas" / "config.schema.yaml"


class BadConfig(ValueError):
    """A configuration that breaks the schema or asks for something that makes no sense."""


def check(config: Mapping[str, Any]) -> None:
    """Raise `BadConfig` with one line for the first complaint about a configuration."""
    try:
        _validator()(config)
    except JsonSchemaValueException as error:
        raise BadConfig(_sentence(error)) from None
    for complaint in (
        *_not_numbers(config),
        *_names_of_checkpoints(config),
        *_impossible_sizes(config),
        *_sizes_of_depth(config),
        *_unknown_names(config),
    ):
        raise BadConfig(complaint)


@cache
def _validator() -> Callable[[Any], Any]:
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    return fastjsonschema.compile(schema, use_default=False)


def _show(value: Any) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)


def _sentence(error: JsonSchemaValueException) -> str:
    """Return "KEY must …; got VALUE" for a violation of the schema."""
    key = error.name.removeprefix("data").lstrip(".")
    rule, value = error.rule_definition, error.value
    if error.rule == "additionalProperties":
        allowed = sorted(error.definition["properties"])
        unknown = next(name for name in value if name not in allowed)
        close = difflib.get_close_matches(str(unknown), allowed, n=1)
        guess = f", did you mean {close[0]}?" if close else ""
        inside = f" in {key}" if key else ""
        return f"unknown key {unknown}{inside}{guess or ''} (allowed: {', '.join(allowed)})"
    if error.rule == "required":
        missing = next(name for name in rule if name not in value)
        return f"{key}.{missing} is missing".lstrip(".")
    if error.rule == "enum":
        close = difflib.get_close_matches(str(value), map(str, rule), n=1)
        guess = f", did you mean {close[0]}?" if close else ""
        return f"{key} must be one of {', '.join(map(str, rule))}; got {_show(value)}{guess}"
    requirement = {
        "type": f"be of type {rule}",
        "minimum": f"be at least {rule}",
        "maximum": f"be at most {rule}",
        "minItems": f"have at least {rule} entries",
        "maxItems": f"have at most {rule} entries",
        "uniqueItems": "have no repeated entries",
        "pattern": f"match {rule}",
    }.get(error.rule, f"satisfy {error.rule} {_show(rule)}")
    return f"{key or 'the configuration'} must {requirement}; got {_show(value)}"


def _not_numbers(value: Any, key: str = "") -> Iterator[str]:
    """Yield where YAML's .nan stands: it is neither below a minimum nor above a maximum."""
    if isinstance(value, float) and math.isnan(value):
        yield f"{key} must be a number; got NaN"
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from _not_numbers(entry, f"{key}.{name}".lstrip("."))
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _not_numbers(entry, f"{key}[{number}]")


def _names_of_checkpoints(config: Mapping[str, Any]) -> Iterator[str]:
    """Yield names that files and tables could not tell from another checkpoint's."""
    key, taken = "checkpoint_audit.further", ("checkpoint", config["checkpoint"]["model"])
    for name in config["checkpoint_audit"]["further"]:
        if not isinstance(name, str):  # YAML reads 1 as a number
            yield f"{key} must have names that are texts; got {_show(name)}"
        elif name in taken:
            yield f"{key} must have other names than {' and '.join(taken)}; got {_show(name)}"


def _impossible_sizes(config: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a schema cannot say: the statements need 2 <= d <= N, and the searches an end of N."""
    lists = {f"claims.{name}.dims": claim["dims"] for name, claim in config["claims"].items()}
    for name in ("width_threshold", "homogeneous", "minimal_width", "random_measures"):
        lists[f"{name}.sizes"] = config[name]["sizes"]
    for name, pairs in config["random_measures"]["enumerated"].items():
        lists[f"random_measures.enumerated.{name}"] = pairs
    most = {"minimal_width.sizes": exact_width.MAX_UNITS, "random_measures.sizes": batch.MAX_UNITS}
    for key, pairs in lists.items():
        for number, (d, width) in enumerate(pairs):
            if not 2 <= d <= width:
                yield f"{key}[{number}] must satisfy 2 <= d <= N; got d = {d}, N = {width}"
            if width > most.get(key, width):
                yield f"{key}[{number}] must satisfy N <= {most[key]}; got N = {width}"


def _sizes_of_depth(config: Mapping[str, Any]) -> Iterator[str]:
    """Yield where regions cannot be enumerated (X7b), and what is no size for a fold (X7c)."""
    cells = [(d, width) for d, width, _ in config["depth_relu"]["sizes"]]
    for key, pairs in (("claims.x7b.dims", config["claims"]["x7b"]["dims"]), ("depth_relu.sizes", cells)):
        for number, (d, width) in enumerate(pairs):
            if not (2 <= d <= 3 and d <= width):
                yield f"{key}[{number}] must satisfy d = 2 or 3, d <= N; got d = {d}, N = {width}"
    for number, (d, width) in enumerate(config["claims"]["x7c"]["dims"]):
        if d != 2 or width < 4:
            yield f"claims.x7c.dims[{number}] must satisfy d = 2 and N >= 4; got d = {d}, N = {width}"


def _unknown_names(config: Mapping[str, Any]) -> Iterator[str]:
    """Yield what only the library knows: which activations absorb, and which distributions there are."""
    lists: dict[str, tuple[Iterable[str], Callable[[str], object]]] = {
        "width_threshold.activations": (config["width_threshold"]["activations"], absorbing),
        "depth.fits.activations": (config["depth"]["fits"]["activations"], absorbing),
        "random_measures.measures": (config["random_measures"]["measures"], distribution),
        "random_measures.enumerated": (config["random_measures"]["enumerated"], distribution),
        "distance.measures": (config["distance"]["measures"], distribution),
        "depth_relu.measures": (config["depth_relu"]["measures"], distribution),
    }
    for key, (names, known) in lists.items():
        for name in names:
            try:
                known(name)
            except InvalidInput as error:
                yield f"{key} must {error.requirement}; got {_show(name)}"
