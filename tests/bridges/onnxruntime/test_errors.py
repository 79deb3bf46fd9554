"""Texts of errors: when operators are registered, when a model is loaded, when a node runs."""

import numpy as np
import opwright
import opwright.onnxruntime
import pytest
from onnxruntime import SessionOptions
from onnxruntime.capi import onnxruntime_pybind11_state as ort

from .node_models import node_model, unary_model

X = np.arange(12, dtype=np.float32).reshape(3, 4)
MATRIX = (np.float32, ["n", 4])


def expect_load_error(session, text, model, *names):
    kinds = (ort.RuntimeException, ort.Fail, ort.InvalidGraph)
    with pytest.raises(kinds) as caught:
        session(model, *names)
    assert text in str(caught.value)


# ---- When operators are registered ----


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(OSError, match=r"nowhere/libnone\.so"):
        opwright.onnxruntime.register(SessionOptions(), "nowhere/libnone.so")


def test_an_operator_that_is_not_there_is_named():
    with pytest.raises(AttributeError, match="audio::nothing"):
        opwright.onnxruntime.register(SessionOptions(), "audio::nothing")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "foreign::size_of",
            "foreign::size_of: it returns a int, but a node of ONNX Runtime returns tensors only",
        ),
        (
            "foreign::drop_view",
            "foreign::drop_view: it returns nothing, but a node of ONNX Runtime must have an "
            "output",
        ),
        (
            "samples_arguments::turn",
            "samples_arguments::turn: argument 'by' is a complex, which a node of ONNX Runtime "
            "cannot have",
        ),
    ],
)
def test_an_operator_that_no_node_can_be_is_refused_by_name(binary, name, text):
    opwright.load_library(binary("foreign_memory"))
    opwright.load_library(binary("torch_arguments"))

    with pytest.raises(TypeError) as caught:
        opwright.onnxruntime.register(SessionOptions(), name)

    assert str(caught.value) == text


def test_such_operators_of_a_binary_are_left_out(binary):
    nodes = opwright.onnxruntime.register(SessionOptions(), binary("foreign_memory"))

    assert "foreign::rows" in nodes
    assert "foreign::draw" in nodes  # its generator has a default
    assert "foreign::size_of" not in nodes


def test_one_node_cannot_be_two_operators(binary):
    with pytest.raises(ValueError, match="the node d::N is audio::soft_clip already, so that it"):
        opwright.onnxruntime.register(
            SessionOptions(),
            binary("soft_clip"),
            names={"audio::soft_clip": "d::N", "aten::sin": "d::N"},
        )


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("d::N(x, y)", "audio::soft_clip has no argument 'y'"),
        ("d::N(x, a=x)", "'x' is a tensor: it is an input of the node, not an attribute"),
        ("d::N(limit=limit)", "argument 'x' has no default, and the node d::N does not give it"),
        ("d::N(x, limit)", "argument 'limit' is a float, which a node of ONNX Runtime must have"),
        ("nothing", "'::' must separate the domain and the name of the node"),
    ],
)
def test_a_form_that_does_not_fit_is_explained(binary, form, text):
    opwright.load_library(binary("soft_clip"))

    with pytest.raises((ValueError, TypeError)) as caught:
        opwright.onnxruntime.register(SessionOptions(), names={"audio::soft_clip": form})

    assert text in str(caught.value)


def test_bytes_that_are_no_model_are_refused():
    with pytest.raises(ValueError, match="this is not an ONNX model"):
        opwright.onnxruntime.register(SessionOptions(), model=b"\xff\xff")


def test_a_failed_registration_leaves_nothing_behind(binary):
    options = SessionOptions()
    with pytest.raises(AttributeError):
        opwright.onnxruntime.register(options, binary("soft_clip"), "audio::nothing")

    assert opwright.onnxruntime.register(options, binary("soft_clip")) == ["audio::soft_clip"]


def test_without_a_registration_the_library_says_what_it_reads(monkeypatch):
    from opwright._bridge.library import open_bridge

    monkeypatch.delenv("OPWRIGHT_ONNXRUNTIME_LIBRARIES", raising=False)

    with pytest.raises(ort.InvalidArgument, match="OPWRIGHT_ONNXRUNTIME_LIBRARIES names no"):
        SessionOptions().register_custom_ops_library(open_bridge("onnxruntime").path)


# ---- When a model is loaded ----


def test_a_missing_attribute_is_named(session):
    model = node_model("cst::dual_residual", {"x": MATRIX, "y": MATRIX}, {"p": MATRIX, "q": MATRIX})

    expect_load_error(
        session,
        "TypeError: cst::dual_residual: argument 'arg2' is missing: it has no default, so the node "
        "needs an attribute 'arg2'",
        model,
        "dual_residual",
    )


@pytest.mark.parametrize(
    ("value", "found"), [("high", "a STRING"), ([1, 2], "INTS"), ([0.5], "FLOATS")]
)
def test_an_attribute_of_a_wrong_kind_is_named(session, value, found):
    expect_load_error(
        session,
        "TypeError: audio::soft_clip: argument 'limit' is of type float, so the attribute 'limit' "
        f"must be a FLOAT, got {found}",
        unary_model("audio::soft_clip", limit=value),
        "soft_clip",
    )


def test_a_list_of_a_wrong_kind_is_named(session):
    attributes = {"shifts": [0.5], "weights": [0.5], "signs": [1]}
    model = node_model("foreign::gather", {"x": MATRIX}, {"y": MATRIX}, more_count=0, **attributes)

    expect_load_error(
        session,
        "TypeError: foreign::gather: argument 'shifts' is of type int[], so the attribute 'shifts' "
        "must be INTS, got FLOATS",
        model,
        "foreign_memory",
    )


def test_a_list_that_is_not_last_needs_its_length(session):
    model = node_model(
        "batched::mix", {"a": MATRIX, "scale": MATRIX}, {"s": MATRIX}, given=["a", "", "scale"]
    )

    expect_load_error(
        session,
        "TypeError: batched::mix: argument 'xs' is a list that is not the last input, so the node "
        "needs the attribute 'xs_count' with its length",
        model,
        "batched",
    )


def test_a_length_that_is_too_large_is_refused(session):
    model = node_model("batched::mix", {"a": MATRIX}, {"s": MATRIX}, xs_count=7)

    expect_load_error(session, "the node has only 1 inputs left for it", model, "batched")


def test_a_node_that_nobody_registered_is_refused_by_onnx_runtime(session):
    expect_load_error(session, "soft_clip", unary_model("audio::soft_clip"))


# ---- When a node runs ----


def test_a_kernel_error_has_its_kind_its_text_and_the_operator(session):
    made = session(unary_model("audio::soft_clip", limit=-1.0), "soft_clip")

    with pytest.raises(ort.InvalidArgument) as caught:
        made.run(None, {"x": X})

    assert (
        "Status Message: ValueError: soft_clip: limit must be positive, got -1\n"
        "  in audio::soft_clip, called by ONNX Runtime"
    ) in str(caught.value)


def test_a_wrong_dtype_at_run_time_has_its_own_message(session):
    made = session(unary_model("audio::soft_clip", np.int32), "soft_clip")

    with pytest.raises(ort.InvalidArgument, match="TypeError: soft_clip: dtype int32 is not"):
        made.run(None, {"x": X.astype(np.int32)})


def test_strings_are_refused(session):
    model = unary_model("nodes::same", np.dtype(object), ["n"])
    made = session(model, "onnx_nodes")

    with pytest.raises(ort.InvalidArgument) as caught:
        made.run(None, {"x": np.array(["a", "b"], dtype=object)})

    assert (
        "TypeError: nodes::same: argument 'x' is a tensor of string, which no tensor of Opwright "
        "can hold"
    ) in str(caught.value)


@pytest.mark.parametrize(
    ("how", "kind", "text"),
    [
        (0, ort.RuntimeException, "KeyError: no such key"),
        (1, ort.RuntimeException, "RuntimeError: beyond the end"),
        (2, ort.RuntimeException, "MemoryError: out of memory"),
        (3, ort.RuntimeException, "RuntimeError: an exception that is not a std::exception"),
        (4, ort.InvalidArgument, "IndexError: a worker failed at"),
        (5, ort.RuntimeException, "RuntimeError: failing::fail: result 0 was left undefined"),
    ],
)
def test_whatever_goes_wrong_in_a_binary_is_an_error(session, how, kind, text):
    made = session(unary_model("failing::fail", how=how), "failing")

    with pytest.raises(kind) as caught:
        made.run(None, {"x": X})

    assert text in str(caught.value)


def test_an_exception_of_a_python_kernel_has_its_kind_and_text(session):
    @opwright.library.custom_op("ort_errors::refuse", mutates_args=())
    def refuse(x: opwright.Tensor) -> opwright.Tensor:
        raise LookupError("nothing found")

    made = session(unary_model("ort_errors::refuse"), refuse)

    with pytest.raises(ort.RuntimeException, match="LookupError: nothing found"):
        made.run(None, {"x": X})


def test_a_result_that_differs_from_the_fake_kernel_is_refused(session):
    model = node_model(
        "foreign::promised_more", {"x": (np.float32, ["n"])}, {"y": (np.float32, None)}
    )
    made = session(model, "foreign_memory")

    with pytest.raises(ort.InvalidArgument) as caught:
        made.run(None, {"x": X[0]})

    assert (
        "ValueError: foreign::promised_more: result 0 is float32[4], but the fake kernel says "
        "float32[5]; they must agree"
    ) in str(caught.value)


def test_a_model_that_promises_another_dtype_is_refused(session):
    @opwright.library.custom_op("ort_errors::to_double", mutates_args=())
    def to_double(x: opwright.Tensor) -> opwright.Tensor:
        return x.to(opwright.float64)

    made = session(unary_model("ort_errors::to_double"), to_double)  # without a fake kernel

    with pytest.raises(ort.InvalidArgument) as caught:
        made.run(None, {"x": X})

    assert (
        "TypeError: ort_errors::to_double: result 0 is of dtype float64, but the model has an "
        "output of float32 there"
    ) in str(caught.value)


def test_a_list_of_another_length_than_the_outputs_is_refused(session):
    row = (np.float32, [4])
    model = node_model("foreign::rows", {"x": (np.float32, ["n", 4])}, {"a": row, "b": row})
    made = session(model, "foreign_memory")

    with pytest.raises(
        ort.InvalidArgument, match="it returns 3 tensors, but the node has 2 outputs for them"
    ):
        made.run(None, {"x": X})


def test_memory_that_must_not_be_written_is_guarded(session):
    made = session(unary_model("foreign::write_unwritten"), "foreign_memory")

    with pytest.raises(ort.InvalidArgument, match="the memory of this tensor is read-only"):
        made.run(None, {"x": X})


def test_a_kernel_that_keeps_an_input_is_found(session):
    made = session(unary_model("foreign::keep_view"), "foreign_memory")

    with pytest.raises(ort.RuntimeException) as caught:
        made.run(None, {"x": X})
    opwright.ops.foreign.drop_view(opwright.zeros(1))

    assert (
        "RuntimeError: foreign::keep_view: argument 'x' is still shown by a tensor that the kernel "
        "kept; ONNX Runtime's memory ends with the call, so keep a clone() instead"
    ) in str(caught.value)


def test_a_kernel_that_keeps_a_result_is_found(session):
    made = session(unary_model("nodes::keeps_result"), "onnx_nodes")

    with pytest.raises(ort.RuntimeException, match="nodes::keeps_result: a result is still shown"):
        made.run(None, {"x": X})
