"""Files of models: external data, what is stored, names, state that a program writes."""

import pathlib

import numpy as np
import onnx
import onnxruntime
import opwright as ow
import pytest
from opwright import _C
from opwright.export.exporter import trace_program


def model_of(fn, args: tuple, **options) -> _C.OnnxModel:
    program = trace_program(fn, args, None, None, 20)
    given = {
        "input_names": [],
        "output_names": [],
        "functions": [],
        "domain_versions": [],
        "metadata": [],
        "external_data": None,
        "doc": "",
    } | options
    return _C.onnx_model(program._program, 20, **given)


class Stack(ow.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.large = ow.nn.Parameter(ow.randn(64, 64))
        self.small = ow.nn.Parameter(ow.randn(64))

    def forward(self, x: ow.Tensor) -> ow.Tensor:
        return ow.cat([x, self.large, self.small.unsqueeze(0)]).flip(0)


def test_large_tensors_go_to_a_file_beside_the_model(tmp_path: pathlib.Path) -> None:
    stack = Stack()
    path = tmp_path / "stack.onnx"
    model_of(stack, (ow.randn(2, 64),), external_data=True).save(str(path))
    assert (tmp_path / "stack.onnx.data").stat().st_size == 64 * 64 * 4
    assert path.stat().st_size < 4096
    onnx.checker.check_model(str(path), full_check=True)
    stored = {each.name: each for each in onnx.load(str(path)).graph.initializer}
    np.testing.assert_array_equal(
        onnx.numpy_helper.to_array(stored["large"]), stack.large.detach().numpy()
    )
    x = ow.randn(2, 64)
    session = onnxruntime.InferenceSession(str(path))
    with ow.no_grad():
        np.testing.assert_array_equal(session.run(None, {"x": x.numpy()})[0], stack(x).numpy())


def test_without_external_data_everything_is_in_one_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "stack.onnx"
    model_of(Stack(), (ow.randn(2, 64),)).save(str(path))
    assert [each.name for each in tmp_path.iterdir()] == ["stack.onnx"]
    onnx.checker.check_model(str(path), full_check=True)


def test_a_folder_that_is_not_there_is_an_os_error_that_names_the_path() -> None:
    with pytest.raises(OSError, match=r"not_there/model\.onnx"):
        model_of(lambda x: x.flip(0), (ow.randn(2),)).save("not_there/model.onnx")


class Shared(ow.nn.Module):
    """A tensor of 1 MiB under 2,100 names: above 2 GB in a model, but not in memory."""

    def __init__(self) -> None:
        super().__init__()
        block = ow.zeros(1, 262144)
        for index in range(2100):
            self.register_buffer(f"b{index}", block.view(1, 262144))

    def forward(self, x: ow.Tensor) -> ow.Tensor:
        return ow.cat([x, *self.buffers()])


def test_a_model_above_two_gigabytes_asks_for_external_data() -> None:
    model = model_of(Shared(), (ow.zeros(1, 262144),), external_data=False)
    with pytest.raises(ValueError, match="holds 2 GB at most") as caught:
        model.bytes()
    assert "external_data=True" in str(caught.value)


def test_names_metadata_and_documentation_stand_in_the_model() -> None:
    model = model_of(
        lambda x: (x.flip(0), x.sum()),
        (ow.randn(3),),
        input_names=["given"],
        output_names=["turned", "total"],
        metadata=[("author", "us")],
        doc="turns",
    )
    loaded = onnx.load_from_string(model.bytes())
    assert [each.name for each in loaded.graph.input] == ["given"]
    assert [each.name for each in loaded.graph.output] == ["turned", "total"]
    assert {each.key: each.value for each in loaded.metadata_props} == {"author": "us"}
    assert loaded.doc_string == "turns"
    assert loaded.producer_name == "opwright"
    assert "test_model_file.py" in loaded.graph.node[0].doc_string


def test_an_input_that_is_returned_and_an_output_that_stands_twice_are_outputs() -> None:
    def f(x: ow.Tensor) -> tuple[ow.Tensor, ...]:
        y = x.flip(0)
        return x, y, y

    model = model_of(f, (ow.randn(3),))
    x = np.arange(3, dtype=np.float32)
    given = onnxruntime.InferenceSession(model.bytes()).run(None, {"x": x})
    for mine, theirs in zip(given, (x, x[::-1], x[::-1]), strict=True):
        np.testing.assert_array_equal(mine, theirs)


class Counter(ow.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", ow.zeros(2))

    def forward(self, x: ow.Tensor) -> ow.Tensor:
        self.count.copy_(ow.cat([self.count[1:], x]))
        return self.count.flip(0)


def test_a_written_buffer_is_an_input_with_a_default_and_an_output() -> None:
    model = model_of(Counter(), (ow.ones(1),))
    assert model.input_names == ["x", "count"]
    assert model.output_names == ["output_0", "count_out"]
    session = onnxruntime.InferenceSession(model.bytes())
    x = np.array([5.0], np.float32)
    turned, count = session.run(None, {"x": x})
    np.testing.assert_array_equal(count, [0, 5])
    np.testing.assert_array_equal(turned, [5, 0])
    turned, count = session.run(None, {"x": x + 1, "count": count})
    np.testing.assert_array_equal(count, [5, 6])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"input_names": ["a", "b"]}, "2 input names were given, but the program has 1 inputs"),
        ({"output_names": ["a", "b"]}, "2 output names were given, but the program has 1 outputs"),
        ({"input_names": ["same"], "output_names": ["same"]}, "the name 'same' of an output"),
    ],
)
def test_names_that_do_not_fit_are_refused(names: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model_of(lambda x: x.flip(0), (ow.randn(2),), **names)


def test_a_program_that_draws_random_numbers_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="draws random numbers"):
        model_of(lambda x: x.bernoulli(0.5), (ow.rand(2),))
