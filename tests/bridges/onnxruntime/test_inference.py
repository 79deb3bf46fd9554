"""Dtypes and sizes of outputs that ONNX Runtime infers, by the fake kernels."""

import numpy as np
import opwright
import pytest
from onnx import helper

from .node_models import model_of, node_model, unary_model, value_info


def inferred(made, index=0):
    output = made.get_outputs()[index]
    return output.type, output.shape


def test_named_sizes_keep_their_names(session):
    model = node_model("audio::soft_clip", {"x": (np.float32, ["n", 4])}, {"y": (np.float32, None)})

    assert inferred(session(model, "soft_clip")) == ("tensor(float)", ["n", 4])


def test_computed_sizes_are_named_by_their_formula(session):
    @opwright.library.custom_op("ort_infer::stack_twice", mutates_args=())
    def stack_twice(x: opwright.Tensor) -> opwright.Tensor:
        return opwright.cat([x, x])

    stack_twice.register_fake(lambda x: x.new_empty(2 * x.shape[0], *x.shape[1:]))
    model = node_model(
        "ort_infer::stack_twice", {"x": (np.float32, ["n", 4])}, {"y": (np.float32, None)}
    )
    made = session(model, stack_twice)

    assert inferred(made) == ("tensor(float)", ["2*n", 4])
    assert made.run(None, {"x": np.ones((3, 4), np.float32)})[0].shape == (6, 4)


def test_the_dtype_of_the_fake_kernel_goes_to_the_next_node(session):
    nodes = [
        helper.make_node("in_half", ["x"], ["h"], domain="nodes"),
        helper.make_node("Cast", ["h"], ["y"], to=1),
    ]
    model = model_of(
        nodes, [value_info("x", np.float32, ["n"])], [value_info("y", np.float32, None)]
    )
    made = session(model, "onnx_nodes")

    assert inferred(made) == ("tensor(float)", ["n"])
    np.testing.assert_array_equal(made.run(None, {"x": np.ones(3, np.float32)})[0], np.ones(3))


@pytest.mark.parametrize("sizes", [["n", 4], [3, 4], [None, None], []])
def test_a_comparison_gives_bools(session, sizes):
    @opwright.library.custom_op("ort_infer::above", mutates_args=())
    def above(x: opwright.Tensor, y: opwright.Tensor) -> opwright.Tensor:
        return x > y

    above.register_fake(lambda x, y: x > y)
    kind = (np.float32, sizes)
    model = node_model("ort_infer::above", {"x": kind, "y": kind}, {"z": (np.bool_, sizes)})
    made = session(model, above)

    x = np.full([3, 4][: len(sizes)], 2.0, np.float32)
    assert inferred(made)[0] == "tensor(bool)"
    y = np.full_like(x, 1.0)
    np.testing.assert_array_equal(made.run(None, {"x": x, "y": y})[0], x > y)


def test_sizes_that_only_the_data_tell_are_nobody_elses(session):
    inputs = {"x": (np.float32, ["n"])}
    outputs = {"v": (np.float32, None), "p": (np.int64, None)}
    made = session(node_model("samples_sizes::positives", inputs, outputs), "torch_sizes")

    (kind, (size,)), (places_kind, places) = inferred(made, 0), inferred(made, 1)
    assert (kind, places_kind) == ("tensor(float)", "tensor(int64)")
    assert isinstance(size, str)
    assert size != "n"
    assert places[0] != "n"


def test_written_arguments_keep_their_sizes(session):
    inputs = {"total": (np.float32, ["n", 4]), "value": (np.float32, ["n", 4])}
    model = node_model("mutation::accumulate", inputs, {"y": (np.float32, None)})

    assert inferred(session(model, "mutation")) == ("tensor(float)", ["n", 4])


def test_a_fake_kernel_that_fails_leaves_the_model_usable(session):
    @opwright.library.custom_op("ort_infer::no_fake", mutates_args=())
    def no_fake(x: opwright.Tensor) -> opwright.Tensor:
        return x + 1

    made = session(unary_model("ort_infer::no_fake", sizes=["n"]), no_fake)

    np.testing.assert_array_equal(made.run(None, {"x": np.ones(2, np.float32)})[0], [2, 2])


def test_a_fake_kernel_that_decides_by_a_size_names_none(session):
    @opwright.library.custom_op("ort_infer::cut", mutates_args=())
    def cut(x: opwright.Tensor) -> opwright.Tensor:
        return x[:5].clone()

    cut.register_fake(lambda x: x.new_empty(5 if x.shape[0] > 5 else x.shape[0]))
    model = node_model("ort_infer::cut", {"x": (np.float32, ["n"])}, {"y": (np.float32, None)})
    made = session(model, cut)

    assert made.run(None, {"x": np.ones(9, np.float32)})[0].shape == (5,)
    assert made.run(None, {"x": np.ones(3, np.float32)})[0].shape == (3,)
