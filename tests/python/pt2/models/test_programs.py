"""Models that PyTorch exported give PyTorch's results in every form that a program has.

Seven small ones are in kept.zip. With OPWRIGHT_ALL=1 a child process with torch, transformers, timm
and torchvision exports all of the roster; this process imports none of them.
"""
# Covers: src/pt2/replay/replay.

import importlib.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import opwright as ow
import pytest
from opwright import export, onnx

from tests.shared_folder import make_once

from .recorded import Recorded, assert_close, call_with_leaves, to_array
from .roster import DECODING, KEPT, MADE

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

IS_LONG = os.environ.get("OPWRIGHT_ALL") == "1"
ROOT = Path(__file__).resolve().parents[4]
LIBRARIES = ("torch", "transformers", "timm", "torchvision")
each_decoder = pytest.mark.parametrize("name", DECODING)
each_program = pytest.mark.parametrize("name", [*KEPT, *(MADE if IS_LONG else ())])


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    def unpack(folder):
        with zipfile.ZipFile(Path(__file__).with_name("kept.zip")) as archive:
            archive.extractall(folder)

    return make_once(tmp_path_factory, "kept_models", unpack)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    missing = [name for name in LIBRARIES if not importlib.util.find_spec(name)]
    if missing:
        pytest.fail(f"{', '.join(missing)} not installed; run tools/setup models")

    def write(folder):
        module = "tests.python.pt2.models.write_archives"
        subprocess.run([sys.executable, "-m", module, folder, *MADE], check=True, cwd=ROOT)

    return make_once(tmp_path_factory, "made_models", write)


@pytest.fixture
def recorded(name, request):
    return Recorded(request.getfixturevalue("kept" if name in KEPT else "made"), name)


def check_calls(recorded, run):
    """Compare every recorded call: each must have the state of a program just loaded."""
    assert recorded.spread() >= 100 * recorded.tolerance
    for call in recorded.calls():
        inputs = [ow.from_numpy(each) for each in call.inputs]
        assert_close(run(inputs), call.results, recorded.tolerance)


@each_program
def test_a_module_of_the_program_gives_torchs_results(name, recorded):
    program = export.load(recorded.path)
    spec = program.call_spec.in_spec
    check_calls(recorded, lambda inputs: call_with_leaves(program.module(), spec, inputs))


@each_program
def test_an_opw_file_of_the_program_gives_torchs_results(name, recorded, tmp_path):
    path = tmp_path / "program.opw"
    export.save(export.load(recorded.path), path)

    def run(inputs):
        program = ow.load_program(path)
        return call_with_leaves(program, program.call_spec.in_spec, inputs)

    check_calls(recorded, run)


@each_program
def test_the_compiled_module_gives_torchs_results(name, recorded):
    program = export.load(recorded.path)
    spec = program.call_spec.in_spec

    def run(inputs):
        return call_with_leaves(ow.compile(program.module()), spec, inputs)

    with ow.no_grad():
        check_calls(recorded, run)


def open_session(program):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(onnx.export(program).bytes(), options)


def run_session(session, inputs, state):
    """Run it on the leaves of the arguments; `state` has what the program writes, and changes."""
    names = [each.name for each in session.get_inputs()]
    feeds = dict(zip(names, map(to_array, inputs), strict=True))
    results = session.run(None, feeds | state)
    written = [each.name for each in session.get_overridable_initializers()]
    count = len(results) - len(written)
    state.update(zip(written, results[count:], strict=True))
    return results[:count]


@each_program
def test_the_onnx_model_gives_torchs_results_in_onnx_runtime(name, recorded):
    session = open_session(export.load(recorded.path))
    check_calls(recorded, lambda inputs: run_session(session, inputs, {}))


# ---- Ten tokens, each with the cache of those before ----


def decode(recorded, run):
    steps = recorded.calls("step")
    assert len(steps) == 10
    cache: list = []
    for step in steps:
        results = run([ow.from_numpy(each) for each in step.inputs] + cache)
        assert_close(results[: len(step.results)], step.results, recorded.tolerance)
        cache = list(results[1:])


def decode_with_module(recorded, module, spec):
    with ow.no_grad():
        decode(recorded, lambda inputs: call_with_leaves(module, spec, inputs))


@each_decoder
def test_a_module_decodes_ten_tokens(name, recorded):
    program = export.load(recorded.path)
    decode_with_module(recorded, program.module(), program.call_spec.in_spec)


@each_decoder
def test_a_module_of_an_opw_file_decodes_ten_tokens(name, recorded, tmp_path):
    export.save(export.load(recorded.path), tmp_path / "program.opw")
    program = ow.load_program(tmp_path / "program.opw")
    decode_with_module(recorded, program.module(), program.call_spec.in_spec)


@each_decoder
def test_a_compiled_module_decodes_ten_tokens(name, recorded):
    program = export.load(recorded.path)
    decode_with_module(recorded, ow.compile(program.module()), program.call_spec.in_spec)


@each_decoder
def test_an_onnx_model_decodes_ten_tokens(name, recorded):
    session, state = open_session(export.load(recorded.path)), {}
    decode(recorded, lambda inputs: run_session(session, inputs, state))


def test_no_library_that_defines_the_models_is_imported(kept):
    code = "import sys, opwright.export as e; "
    code += f"e.load({str(kept / 'bert.pt2')!r}); "
    code += f"sys.exit(bool(set({LIBRARIES!r}) & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", code], check=True)
