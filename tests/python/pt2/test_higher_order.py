"""Higher-order operators in exported programs: control flow, modes, operators that write."""
# Covers: src/pt2/replay/higher_order, src/pt2/replay/functional_write.

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import opwright as ow
import pytest
from opwright.export import load

from tests.shared_folder import make_once

from .test_pt2 import assert_same, calls_of, run

CONTROL_FLOW = ("choice", "recurrence", "mapped")
BOTH_FORMS = (*CONTROL_FLOW, "writing", "grafted_write")


@ow.library.custom_op("pt2_writing::scale_into", mutates_args=("out",))
def scale_into(x: ow.Tensor, out: ow.Tensor, factor: float) -> ow.Tensor:
    out.copy_(x.sum(0) * factor if out.dim() < x.dim() else x * factor)
    return x * 2


@scale_into.register_fake
def _(x, out, factor):
    return ow.empty_like(x)


@ow.library.custom_op("pt2_writing::fill_all", mutates_args=("outs",))
def fill_all(outs: list[ow.Tensor], value: float) -> None:
    for out in outs:
        out.fill_(value)


@fill_all.register_fake
def _(outs, value):
    return None


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    pytest.importorskip("torch")

    def make(folder):
        script = Path(__file__).with_name("torch_higher_order.py")
        subprocess.run([sys.executable, script, folder], check=True)

    return make_once(tmp_path_factory, "pt2_higher_order", make)


def assert_agrees(path, folder, name):
    program = load(path)
    module, spec = program.module(), program.call_spec.in_spec
    with ow.no_grad():
        for inputs, results in calls_of(folder, name):
            assert_same(run(module, spec, inputs), results)


@pytest.mark.parametrize("form", ["", "_decomposed"])
@pytest.mark.parametrize("name", BOTH_FORMS)
def test_a_program_gives_torchs_results_at_both_sizes(folder, name, form):
    assert_agrees(folder / f"{name}{form}.pt2", folder, name)


def test_a_while_loop_runs_as_often_as_its_condition_says(folder):
    assert_agrees(folder / "loop.pt2", folder, "loop")


@pytest.mark.parametrize("name", [*CONTROL_FLOW, "loop"])
def test_control_flow_stays_in_the_file_of_the_program(folder, name, tmp_path):
    ow.export.save(load(folder / f"{name}.pt2"), tmp_path / "saved.opw")
    assert_agrees(tmp_path / "saved.opw", folder, name)


def targets(path):
    with zipfile.ZipFile(path) as archive:
        entry = next(name for name in archive.namelist() if name.endswith("models/model.json"))
        nodes = json.loads(archive.read(entry))["graph_module"]["graph"]["nodes"]
    return [node["target"].removeprefix("torch.ops.") for node in nodes]


@pytest.mark.parametrize(
    ("file", "target"),
    [
        ("choice", "higher_order.cond"),
        ("loop", "higher_order.while_loop"),
        ("recurrence", "higher_order.scan"),
        ("mapped", "higher_order.map_impl"),
        ("writing_decomposed", "higher_order.auto_functionalized_v2"),
        ("grafted_write", "higher_order.wrap_with_set_grad_enabled"),
    ],
)
def test_the_archives_have_the_operators_that_these_tests_are_about(folder, file, target):
    assert target in targets(folder / f"{file}.pt2")


def test_a_branch_is_chosen_by_the_size_of_the_call(folder):
    text = str(load(folder / "choice.pt2").graph)
    assert "aten::full([], 5 - s77, dtype=int64)" in text
    assert text.count("opwright::cond(%logical_and, ") == 1  # on the size
    assert text.count("opwright::cond(") == 3  # two on data, one in a branch of the other


def test_a_write_under_no_grad_becomes_a_standard_onnx_model(folder, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    program = load(folder / "grafted_write.pt2")
    ow.onnx.export(program, f=tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    for inputs, results in calls_of(folder, "grafted_write"):
        name = session.get_inputs()[0].name
        (found,) = session.run(None, {name: inputs[0].numpy()})
        np.testing.assert_allclose(found, results[0].numpy(), rtol=1e-5, atol=1e-6)


def test_the_compiled_module_of_a_program_that_draws_random_numbers_runs(folder):
    pytest.importorskip("llvmlite")
    module = load(folder / "drawing.pt2").module()
    compiled = ow.compile(module)
    for inputs, _ in calls_of(folder, "drawing"):
        noisy, kept = compiled(*inputs)
        assert np.array_equal(noisy.numpy(), inputs[0].numpy())
        assert np.array_equal(kept.numpy(), inputs[0].numpy())
