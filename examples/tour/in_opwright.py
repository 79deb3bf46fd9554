"""The operator in every mode of the package."""

import tempfile
from pathlib import Path

import numpy as np
import opwright as ow
from stops import Stops

CPP_SOURCE = """
#include "opwright/opwright.h"
using opwright::Tensor;
Tensor soft_knee(const Tensor& x, double limit) { return x * limit; }
OPWRIGHT_LIBRARY_FRAGMENT(audio, m) { m.def("soft_knee", &soft_knee); }
"""

stops = Stops("Opwright, Python", lambda: ow.tensor([-1.0, 0.0, 1.0, 2.0]))


@stops.stop("an operator binary")
def call_binary(x):
    print(ow.ops.audio.soft_clip(x, limit=2.0))
    print(ow.ops.audio.soft_clip.default.schema)


@stops.stop("an operator written in Python")
def call_python(x):
    @ow.library.custom_op("audio::hard_clip", mutates_args=())
    def hard_clip(x: ow.Tensor, limit: float = 1.0) -> ow.Tensor:
        return ow.from_numpy(np.clip(x.numpy(), -limit, limit))

    print(hard_clip(x, 0.5))


@stops.stop("one that writes its argument")
def call_mutating(x):
    @ow.library.custom_op("audio::mute_", mutates_args={"x"})
    def mute(x: ow.Tensor) -> None:
        x.numpy()[:] = 0

    copy = x.clone()
    mute(copy)
    print(copy, "version", copy._version)


@stops.stop("trained through")
def train(x):
    gain = ow.tensor(0.2, requires_grad=True)
    optimizer = ow.optim.SGD([gain], lr=0.2)
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((ow.ops.audio.soft_clip(x * gain) - x) ** 2).mean()
        loss.backward()
        optimizer.step()
        print(f"loss {loss.item():.4f}, gain {gain.item():.4f}")


@stops.stop("batched and nested")
def map_and_differentiate(x):
    slope = ow.func.grad(lambda sample: ow.ops.audio.soft_clip(sample))
    print(ow.vmap(slope)(x))
    print(ow.func.jvp(ow.ops.audio.soft_clip, (x,), (ow.ones_like(x),))[1])


@stops.stop("fake tensors")
def call_fake(x):
    with ow.FakeTensorMode() as mode:
        y = ow.ops.audio.soft_clip(ow.empty(1 << 20, 1 << 20, device="cuda"))
    assert y.is_fake
    assert y.shape == (1 << 20, 1 << 20)
    print(f"{y.shape} on {y.device}, with no memory and no such device here")
    z = ow.ops.audio.soft_clip(mode.from_tensor(x, dynamic=True))
    assert ow.is_symbolic(z.shape[0])
    print(f"{z.shape}, whatever s0 is")


@stops.stop("traced symbolically")
def trace(x):
    def level(x):
        return ow.ops.audio.soft_clip(x, 2.0).sum() / x.size(0)

    traced = ow.make_fx(level, tracing_mode="symbolic")(x)
    traced.print_readable()
    other = ow.arange(7.0)
    assert ow.allclose(traced(other), level(other))
    assert ow.Graph.parse(str(traced.graph)) == traced.graph
    print(f"run at size 7: {traced(other)}")


@stops.stop("functionalised")
def functionalise(x):
    def clip_first(x):
        x[:2].mul_(4)
        return ow.ops.audio.soft_clip(x, 2.0).add_(1)

    traced = ow.make_fx(clip_first, tracing_mode="symbolic")(x.clone()).functionalize()
    print(traced.code)
    called = [n.target for n in traced.graph.nodes if n.op == "call_function"]
    writes = [operator.name for operator in called if operator.schema.is_mutable]
    assert writes == ["aten::copy_"], writes  # the one to the input, at the end
    mine, eager = ow.arange(5.0) - 2, ow.arange(5.0) - 2
    assert ow.equal(traced(mine), clip_first(eager))
    assert ow.equal(mine, eager)
    print(f"the same result, and the same in the input: {mine}")


class Limiter(ow.nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = ow.nn.Parameter(ow.tensor(2.0))

    def forward(self, x):
        return ow.ops.audio.soft_clip(x * self.gain)


@stops.stop("exported, saved, loaded, run")
def export(x):
    limiter = Limiter()
    sizes = {"x": {0: ow.export.Dim("samples", min=1, max=1 << 20)}}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "limiter.opw")
        ow.export.save(ow.export.export(limiter, (x,), dynamic_shapes=sizes), path)
        print(f"{path.name}, {path.stat().st_size} bytes, holds data and no code:")
        program = ow.load_program(path)
    print(program)
    other = ow.arange(7.0)
    assert ow.equal(program.module()(other), limiter(other))


@stops.stop("exported as an ONNX model")
def export_onnx(x):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "limiter.onnx")
        ow.onnx.export(Limiter(), (x,), path, dynamic_shapes={"x": {0: "samples"}})
        print(f"{path.name}, {path.stat().st_size} bytes, with a node audio::soft_clip")


@stops.stop("compiled")
def compile_function(x):
    @ow.compile(fullgraph=True)
    def limiter(x, gain):
        return ow.softmax(ow.ops.audio.soft_clip(ow.relu(x * gain) + 1.0, 2.0) * 3.0, -1)

    plain = limiter.__wrapped__
    for size in (4, 7, 9):
        other = ow.arange(float(size))
        assert ow.allclose(limiter(other, x[0]), plain(other, x[0]))
    print(f"three sizes, compiled {limiter.num_compiles} times")
    explanation = ow.explain(plain)(x, x[0])
    print(f"the operator stays one call, around it {explanation.num_nests} fused loops")


@stops.stop("built-in operators and modules")
def call_model(x):
    ow.manual_seed(0)
    model = ow.nn.Sequential(ow.nn.Linear(4, 8), ow.nn.GELU(), ow.nn.Linear(8, 2))
    print(ow.softmax(model(ow.ops.audio.soft_clip(x)), -1).sum())


@stops.stop("inline C++")
def call_inline(x):
    ow.cpp_extension.load_inline(name="tour", cpp_sources=CPP_SOURCE)
    print(ow.ops.audio.soft_knee(x, 3.0))


@stops.stop("checked by opcheck")
def check(x):
    report = ow.opcheck(ow.ops.audio.soft_clip, (x, 1.0))
    for line in report.lines:
        print(f"{line.check:<14} {line.state}, {line.inputs} inputs")


@stops.stop("NumPy, without a copy")
def exchange_numpy(x):
    array = np.asarray(x)
    assert array.ctypes.data == x.data_ptr()
    print(repr(array))


@stops.stop("a user's mistake")
def make_mistake(x):
    try:
        ow.ops.audio.soft_clip(x, limit=-1.0)
    except ValueError as error:
        print(f"ValueError: {error}")
    else:
        raise AssertionError("the mistake was not noticed")
