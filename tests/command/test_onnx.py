"""opwright onnx: a program becomes an ONNX model, without Python."""

import pytest


@pytest.fixture(scope="module")
def onnx():
    return pytest.importorskip("onnx", reason="onnx is not installed: models were not read")


def test_the_model_stands_beside_the_program_and_passes_the_checker(
    opwright, programs, tmp_path, onnx
):
    program = tmp_path / "linear.opw"
    program.write_bytes((programs / "linear.opw").read_bytes())

    done = opwright("onnx", program)

    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tmp_path / 'linear.onnx'}\n"
    model = onnx.load(tmp_path / "linear.onnx")
    onnx.checker.check_model(model, full_check=True)
    (batch, width) = model.graph.input[0].type.tensor_type.shape.dim
    assert (batch.dim_param, width.dim_value) == ("batch", 3)


def test_opset_and_file_are_chosen(opwright, programs, tmp_path, onnx):
    path = tmp_path / "other.onnx"

    opwright("onnx", programs / "linear.opw", "-o", path, "--opset", "13")

    assert onnx.load(path).opset_import[0].version == 13


def test_a_custom_operator_is_a_node_of_its_own(opwright, programs, soft_clip):
    done = opwright("onnx", programs / "clip.opw", "--library", soft_clip, "--text")

    assert done.returncode == 0, done.stderr
    assert "audio::soft_clip" in done.stdout


def test_an_operator_that_is_not_there_names_the_library_to_load(opwright, programs):
    done = opwright("onnx", programs / "clip.opw", "--text")

    assert done.returncode == 1
    assert "libsoft_clip.so" in done.stderr


def test_a_folder_that_is_not_there_is_an_error(opwright, programs, tmp_path):
    done = opwright("onnx", programs / "linear.opw", "-o", tmp_path / "none" / "model.onnx")

    assert done.returncode == 1
    assert str(tmp_path / "none" / "model.onnx") in done.stderr
