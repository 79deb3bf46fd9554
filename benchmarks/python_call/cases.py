"""What is called: the same operators, through Opwright and through the peers."""

from harness import release_build

from .peers import load_floor, load_torch, load_tvm_ffi
from .timing import FOURTEEN, Case

BINARY = "x, y, alpha"
SCHEMA_OF_14 = ", ".join(f"Tensor {name}" for name in "abcdefghijklmn")


def return_none(x, y, alpha):
    return None


def take_14(a, b, c, d, e, f, g, h, i, j, k, l, m, n):  # noqa: E741
    return None


def operands(make):
    """What the expressions name: x, y, alpha, and x0 ... x13, made by `make(element)`."""
    fourteen = {name: make(1.0) for name in FOURTEEN.split(", ")}
    return {"x": make(1.0), "y": make(0.0), "alpha": 0.5, **fourteen}


def floor_cases():
    floor = load_floor()
    values = operands(lambda _: floor.Box())
    return {
        "floor": Case(f"f({BINARY})", {"f": floor.fastcall, **values}),
        "floor of 14": Case(f"f({FOURTEEN})", {"f": floor.fastcall, **values}),
        "nanobind": Case(f"f({BINARY})", {"f": floor.axpy_, **values}),
        "nanobind, one output": Case(f"f({BINARY})", {"f": floor.axpy, **values}),
    }


def our_cases(ow):
    """Cases of Opwright, and of the Python functions that its Python operators run."""
    ow.load_library(release_build() / "operators/libpython_call.so")
    ops = ow.ops.python_call
    values = operands(lambda element: ow.tensor([element] * 4))
    axpy = ops.axpy.default

    def call_axpy(x, y, alpha):
        return axpy(x, y, alpha)

    def custom(name, function, schema):
        return ow.library.custom_op(
            f"python_call_kernels::{name}", function, mutates_args=(), schema=schema
        )

    binary = "(Tensor x, Tensor y, float alpha)"
    none_op = custom("none", return_none, f"{binary} -> ()")
    axpy_op = custom("axpy", call_axpy, f"{binary} -> Tensor")
    op_of_14 = custom("take_14", take_14, f"({SCHEMA_OF_14}) -> ()")

    def case(function, arguments=BINARY):
        return Case(f"f({arguments})", {"f": function, **values})

    return {
        "a": case(ops.axpy_.default),
        "a as a packet": case(ops.axpy_),
        "a by name": Case(f"ow.ops.python_call.axpy_({BINARY})", {"ow": ow, **values}),
        "b": case(ops.axpy.default),
        "c": case(ops.sum_and_difference.default),
        "e": case(ops.take14.default, FOURTEEN),
        "f": case(ops.axpy.default, "x, y=y, alpha=alpha"),
        "d: function": case(return_none),
        "d": case(none_op),
        "d: function with an output": case(call_axpy),
        "d with an output": case(axpy_op),
        "d: function of 14": case(take_14, FOURTEEN),
        "d of 14": case(op_of_14, FOURTEEN),
        "two overloads": case(ops.choose),
        "blocking": case(ops.blocking_axpy_.default),
        "x + y": Case("x + y", values),
        "x.sin()": Case("x.sin()", values),
    }


def torch_cases():
    """The same through torch; nothing without it."""
    torch = load_torch()
    if torch is None:
        return {}
    ops = torch.ops.python_call
    values = operands(lambda element: torch.full((4,), element))
    axpy = ops.axpy.default

    def call_axpy(x, y, alpha):
        return axpy(x, y, alpha)

    def custom(name, function, schema):
        return torch.library.custom_op(
            f"python_call_kernels::{name}", function, mutates_args=(), schema=schema
        )

    binary = "(Tensor x, Tensor y, float alpha)"
    none_op = custom("none", return_none, f"{binary} -> ()")
    axpy_op = custom("axpy", call_axpy, f"{binary} -> Tensor")
    op_of_14 = custom("take_14", take_14, f"({SCHEMA_OF_14}) -> ()")
    library = torch.library.Library("python_call_library", "DEF")
    library.define(f"none{binary} -> ()")
    library.impl("none", return_none, "CPU")

    def case(function, arguments=BINARY, calls=1_000):
        return Case(f"f({arguments})", {"f": function, **values}, calls)

    cases = {
        "a": case(ops.axpy_),
        "a by name": Case(
            f"torch.ops.python_call.axpy_({BINARY})", {"torch": torch, **values}, 1_000
        ),
        "b": case(ops.axpy),
        "c": case(ops.sum_and_difference),
        "e": case(ops.take14, FOURTEEN),
        "f": case(ops.axpy, "x, y=y, alpha=alpha"),
        "d": case(none_op, calls=250),
        "d with an output": case(axpy_op, calls=250),
        "d: function with an output": case(call_axpy),
        "d of 14": case(op_of_14, FOURTEEN, 250),
        "Library.impl": case(torch.ops.python_call_library.none),
        "two overloads": case(ops.choose),
        "x + y": Case("x + y", values, 1_000),
        "x.sin()": Case("x.sin()", values, 1_000),
    }
    cases["a"].owner = library  # its operators go with it
    return cases


def tvm_ffi_cases():
    """What tvm-ffi can do with tensors of its own; nothing without it."""
    loaded = load_tvm_ffi()
    if loaded is None:
        return {}
    tvm_ffi, functions = loaded
    import numpy

    values = operands(lambda element: tvm_ffi.from_dlpack(numpy.full(4, element, dtype="float32")))
    return {
        "a": Case(f"f({BINARY})", {"f": functions.axpy_, **values}, 5_000),
        "b": Case(f"f({BINARY})", {"f": functions.axpy, **values}, 5_000),
    }
