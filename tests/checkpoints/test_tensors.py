import json
import struct
import subprocess
import sys
import zipfile

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from skip_absorption.checkpoints.tensors import exact_values, open_tensors
from skip_absorption.errors import InvalidInput


def raw_safetensors(path, header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)
    return path


def entry(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def test_every_kind_of_file_gives_the_same_values(tmp_path):
    arrays = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([0.1, -2], np.float64)}
    save_file(arrays, tmp_path / "x.safetensors", {"activation": "relu"})
    np.savez(tmp_path / "x.npz", **arrays)
    with zipfile.ZipFile(tmp_path / "x.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(tmp_path / "x.safetensors", "pkg/model/x.safetensors")
        archive.writestr("pkg/model/config.json", '{"hidden_act": "gelu"}')
        archive.writestr("pkg/model/pytorch_model.bin", b"never read")
    for name in ("x.safetensors", "x.npz", "x.whl"):
        with open_tensors(tmp_path / name) as tensors:
            assert set(tensors.names()) == {"a", "b"}
            assert tensors.shape("a") == (2, 3)
            assert (tensors.dtype("a"), tensors.dtype("b")) == ("F32", "F64")
            for key, array in arrays.items():
                assert tensors.read(key).dtype == array.dtype
                assert np.array_equal(tensors.read(key), array)
                assert not tensors.read(key).flags.writeable
    with open_tensors(tmp_path / "x.safetensors") as tensors:
        assert tensors.metadata == {"activation": "relu"}
        assert tensors.config == {}
    with open_tensors(tmp_path / "x.whl") as tensors:
        assert tensors.config == {"hidden_act": "gelu"}
        kept = tensors.read("a")
    assert np.array_equal(kept, arrays["a"])  # what was read outlives the unpacked file


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("F16", np.float16),
        ("BF16", ml_dtypes.bfloat16),
        ("F8_E4M3", ml_dtypes.float8_e4m3fn),
        ("F8_E5M2", ml_dtypes.float8_e5m2),
    ],
)
def test_every_finite_small_float_is_read_exactly(tmp_path, code, kind):
    bits = np.arange(2 ** (8 * np.dtype(kind).itemsize)).astype(f"<u{np.dtype(kind).itemsize}")
    values = bits.view(kind)
    with np.errstate(invalid="ignore"):
        values = values[np.isfinite(values.astype(np.float64))]
    header = {"a": entry(code, values.shape, (0, values.nbytes))}
    raw_safetensors(tmp_path / "x.safetensors", header, values.tobytes())
    with open_tensors(tmp_path / "x.safetensors") as tensors:
        read = tensors.read("a")
        assert tensors.dtype("a") == code
    assert read.dtype == np.float32
    assert [float(v) for v in read] == [float(v) for v in values]


@pytest.mark.parametrize(("code", "kind"), [("I8", np.int8), ("I64", np.int64), ("U8", np.uint8)])
def test_integers_stay_integers(tmp_path, code, kind):
    values = np.array([1, 100, 7], kind)
    raw_safetensors(
        tmp_path / "x.safetensors", {"a": entry(code, (3,), (0, values.nbytes))}, values.tobytes()
    )
    with open_tensors(tmp_path / "x.safetensors") as tensors:
        assert tensors.dtype("a") == code
        assert tensors.read("a").dtype == kind


def test_big_endian_and_odd_offsets(tmp_path):
    np.savez(tmp_path / "x.npz", a=np.array([1.5, -2], ">f4"))
    with open_tensors(tmp_path / "x.npz") as tensors:
        assert tensors.read("a").tolist() == [1.5, -2]
        assert tensors.read("a").dtype.isnative
    header = json.dumps({"a": entry(), "b": entry("I8", (1,), (8, 9)), "c": entry("F32", (1,), (9, 13))})
    data = np.array([1, 2], "<f4").tobytes() + b"\x05" + np.array([0.25], "<f4").tobytes()
    raw_safetensors(tmp_path / "y.safetensors", (header + " " * (len(header) % 2)).encode(), data)
    with open_tensors(tmp_path / "y.safetensors") as tensors:
        assert tensors.read("c").tolist() == [0.25]


EIGHT = b"\0" * 8


@pytest.mark.parametrize(
    ("header", "data", "length", "message"),
    [
        ({"a": entry()}, EIGHT, 10**6, "invalid header length"),
        ({"a": entry()}, EIGHT, 10**15, "header too large"),
        ({"a": entry()}, EIGHT[:4], None, "not fully covered"),
        ({"a": entry()}, EIGHT * 2, None, "not fully covered"),
        ({"a": entry(shape=(3,))}, EIGHT, None, "invalid shape"),
        ({"a": entry(), "b": entry(offsets=(4, 12))}, EIGHT * 2, None, "invalid offset"),
        ({"a": entry("F31")}, EIGHT, None, "F31"),
        ({"a": entry(shape=(2**62, 4))}, EIGHT, None, "overflow"),
        ({"a": entry(offsets=(8, 0))}, EIGHT, None, None),
        (
            b'{"a": ' + json.dumps(entry()).encode() + b', "a": ' + json.dumps(entry()).encode() + b"}",
            EIGHT,
            None,
            None,
        ),
        (b"[" * 10**6, b"", None, "invalid JSON"),
        (b'{"a": 1}', b"", None, "invalid JSON"),
        (b"\xff\xfe{}", b"", None, None),
    ],
)
def test_a_damaged_safetensors_file_is_refused_in_one_line(tmp_path, header, data, length, message):
    path = raw_safetensors(tmp_path / "x.safetensors", header, data, length)
    with pytest.raises(InvalidInput, match=message) as caught:
        open_tensors(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_repeated_tensor_is_named(tmp_path):
    one = json.dumps(entry()).encode()
    path = raw_safetensors(
        tmp_path / "x.safetensors", b'{"twice": ' + one + b', "twice": ' + one + b"}", EIGHT
    )
    with pytest.raises(InvalidInput, match="name each tensor once; got twice"):
        open_tensors(path)


@pytest.mark.parametrize("content", [b"", b"\x01", b"PK\x03\x04 no archive", b"\x80\x04pickle"])
@pytest.mark.parametrize(
    "suffix", [".safetensors", ".npz", ".whl", ".zip", ".onnx", ".safetensors.index.json"]
)
def test_no_content_raises_anything_else(tmp_path, content, suffix):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="x"):
        open_tensors(path)


@given(cut=st.integers(0, 200), flip=st.integers(0, 2000))
@settings(max_examples=60, deadline=None)
def test_a_file_that_is_cut_or_changed_gives_values_or_one_error(tmp_path_factory, cut, flip):
    path = tmp_path_factory.mktemp("cut") / "x.safetensors"
    save_file({"weight": np.ones((4, 8), np.float32), "bias": np.zeros(4, np.float32)}, path)
    data = bytearray(path.read_bytes())
    data[flip % len(data)] ^= 1 << (flip % 8)
    path.write_bytes(data[: len(data) - cut])
    try:
        with open_tensors(path) as tensors:
            for name in tensors.names():
                assert tensors.read(name).size == np.prod(tensors.shape(name))
    except InvalidInput as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_values_that_are_no_numbers_are_refused_when_they_are_read(tmp_path, bad, kind):
    array = np.ones((3, 4), kind)
    array[2, 1] = bad
    save_file({"good": np.ones(2, np.float32), "bad": array}, tmp_path / "x.safetensors")
    with open_tensors(tmp_path / "x.safetensors") as tensors:
        assert tensors.read("good").tolist() == [1, 1]
        with pytest.raises(InvalidInput, match=r"tensor bad must hold finite numbers; got .* at \[2, 1\]"):
            tensors.read("bad")


def test_truth_values_and_unknown_names_are_refused(tmp_path):
    save_file({"a": np.array([True])}, tmp_path / "x.safetensors")
    with open_tensors(tmp_path / "x.safetensors") as tensors:
        with pytest.raises(InvalidInput, match="floats or integers"):
            tensors.read("a")
        with pytest.raises(InvalidInput, match="tensor b must be present"):
            tensors.read("b")
    with pytest.raises(InvalidInput, match="floats or integers"):
        exact_values(np.array([1j]), "a")


@pytest.mark.parametrize("suffix", [".pt", ".pth", ".bin", ".ckpt", ".pkl"])
def test_pickles_are_refused_with_the_reason_and_the_way_out(tmp_path, suffix):
    (tmp_path / f"model{suffix}").write_bytes(b"\x80\x04.")
    for path in (
        tmp_path / f"model{suffix}",
        tmp_path,
    ):  # the file itself, and a directory that holds only it
        with pytest.raises(InvalidInput, match="executes the code in it") as caught:
            open_tensors(path)
        assert "save_file" in str(caught.value)


def test_pickled_objects_inside_npz_are_refused(tmp_path):
    np.savez(tmp_path / "x.npz", a=np.array([{1: 2}], dtype=object))
    with pytest.raises(InvalidInput, match="pickled objects run code"):
        open_tensors(tmp_path / "x.npz")


def write_sharded(directory, placed, **shards):
    for name, arrays in shards.items():
        save_file(arrays, directory / f"{name}.safetensors")
    (directory / "model.safetensors.index.json").write_text(json.dumps({"weight_map": placed}))
    return directory


def test_shards(tmp_path):
    one = {"a": np.ones(2, np.float32)}
    two = {"b": np.zeros((2, 2), np.float16)}
    directory = write_sharded(tmp_path, {"a": "s1.safetensors", "b": "s2.safetensors"}, s1=one, s2=two)
    for path in (directory, directory / "model.safetensors.index.json"):
        with open_tensors(path) as tensors:
            assert tensors.names() == ("a", "b")
            assert tensors.read("b").tolist() == [[0, 0], [0, 0]]
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for file in directory.glob("*.safetensors*"):
            archive.write(file, f"deep/{file.name}")
    with open_tensors(tmp_path / "x.zip") as tensors:
        assert tensors.read("a").tolist() == [1, 1]


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ({"weight_map": {"a": "missing.safetensors"}}, "shard missing.safetensors must be present"),
        ({"weight_map": {"a": "../x.safetensors"}}, "in the same directory; got ../x.safetensors"),
        ({"weight_map": {"a": "/etc/passwd"}}, "in the same directory"),
        ({"weight_map": {"a": "..\\x.safetensors"}}, "in the same directory"),
        ({"weight_map": {"a": "model.pt"}}, "a .safetensors file"),
        ({"weight_map": {"b": "s1.safetensors"}}, "tensor b must be in s1.safetensors"),
        ({"weight_map": {"a": 3}}, "map each tensor"),
        ({"weight_map": ["a"]}, "map each tensor"),
        ({}, "map each tensor"),
        ([], "one JSON object"),
    ],
)
def test_an_index_that_lies_is_refused(tmp_path, index, message):
    save_file({"a": np.ones(2, np.float32)}, tmp_path / "s1.safetensors")
    (tmp_path / "m.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(InvalidInput, match=message):
        open_tensors(tmp_path)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "{", "[" * 10**5, '{"a": 1e999', "\x00"])
def test_hostile_json_is_refused(tmp_path, text):
    save_file({"a": np.ones(2, np.float32)}, tmp_path / "x.safetensors")
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"config\.json"):
        open_tensors(tmp_path)


def test_what_to_open_must_be_clear(tmp_path):
    with pytest.raises(InvalidInput, match="with none of them"):
        open_tensors(tmp_path)
    for name in ("a", "b"):
        save_file({"a": np.ones(2, np.float32)}, tmp_path / f"{name}.safetensors")
    with pytest.raises(InvalidInput, match=r"hold one \.safetensors file"):
        open_tensors(tmp_path)
    with pytest.raises(InvalidInput, match="no such file"):
        open_tensors(tmp_path / "c.safetensors")
    with pytest.raises(InvalidInput, match=r"the checkpoint must be \.safetensors"):
        open_tensors(tmp_path / "c.h5")


def test_an_archive_writes_only_into_its_own_directory(tmp_path):
    save_file({"a": np.ones(2, np.float32)}, tmp_path / "x.safetensors")
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.write(tmp_path / "x.safetensors", "../../escaped/x.safetensors")
        archive.writestr("../../escaped/config.json", "{}")
    with open_tensors(tmp_path / "x.zip") as tensors:
        assert tensors.names() == ("a",)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.safetensors", "x.zip"]


def test_errors_about_an_archive_name_the_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.whl", "w") as archive:
        archive.writestr("deep/model.safetensors", b"cut")
    with pytest.raises(InvalidInput, match="undamaged") as caught:
        open_tensors(tmp_path / "x.whl")
    assert str(caught.value).startswith(f"{tmp_path / 'x.whl'}/model.safetensors must")
    np.savez(tmp_path / "x.npz", a=np.array([np.nan]))
    with zipfile.ZipFile(tmp_path / "y.whl", "w") as archive:
        archive.write(tmp_path / "x.npz", "deep/x.npz")
    with open_tensors(tmp_path / "y.whl") as tensors, pytest.raises(InvalidInput, match="finite") as caught:
        tensors.read("a")
    assert str(caught.value).startswith(f"{tmp_path / 'y.whl'}: tensor a")


def test_an_archive_larger_than_the_disk_is_refused(tmp_path, monkeypatch):
    save_file({"a": np.ones(2, np.float32)}, tmp_path / "x.safetensors")
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.write(tmp_path / "x.safetensors", "x.safetensors")
    usage = __import__("shutil").disk_usage(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage._replace(free=10))
    with pytest.raises(InvalidInput, match="unpack to at most"):
        open_tensors(tmp_path / "x.zip")


def test_one_block_of_a_large_file_takes_little_memory(tmp_path):
    # Two gigabytes of holes, and one small block at the end.
    name = "encoder.layer.{}.{}.dense.weight"
    big, small = 1 << 30, 64 * 256 * 4
    header = {
        name.format(0, "intermediate"): entry("F32", (16384, 16384), (0, big)),
        name.format(0, "output"): entry("F32", (16384, 16384), (big, 2 * big)),
        name.format(1, "intermediate"): entry("F32", (256, 64), (2 * big, 2 * big + small)),
        name.format(1, "output"): entry("F32", (64, 256), (2 * big + small, 2 * big + 2 * small)),
    }
    path = raw_safetensors(tmp_path / "x.safetensors", header)
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size + 2 * big + 2 * small)
    program = (
        "import resource, sys\n"
        "from skip_absorption.checkpoints.tensors import open_tensors\n"
        "from skip_absorption.checkpoints.families import find_blocks\n"
        "import ml_dtypes, safetensors, flint\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "with open_tensors(sys.argv[1]) as tensors:\n"
        "    block = find_blocks(tensors)[1]\n"
        "    assert block.load(tensors).width == 256\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    run = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 32 << 10  # kibibytes


def test_a_tensor_of_too_many_values_is_not_read(tmp_path, monkeypatch):
    save_file({"a": np.ones((2, 3), np.float32)}, tmp_path / "a.safetensors")
    monkeypatch.setattr("skip_absorption.checkpoints.tensors.MOST_VALUES", 5)
    refused = pytest.raises(InvalidInput, match="tensor a must have at most 5 values; got 6")
    with open_tensors(tmp_path / "a.safetensors") as tensors, refused:
        tensors.read("a")


def test_a_file_that_may_not_be_read_is_not_called_missing(tmp_path, monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied")

    save_file({"a": np.ones(2, np.float32)}, tmp_path / "a.safetensors")
    monkeypatch.setattr("pathlib.Path.open", forbidden)
    with pytest.raises(InvalidInput, match="must be readable; got Permission denied"):
        open_tensors(tmp_path / "a.safetensors")
