"""Whole models go to ONNX and run in ONNX Runtime at every size, with operators of binaries."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import opwright as ow
import pytest
from opwright import pytree

from tests.python.export.models.cases import Case, map_arrays, to_ours

from .onnx_models.cases import (
    CASES,
    EXPORTS,
    node_values,
    open_session,
    run_session,
    write_model,
    write_torch_model,
)

OPSETS = (12, 17, 20, 23, 26)

each_model = pytest.mark.parametrize("case", CASES, ids=str)
each_opset = pytest.mark.parametrize("opset", OPSETS)
each_export = pytest.mark.parametrize(
    ("case", "from_program"),
    EXPORTS,
    ids=[f"{case}-{'program' if from_program else 'module'}" for case, from_program in EXPORTS],
)


def all_calls(case: Case) -> list[tuple[Any, ...]]:
    return [case.inputs(*sizes) for sizes in (case.exported, *case.others)]


def run_eagerly(model: Any, calls: list[tuple[Any, ...]]) -> list[list[np.ndarray]]:
    with ow.no_grad():
        results = [model(*map_arrays(to_ours, call)) for call in calls]
    return [[each.numpy() for each in pytree.tree_flatten(result)[0]] for result in results]


def assert_close(given: list[list[np.ndarray]], expected: list[list[np.ndarray]]) -> None:
    for ours, theirs in zip(given, expected, strict=True):
        for mine, other in zip(ours, theirs, strict=True):
            assert mine.dtype == other.dtype
            np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5)


def typed_values(model: onnx.ModelProto) -> set[str]:
    """Name what has a dtype and sizes."""
    return {
        each.name
        for each in (*model.graph.value_info, *model.graph.output)
        if each.type.tensor_type.elem_type and each.type.tensor_type.HasField("shape")
    }


@each_export
@each_opset
def test_a_model_gives_in_onnx_runtime_what_eager_gives_at_every_size(
    case: Case, opset: int, from_program: bool, tmp_path: Path
) -> None:
    ours, _ = case.make_twins()
    calls = all_calls(case)

    path = write_model(case, ours, tmp_path / "model.onnx", opset, from_program=from_program)

    assert_close(run_session(open_session(case, path), calls), run_eagerly(ours, calls))


@each_export
@each_opset
def test_a_model_is_valid_and_every_value_of_it_has_a_type(
    case: Case, opset: int, from_program: bool, tmp_path: Path
) -> None:
    ours, _ = case.make_twins()

    path = write_model(case, ours, tmp_path / "model.onnx", opset, from_program=from_program)

    onnx.checker.check_model(str(path), full_check=True)
    model = onnx.load(path)
    typed = typed_values(model)
    assert [name for name in node_values(model) if name not in typed] == []


@each_model
def test_inputs_have_the_names_of_the_arguments_and_of_their_free_sizes(
    case: Case, tmp_path: Path
) -> None:
    ours, _ = case.make_twins()

    model = onnx.load(write_model(case, ours, tmp_path / "model.onnx", 20, from_program=False))

    shapes = case.dynamic_shapes(lambda name, **_: name)
    given = {
        each.name: {
            place: dim.dim_param
            for place, dim in enumerate(each.type.tensor_type.shape.dim)
            if dim.dim_param
        }
        for each in model.graph.input
    }
    assert given == shapes


@each_model
def test_an_operator_of_a_binary_is_one_node_of_its_own_domain(case: Case, tmp_path: Path) -> None:
    ours, _ = case.make_twins()

    model = onnx.load(write_model(case, ours, tmp_path / "model.onnx", 20, from_program=False))

    own = [f"{node.domain}::{node.op_type}" for node in model.graph.node if node.domain]
    assert own == list(case.operators)
    domains = {each.domain: each.version for each in model.opset_import}
    assert domains == {"": 20, case.operators[0].partition("::")[0]: 1}


@each_model
def test_torchs_model_with_the_same_weights_gives_the_same(case: Case, tmp_path: Path) -> None:
    """torch's old exporter fixes the length of the encoder's sequences."""
    ours, theirs = case.make_twins()
    calls = all_calls(case)[: 2 if case.name == "encoder" else None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torchs = open_session(case, write_torch_model(case, theirs, 17))

    session = open_session(
        case, write_model(case, ours, tmp_path / "model.onnx", 17, from_program=False)
    )

    assert_close(run_session(session, calls), run_session(torchs, calls))


def test_a_tied_weight_is_stored_once(tmp_path: Path) -> None:
    case = next(each for each in CASES if each.name == "language_model")
    ours, _ = case.make_twins()

    path = write_model(case, ours, tmp_path / "model.onnx", 20, from_program=False)

    sizes = [tuple(each.dims) for each in onnx.load(path).graph.initializer]
    assert sizes.count((19, 16)) + sizes.count((16, 19)) == 1
