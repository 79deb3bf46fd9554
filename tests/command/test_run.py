"""opwright run: NumPy files in, NumPy files and text out."""
# Covers: command/*.

import re

import numpy as np
import pytest


@pytest.fixture
def x_file(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.arange(12, dtype=np.float32).reshape(4, 3))
    return path


def linear(x: np.ndarray) -> np.ndarray:
    return np.maximum(x @ np.ones((3, 2), np.float32) + np.array([1, -100], np.float32), 0)


def run_ok(opwright, *words, cwd=None) -> str:
    done = opwright("run", *words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def run_error(opwright, *words, code: int = 1) -> str:
    done = opwright("run", *words)
    assert done.returncode == code
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.rstrip("\n")


# ---- what it computes ----------------------------------------------------------------------------


def test_a_program_runs_on_a_file(opwright, programs, x_file, tmp_path):
    y_file = tmp_path / "y.npy"

    run_ok(opwright, programs / "linear.opw", "--input", f"x={x_file}", "--output", y_file)

    y = np.load(y_file)
    assert y.dtype == np.float32
    assert np.array_equal(y, linear(np.load(x_file)))


def test_it_runs_at_other_sizes_than_the_exported_one(opwright, programs, tmp_path):
    for rows in (2, 7, 64):
        x = np.random.default_rng(rows).normal(size=(rows, 3)).astype(np.float32)
        np.save(tmp_path / "x.npy", x)

        words = ("--input=x.npy", "--output=relu=y.npy")
        run_ok(opwright, programs / "linear.opw", *words, cwd=tmp_path)

        np.testing.assert_allclose(np.load(tmp_path / "y.npy"), linear(x), rtol=1e-6)


def test_an_operator_binary_is_loaded_first(opwright, programs, soft_clip, tmp_path):
    np.save(tmp_path / "x.npy", np.array([0, 1, 1000], np.float32))

    words = ("--library", soft_clip, "--input", "x=x.npy", "--output", "y.npy")
    run_ok(opwright, programs / "clip.opw", *words, cwd=tmp_path)

    expected = 2 * np.tanh(np.array([0, 0.5, 500], np.float32))
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected, rtol=1e-6)


def test_inputs_are_named_as_show_prints_them_and_numbers_stand_for_themselves(
    opwright, programs, tmp_path
):
    np.save(tmp_path / "mask.npy", np.ones((2, 2), np.float32))

    words = ("--input", 'batch["mask"]=mask.npy', "--input", "n=3", "--output", "2*n=twice.npy")
    text = run_ok(opwright, programs / "mixed.opw", *words, cwd=tmp_path)

    assert np.load(tmp_path / "twice.npy") == 6
    assert "tensor([[4., 4.],\n        [4., 4.]])" in text
    assert "output3 =\n0.5\n" in text
    assert 'output6 =\n"done"\n' in text


def test_several_outputs_go_to_files_in_order_or_by_name(opwright, programs, tmp_path):
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    np.save(tmp_path / "x.npy", x)

    words = ("--input", "x.npy", "--output", "first.npy", "--output", "second.npy")
    text = run_ok(opwright, programs / "views.opw", *words, cwd=tmp_path)

    assert np.array_equal(np.load(tmp_path / "first.npy"), x)
    assert np.array_equal(np.load(tmp_path / "second.npy"), x.T)
    assert text.count("output ") == 4


def test_files_without_a_name_are_for_what_nothing_names(opwright, programs, tmp_path):
    np.save(tmp_path / "mask.npy", np.ones((2, 2), np.float32))

    words = ("-i", "mask.npy", "-i", "n=4", "-o", "twice.npy", "-o", "add=sum.npy")
    run_ok(opwright, programs / "mixed.opw", *words, cwd=tmp_path)

    assert np.load(tmp_path / "sum.npy").tolist() == [[5, 5], [5, 5]]
    assert np.load(tmp_path / "twice.npy") == 8


def test_the_output_is_that_of_the_first_run(opwright, programs, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros(2, np.float32))

    words = ("--input", "x.npy", "--output", "y.npy", "--repeat", "5", "--warmup", "3", "--profile")
    run_ok(opwright, programs / "counter.opw", *words, cwd=tmp_path)

    assert np.load(tmp_path / "y.npy").tolist() == [1, 1]


def test_a_seed_makes_random_numbers_the_same(opwright, programs, tmp_path):
    for name in ("first", "second"):
        words = ("--random", "--seed", "7", "--output", f"{name}.npy")
        run_ok(opwright, programs / "noise.opw", *words, cwd=tmp_path)

    first, second = np.load(tmp_path / "first.npy"), np.load(tmp_path / "second.npy")
    assert first.shape == (4,)
    assert np.array_equal(first, second)
    assert len(set(first.tolist())) == 4


def test_random_inputs_have_the_exported_sizes_or_those_of_the_command_line(
    opwright, programs, tmp_path
):
    program = programs / "linear.opw"
    run_ok(opwright, program, "--random", "--output", "exported.npy", cwd=tmp_path)
    words = ("--random", "--size", "batch=9", "--output", "given.npy")
    run_ok(opwright, program, *words, cwd=tmp_path)

    assert np.load(tmp_path / "exported.npy").shape == (4, 2)
    assert np.load(tmp_path / "given.npy").shape == (9, 2)


# ---- what it prints ------------------------------------------------------------------------------


def test_it_tells_times_memory_and_outputs(opwright, programs, x_file):
    program = programs / "linear.opw"

    text = run_ok(opwright, program, "--input", x_file, "--repeat", "10", "--threads", "1")

    time = r"[\d.]+(?:e\+\d+)? (?:ns|us|ms|s)"
    assert re.search(rf"^program +{program}: 3 calls$", text, re.MULTILINE)
    assert re.search(rf"^operators +{time}$", text, re.MULTILINE)
    assert re.search(rf"^load +{time}$", text, re.MULTILINE)
    assert re.search(rf"^first run +{time}$", text, re.MULTILINE)
    assert re.search(rf"^10 runs +median {time}, min {time}, max {time}$", text, re.MULTILINE)
    assert re.search(r"^memory +[\d.]+ MB at most$", text, re.MULTILINE)
    assert "output      relu =\ntensor([[ 4.,  0.],\n" in text


def test_an_output_in_a_file_is_told_with_its_sizes(opwright, programs, x_file, tmp_path):
    y_file = tmp_path / "y.npy"

    text = run_ok(opwright, programs / "linear.opw", "--input", x_file, "--output", y_file)

    assert f"output      relu: float32[4, 2] -> {y_file}\n" in text


# ---- what is refused -----------------------------------------------------------------------------


def test_an_unknown_input_is_refused_with_those_that_there_are(opwright, programs, x_file):
    error = run_error(opwright, programs / "linear.opw", "--input", f"z={x_file}")

    assert error == "opwright run: the program has no input 'z'; it has x"


def test_an_unknown_output_is_refused_before_anything_runs(opwright, programs, x_file):
    words = ("--input", x_file, "--output", "z=z.npy")
    error = run_error(opwright, programs / "linear.opw", *words)

    assert error == "opwright run: the program has no output 'z'; it has relu"


def test_a_missing_input_is_named(opwright, programs):
    error = run_error(opwright, programs / "linear.opw")
    number = run_error(opwright, programs / "mixed.opw", "--random")

    assert error == "opwright run: input 'x' is missing: --input x=FILE.npy, or --random"
    assert number == "opwright run: input 'n' is missing: --input n=NUMBER"


def test_an_input_that_is_given_twice_is_refused(opwright, programs, x_file):
    words = ("--input", f"x={x_file}", "--input", f"x={x_file}")
    error = run_error(opwright, programs / "linear.opw", *words)

    assert error == "opwright run: input 'x' is given twice"


def test_one_input_too_many_is_refused(opwright, programs, x_file):
    error = run_error(opwright, programs / "linear.opw", "-i", x_file, "-i", "more.npy")

    assert error == "opwright run: the program has 1 input, there is none for more.npy"


def test_another_dtype_is_refused_with_what_to_do(opwright, programs, tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.ones((4, 3)))

    error = run_error(opwright, programs / "linear.opw", "--input", path)

    assert error == (
        f"opwright run: input 'x' must be float32, {path} has float64; "
        "save it by array.astype('float32')"
    )


def test_a_size_out_of_its_range_is_refused(opwright, programs, tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.ones((65, 3), np.float32))

    error = run_error(opwright, programs / "linear.opw", "--input", path)

    assert "2 <= batch <= 64" in error
    assert "dimension 0 of the argument 'x'" in error


def test_an_unknown_size_is_refused_with_those_that_there_are(opwright, programs):
    error = run_error(opwright, programs / "linear.opw", "--random", "--size", "rows=3")

    assert error == "opwright run: the program has no size called 'rows'; it has batch"


def test_a_missing_operator_names_its_library(opwright, programs):
    done = opwright("run", programs / "clip.opw", "--random")

    assert done.returncode == 1
    assert done.stderr.startswith("opwright run: ")
    assert "audio::soft_clip" in done.stderr
    assert "libsoft_clip.so" in done.stderr


def test_files_that_are_not_there_are_told(opwright, programs, tmp_path):
    program = run_error(opwright, tmp_path / "no.opw")
    library = run_error(opwright, programs / "clip.opw", "--library", tmp_path / "libno.so")
    numbers = run_error(opwright, programs / "linear.opw", "--input", tmp_path / "no.npy")

    assert str(tmp_path / "no.opw") in program
    assert str(tmp_path / "libno.so") in library
    assert numbers == f"opwright run: cannot open {tmp_path}/no.npy: No such file or directory"


def test_an_output_that_no_numpy_file_holds_is_refused(opwright, programs, tmp_path):
    np.save(tmp_path / "mask.npy", np.ones((2, 2), np.float32))

    words = ("-i", tmp_path / "mask.npy", "-i", "n=3", "-o", f"output6={tmp_path}/text.npy")
    error = run_error(opwright, programs / "mixed.opw", *words)

    assert error == "opwright run: output 'output6' is str, which no NumPy file holds"
