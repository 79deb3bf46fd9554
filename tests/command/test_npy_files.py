"""NumPy files that go through the command: every dtype, orders, versions, damage."""

import random
import struct

import numpy as np
import pytest

from tests.numpy_dtypes import NUMPY_DTYPES

RAW_DTYPES = {"bfloat16": "<V2", "float8_e4m3fn": "|V1", "float8_e5m2": "|V1"}


def sample(dtype: str, sizes: tuple[int, ...]) -> np.ndarray:
    numbers = np.random.default_rng(0).integers(0, 100, sizes)
    if np.dtype(dtype).kind == "c":
        return (numbers + 1j * numbers[::-1]).astype(dtype)
    return numbers.astype(dtype)


@pytest.fixture
def copy(opwright, programs, tmp_path):
    """Return a function that sends a file through a program that copies."""

    def run(dtype: str, path) -> np.ndarray:
        words = ("--input", f"x={path}", "--output", tmp_path / "copy.npy")
        done = opwright("run", programs / f"copy_{dtype}.opw", *words)
        assert done.returncode == 0, done.stderr
        return np.load(tmp_path / "copy.npy")

    return run


@pytest.fixture
def refuse(opwright, programs, tmp_path):
    """Return a function that returns the error for a file of these bytes."""

    def run(contents: bytes, dtype: str = "float32") -> str:
        path = tmp_path / "damaged.npy"
        path.write_bytes(contents)
        done = opwright("run", programs / f"copy_{dtype}.opw", "--input", f"x={path}")
        assert done.returncode == 1, (contents[:80], done.stdout, done.stderr)
        assert done.stderr.startswith("opwright run: ")
        assert done.stderr.count("\n") == 1
        return done.stderr.removeprefix("opwright run: ").replace(f"{path}", "FILE").strip()

    return run


def npy(header: str, data: bytes = b"", version: int = 1) -> bytes:
    text = header.encode("latin1")
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


# ---- files that are right ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_every_dtype_of_numpy_comes_back(copy, tmp_path, dtype):
    x = sample(dtype, (3, 5))
    np.save(tmp_path / "x.npy", x)

    y = copy(dtype, tmp_path / "x.npy")

    assert y.dtype == x.dtype
    assert np.array_equal(y, x)


@pytest.mark.parametrize(("dtype", "descr"), RAW_DTYPES.items())
@pytest.mark.parametrize("kind", ["V", "u"])
def test_dtypes_that_numpy_has_not_are_raw_bytes(copy, tmp_path, dtype, descr, kind):
    raw = np.arange(12, dtype=f"u{descr[-1]}").reshape(4, 3)
    np.save(tmp_path / "x.npy", raw.view(f"{kind}{descr[-1]}"))

    y = copy(dtype, tmp_path / "x.npy")

    assert y.dtype == np.dtype(descr)
    assert np.array_equal(y.view(raw.dtype), raw)


@pytest.mark.parametrize("sizes", [(0, 3), (3, 0), (1, 1), (1000, 77)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_sizes_and_orders_come_back(copy, tmp_path, sizes, order):
    x = np.asarray(sample("float32", sizes), order=order)
    np.save(tmp_path / "x.npy", x)

    assert np.array_equal(copy("float32", tmp_path / "x.npy"), x)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_format_is_read(copy, tmp_path, version):
    x = sample("float32", (2, 3))
    with open(tmp_path / "x.npy", "wb") as file:
        np.lib.format.write_array(file, x, version=version)

    assert np.array_equal(copy("float32", tmp_path / "x.npy"), x)


def test_headers_of_other_writers_are_read(copy, tmp_path):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    header = '{"shape":(2L,3L),"fortran_order":False,"descr":"<f4"}\n'
    (tmp_path / "x.npy").write_bytes(npy(header, x.tobytes() + b"behind"))

    assert np.array_equal(copy("float32", tmp_path / "x.npy"), x)


# ---- files that are wrong ------------------------------------------------------------------------

RIGHT = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n"


@pytest.mark.parametrize(
    ("contents", "error"),
    [
        (b"", "FILE is not a NumPy file; numpy.save writes one"),
        (b"\x93NUMPY\x01", "FILE is not a NumPy file; numpy.save writes one"),
        (b"PK\x03\x04" + bytes(40), "FILE is not a NumPy file; numpy.save writes one"),
        (
            b"\x93NUMPY\x04\x00" + bytes(20),
            "FILE: version 4 of NumPy's format is unknown; this reads 1 to 3",
        ),
        (
            b"\x93NUMPY\x02\x00\xff\xff\xff\x7f" + bytes(20),
            "FILE: the header of the NumPy file has 2147483647 bytes, at most 65536 are read",
        ),
        (npy(RIGHT)[:30], "FILE is truncated: its header says 60 bytes and the file has 20"),
        (
            npy(RIGHT, bytes(23)),
            "FILE is truncated: its header says 24 bytes of data and the file has 23",
        ),
        (
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000000)}"),
            "FILE is truncated: its header says 4000000000000000 bytes of data and the file has 0",
        ),
        (
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}"),
            "FILE: its sizes are too large for any file",
        ),
        (
            npy("{'descr': '<f4', 'fortran_order': True, 'shape': (0, 4611686018427387904, 4)}"),
            "FILE: its sizes are too large for any file",
        ),
        (
            npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3)}", bytes(24)),
            "FILE has '>f4', big-endian numbers; save it as little-endian ones, e.g. "
            "numpy.save(path, array.astype('<f4'))",
        ),
        (
            npy("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}", bytes(24)),
            "FILE holds Python objects; a program takes arrays of numbers",
        ),
        (
            npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}", bytes(24)),
            "FILE holds records (a structured array); a program takes arrays of one dtype",
        ),
        (
            npy("{'descr': '<f3', 'fortran_order': False, 'shape': (2, 3)}", bytes(24)),
            "FILE has the dtype '<f3', which Opwright does not have",
        ),
        (
            npy("{'descr': '', 'fortran_order': False, 'shape': (2, 3)}", bytes(24)),
            "FILE has the dtype '', which Opwright does not have",
        ),
    ],
)
def test_a_damaged_file_is_refused_with_what_is_wrong(refuse, contents, error):
    assert refuse(contents) == error


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ("", "'{' is missing"),
        ("{", "a string is missing"),
        ("{'descr", "a string has no end"),
        ("{'descr' '<f4'}", "':' is missing"),
        ("{'descr': '<f4'}", "descr, fortran_order and shape are required"),
        ("{'other': 1}", "it has an unknown or duplicate entry"),
        (
            "{'descr': '<f4', 'descr': '<f4'}",
            "it has an unknown or duplicate entry",
        ),
        ("{'fortran_order': 1}", "fortran_order is neither True nor False"),
        ("{'shape': 2}", "'(' is missing"),
        ("{'shape': (-2,)}", "a size is no number, negative or too large"),
        ("{'shape': (99999999999999999999,)}", "a size is no number, negative or too large"),
        ("{'shape': (2 3)}", "')' is missing"),
        ("{'shape': (" + "1," * 65 + ")}", "it has more than 64 dimensions"),
        (RIGHT + "x", "there is text after the dictionary"),
    ],
)
def test_a_wrong_header_is_refused_with_what_is_wrong(refuse, header, problem):
    error = refuse(npy(header, bytes(24)))

    assert error == f"FILE: the header of the NumPy file is wrong: {problem}"


def test_a_folder_is_refused(opwright, programs, tmp_path):
    done = opwright("run", programs / "copy_float32.opw", "--input", tmp_path)

    assert done.returncode == 1
    assert done.stderr == f"opwright run: cannot read {tmp_path}: it is not a regular file\n"


def test_files_that_were_changed_at_random_are_read_or_refused(opwright, programs, tmp_path):
    dice = random.Random(0)
    whole = npy(RIGHT.ljust(117) + "\n", np.arange(6, dtype=np.float32).tobytes())
    path = tmp_path / "x.npy"
    codes = set()
    for _ in range(200):
        contents = bytearray(whole)
        for _ in range(dice.randint(1, 4)):
            contents[dice.randrange(len(contents) - 24)] = dice.choice(
                b"0129LTF'\"{}(),:<>\x00\xff"
            )
        if dice.random() < 0.2:
            del contents[dice.randrange(len(contents)) :]
        path.write_bytes(contents)
        done = opwright("run", programs / "copy_float32.opw", "--input", path)
        codes.add(done.returncode)
        assert done.returncode in (0, 1), (bytes(contents), done.stderr)
        assert (done.returncode == 0) == (done.stderr == "")

    assert codes == {0, 1}
