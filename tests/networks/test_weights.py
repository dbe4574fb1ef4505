from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from skip_absorption.errors import InvalidInput
from skip_absorption.networks import _files
from skip_absorption.networks.blocks import Mlp
from skip_absorption.networks.canonical import equal_functions
from skip_absorption.networks.weights import Weights, read_weights, write_weights

SUFFIXES = [".npz", ".safetensors", ".json"]
UP, DOWN = (
    np.array([[0.1, 2.0], [3.0, -4.5], [1e-300, 5e-324]]),
    np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 1e300]]),
)


def mlp_of(weights: Weights) -> Mlp:
    assert weights.activation is not None
    return Mlp(weights.w_up, weights.w_down, weights.activation, weights.b_up, weights.b_down)


def one_line(path: Path, **options) -> str:
    with pytest.raises(InvalidInput) as error:
        read_weights(path, **options)
    line = str(error.value)
    assert "\n" not in line
    return line


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_round_trip_is_exact(tmp_path: Path, suffix: str, kind):
    with np.errstate(over="ignore", invalid="ignore"):
        up, down = UP.astype(kind), np.minimum(DOWN, 1e9).astype(kind)
    mlp = Mlp(up, down, "leaky_relu:1/100", np.array([1, 2, 3], dtype=kind), np.array([4, 5], dtype=kind))
    path = tmp_path / f"w{suffix}"
    write_weights(path, mlp, skip=np.array([[1, 0], [0, 2]], dtype=kind))
    weights = read_weights(path)
    assert equal_functions(mlp_of(weights), mlp)
    assert weights.activation == mlp.activation
    for name in ("w_up", "w_down", "b_up", "b_down"):
        got, want = getattr(weights, name), getattr(mlp, name)
        assert got.tolist() == want.tolist()
        assert not got.flags.writeable
        assert suffix == ".json" or got.dtype == kind
    assert weights.skip is not None
    assert weights.skip.tolist() == [[1, 0], [0, 2]]
    assert list(tmp_path.iterdir()) == [path]


exact = st.one_of(
    st.integers(-(2**80), 2**80), st.fractions(), st.floats(allow_nan=False, allow_infinity=False)
)


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(exact, min_size=4, max_size=4))
def test_round_trip_of_fractions_and_big_integers(tmp_path: Path, suffix: str, values: list):
    up = np.empty((2, 1), dtype=object)
    up[:, 0] = values[:2]
    mlp = Mlp(up, [values[2:]], "relu")
    write_weights(tmp_path / f"w{suffix}", mlp)
    weights = read_weights(tmp_path / f"w{suffix}")
    assert weights.w_up.tolist() == mlp.w_up.tolist()
    assert weights.w_down.tolist() == mlp.w_down.tolist()
    assert weights.b_up is weights.b_down is weights.skip is None


def test_fractions_do_not_go_into_safetensors(tmp_path: Path):
    with pytest.raises(InvalidInput, match="w_up must hold floats or 64-bit integers for"):
        write_weights(tmp_path / "w.safetensors", Mlp([["1/3"]], [[1]], "relu"))
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16])
def test_half_precision_is_exact(tmp_path: Path, kind):
    path = tmp_path / "w.safetensors"
    values = np.array([[0.1, -3.0]]).astype(kind)
    save_file({"w_up": values, "w_down": values.T.copy()}, path, {"activation": "silu"})
    weights = read_weights(path)
    assert weights.w_up.dtype == np.float32
    assert weights.w_up.tolist() == values.astype(np.float64).tolist()
    if kind is np.float16:
        np.savez(tmp_path / "w.npz", w_up=values, w_down=values.T)
        assert read_weights(tmp_path / "w.npz").w_up.tolist() == weights.w_up.tolist()


def test_other_tensor_types_are_refused(tmp_path: Path):
    path = tmp_path / "w.safetensors"
    save_file({"w_up": np.ones((1, 1), dtype=ml_dtypes.float8_e4m3fn), "w_down": np.ones((1, 1))}, path)
    assert "key w_up must have one of the types F64, F32, F16, BF16" in one_line(path)
    save_file({"w_up": np.ones((1, 1), dtype=bool), "w_down": np.ones((1, 1))}, path)
    assert "got BOOL" in one_line(path)


def test_layer_prefix_and_transposed_layout(tmp_path: Path):
    arrays = {"h.0.w_up": UP.T, "h.0.w_down": DOWN.T, "h.1.w_up": 2 * UP.T, "h.1.w_down": DOWN.T}
    np.savez(tmp_path / "w.npz", activation=np.array("gelu"), **arrays)
    save_file(
        {k: np.ascontiguousarray(v) for k, v in arrays.items()},
        tmp_path / "w.safetensors",
        {"activation": "gelu"},
    )
    (tmp_path / "w.json").write_text(
        json.dumps(
            {"h.0.activation": "gelu", "activation": "relu"} | {k: v.tolist() for k, v in arrays.items()}
        )
    )
    for suffix in SUFFIXES:
        weights = read_weights(tmp_path / f"w{suffix}", layer="h.0", transpose=True)
        assert weights.w_up.tolist() == UP.tolist()
        assert weights.w_down.tolist() == DOWN.tolist()
        assert weights.activation is not None
        assert weights.activation.name == "gelu"
        missing = one_line(tmp_path / f"w{suffix}", layer="h.2")
        assert "key h.2.w_up must be present; got " in missing
        assert "h.0.w_up" in missing
    (tmp_path / "v.json").write_text('{"w_up": [1, 2], "w_down": [[1]]}')
    assert "v.json: key w_up must have 2 dimensions" in one_line(tmp_path / "v.json", transpose=True)


def test_activation_comes_from_the_argument_then_the_file(tmp_path: Path):
    path = tmp_path / "w.json"
    path.write_text('{"w_up": [[1]], "w_down": [["1/3"]], "activation": "tanh"}')
    weights = read_weights(path, activation="silu")
    assert weights.activation is not None
    assert weights.activation.name == "silu"
    assert weights.w_down.tolist() == [[Fraction(1, 3)]]
    assert one_line(path).startswith(f"{path}: key activation must be one of relu")
    assert one_line(path, activation="x").startswith("activation must be one of relu")
    path.write_text('{"w_up": [[1]], "w_down": [[1]]}')
    assert read_weights(path).activation is None


def test_json_decimals_are_the_doubles_they_parse_to(tmp_path: Path):
    path = tmp_path / "w.json"
    path.write_text('{"w_up": [[0.1, 1]], "w_down": [["1/10"]]}')
    weights = read_weights(path)
    assert weights.w_up.tolist() == [[Fraction(0.1), 1]]
    assert weights.w_down.tolist() == [[Fraction(1, 10)]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "undamaged .json file"),
        ('{"w_up": [[1]]', "undamaged .json file"),
        ("[1]", "must hold one JSON object; got list"),
        ('{"w_up": [[1]]}', "key w_down must be present; got w_up"),
        ("{}", "key w_up must be present; got no keys"),
        ('{"w_up": [[NaN]], "w_down": [[1]]}', "must hold finite numbers; got NaN"),
        ('{"w_up": [[-Infinity]], "w_down": [[1]]}', "must hold finite numbers; got -Infinity"),
        ('{"w_up": [[1e999]], "w_down": [[1]]}', "finite"),
        ('{"w_up": [[1, 1e999]], "w_down": [[1]]}', "finite"),
        ('{"w_up": [[1]], "w_up": [[2]], "w_down": [[1]]}', "hold each key once"),
        ('{"w_up": [[true]], "w_down": [[1]]}', "key w_up[0, 0] must be a number; got True"),
        ('{"w_up": [[null]], "w_down": [[1]]}', "key w_up[0, 0] must be"),
        ('{"w_up": [[{}]], "w_down": [[1]]}', "key w_up[0, 0] must be"),
        ('{"w_up": [["1.5"]], "w_down": [[1]]}', 'must be an exact number "p" or "p/q"; got 1.5'),
        ('{"w_up": [["1/0"]], "w_down": [[1]]}', "nonzero denominator"),
        ('{"w_up": "x", "w_down": [[1]]}', "key w_up must have 2 dimensions"),
        ('{"w_up": {"0": 1}, "w_down": [[1]]}', "key w_up must have 2 dimensions"),
        ('{"w_up": [[1], [1, 2]], "w_down": [[1]]}', "key w_up must have 2 dimensions"),
        ('{"w_up": [], "w_down": [[1]]}', "key w_up must"),
        ('{"w_up": [[1]], "w_down": [[1, 2]]}', "key w_down must have shape (m, 1); got (1, 2)"),
        ('{"w_up": [[1]], "w_down": [[1]], "b_up": [[1]]}', "key b_up must have 1 dimension"),
        ('{"w_up": [[1]], "w_down": [[1]], "b_down": [1, 2]}', "key b_down must have shape (1,)"),
        ('{"w_up": [[1]], "w_down": [[1]], "skip": [[1, 2]]}', "key skip must have shape (1, 1)"),
        ('{"w_up": [[1]], "w_down": [[1]], "activation": 3}', "key activation must be one of"),
        ('{"w_up": ' + "[" * 100_000, "undamaged .json file"),
        ('{"w_up": ' + "[" * 80 + "1" + "]" * 80 + ', "w_down": [[1]]}', "key w_up must"),
        ('{"w_up": [[1' + "0" * 5000 + ']], "w_down": [[1]]}', "undamaged .json file"),
        ('{"w_up": [["1' + "0" * 5000 + '"]], "w_down": [[1]]}', "exact number"),
        (b'{"w_up": [[1]], "\xff": 1}', "undamaged .json file"),
    ],
)
def test_hostile_json_is_one_line(tmp_path: Path, text, words: str):
    path = tmp_path / "w.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    line = one_line(path)
    assert words in line
    assert line.startswith(str(path))


def test_numbers_of_three_hundred_digits_are_exact(tmp_path: Path):
    path = tmp_path / "w.json"
    big = 10**300 + 1
    path.write_text(f'{{"w_up": [[{big}]], "w_down": [["1/{big}"]], "activation": "relu"}}')
    assert mlp_of(read_weights(path)).rational([3]).tolist() == [3]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_files_are_one_line(tmp_path: Path, suffix: str):
    good, bad = tmp_path / f"good{suffix}", tmp_path / f"bad{suffix}"
    rng = np.random.default_rng(0)
    write_weights(good, Mlp(rng.standard_normal((9, 4)), rng.standard_normal((4, 9)), "gelu"))
    data = good.read_bytes()
    for end in (0, 1, 7, len(data) // 3, len(data) // 2, len(data) - 30):
        bad.write_bytes(data[:end])
        assert f"undamaged {suffix} file" in one_line(bad)
    for place in range(0, len(data), max(1, len(data) // 97)):
        changed = bytearray(data)
        changed[place] ^= 0xFF
        bad.write_bytes(bytes(changed))
        try:
            read_weights(bad)
        except InvalidInput as error:
            assert "\n" not in str(error)


def test_missing_files_directories_and_suffixes(tmp_path: Path):
    assert one_line(tmp_path / "w.npz").endswith("w.npz must be a weights file; got no such file")
    (tmp_path / "d.npz").mkdir()
    assert "got a directory" in one_line(tmp_path / "d.npz")
    os.mkfifo(tmp_path / "f.json")
    assert "got a special file" in one_line(tmp_path / "f.json")
    assert "must end in .npz, .safetensors or .json" in one_line(tmp_path / "w.txt")
    assert "weights file" in one_line(tmp_path / ("x" * 300 + ".npz")) or "undamaged" in one_line(
        tmp_path / ("x" * 300 + ".npz")
    )
    for suffix in (".pt", ".bin", ".pth", ".pkl", ".ckpt"):
        assert "since pickled weights run code when they are read" in one_line(tmp_path / f"w{suffix}")


class Bomb:
    def __reduce__(self):
        return (os._exit, (7,))


def test_pickles_inside_an_npz_are_never_run(tmp_path: Path):
    path = tmp_path / "w.npz"
    np.savez(path, w_up=np.array([[Bomb()]], dtype=object), w_down=np.ones((1, 1)), allow_pickle=True)
    assert "key w_up must hold numbers" in one_line(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("w_up.npy", pickle.dumps(Bomb()))
        archive.writestr("w_down.npy", pickle.dumps(Bomb()))
    assert "undamaged .npz file" in one_line(path)


def npy(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text + data


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (
            npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000)}"),
            "must fit in 4096 MiB",
        ),
        (
            npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000, 1)}"),
            "hold the 8000 bytes that its shape needs",
        ),
        (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", b"\0" * 16), "hold the 8 bytes"),
        (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -8)}", b"\0" * 64), "must have a shape"),
        (npy("{'descr': '|O', 'fortran_order': False, 'shape': (1, 1)}", b"\0" * 8), "objects"),
        (
            npy("{'descr': '<c16', 'fortran_order': False, 'shape': (1, 1)}", b"\0" * 16),
            "key w_up must hold real numbers",
        ),
        (
            npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", b"\0" * 8, b"\x03\x00"),
            ".npy format 1.0 or 2.0",
        ),
        (npy("__import__('os')._exit(3)"), "undamaged"),
        (npy("[" * 5000), "undamaged"),
        (b"", "undamaged"),
    ],
)
def test_hostile_npy_headers(tmp_path: Path, member: bytes, words: str):
    path = tmp_path / "w.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("w_up.npy", member)
        archive.writestr(
            "w_down.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", b"\0" * 8)
        )
    assert words in one_line(path)


def test_zip_bombs_and_duplicates_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_files, "MOST_BYTES", 1 << 20)
    path = tmp_path / "w.npz"
    np.savez_compressed(path, w_up=np.zeros((1024, 1024)), w_down=np.zeros((1024, 1024)))
    assert path.stat().st_size < 1 << 17
    assert "key w_up must fit in 1 MiB; got 8 MiB" in one_line(path)
    save_file({"w_up": np.zeros((400, 400)), "w_down": np.zeros((400, 400))}, tmp_path / "w.safetensors")
    assert "key w_up must fit in 1 MiB" in one_line(tmp_path / "w.safetensors")
    monkeypatch.setattr(_files, "MOST_JSON", 1 << 20)
    (tmp_path / "w.json").write_text(" " * (2 << 20))
    assert "must fit in 1 MiB; got 2 MiB" in one_line(tmp_path / "w.json")
    buffer = io.BytesIO()
    np.save(buffer, np.ones((1, 1)))
    with zipfile.ZipFile(path, "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("w_up.npy", buffer.getvalue())
        archive.writestr("w_up.npy", buffer.getvalue())
    assert "hold each key once" in one_line(path)


def test_big_endian_and_string_arrays(tmp_path: Path):
    path = tmp_path / "w.npz"
    np.savez(
        path, w_up=UP.astype(">f8"), w_down=np.array([["1/3", "2", "-5/7"]]), activation=np.array("relu")
    )
    weights = read_weights(path)
    assert weights.w_up.tolist() == UP.tolist()
    assert weights.w_down.tolist() == [[Fraction(1, 3), 2, Fraction(-5, 7)]]
    np.savez(path, w_up=UP, w_down=DOWN, activation=np.array(["relu"]))
    assert "key activation must be one of" in one_line(path)


def test_headers_of_python_2(tmp_path: Path):
    path = tmp_path / "w.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for key in ("w_up", "w_down"):
            header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1L, 1L)}"
            archive.writestr(f"{key}.npy", npy(header, np.float64(0.5).tobytes()))
    assert read_weights(path).w_up.tolist() == [[0.5]]


def test_nan_and_infinity_name_the_place(tmp_path: Path):
    bad = UP.copy()
    bad[1, 0] = np.nan
    np.savez(tmp_path / "w.npz", w_up=bad, w_down=DOWN)
    assert "key w_up must hold finite numbers; got nan at [1, 0]" in one_line(tmp_path / "w.npz")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_writes_are_whole_or_not_at_all(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / f"w{suffix}"
    first, second = Mlp([[1.0]], [[1.0]], "relu"), Mlp([[2.0]], [[2.0]], "relu")
    write_weights(path, first)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "replace", stop)
        write_weights(path, second)
    assert equal_functions(mlp_of(read_weights(path)), first)
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(InvalidInput, match="the output file must be writable"):
        write_weights(tmp_path / "missing" / f"w{suffix}", first)
    (tmp_path / f"d{suffix}").mkdir()
    with pytest.raises(InvalidInput, match="the output file must be a file; got the directory"):
        write_weights(tmp_path / f"d{suffix}", first)
    with pytest.raises(InvalidInput, match=r"skip must have shape \(1, 1\)"):
        write_weights(path, first, skip=[[1, 2]])


def test_unknown_output_suffix(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"the output file must end in .npz, .safetensors or .json"):
        write_weights(tmp_path / "w.pt", Mlp([[1.0]], [[1.0]], "relu"))


@pytest.mark.parametrize("suffix", [".json", ".npz"])
@pytest.mark.parametrize("number", [10**4000, Fraction(1, 10**4000), -(10**4200)])
def test_numbers_that_could_not_be_read_back_are_not_written(tmp_path, suffix, number):
    path = tmp_path / f"w{suffix}"
    with pytest.raises(InvalidInput, match="the numbers to write must have at most 4000 digits"):
        write_weights(path, Mlp([[number]], [[1]], "relu"))
    assert not list(tmp_path.iterdir())
    write_weights(path, Mlp([[10**4000 - 1]], [[Fraction(1, 10**4000 - 1)]], "relu"))
    assert read_weights(path).w_up.tolist() == [[10**4000 - 1]]


def test_strings_without_a_size_are_refused_before_any_is_made(tmp_path):
    header = b"{'descr': '<U0', 'fortran_order': False, 'shape': (1099511627776, 1048576)}".ljust(117) + b"\n"
    path = tmp_path / "w.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("w_up.npy", b"\x93NUMPY\x01\x00v\x00" + header)
        archive.writestr("w_down.npy", b"")
    with pytest.raises(InvalidInput, match="key w_up must hold numbers"):
        read_weights(path)
