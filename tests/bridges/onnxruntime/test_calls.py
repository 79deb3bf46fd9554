"""Arguments, results and dtypes of operators that run as nodes of ONNX Runtime."""
# Covers: bridges/onnxruntime/*.

import numpy as np
import opwright
import pytest
from onnx import TensorProto

from .node_models import node_model, unary_model

X = np.arange(12, dtype=np.float32).reshape(3, 4)
MATRIX = (np.float32, ["n", 4])
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


def test_a_kernel_runs_at_every_batch_size(session):
    run = session(unary_model("audio::soft_clip", limit=0.5), "soft_clip").run

    for rows in (3, 1, 0, 7, 3):
        x = np.linspace(-2, 2, rows * 4, dtype=np.float32).reshape(rows, 4)
        (y,) = run(None, {"x": x})
        np.testing.assert_allclose(y, 0.5 * np.tanh(x / 0.5), rtol=1e-6)


def test_an_attribute_that_is_left_out_has_the_default_of_the_schema(session):
    (y,) = session(unary_model("audio::soft_clip"), "soft_clip").run(None, {"x": X})

    np.testing.assert_allclose(y, np.tanh(X), rtol=1e-6)


def test_a_composite_of_tensor_operations_gives_several_outputs(session):
    model = node_model(
        "cst::dual_residual", {"x": MATRIX, "y": MATRIX}, {"p": MATRIX, "q": MATRIX}, arg2=0.5
    )
    p, q = session(model, "dual_residual").run(None, {"x": X, "y": X + 1})

    np.testing.assert_array_equal(p, X * 0.5 - (X + 1))
    np.testing.assert_array_equal(q, (X + 1) * 0.5 - X)


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool", "float16", "float32", "float64"])
def test_every_dtype_of_numpy_goes_through(session, dtype):
    x = (np.arange(6).reshape(2, 3) % 2).astype(dtype)
    (y,) = session(unary_model("nodes::same", x.dtype, ["n", 3]), "onnx_nodes").run(None, {"x": x})

    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, x)


@pytest.mark.parametrize(
    "dtype", [TensorProto.BFLOAT16, TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E5M2]
)
def test_dtypes_that_numpy_does_not_have_go_through(session, dtype):
    import onnxruntime

    width = np.uint16 if dtype == TensorProto.BFLOAT16 else np.uint8
    bits = np.arange(6, dtype=width)
    made = session(unary_model("nodes::same", dtype, [6]), "onnx_nodes")
    x = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, dtype)
    (y,) = made.run_with_ort_values(None, {"x": x})

    assert y.element_type() == dtype
    assert y.data_type() == x.data_type()


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_the_dtype_of_an_output_is_that_of_the_fake_kernel(session, dtype):
    model = node_model("nodes::in_half", {"x": (dtype, ["n", 2])}, {"y": (np.float16, ["n", 2])})
    (y,) = session(model, "onnx_nodes").run(None, {"x": np.ones((3, 2), dtype)})

    assert y.dtype == np.float16


GATHER = {"shifts": [1, 2], "weights": [0.5, 0.25], "signs": [1, 0, 1]}


def run_gather(session, more=2, bias=True, **attributes):
    extra = {f"m{i}": MATRIX for i in range(more)}
    inputs = {"x": MATRIX, **extra} | ({"bias": MATRIX} if bias else {})
    model = node_model(
        "foreign::gather", inputs, {"y": MATRIX}, more_count=more, **(GATHER | attributes)
    )
    return session(model, "foreign_memory").run(None, dict.fromkeys(inputs, X))[0]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 4 * X + 3 + 0.75 + 0.25 + 7),
        ({"more": 0}, 2 * X + 3 + 0.75 + 0.25 + 7),
        ({"bias": False}, 3 * X + 3 + 0.75 + 0.25 + 7),
        ({"count": 5, "negate": 1}, -(4 * X + 3 + 1 + 7 + 5)),
        ({"mode": "four", "start": -7}, 4 * X + 3 + 1 - 7 + 4),
        ({"scale": 2}, 2 * (4 * X + 11)),
        ({"scale": 0.5}, 0.5 * (4 * X + 11)),
        ({"signs": [], "weights": [], "shifts": []}, 4 * X + 7),
    ],
)
def test_arguments_of_all_kinds_arrive(session, given, expected):
    np.testing.assert_allclose(run_gather(session, **given), expected, rtol=1e-6)


def test_a_dtype_is_an_attribute_with_its_name(session):
    inputs = {"x": MATRIX, "bias": MATRIX}
    outputs = {"y": (np.float64, ["n", 4])}
    model = node_model("foreign::gather", inputs, outputs, more_count=0, dtype="float64", **GATHER)
    (y,) = session(model, "foreign_memory").run(None, {"x": X, "bias": X})

    assert y.dtype == np.float64


def test_a_float_attribute_is_the_decimal_number_that_was_exported(session):
    kind = (np.float64, ["n"])
    model = node_model("nodes::scale", {"x": kind}, {"y": kind}, by=0.1)
    (y,) = session(model, "onnx_nodes").run(None, {"x": np.array([3.0])})

    assert y[0] == 3.0 * 0.1


@pytest.mark.parametrize(("by", "expected"), [(2, 6), (2.5, 7.5)])
def test_an_overload_is_a_node_of_its_own_and_a_scalar_is_int_or_float(session, by, expected):
    kind = (np.float64, ["n"])
    model = node_model("nodes::scale_number", {"x": kind}, {"y": kind}, by=by)
    (y,) = session(model, "onnx_nodes").run(None, {"x": np.array([3.0])})

    assert y[0] == expected


def test_a_list_of_strings_arrives(session):
    model = node_model("nodes::count_letters", {"x": MATRIX}, {"y": MATRIX}, words=["ab", "", "c"])
    (y,) = session(model, "onnx_nodes").run(None, {"x": X})

    np.testing.assert_array_equal(y, X + 3)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_list_is_a_variadic_input(session, count):
    inputs = {f"x{i}": MATRIX for i in range(count)}
    model = node_model("samples_arguments::sum_all", inputs, {"y": MATRIX})
    (y,) = session(model, "torch_arguments").run(None, dict.fromkeys(inputs, X))

    weights = sum(range(1, count + 1))  # the operator counts them
    np.testing.assert_array_equal(y, weights * X)


@pytest.mark.parametrize("given", [["a", "", "b"], ["", "b"], ["a"]])
def test_a_list_may_have_holes(session, given):
    inputs = {name: MATRIX for name in given if name}
    model = node_model("foreign::add_defined", inputs, {"y": MATRIX}, given=given)
    (y,) = session(model, "foreign_memory").run(None, dict.fromkeys(inputs, X))

    np.testing.assert_array_equal(y, len(inputs) * X)


def test_an_optional_tensor_may_be_left_out_in_the_middle(session):
    model = node_model(
        "batched::mix",
        {"a": MATRIX, "b": MATRIX, "scale": MATRIX},
        {"sum": MATRIX, "p": MATRIX, "q": MATRIX},
        given=["a", "b", "", "scale"],
        xs_count=2,
    )
    total, p, q = session(model, "batched").run(None, {"a": X, "b": X + 1, "scale": X})

    op = opwright.ops.batched.mix
    whole, parts = op([opwright.tensor(X), opwright.tensor(X + 1)], scale=opwright.tensor(X))
    np.testing.assert_array_equal(total, whole.numpy())
    np.testing.assert_array_equal(p, parts[0].numpy())
    np.testing.assert_array_equal(q, parts[1].numpy())


def test_a_list_result_fills_the_outputs(session):
    row = (np.float32, [4])
    model = node_model("foreign::rows", {"x": (np.float32, [3, 4])}, {"a": row, "b": row, "c": row})
    rows = session(model, "foreign_memory").run(None, {"x": X})

    np.testing.assert_array_equal(rows, X)


def test_a_result_that_is_not_contiguous_is_copied_in_order(session):
    model = node_model("foreign::transposed", {"x": MATRIX}, {"y": (np.float32, [4, "n"])})
    (y,) = session(model, "foreign_memory").run(None, {"x": X})

    np.testing.assert_array_equal(y, X.T)


def test_outputs_at_the_end_may_be_left_out(session):
    model = node_model("cst::dual_residual", {"x": MATRIX, "y": MATRIX}, {"p": MATRIX}, arg2=0.5)
    (p,) = session(model, "dual_residual").run(None, {"x": X, "y": X})

    np.testing.assert_array_equal(p, X * 0.5 - X)


@pytest.mark.parametrize("times", [1, 2])
def test_results_in_another_order_than_they_were_made_are_whole(session, times):
    model = node_model("nodes::crossed", {"x": MATRIX}, {"p": MATRIX, "q": MATRIX})
    made = session(model, "onnx_nodes")
    for _ in range(times):
        p, q = made.run(None, {"x": X})

    np.testing.assert_array_equal(p, 2 * X)
    np.testing.assert_array_equal(q, X)


def test_a_result_in_the_memory_of_another_output_is_saved_first(session):
    model = node_model("nodes::overlapping", {"x": MATRIX}, {"p": MATRIX, "q": MATRIX})
    p, q = session(model, "onnx_nodes").run(None, {"x": X})

    np.testing.assert_array_equal(p, 3 * X)
    np.testing.assert_array_equal(q, X)


# ---- Operators that write ----


@pytest.mark.parametrize("name", ["halve_", "_functional_halve_"])
def test_the_new_value_of_a_written_argument_is_an_output(session, name):
    model = node_model(f"mutation::{name}", {"x": MATRIX}, {"s": (np.float32, []), "y": MATRIX})
    given = X.copy()
    total, y = session(model, "mutation").run(None, {"x": given})

    assert total == X.sum()
    np.testing.assert_array_equal(y, X / 2)
    np.testing.assert_array_equal(given, X)


def test_an_operator_that_gives_nothing_but_writes_is_a_node(session):
    model = node_model(
        "mutation::accumulate", {"total": MATRIX, "value": MATRIX}, {"y": MATRIX}, weight=2.0
    )
    (y,) = session(model, "mutation").run(None, {"total": X, "value": X})

    np.testing.assert_array_equal(y, 3 * X)


def test_each_tensor_of_a_written_list_is_an_output(session):
    model = node_model(
        "samples_writing::cap_all",
        {"a": MATRIX, "b": MATRIX},
        {"p": MATRIX, "q": MATRIX},
        limit=5.0,
    )
    p, q = session(model, "torch_writing").run(None, {"a": X, "b": -X})

    np.testing.assert_array_equal(p, np.minimum(X, 5))
    np.testing.assert_array_equal(q, -X)


# ---- Operators of Python ----


def test_an_operator_of_python_runs_by_its_object_and_by_its_name(session):
    @opwright.library.custom_op("ort_calls::shift", mutates_args=())
    def shift(x: opwright.Tensor, by: float = 1.0) -> opwright.Tensor:
        return x + by

    shift.register_fake(lambda x, by=1.0: opwright.empty_like(x))
    model = unary_model("ort_calls::shift", by=2.0)

    (by_object,) = session(model, shift).run(None, {"x": X})
    (by_name,) = session(model, opwright.ops.ort_calls.shift).run(None, {"x": X})

    np.testing.assert_array_equal(by_object, X + 2)
    np.testing.assert_array_equal(by_name, X + 2)


def test_a_size_that_only_the_data_tell_is_given(session):
    inputs = {"x": (np.float32, ["n"])}
    outputs = {"v": (np.float32, ["k"]), "p": (np.int64, ["k"])}
    made = session(node_model("samples_sizes::positives", inputs, outputs), "torch_sizes")

    for x in ([1, -1, 2], [-1, -1, -1], [3, 4, 5]):
        given = np.array(x, np.float32)
        values, places = made.run(None, {"x": given})
        np.testing.assert_array_equal(values, given[given > 0])
        np.testing.assert_array_equal(places.ravel(), np.flatnonzero(given > 0))
