"""Sessions, domains and node forms: who knows which operator, under which name."""

import os
import subprocess
import sys
import threading

import numpy as np
import onnxruntime
import opwright
import opwright.onnxruntime
import pytest
from onnx import helper

from tests.bridges.onnxruntime.node_models import model_of, node_model, unary_model, value_info

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
MATRIX = (np.float32, ["n", 4])


def make_session(model, options):
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def test_the_same_binary_twice_is_taken_once(binary):
    options = onnxruntime.SessionOptions()

    first = opwright.onnxruntime.register(options, binary("soft_clip"))
    second = opwright.onnxruntime.register(options, binary("soft_clip"))
    (y,) = make_session(unary_model("audio::soft_clip"), options).run(None, {"x": X})

    assert (first, second) == (["audio::soft_clip"], [])
    np.testing.assert_allclose(y, np.tanh(X), rtol=1e-6)


def test_two_binaries_and_several_domains_stand_in_one_model(session):
    nodes = [
        helper.make_node("soft_clip", ["x"], ["a"], domain="audio"),
        helper.make_node("same", ["a"], ["b"], domain="nodes"),
        helper.make_node("dual_residual", ["b", "x"], ["y", "z"], domain="cst", arg2=2.0),
    ]
    outputs = [value_info(name, *MATRIX) for name in "yz"]
    model = model_of(nodes, [value_info("x", *MATRIX)], outputs)

    y, z = session(model, "soft_clip", "onnx_nodes", "dual_residual").run(None, {"x": X})

    np.testing.assert_allclose(y, 2 * np.tanh(X) - X, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(z, 2 * X - np.tanh(X), rtol=1e-5, atol=1e-6)


def test_registering_in_steps_into_one_domain_works(binary):
    options = onnxruntime.SessionOptions()
    opwright.onnxruntime.register(options, binary("soft_clip"))
    opwright.onnxruntime.register(options, "aten::sin", names={"aten::sin": "audio::sine"})
    nodes = [
        helper.make_node("soft_clip", ["x"], ["a"], domain="audio"),
        helper.make_node("sine", ["a"], ["y"], domain="audio"),
    ]
    model = model_of(nodes, [value_info("x", *MATRIX)], [value_info("y", *MATRIX)])

    (y,) = make_session(model, options).run(None, {"x": X})

    np.testing.assert_allclose(y, np.sin(np.tanh(X)), rtol=1e-5)


def test_several_sessions_share_options_and_operators(binary):
    options = onnxruntime.SessionOptions()
    opwright.onnxruntime.register(options, binary("soft_clip"))
    sessions = [make_session(unary_model("audio::soft_clip", limit=i), options) for i in (1.0, 2.0)]
    other = onnxruntime.SessionOptions()
    opwright.onnxruntime.register(other, binary("soft_clip"))
    sessions.append(make_session(unary_model("audio::soft_clip", limit=3.0), other))

    for limit, each in enumerate(sessions, start=1):
        (y,) = each.run(None, {"x": X})
        np.testing.assert_allclose(y, limit * np.tanh(X / limit), rtol=1e-5)


def test_a_session_outlives_its_options(session):
    made = session(unary_model("audio::soft_clip"), "soft_clip")  # whose options are gone

    for _ in range(100):
        made.run(None, {"x": X})


def test_threads_run_one_session_with_different_sizes(session):
    made = session(unary_model("audio::soft_clip"), "soft_clip")
    failures = []

    def work(rows):
        x = np.full((rows, 4), 0.5, np.float32)
        for _ in range(200):
            (y,) = made.run(None, {"x": x})
            if y.shape != x.shape or not np.allclose(y, np.tanh(0.5)):
                failures.append(rows)

    threads = [threading.Thread(target=work, args=(rows,)) for rows in range(1, 13)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert not failures


def test_a_node_that_the_binary_names_is_known(session):
    (y,) = session(unary_model("nodes_vendor::SameNode"), "onnx_nodes").run(None, {"x": X})

    np.testing.assert_array_equal(y, X)


def test_names_tell_another_node_with_other_attributes(session):
    model = node_model("rknn::Clip", {"x": MATRIX}, {"y": MATRIX}, level=2.0)
    names = {"audio::soft_clip": "rknn::Clip(x, level=limit)"}

    (y,) = session(model, "soft_clip", names=names).run(None, {"x": X})

    np.testing.assert_allclose(y, 2 * np.tanh(X / 2), rtol=1e-5)


def test_a_form_may_give_inputs_in_another_order(session):
    inputs = {"b": MATRIX, "a": MATRIX}
    outputs = {"p": MATRIX, "q": MATRIX}
    model = node_model("d::Swapped", inputs, outputs, alpha=0.5)
    names = {"cst::dual_residual": "d::Swapped(arg1, arg0, alpha=arg2)"}

    p, _ = session(model, "dual_residual", names=names).run(None, {"a": X, "b": X + 1})

    np.testing.assert_allclose(p, 0.5 * X - (X + 1), rtol=1e-5)


@pytest.mark.parametrize("form", ["file", "bytes", "proto"])
def test_a_model_tells_its_nodes(binary, tmp_path, form):
    model = node_model("vendor::Clip", {"x": MATRIX}, {"y": MATRIX}, limit=2.0)
    line = "audio::soft_clip = vendor::Clip(x, limit=limit)"
    helper.set_model_props(model, {"other": "text", "opwright.operators": line})
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    given = {
        "file": tmp_path / "model.onnx",
        "bytes": model.SerializeToString(),
        "proto": model,
    }
    options = onnxruntime.SessionOptions()

    nodes = opwright.onnxruntime.register(options, binary("soft_clip"), model=given[form])
    (y,) = make_session(model, options).run(None, {"x": X})

    assert nodes == ["vendor::Clip", "audio::soft_clip"]
    np.testing.assert_allclose(y, 2 * np.tanh(X / 2), rtol=1e-5)


def test_a_model_of_somebody_else_tells_nothing(binary):
    nodes = opwright.onnxruntime.register(
        onnxruntime.SessionOptions(), binary("soft_clip"), model=unary_model("other::Node")
    )

    assert nodes == ["audio::soft_clip"]


def test_the_libraries_of_the_environment_are_taken(binary, monkeypatch):
    from opwright._bridge.library import open_bridge

    paths = [str(binary("soft_clip")), str(binary("onnx_nodes"))]
    monkeypatch.setenv("OPWRIGHT_ONNXRUNTIME_LIBRARIES", ":".join(paths))
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(open_bridge("onnxruntime").path)

    (y,) = make_session(unary_model("audio::soft_clip"), options).run(None, {"x": X})
    (same,) = make_session(unary_model("nodes::same"), options).run(None, {"x": X})

    np.testing.assert_allclose(y, np.tanh(X), rtol=1e-6)
    np.testing.assert_array_equal(same, X)


TOGETHER = """
import sys
import numpy as np
import torch, jax.numpy as jnp, onnxruntime
import opwright, opwright.torch, opwright.jax, opwright.onnxruntime
from tests.bridges.onnxruntime.node_models import unary_model

path = sys.argv[1]
x = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
opwright.torch.load(path)
opwright.jax.load(path)
options = onnxruntime.SessionOptions()
opwright.onnxruntime.register(options, path)
session = onnxruntime.InferenceSession(unary_model("audio::soft_clip").SerializeToString(), options)
for _ in range(3):
    results = [
        session.run(None, {"x": x})[0],
        torch.ops.audio.soft_clip(torch.from_numpy(x), 1.0).numpy(),
        np.asarray(opwright.jax.ops.audio.soft_clip(jnp.asarray(x), 1.0)),
        opwright.ops.audio.soft_clip(opwright.tensor(x), 1.0).numpy(),
    ]
    for each in results[1:]:
        np.testing.assert_array_equal(each, results[0])
print("equal")
"""


def test_one_binary_serves_torch_jax_and_onnx_runtime_in_one_process(binary):
    pytest.importorskip("torch")
    pytest.importorskip("jax")
    run = subprocess.run(
        [sys.executable, "-c", TOGETHER, str(binary("soft_clip"))],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.stdout == "equal\n", run.stderr
