"""export: its arguments, what it accepts and what it leaves unchanged."""

import io
import warnings
from collections.abc import Iterator

import numpy as np
import onnx as reader
import onnxruntime
import opwright as ow
import pytest
from opwright import nn, onnx
from opwright.export import Dim


@pytest.fixture(autouse=True)
def operators() -> Iterator[None]:
    with ow.library.Library("expo", "DEF") as library:
        library.define("scale(Tensor x, float factor) -> Tensor")
        library.impl("scale", refuse_to_run, "CPU")
        library.impl("scale", lambda x, factor: ow.empty_like(x), "Meta")
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: ow.cat([x, x]), "CompositeImplicitAutograd")
        library.define("opaque(Tensor x) -> Tensor")
        library.impl("opaque", lambda x: x[x > 0].clone(), "CPU")
        yield


def refuse_to_run(x, factor):
    raise AssertionError("the kernel ran")


X = ow.ones(2, 3)


class Flip(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(ow.arange(3.0))
        self.modes: list[bool] = []

    def forward(self, x, *, dim=0):
        self.modes.append(self.training)
        return ow.cat([x.flip(dim), self.bias.reshape(1, 3)])


def run(model: onnx.OnnxModel, *args: ow.Tensor) -> list[np.ndarray]:
    session = onnxruntime.InferenceSession(model.bytes())
    feeds = {name: arg.numpy() for name, arg in zip(model.input_names, args, strict=True)}
    return session.run(None, feeds)


# ---- What is exported ----


def test_a_module_runs_in_onnx_runtime_at_other_sizes():
    module = Flip()

    model = onnx.export(module, (X,), dynamic_axes={"x": {0: "rows"}})

    for rows in (1, 5):
        x = ow.randn(rows, 3)
        np.testing.assert_array_equal(run(model, x)[0], module(x).detach().numpy())


def test_a_function_and_a_program_give_the_same_model():
    def f(x):
        return x.flip(0)

    program = ow.export.export(f, (X,), dynamic_shapes={"x": {0: Dim("n")}})

    model = onnx.export(f, (X,), dynamic_shapes={"x": {0: "n"}})

    assert model.text() == onnx.export(program).text()


def test_a_module_is_exported_in_eval_mode_and_put_back():
    module = nn.Sequential(Flip(), nn.Dropout())
    module[1].eval()

    onnx.export(module, (X,))

    assert module[0].modes == []  # an export restores what the module changes
    assert (module.training, module[0].training, module[1].training) == (True, True, False)


def test_dropout_is_left_out_in_eval_mode_alone():
    module = nn.Sequential(nn.Dropout(), nn.Flatten())

    assert "Dropout" not in onnx.export(module, (X,)).text()
    with pytest.raises(NotImplementedError, match="draws random numbers"):
        onnx.export(module, (X,), training=onnx.TrainingMode.TRAINING)
    with pytest.raises(NotImplementedError, match="draws random numbers"):
        onnx.export(module, (X,), training=onnx.TrainingMode.PRESERVE)


def test_keywords_are_given_by_name_or_at_the_end():
    module = Flip()
    by_name = onnx.export(module, (X,), kwargs={"dim": 1}).text()

    assert onnx.export(module, (X, {"dim": 1})).text() == by_name
    assert onnx.export(module, X, kwargs={"dim": 1}).text() == by_name
    assert onnx.export(module, X).text() != by_name


def test_nested_arguments_have_names_by_their_places():
    def f(batch, pair):
        return ow.cat([batch["x"], *pair])

    model = onnx.export(
        f, ({"x": X}, (X, X)), dynamic_axes={"batch.x": {0: "m"}, "pair.1": {0: "n"}}
    )

    assert model.input_names == ["batch.x", "pair.0", "pair.1"]
    assert "input batch.x: float32[m, 3]" in model.text()
    assert "input pair.1: float32[n, 3]" in model.text()


# ---- No kernel runs ----


def test_an_operator_with_a_fake_kernel_is_not_run():
    model = onnx.export(lambda x: ow.ops.expo.scale(x, 0.5), (X,), dynamic_axes={"x": {0: "n"}})

    assert "output_0 = expo::scale<factor=0.5>(x)" in model.text()
    assert "output output_0: float32[n, 3]" in model.text()


def test_a_composite_operator_stays_whole():
    model = onnx.export(lambda x: ow.ops.expo.twice(x), (X,), dynamic_axes={"x": {0: "n"}})

    assert "output_0 = expo::twice(x)" in model.text()
    assert "output output_0: float32[2*n, 3]" in model.text()


def test_an_operator_with_neither_is_run_once_with_one_notice():
    def f(x):
        return ow.ops.expo.opaque(ow.ops.expo.opaque(x.flip(0)))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = onnx.export(f, (ow.tensor([1.0, -1.0, 2.0]),), dynamic_axes={"x": {0: "n"}})

    assert [str(each.message) for each in caught] == [
        "onnx.export: there is no fake kernel for expo::opaque: it was run on the given arguments, "
        "and all sizes are fixed; register one with opwright.library.register_fake"
    ]
    assert caught[0].filename == __file__
    assert "input x: float32[3]" in model.text()
    assert "value opaque: float32[2]" in model.text()
    reader.checker.check_model(model.model_proto)


# ---- Arguments ----


def test_names_of_inputs_and_outputs():
    model = onnx.export(
        lambda x, y: (x.flip(0), y),
        (X, X),
        input_names=["a", "b"],
        output_names=["c", "d"],
        dynamic_axes={"a": {0: "rows"}, "c": {0: "rows"}},
    )

    assert (model.input_names, model.output_names) == (["a", "b"], ["c", "d"])
    assert repr(model) == "OnnxModel((a, b) -> (c, d))"
    assert "output c: float32[rows, 3]" in model.text()


def test_equal_names_of_sizes_are_equal_sizes():
    model = onnx.export(
        lambda x, y: ow.cat([x, y], 1), (X, X), dynamic_axes={"x": {0: "n"}, "y": {0: "n"}}
    )

    assert "output output_0: float32[n, 6]" in model.text()


def test_sizes_without_names_may_turn_out_to_be_equal():
    model = onnx.export(lambda x, y: x + y, (X, X), dynamic_axes={"x": [0], "y": [0]})

    x = ow.randn(5, 3)
    np.testing.assert_array_equal(run(model, x, x)[0], (x + x).numpy())


def test_a_model_can_ask_whether_it_is_exported():
    model = onnx.export(lambda x: x.sin() if onnx.is_in_onnx_export() else x, (X,))

    assert [node.op_type for node in model.model_proto.graph.node] == ["Sin"]
    assert not onnx.is_in_onnx_export()


def test_a_name_that_python_does_not_admit_is_changed():
    model = onnx.export(lambda x: x.flip(0), (X,), dynamic_axes={"x": {-2: "batch size"}})

    assert "input x: float32[batch_size, 3]" in model.text()


def test_dynamic_shapes_take_names_and_dims():
    by_name = onnx.export(lambda x: x.flip(0), (X,), dynamic_shapes={"x": {0: "n"}}).text()

    assert onnx.export(lambda x: x.flip(0), (X,), dynamic_shapes=[{0: Dim("n")}]).text() == by_name
    assert onnx.export(lambda x: x.flip(0), (X,), dynamic_shapes=[["n", None]]).text() == by_name


def test_metadata_versions_and_documentation():
    model = onnx.export(
        lambda x: ow.ops.expo.scale(x, 0.5),
        (X,),
        opset_version=17,
        metadata={"author": "someone"},
        custom_opsets={"expo": 3},
        doc_string="a trial",
    ).model_proto

    assert {each.key: each.value for each in model.metadata_props}["author"] == "someone"
    assert {each.domain: each.version for each in model.opset_import} == {"": 17, "expo": 3}
    assert model.doc_string == "a trial"


def test_an_operator_becomes_a_function_on_request():
    x = ow.randn(2, 3)
    model = onnx.export(
        lambda x: ow.ops.expo.twice(x), (X,), functions=[ow.ops.expo.twice], opset_version=18
    )

    assert [each.name for each in model.model_proto.functions] == ["twice"]
    np.testing.assert_array_equal(run(model, x)[0], ow.cat([x, x]).numpy())


def test_without_parameters_they_are_inputs():
    module = Flip()

    model = onnx.export(module, (X,), export_params=False)

    assert model.input_names == ["bias", "x"]
    np.testing.assert_array_equal(
        run(model, module.bias.detach(), X)[0], module(X).detach().numpy()
    )


def test_verbose_prints_the_model(capsys):
    model = onnx.export(lambda x: x.flip(0), (X,), verbose=True)

    assert capsys.readouterr().out == model.text() + "\n"


def test_what_chooses_between_ways_of_torch_is_accepted():
    model = onnx.export(lambda x: x.flip(0), (X,), dynamo=True, do_constant_folding=True)

    assert model.output_names == ["output_0"]


# ---- Destinations ----


def test_a_model_goes_to_a_path_or_an_open_file(tmp_path):
    model = onnx.export(lambda x: x.flip(0), (X,), tmp_path / "flip.onnx")
    file = io.BytesIO()
    onnx.export(model.exported_program, f=file)

    assert (tmp_path / "flip.onnx").read_bytes() == model.SerializeToString()
    assert file.getvalue() == model.bytes()
    reader.checker.check_model(tmp_path / "flip.onnx", full_check=True)


def test_large_tensors_go_beside_the_model(tmp_path):
    weight = ow.randn(64, 64)
    path = tmp_path / "large.onnx"

    onnx.export(lambda x: ow.cat([x, weight]), (ow.ones(1, 64),), path, external_data=True)

    assert (tmp_path / "large.onnx.data").stat().st_size == 64 * 64 * 4
    session = onnxruntime.InferenceSession(path)
    x = np.ones((1, 64), np.float32)
    np.testing.assert_array_equal(session.run(None, {"x": x})[0][1:], weight.numpy())


def test_the_package_needs_no_onnx():
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['onnx'] = None; sys.modules['onnxruntime'] = None\n"
        "import opwright as ow\n"
        "assert ow.onnx.export(lambda x: x.flip(0), (ow.ones(2),)).bytes()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
