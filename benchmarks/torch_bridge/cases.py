"""The timed calls: the same operators through the bridge, TORCH_LIBRARY and custom_op."""

import contextlib
from dataclasses import dataclass

import torch
from harness import build_torch_library, release_build
from python_call.timing import Case
from torch._subclasses.fake_tensor import FakeTensorMode

LIBRARY = release_build() / "operators/libtorch_bridge.so"
CPP_CALLS, PYTHON_CALLS, FAKE_CALLS = 1_000, 200, 20
BINARY = "f(x, y, alpha)"
UNARY = "f(x, alpha)"
BACKWARD = "f(x, alpha).backward(gradient); x.grad = None"


@dataclass
class CaseInScope(Case):
    """A case that is timed inside `scope()`, a mode of torch."""

    scope: type = contextlib.nullcontext

    def run(self):
        with self.scope():
            return super().run()


def operands(requires_grad=False):
    """Return the variables of the expressions: tensors of 4 elements and a number."""
    return {
        "x": torch.ones(4, requires_grad=requires_grad),
        "y": torch.zeros(4),
        "out": torch.empty(4),
        "gradient": torch.ones(4),
        "alpha": 0.5,
    }


def case(function, call, calls, *, requires_grad=False, scope=contextlib.nullcontext):
    return CaseInScope(call, {"f": function, **operands(requires_grad)}, calls, scope)


def eager_cases(ops, calls):
    """Return the cases of C++ operators that both sides have in a namespace."""
    axpy, two = ops.axpy.default, ops.sum_and_difference.default
    scale = ops.scale.default
    return {
        "one output": case(axpy, BINARY, calls),
        "one output, inference_mode": case(axpy, BINARY, calls, scope=torch.inference_mode),
        "two outputs": case(two, BINARY, calls),
        "two outputs, inference_mode": case(two, BINARY, calls, scope=torch.inference_mode),
        "outputs given": case(ops.axpy_out.default, "f(x, y, alpha, out)", calls),
        "formula": case(scale, UNARY, calls),
        "formula, no_grad": case(scale, UNARY, calls, requires_grad=True, scope=torch.no_grad),
        "formula, inference_mode": case(scale, UNARY, calls, scope=torch.inference_mode),
        "composite": case(ops.blend.default, "f(x, y)", calls),
    }


def training_cases(scale, calls=PYTHON_CALLS):
    """Return cases of `scale(x, alpha)` where `x` requires a gradient."""
    return {
        "forward": case(scale, UNARY, calls, requires_grad=True),
        "forward+backward": case(scale, BACKWARD, calls, requires_grad=True),
    }


def fake_case(function):
    """Return a case that calls the operator on fake tensors."""
    mode = FakeTensorMode()
    with mode:
        values = operands()
    return CaseInScope(BINARY, {"f": function, **values}, FAKE_CALLS, lambda: mode)


def our_cases(bridge):
    """Return calls through torch's dispatcher and, named "fast", that bypass it."""
    bridge.load(LIBRARY)
    ops, fast = torch.ops.torch_bridge, bridge.ops.torch_bridge
    return {
        **eager_cases(ops, CPP_CALLS),
        **training_cases(ops.scale.default),
        "fake": fake_case(ops.axpy.default),
        "fast, outputs given": case(fast.axpy_out, "f(x, y, alpha, out)", CPP_CALLS),
        "fast, one output": case(fast.axpy, BINARY, CPP_CALLS),
        "fast, two outputs": case(fast.sum_and_difference, BINARY, CPP_CALLS),
        "fast, formula": case(fast.scale, UNARY, CPP_CALLS),
    }


def torch_library_cases():
    """Return the cases of torch_operators.cpp; empty in a smoke run, which does not build it."""
    library = build_torch_library(__file__, "torch_operators.cpp")
    if library is None:
        return {}
    torch.ops.load_library(str(library))
    return eager_cases(torch.ops.torch_bridge_peer, CPP_CALLS)


def custom_op_cases():
    """Return the cases of torch.library.custom_op with nearly empty kernels."""

    @torch.library.custom_op("torch_bridge_custom::axpy", mutates_args=())
    def axpy(x: torch.Tensor, y: torch.Tensor, alpha: float) -> torch.Tensor:
        return torch.empty_like(x)

    axpy.register_fake(lambda x, y, alpha: torch.empty_like(x))

    @torch.library.custom_op("torch_bridge_custom::scale", mutates_args=())
    def scale(x: torch.Tensor, alpha: float) -> torch.Tensor:
        return torch.empty_like(x)

    def setup_context(ctx, inputs, output):
        ctx.alpha = inputs[1]

    scale.register_autograd(
        lambda ctx, gradient: (gradient * ctx.alpha, None), setup_context=setup_context
    )
    ops = torch.ops.torch_bridge_custom
    return {
        "one output": case(ops.axpy.default, BINARY, PYTHON_CALLS),
        "one output, inference_mode": case(
            ops.axpy.default, BINARY, PYTHON_CALLS, scope=torch.inference_mode
        ),
        "formula": case(ops.scale.default, UNARY, PYTHON_CALLS),
        "fake": fake_case(ops.axpy.default),
        **training_cases(ops.scale.default),
    }


def builtin_cases():
    """Return the cases of torch's built-in multiplication by a number."""
    return training_cases(torch.mul)
