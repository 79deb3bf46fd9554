"""The operator in every mode of the Python package.

python examples/tour/in_opwright.py libsoft_clip.so
"""

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


@stops.stop("operator from the binary")
def call_binary(x):
    y = ow.ops.audio.soft_clip(x, limit=2.0)
    assert ow.allclose(y, 2 * ow.tanh(x / 2))
    print(y)
    print(ow.ops.audio.soft_clip.default.schema)


@stops.stop("operator written in Python")
def call_python(x):
    @ow.library.custom_op("audio::hard_clip", mutates_args=())
    def hard_clip(x: ow.Tensor, limit: float = 1.0) -> ow.Tensor:
        return ow.from_numpy(np.clip(x.numpy(), -limit, limit))

    y = hard_clip(x, 0.5)
    assert y.tolist() == [-0.5, 0.0, 0.5, 0.5]
    print(y)


@stops.stop("operator that writes its argument")
def call_mutating(x):
    @ow.library.custom_op("audio::mute_", mutates_args={"x"})
    def mute(x: ow.Tensor) -> None:
        x.numpy()[:] = 0

    copy = x.clone()
    mute(copy)
    assert copy.tolist() == [0, 0, 0, 0]
    print(copy, "version", copy._version)


@stops.stop("training")
def train(x):
    gain = ow.tensor(0.2, requires_grad=True)
    optimizer = ow.optim.SGD([gain], lr=0.2)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((ow.ops.audio.soft_clip(x * gain) - x) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        print(f"loss {loss.item():.4f}, gain {gain.item():.4f}")
    assert losses == sorted(losses, reverse=True)


@stops.stop("vmap of grad, jvp")
def map_and_differentiate(x):
    slope = ow.func.grad(lambda sample: ow.ops.audio.soft_clip(sample))
    slopes = ow.vmap(slope)(x)
    tangents = ow.func.jvp(ow.ops.audio.soft_clip, (x,), (ow.ones_like(x),))[1]
    assert ow.allclose(slopes, 1 - ow.tanh(x) ** 2)
    assert ow.allclose(tangents, slopes)
    print(f"vmap of grad {slopes}\njvp          {tangents}")


@stops.stop("fake tensors")
def call_fake(x):
    with ow.FakeTensorMode() as mode:
        y = ow.ops.audio.soft_clip(ow.empty(1 << 20, 1 << 20, device="cuda"))
    assert y.is_fake
    assert y.shape == (1 << 20, 1 << 20)
    print(f"{y.shape} on {y.device}, no memory allocated, no CUDA device needed")
    z = ow.ops.audio.soft_clip(mode.from_tensor(x, dynamic=True))
    assert ow.is_symbolic(z.shape[0])
    print(f"{z.shape}, for any size s0")


@stops.stop("symbolic tracing")
def trace(x):
    def level(x):
        return ow.ops.audio.soft_clip(x, 2.0).sum() / x.size(0)

    traced = ow.make_fx(level, tracing_mode="symbolic")(x)
    traced.print_readable()
    other = ow.arange(7.0)
    assert ow.allclose(traced(other), level(other))
    assert ow.Graph.parse(str(traced.graph)) == traced.graph
    print(f"run at size 7: {traced(other)}")


@stops.stop("functionalize")
def functionalize(x):
    def clip_first(x):
        x[:2].mul_(4)
        return ow.ops.audio.soft_clip(x, 2.0).add_(1)

    traced = ow.make_fx(clip_first, tracing_mode="symbolic")(x.clone()).functionalize()
    print(traced.code)
    called = [n.target for n in traced.graph.nodes if n.op == "call_function"]
    writes = [operator.name for operator in called if operator.schema.is_mutable]
    assert writes == ["aten::copy_"], writes  # the input is written once, at the end
    mine, eager = ow.arange(5.0) - 2, ow.arange(5.0) - 2
    assert ow.equal(traced(mine), clip_first(eager))
    assert ow.equal(mine, eager)
    print(f"same result; the input was updated too: {mine}")


class Limiter(ow.nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = ow.nn.Parameter(ow.tensor(2.0))

    def forward(self, x):
        return ow.ops.audio.soft_clip(x * self.gain)


@stops.stop("export, save, load, run")
def export(x):
    limiter = Limiter()
    sizes = {"x": {0: ow.export.Dim("samples", min=1, max=1 << 20)}}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "limiter.opw")
        ow.export.save(ow.export.export(limiter, (x,), dynamic_shapes=sizes), path)
        print(f"{path.name}, {path.stat().st_size} bytes, data only, no code:")
        program = ow.load_program(path)
    print(program)
    other = ow.arange(7.0)
    assert ow.equal(program.module()(other), limiter(other))


@stops.stop("ONNX export")
def export_onnx(x):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "limiter.onnx")
        ow.onnx.export(Limiter(), (x,), path, dynamic_shapes={"x": {0: "samples"}})
        assert b"soft_clip" in path.read_bytes()
        print(f"{path.name}, {path.stat().st_size} bytes, with a node audio::soft_clip")


@stops.stop("compile, dynamic sizes")
def compile_function(x):
    @ow.compile(fullgraph=True)
    def limiter(x, gain):
        return ow.softmax(ow.ops.audio.soft_clip(ow.relu(x * gain) + 1.0, 2.0) * 3.0, -1)

    plain = limiter.__wrapped__
    for size in (4, 7, 9):
        other = ow.arange(float(size))
        assert ow.allclose(limiter(other, x[0]), plain(other, x[0]))
    print(f"three sizes, {limiter.num_compiles} compilations")
    explanation = ow.explain(plain)(x, x[0])
    print(f"soft_clip stays one call; the rest is fused into {explanation.num_nests} loop nests")


@stops.stop("model of built-in modules")
def call_model(x):
    ow.manual_seed(0)
    model = ow.nn.Sequential(ow.nn.Linear(4, 8), ow.nn.GELU(), ow.nn.Linear(8, 2))
    y = ow.softmax(model(ow.ops.audio.soft_clip(x)), -1)
    assert ow.allclose(y.sum(), ow.tensor(1.0))
    print(y)


@stops.stop("inline C++")
def call_inline(x):
    ow.cpp_extension.load_inline(name="tour", cpp_sources=CPP_SOURCE)
    y = ow.ops.audio.soft_knee(x, 3.0)
    assert y.tolist() == [-3, 0, 3, 6]
    print(y)


@stops.stop("opcheck")
def check(x):
    report = ow.opcheck(ow.ops.audio.soft_clip, (x, 1.0))
    for line in report.lines:
        print(f"{line.check:<14} {line.state}, {line.inputs} inputs")


@stops.stop("NumPy arrays without a copy")
def exchange_numpy(x):
    array = np.asarray(x)
    assert array.ctypes.data == x.data_ptr()
    print(repr(array))


@stops.stop("error message")
def make_mistake(x):
    try:
        ow.ops.audio.soft_clip(x, limit=-1.0)
    except ValueError as error:
        print(f"ValueError: {error}")
    else:
        raise AssertionError("a negative limit was accepted")


if __name__ == "__main__":
    stops.main()
