"""What an operator can do in each host, tested with the sample binaries.

A probe does it and checks the outcome; it returns words where the host has its own way, and what it
raises means that the host cannot.
"""

import os
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OPERATORS = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release") / "operators"
BINARIES = ("training", "writing", "sizes", "composites")
GRADIENT = "a gradient by its formula"
SECOND = "a gradient of a gradient"
FORWARD = "forward mode by its rule"
BATCH = "a batch (vmap)"
TRACE = "one trace for many sizes"
DATA_SIZE = "a size that the values decide"
WRITE = "a write to an argument"
COMPOSITE = "a composite, differentiated through its body"
ROWS = (GRADIENT, SECOND, FORWARD, BATCH, TRACE, DATA_SIZE, WRITE, COMPOSITE)

Probes = dict[str, Callable[[], str | None]]


def binaries() -> list[Path]:
    return [OPERATORS / f"libtorch_{name}.so" for name in BINARIES]


def outcome(probe: Callable[[], str | None]) -> str:
    try:
        return probe() or "yes"
    except Exception:
        return "no"


def probes_over(ops, package, func) -> Probes:
    """Probes that are the same in Opwright and in torch, whose functions have the same names."""
    cube, from_polar = ops.samples_training.cube, ops.samples_training.from_polar
    x = package.tensor([1.0, -2.0, 3.0])

    def differentiate():
        assert func.grad(lambda x: cube(x).sum())(x).tolist() == [3.0, 12.0, 27.0]

    def differentiate_twice():
        def total(x):
            return cube(x).sum()

        second = func.grad(lambda x: func.grad(total)(x).sum())(x)
        assert second.tolist() == [6.0, -12.0, 18.0]

    def push_forward():
        one, zero = package.ones_like(x), package.zeros_like(x)
        _, (along, across) = func.jvp(from_polar, (x, zero), (one, zero))
        assert along.tolist() == [1.0, 1.0, 1.0]
        assert across.tolist() == [0.0, 0.0, 0.0]

    def write():
        y = x.clone()
        ops.samples_writing.halve_(y)
        assert y.tolist() == [0.5, -1.0, 1.5]

    def find_positives():
        values, places = ops.samples_sizes.positives(x)
        assert (values.tolist(), places.tolist()) == ([1.0, 3.0], [0, 2])

    def see_through():
        zero = package.zeros_like(x)
        by_x = func.grad(lambda x: ops.samples_composites.gate(x, zero).sum())(x)
        assert by_x.tolist() == [0.5, 0.5, 0.5]

    def map_over():
        assert package.vmap(cube)(x.reshape(3, 1)).tolist() == [[1.0], [-8.0], [27.0]]

    return {
        GRADIENT: differentiate,
        SECOND: differentiate_twice,
        FORWARD: push_forward,
        BATCH: map_over,
        DATA_SIZE: find_positives,
        WRITE: write,
        COMPOSITE: see_through,
    }


def opwright_probes() -> Probes:
    import opwright as ow

    for path in binaries():
        ow.load_library(path)

    def trace():
        traced = ow.make_fx(ow.ops.samples_training.cube, tracing_mode="symbolic")(ow.ones(3))
        assert traced(ow.ones(5)).shape == (5,)

    return probes_over(ow.ops, ow, ow.func) | {TRACE: trace}


def torch_probes() -> Probes:
    import opwright.torch
    import torch
    from torch._dynamo.testing import CompileCounterWithBackend

    for path in binaries():
        opwright.torch.load(path)

    def trace():
        counter = CompileCounterWithBackend("aot_eager")
        cube = torch.ops.samples_training.cube
        compiled = torch.compile(lambda x: cube(x), fullgraph=True, dynamic=True, backend=counter)
        for size in (3, 5, 8):
            assert compiled(torch.ones(size)).shape == (size,)
        assert counter.frame_count == 1

    return probes_over(torch.ops, torch, torch.func) | {TRACE: trace}


def jax_probes() -> Probes:
    import jax
    import opwright.jax

    for path in binaries():
        opwright.jax.load(path)
    ops = opwright.jax.ops
    cube, from_polar = ops.samples_training.cube, ops.samples_training.from_polar
    x = jax.numpy.asarray([1.0, -2.0, 3.0])

    def differentiate():
        assert jax.grad(lambda x: cube(x).sum())(x).tolist() == [3.0, 12.0, 27.0]

    def differentiate_twice():
        second = jax.grad(lambda x: jax.grad(lambda x: cube(x).sum())(x).sum())(x)
        assert second.tolist() == [6.0, -12.0, 18.0]

    def push_forward():
        _, (along, _) = jax.jvp(from_polar, (x, x * 0), (x * 0 + 1, x * 0))
        assert along.tolist() == [1.0, 1.0, 1.0]

    def map_over():
        assert jax.vmap(cube)(x.reshape(3, 1)).tolist() == [[1.0], [-8.0], [27.0]]

    def trace():
        traced = []
        jitted = jax.jit(lambda x: (traced.append(x.shape), cube(x))[1])
        for size in (3, 5, 8):
            assert jitted(jax.numpy.ones(size)).shape == (size,)
        return None if len(traced) == 1 else "a trace for each size"

    def find_positives():
        assert ops.samples_sizes.positives(x)[0].tolist() == [1.0, 3.0]

    def write():
        assert ops.samples_writing.halve_(x).tolist() == [0.5, -1.0, 1.5]
        return "as a result"

    def see_through():
        by_x = jax.grad(lambda x: ops.samples_composites.gate(x, x * 0).sum())(x)
        assert by_x.tolist() == [0.5, 0.5, 0.5]

    return {
        GRADIENT: differentiate,
        SECOND: differentiate_twice,
        FORWARD: push_forward,
        BATCH: map_over,
        TRACE: trace,
        DATA_SIZE: find_positives,
        WRITE: write,
        COMPOSITE: see_through,
    }


def onnxruntime_probes() -> Probes:
    """Probes of the rows that a model can have; it has no gradients and no vmap."""
    import numpy as np
    import onnxruntime
    import opwright.onnxruntime

    from .onnxruntime.node_models import node_model, unary_model

    x = np.asarray([1.0, -2.0, 3.0], dtype=np.float32)
    vector = (np.float32, ["n"])

    def run(model, *calls):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        opwright.onnxruntime.register(options, *binaries())
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return [session.run(None, given) for given in calls]

    def trace():
        calls = [{"x": np.ones(size, np.float32)} for size in (3, 5, 8)]
        for given, (y,) in zip(
            calls, run(unary_model("samples_training::cube", sizes=["n"]), *calls), strict=True
        ):
            assert y.shape == given["x"].shape

    def find_positives():
        model = node_model(
            "samples_sizes::positives",
            {"x": vector},
            {"values": (np.float32, ["m"]), "places": (np.int64, ["m"])},
        )
        [(values, places)] = run(model, {"x": x})
        assert (values.tolist(), places.tolist()) == ([1.0, 3.0], [0, 2])

    def write():
        model = unary_model("samples_writing::halve_", sizes=["n"])
        [(y,)] = run(model, {"x": x})
        assert y.tolist() == [0.5, -1.0, 1.5]
        return "as a result"

    return {TRACE: trace, DATA_SIZE: find_positives, WRITE: write}


def probe_lines() -> list[str]:
    hosts = (opwright_probes(), torch_probes(), jax_probes(), onnxruntime_probes())
    lines = [
        "| an operator does | Opwright | PyTorch | JAX | ONNX Runtime |",
        "|---|---|---|---|---|",
    ]
    for row in ROWS:
        outcomes = [outcome(host[row]) if row in host else "no" for host in hosts]
        lines.append(f"| {row} | {' | '.join(outcomes)} |")
    return lines
