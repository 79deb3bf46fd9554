"""The timed calls: the same operators in Opwright and in the peers."""

from harness import release_build

from .peers import load_floor, load_torch, load_tvm_ffi
from .timing import Case

BINARY = "x, y, alpha"
FOURTEEN = ", ".join(f"x{i}" for i in range(14))


def return_none(x, y, alpha):
    return None


def take_14(a, b, c, d, e, f, g, h, i, j, k, l, m, n):  # noqa: E741
    return None


def operands(make):
    """Return the variables of the expressions: x, y, alpha, and x0 ... x13 from `make(element)`."""
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


def cases_of_operators(package, values, calls, python_calls):
    """Return the cases that Opwright and torch share; the operators must be loaded."""
    ops = package.ops.python_call
    axpy = ops.axpy.default

    def call_axpy(x, y, alpha):
        return axpy(x, y, alpha)

    def custom(name, function, schema):
        return package.library.custom_op(
            f"python_call_kernels::{name}", function, mutates_args=(), schema=schema
        )

    def case(function, arguments=BINARY, calls=calls):
        return Case(f"f({arguments})", {"f": function, **values}, calls)

    binary = "(Tensor x, Tensor y, float alpha)"
    of_14 = ", ".join(f"Tensor {name}" for name in "abcdefghijklmn")
    none_op = custom("none", return_none, f"{binary} -> ()")
    axpy_op = custom("axpy", call_axpy, f"{binary} -> Tensor")
    op_of_14 = custom("take_14", take_14, f"({of_14}) -> ()")
    by_name = f"package.ops.python_call.axpy_({BINARY})"
    return {
        "a": case(ops.axpy_.default),
        "a as a packet": case(ops.axpy_),
        "a by name": Case(by_name, {"package": package, **values}, calls),
        "b": case(axpy),
        "c": case(ops.sum_and_difference.default),
        "e": case(ops.take14.default, FOURTEEN),
        "f": case(axpy, "x, y=y, alpha=alpha"),
        "d: function": case(return_none),
        "d": case(none_op, calls=python_calls),
        "d: function with an output": case(call_axpy),
        "d with an output": case(axpy_op, calls=python_calls),
        "d: function of 14": case(take_14, FOURTEEN),
        "d of 14": case(op_of_14, FOURTEEN, python_calls),
        "two overloads": case(ops.choose),
        "x + y": Case("x + y", values, calls),
        "x.sin()": Case("x.sin()", values, calls),
    }


def our_cases(ow):
    ow.load_library(release_build() / "operators/libpython_call.so")
    values = operands(lambda element: ow.tensor([element] * 4))
    cases = cases_of_operators(ow, values, calls=20_000, python_calls=20_000)
    blocking = ow.ops.python_call.blocking_axpy_.default
    cases["blocking"] = Case(f"f({BINARY})", {"f": blocking, **values})
    return cases


def torch_cases():
    """Return the cases of torch; empty without torch."""
    torch = load_torch()
    if torch is None:
        return {}
    values = operands(lambda element: torch.full((4,), element))
    cases = cases_of_operators(torch, values, calls=1_000, python_calls=250)
    library = torch.library.Library("python_call_library", "DEF")
    library.define("none(Tensor x, Tensor y, float alpha) -> ()")
    library.impl("none", return_none, "CPU")
    # The operator is removed with its library, so the case keeps both alive.
    kept = {"f": torch.ops.python_call_library.none.default, "library": library}
    cases["Library.impl"] = Case(f"f({BINARY})", {**kept, **values}, 1_000)
    return cases


def tvm_ffi_cases():
    """Return the cases of tvm-ffi on its own tensors; empty without tvm-ffi."""
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
