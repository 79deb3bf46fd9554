"""The same binary in PyTorch; it was built without PyTorch.

python examples/tour/in_torch.py libsoft_clip.so
"""

import sys

import opwright as ow
import opwright.torch
import torch
from stops import Stops
from torch._dynamo.testing import CompileCounterWithBackend
from torch._subclasses.fake_tensor import FakeTensorMode

stops = Stops("PyTorch", lambda: torch.tensor([-1.0, 0.0, 1.0, 2.0]))


class Clip(torch.nn.Module):
    def forward(self, x):
        return torch.ops.audio.soft_clip(x, 2.0) * x.size(0)


@stops.stop("eager call")
def call(x):
    opwright.torch.load(sys.argv[1])
    y = torch.ops.audio.soft_clip(x, limit=2.0)
    assert torch.equal(y, torch.from_dlpack(ow.ops.audio.soft_clip(ow.from_dlpack(x), 2.0)))
    print(y)
    print(torch.ops.audio.soft_clip.default._schema)


@stops.stop("training")
def train(x):
    gain = torch.tensor(0.2, requires_grad=True)
    optimizer = torch.optim.SGD([gain], lr=0.2)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((torch.ops.audio.soft_clip(x * gain) - x) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        print(f"loss {loss.item():.4f}, gain {gain.item():.4f}")
    assert losses == sorted(losses, reverse=True)


@stops.stop("torch.func: vmap of grad")
def map_and_differentiate(x):
    slope = torch.func.grad(lambda sample: torch.ops.audio.soft_clip(sample))
    slopes = torch.vmap(slope)(x)
    assert torch.allclose(slopes, 1 - torch.tanh(x) ** 2)
    print(slopes)


@stops.stop("torch.compile(fullgraph=True)")
def compile_model(x):
    # aot_eager skips code generation, which would take ten seconds; this only counts graphs.
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(Clip(), fullgraph=True, dynamic=True, backend=counter)
    for size in (4, 7, 16, 33):
        other = torch.linspace(-3, 3, size)
        assert torch.equal(compiled(other), Clip()(other))
    assert counter.frame_count == 1, counter.frame_count
    print("one graph for four sizes")


@stops.stop("torch.export, dynamic sizes")
def export_model(x):
    size = torch.export.Dim("size", min=2)
    program = torch.export.export(Clip(), (x,), dynamic_shapes={"x": {0: size}})
    print(program.graph)
    other = torch.linspace(-3, 3, 7)
    assert torch.equal(program.module()(other), Clip()(other))


@stops.stop("fake tensors")
def call_fake(x):
    with FakeTensorMode():
        y = torch.ops.audio.soft_clip(torch.empty(1 << 20, 1 << 20))
    assert y.shape == (1 << 20, 1 << 20)
    print(f"{tuple(y.shape)}, no memory allocated")


@stops.stop("fast path")
def call_fast(x):
    y = opwright.torch.ops.audio.soft_clip(x, 2.0)
    assert torch.equal(y, torch.ops.audio.soft_clip(x, 2.0))
    weight = x.clone().requires_grad_()
    assert opwright.torch.ops.audio.soft_clip(weight, 2.0).requires_grad
    print(f"{y} without torch's dispatcher; calls that need a gradient go through it")


@stops.stop("tensors exchanged without a copy")
def exchange(x):
    mine = ow.from_dlpack(x)
    assert mine.data_ptr() == x.data_ptr()
    print(torch.from_dlpack(ow.ops.audio.soft_clip(mine, 2.0)))


@stops.stop("opcheck against Opwright")
def check(x):
    example = (ow.from_dlpack(x), 1.0)
    report = ow.opcheck(
        ow.ops.audio.soft_clip, example, test_utils="schema", hosts=("opwright", "torch")
    )
    assert all(line.state == "ok" for line in report.lines), report.table()
    print(report.table())


@stops.stop("error message")
def make_mistake(x):
    try:
        torch.ops.audio.soft_clip(x, limit=-1.0)
    except ValueError as error:
        print(f"ValueError: {error}")
    else:
        raise AssertionError("a negative limit was accepted")


if __name__ == "__main__":
    stops.main()
