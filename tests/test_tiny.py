"""Every mode once, in under five seconds with the start of the interpreter.

One operator is written in Python, one is a C++ binary; each goes through all modes. Other hosts are
left out: importing torch or jax alone takes longer than everything here.
"""

import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import opwright as ow
import pytest

BUILD = Path(os.environ.get("OPWRIGHT_BUILD", Path(__file__).parents[1] / "build" / "release"))


def soft_clip(x: np.ndarray, limit: float) -> np.ndarray:
    return limit * np.tanh(x / limit)


@pytest.fixture(scope="module")
def in_python() -> Iterator[ow.Operator]:
    """Define audio::soft_clip again in Python, with every rule but jvp, which backward gives."""
    with ow.library.Library("tiny", "DEF") as lib:
        lib.define("soft_clip(Tensor x, float limit=1.0) -> Tensor", tags="pointwise")
        lib.impl("soft_clip", lambda x, limit: limit * (x / limit).tanh(), "CPU")
        ow.library.register_fake("tiny::soft_clip", lambda x, limit: ow.empty_like(x), lib=lib)

        def save(context, inputs, output):
            context.limit = inputs[1]
            context.save_for_backward(output)

        def backward(context, grad):
            (y,) = context.saved_tensors
            return grad * (1 - (y / context.limit) ** 2), None

        ow.library.register_autograd("tiny::soft_clip", backward, setup_context=save, lib=lib)
        yield ow.ops.tiny.soft_clip


@pytest.fixture(scope="module")
def in_cpp() -> ow.Operator:
    ow.load_library(BUILD / "operators" / "libsoft_clip.so")
    return ow.ops.audio.soft_clip


@pytest.fixture(params=["in_python", "in_cpp"])
def clip(request: pytest.FixtureRequest) -> ow.Operator:
    return request.getfixturevalue(request.param)


X = np.array([-3.0, -0.5, 0.0, 1.0, 2.0], np.float32)
Y = soft_clip(X, 2.0)
SLOPE = 1 - (Y / 2) ** 2


def assert_close(actual: ow.Tensor, expected: np.ndarray) -> None:
    np.testing.assert_allclose(actual.detach().numpy(), expected, rtol=1e-5, atol=1e-6)


def test_eager(clip):
    assert_close(clip(ow.tensor(X), 2.0), Y)


def test_fake_tensors_have_the_form_of_results(clip):
    with ow.FakeTensorMode() as mode:
        y = clip(ow.empty(1 << 20, 1 << 20, dtype=ow.float16))
    z = clip(mode.from_tensor(ow.tensor(X), dynamic=True))

    assert y.is_fake
    assert (tuple(y.shape), y.dtype) == ((1 << 20, 1 << 20), ow.float16)
    assert ow.is_symbolic(z.shape[0])


def test_backward(clip):
    x = ow.tensor(X, requires_grad=True)

    clip(x, 2.0).sum().backward()

    assert_close(x.grad, SLOPE)


def test_grad(clip):
    assert_close(ow.func.grad(lambda x: clip(x, 2.0).sum())(ow.tensor(X)), SLOPE)


def test_jvp(clip):
    y, tangent = ow.func.jvp(lambda x: clip(x, 2.0), (ow.tensor(X),), (ow.full((5,), 3.0),))

    assert_close(y, Y)
    assert_close(tangent, 3 * SLOPE)


def test_vmap_of_grad(clip):
    assert_close(ow.vmap(ow.func.grad(lambda x: clip(x, 2.0)))(ow.tensor(X)), SLOPE)


def test_a_trace_with_symbolic_sizes_runs_at_another_size(clip):
    traced = ow.make_fx(lambda x: clip(x, 2.0) * x.size(0), tracing_mode="symbolic")(ow.ones(3))

    assert_close(traced(ow.tensor(X)), 5 * Y)
    assert ow.Graph.parse(str(traced.graph)) == traced.graph


def test_a_functionalized_trace_writes_nothing_but_its_input(clip):
    def scale_first(x):
        x[:2].mul_(4)
        return clip(x, 2.0).add_(1)

    traced = ow.make_fx(scale_first, tracing_mode="symbolic")(ow.ones(3)).functionalize()
    x = ow.tensor(X)
    y = traced(x)

    scaled = X * np.array([4, 4, 1, 1, 1], np.float32)
    assert_close(x, scaled)
    assert_close(y, soft_clip(scaled, 2.0) + 1)
    called = [node.target for node in traced.graph.nodes if node.op == "call_function"]
    assert [op.name for op in called if op.schema.is_mutable] == ["aten::copy_"]


class Limiter(ow.nn.Module):
    def __init__(self, clip: ow.Operator):
        super().__init__()
        self.clip = clip
        self.gain = ow.nn.Parameter(ow.tensor(0.5))

    def forward(self, x):
        return self.clip(x * self.gain, 2.0)


def test_an_exported_program_is_saved_loaded_and_run(clip, tmp_path):
    sizes = {"x": {0: ow.export.Dim("samples", min=1, max=1 << 20)}}
    program = ow.export.export(Limiter(clip), (ow.ones(3),), dynamic_shapes=sizes)

    ow.export.save(program, tmp_path / "limiter.opw")
    loaded = ow.load_program(tmp_path / "limiter.opw")

    assert_close(loaded.module()(ow.tensor(X)), soft_clip(X / 2, 2.0))


@pytest.mark.parametrize("backend", ["plan", "llvm"])
def test_compile(clip, backend):
    compiled = ow.compile(lambda x: (clip(x * 1.0, 2.0) + 1).relu(), backend=backend, dynamic=True)

    for size in (5, 3):
        assert_close(compiled(ow.tensor(X[:size])), np.maximum(Y[:size] + 1, 0))
    assert compiled.num_compiles == 1


def test_opcheck_finds_nothing(clip):
    report = ow.opcheck(clip, (ow.tensor(X), 2.0), examples=3)

    assert report.ok, report.table()
    assert {"schema", "fake", "autograd"} <= {line.check for line in report.lines if line.inputs}


def test_an_onnx_model_has_the_operator_as_a_node(clip, tmp_path):
    path = tmp_path / "limiter.onnx"

    ow.onnx.export(Limiter(clip), (ow.ones(3),), path, dynamic_shapes={"x": {0: "samples"}})

    content = path.read_bytes()
    assert b"soft_clip" in content
    assert b"samples" in content


def test_a_state_is_saved_and_loaded(clip):
    trained, fresh = Limiter(clip), Limiter(clip)
    with ow.no_grad():
        trained.gain.fill_(1.5)

    fresh.load_state_dict(pickle.loads(pickle.dumps(trained.state_dict())))

    assert_close(fresh(ow.tensor(X)), soft_clip(1.5 * X, 2.0))
