"""Compile a small model, compare it with eager mode, and train it.

python compile_model.py
"""

import time

import opwright as ow
from opwright import nn


class Gate(nn.Module):
    """RMS norm and a gated unit, written with basic operators."""

    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(ow.ones(width))

    def forward(self, x: ow.Tensor) -> ow.Tensor:
        scale = ow.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)
        gate, value = (x * scale * self.weight).chunk(2, -1)
        return nn.functional.silu(gate) * value


def milliseconds(run, calls: int = 20) -> float:
    run()
    times = []
    for _ in range(calls):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def main() -> None:
    ow.manual_seed(0)
    model = Gate(1024)
    compiled = ow.compile(model)
    x = ow.randn(1024, 1024)

    with ow.no_grad():
        begin = time.perf_counter()
        result = compiled(x)
        print(f"first call: {(time.perf_counter() - begin) * 1e3:.0f} ms")
        print("same result:", ow.allclose(result, model(x), atol=1e-5))
        eager, fused = milliseconds(lambda: model(x)), milliseconds(lambda: compiled(x))
        print(f"eager {eager:.2f} ms, compiled {fused:.2f} ms")
        for batch in range(2, 52):
            compiled(ow.randn(batch, 1024))
        print("compiles:", compiled.num_compiles)
        explanation = ow.explain(model)(x)
    print("nests:", explanation.num_nests)
    print(f"moved: {explanation.bytes_moved / explanation.least_bytes:.2f}x of inputs and outputs")

    optimizer = ow.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = (compiled(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print("loss falls:", losses == sorted(losses, reverse=True))


if __name__ == "__main__":
    main()
