"""Seeded random calls of every operator give what torch gives: values, dtype, sizes, strides."""

import os
import random
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: no operator was compared")

ROOT = Path(__file__).parents[2]
REALS = ["float32", "float64", "float16", "bfloat16"]
COMPLEX = ["complex64", "complex128"]
INTS = ["uint8", "int8", "int16", "int32", "int64"]
WIDE_UNSIGNED = ["uint16", "uint32", "uint64"]
ALL = ["bool", *INTS, *REALS, *COMPLEX]
ROUNDING = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 2e-6, "complex64": 2e-6}


def dtype_of(name: str) -> torch.dtype:
    return getattr(torch, name)


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def join(ints) -> str:
    return ",".join(map(str, ints)) or "-"


def bytes_of(tensor: torch.Tensor) -> str:
    flat = tensor.contiguous().reshape(-1)
    return (flat.view(torch.uint8).numpy().tobytes().hex() if flat.numel() else "") or "-"


def encode(value) -> str:
    if isinstance(value, torch.Tensor):
        size = value.untyped_storage().nbytes() // value.element_size()
        storage = torch.as_strided(value, (size,), (1,), 0)
        fields = [name_of(value.dtype), join(value.shape), join(value.stride())]
        return " ".join(["T", *fields, str(value.storage_offset()), bytes_of(storage)])
    if isinstance(value, bool):
        return f"B {int(value)}"
    if isinstance(value, int):
        return f"I {value}"
    if isinstance(value, float):
        return f"F {value.hex()}"
    if isinstance(value, complex):
        return f"C {value.real} {value.imag}"
    if isinstance(value, torch.dtype):
        return f"D {name_of(value)}"
    if isinstance(value, torch.memory_format):
        return f"M {name_of(value).removesuffix('_format')}"
    return "N" if value is None else f"L {join(value)}"


def decode(line: str) -> tuple[torch.Tensor, tuple[int, ...]] | str:
    """Return the elements, contiguous, with the strides that the result has; or the error."""
    if line.startswith("E "):
        return line[2:]
    _, dtype, sizes, strides, data = line.split(" ")
    shape = [] if sizes == "-" else [int(size) for size in sizes.split(",")]
    steps = [] if strides == "-" else [int(stride) for stride in strides.split(",")]
    raw = bytearray.fromhex("" if data == "-" else data)
    flat = (
        torch.frombuffer(raw, dtype=dtype_of(dtype))
        if raw
        else torch.empty(0, dtype=dtype_of(dtype))
    )
    return flat.reshape(shape), tuple(steps)


def run_lines(lines: list[str]) -> list[tuple[torch.Tensor, tuple[int, ...]] | str]:
    program = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release") / "run_op"
    if not program.exists():
        pytest.fail(f"{program} is not built; set OPWRIGHT_BUILD")
    text = "".join(line + "\n" for line in lines)
    run = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    return [decode(line) for line in run.stdout.splitlines()]


class Calls:
    """Random arguments from one seed, and the calls made of them."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.calls: list[tuple[str, tuple, dict]] = []

    def add(self, op: str, *args, **kwargs) -> None:
        self.calls.append((op, args, kwargs))

    def sizes(self, ndim: int | None = None) -> list[int]:
        count = self.random.randint(0, 4) if ndim is None else ndim
        return [
            self.random.choice([0, 1, 2, 3, 5] if self.random.random() < 0.1 else [1, 2, 3, 5, 7])
            for _ in range(count)
        ]

    def broadcast_pair(self) -> tuple[list[int], list[int]]:
        whole = self.sizes()

        def part():
            sizes = [1 if self.random.random() < 0.25 else size for size in whole]
            return sizes[self.random.choice([0, 0, 0, len(sizes) // 2, len(sizes)]) :]

        return (whole, part()) if self.random.random() < 0.7 else (part(), part())

    def tensor(self, sizes: list[int], dtype: str) -> torch.Tensor:
        """Values of a small range, with strides that are contiguous, permuted or have gaps."""
        generator = torch.Generator().manual_seed(self.random.randrange(2**31))
        order = list(range(len(sizes)))
        kind = self.random.choice(["contiguous", "permuted", "gaps"])
        if kind == "permuted":
            self.random.shuffle(order)
        memory = [sizes[dim] for dim in order]
        if kind == "gaps" and memory:
            memory[-1] = memory[-1] * 2 + 1
        tensor = self.fill(memory, dtype, generator)
        if kind == "gaps" and memory:
            tensor = tensor[..., 1::2]
        return tensor.permute([order.index(dim) for dim in range(len(sizes))])

    def fill(self, sizes: list[int], dtype: str, generator: torch.Generator) -> torch.Tensor:
        kind = dtype_of(dtype)
        if dtype == "bool":
            return torch.randint(0, 2, sizes, generator=generator).bool()
        if not kind.is_floating_point and not kind.is_complex:
            low = 0 if dtype.startswith("u") else -5
            return torch.randint(low, 9, sizes, generator=generator).to(kind)
        return torch.randn(
            sizes, generator=generator, dtype=torch.complex64 if kind.is_complex else None
        ).to(kind)

    def number(self, tensor: torch.Tensor):
        """A number that goes with the tensor; only torch has a complex half."""
        choices = [True, 2, -3, 0.5, 1.7, 2 + 1j]
        return self.random.choice(choices[:-1] if tensor.dtype == torch.float16 else choices)

    def dtype(self, names: list[str]) -> str:
        return self.random.choice(names)


def binary_calls(calls: Calls) -> None:
    for _ in range(240):
        op = calls.random.choice(["add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge"])
        a, b = calls.broadcast_pair()
        args = [calls.tensor(a, calls.dtype(ALL)), calls.tensor(b, calls.dtype(ALL))]
        if calls.random.random() < 0.3:
            args[1] = calls.number(args[0])
        overload = "Tensor" if isinstance(args[1], torch.Tensor) else "Scalar"
        kwargs = (
            {"alpha": calls.random.choice([2, 1.5, -1])}
            if op in ("add", "sub") and calls.random.random() < 0.3
            else {}
        )
        calls.add(f"aten::{op}.{overload}", *args, **kwargs)
    for _ in range(30):
        x = calls.tensor(calls.sizes(), calls.dtype(ALL))
        calls.add("aten::rsub.Scalar", x, calls.number(x))


def bitwise_calls(calls: Calls) -> None:
    for _ in range(60):
        op = calls.random.choice(["bitwise_and", "bitwise_or", "bitwise_xor"])
        a, b = calls.broadcast_pair()
        x = calls.tensor(a, calls.dtype(["bool", *INTS, "float32"]))
        if calls.random.random() < 0.3:
            calls.add(f"aten::{op}.Scalar", x, calls.random.choice([True, 2, -3, 0.5]))
        else:
            calls.add(f"aten::{op}.Tensor", x, calls.tensor(b, calls.dtype(["bool", *INTS])))
    for _ in range(30):
        sizes = calls.sizes()
        calls.add("aten::bitwise_not", calls.tensor(sizes, calls.dtype(["bool", *INTS])))
        calls.add("aten::logical_not", calls.tensor(sizes, calls.dtype(ALL)))


def whole_tensor_calls(calls: Calls) -> None:
    for _ in range(80):
        a, b = calls.broadcast_pair()
        dtype = calls.dtype(ALL)
        x = calls.tensor(a, dtype)
        other = x.contiguous() if calls.random.random() < 0.5 else calls.tensor(b, dtype)
        if calls.random.random() < 0.1:
            other = calls.tensor(b, calls.dtype(ALL))
        calls.add("aten::equal", x, other)
        tolerances = calls.random.choice([(), (0.5, 0.5), (0.0, 1.0), (1.0, 0.0), (-1.0,)])
        calls.add("aten::allclose", x, other, *tolerances)
        calls.add("aten::item", calls.tensor(calls.sizes(calls.random.randint(0, 1)), dtype))


def range_calls(calls: Calls) -> None:
    bounds = [0, 1, 2.5, -3, 10, 7.25, True, float("nan"), float("inf")]
    for _ in range(150):
        dtype = dtype_of(calls.dtype(ALL)) if calls.random.random() < 0.5 else None
        start, end = calls.random.choice(bounds), calls.random.choice(bounds)
        step = calls.random.choice([1, 2, -1, 0.5, -0.75, 0, 3])
        calls.add("aten::arange", end, dtype=dtype)
        calls.add("aten::arange.start", start, end, dtype=dtype)
        calls.add("aten::arange.start_step", start, end, step, dtype=dtype)
    for _ in range(60):
        dtype = dtype_of(calls.dtype(ALL)) if calls.random.random() < 0.5 else None
        start, end = calls.random.choice(bounds[:6]), calls.random.choice(bounds[:6])
        calls.add("aten::linspace", start, end, calls.random.randint(-1, 12), dtype=dtype)


def in_place_calls(calls: Calls) -> None:
    for _ in range(60):
        sizes = calls.sizes()
        other = [1 if calls.random.random() < 0.3 else size for size in sizes]
        op = calls.random.choice(["add_", "sub_", "mul_", "div_"])
        calls.add(
            f"aten::{op}.Tensor",
            calls.tensor(sizes, calls.dtype(ALL)),
            calls.tensor(other, calls.dtype(ALL)),
        )
    for _ in range(30):
        x = calls.tensor(calls.sizes(), calls.dtype(ALL))
        op = calls.random.choice(["add_", "sub_", "mul_", "div_"])
        calls.add(f"aten::{op}.Scalar", x, calls.number(x))
    for _ in range(30):
        sizes = calls.sizes()
        calls.add(
            "aten::copy_",
            calls.tensor(sizes, calls.dtype(ALL)),
            calls.tensor(sizes, calls.dtype(ALL)),
        )
    for _ in range(10):
        calls.add(
            "aten::fill_.Scalar",
            calls.tensor(calls.sizes(), calls.dtype(ALL)),
            calls.random.choice([True, 3, 2.5]),
        )
        calls.add("aten::zero_", calls.tensor(calls.sizes(), calls.dtype(ALL)))


def unary_calls(calls: Calls) -> None:
    for _ in range(80):
        op = calls.random.choice(["neg", "abs", "sin", "cos", "exp", "reciprocal", "clone"])
        calls.add(f"aten::{op}", calls.tensor(calls.sizes(), calls.dtype(ALL)))


def sum_calls(calls: Calls) -> None:
    for _ in range(40):
        sizes = [
            size * calls.random.choice([1, 1, 9, 40])
            for size in calls.sizes(calls.random.randint(1, 3))
        ]
        x = calls.tensor(sizes, calls.dtype(ALL))
        dims = calls.random.sample(range(-len(sizes), 0), calls.random.randint(0, len(sizes)))
        dtype = (
            dtype_of(calls.dtype(ALL[1:]))
            if calls.random.random() < 0.2 and not x.is_complex()
            else None
        )
        calls.add("aten::sum.dim_IntList", x, dims, calls.random.random() < 0.5, dtype=dtype)
    for _ in range(10):
        calls.add("aten::sum", calls.tensor(calls.sizes(), calls.dtype(ALL)))


def product_calls(calls: Calls) -> None:
    for _ in range(70):
        dtype = calls.dtype([*INTS, *REALS, *COMPLEX])
        m, k, n = calls.sizes(3)
        batch = calls.sizes(calls.random.randint(0, 2))
        other = [1 if calls.random.random() < 0.4 else size for size in batch]
        left = calls.random.choice([[k], [m, k], [*batch, m, k]])
        right = calls.random.choice([[k], [k, n], [*other, k, n]])
        if calls.random.random() < 0.1:
            right[0] += 1
        calls.add("aten::matmul", calls.tensor(left, dtype), calls.tensor(right, dtype))
    for _ in range(5):
        calls.add(
            "aten::mm", calls.tensor([70, 300], "float32"), calls.tensor([300, 530], "float32")
        )


def view_calls(calls: Calls) -> None:
    for _ in range(90):
        sizes = calls.sizes(calls.random.randint(1, 4))
        x = calls.tensor(sizes, calls.dtype(ALL))
        dim = calls.random.randint(-len(sizes) - 1, len(sizes))
        index = calls.random.randint(-4, 4)
        shape = list(reversed(sizes)) if calls.random.random() < 0.5 else [-1, sizes[-1]]
        choices = [
            ("view", shape),
            ("reshape", shape),
            ("transpose.int", dim, 0),
            ("t",),
            ("expand", [2, *(-1 if calls.random.random() < 0.5 else size for size in sizes)]),
            ("select.int", dim, index),
            (
                "slice.Tensor",
                dim,
                index,
                calls.random.choice([None, 3, -1, 100]),
                calls.random.randint(1, 3),
            ),
            ("permute", calls.random.sample(range(len(sizes)), len(sizes))),
            ("squeeze",),
            ("squeeze.dim", dim),
            ("unsqueeze", dim),
            ("detach",),
            ("as_strided", [2, 2], [1, 2], calls.random.choice([None, 1])),
            ("contiguous",),
        ]
        op, *args = calls.random.choice(choices)
        calls.add(f"aten::{op}", x, *args)


def factory_calls(calls: Calls) -> None:
    for _ in range(30):
        sizes = calls.sizes()
        dtype = dtype_of(calls.dtype(ALL))
        x = calls.tensor(sizes, calls.dtype(ALL))
        calls.add("aten::zeros", sizes, dtype=dtype)
        calls.add("aten::ones", sizes)
        calls.add("aten::full", sizes, calls.random.choice([True, 3, 2.5, 1j]))
        calls.add("aten::ones_like", x)
        calls.add("aten::to.dtype", x, dtype)
        calls.add("aten::to.dtype_layout", x, dtype=dtype, copy=True)
        calls.add("aten::to.other", x, calls.tensor(calls.sizes(), calls.dtype(ALL)))
        calls.add("aten::new_zeros", x, sizes)
        calls.add("aten::new_ones", x, sizes, dtype=dtype)
        calls.add("aten::new_full", x, sizes, calls.random.choice([True, 3, 2.5]))
        calls.add("aten::clone", x, memory_format=torch.contiguous_format)


def copy_with_strides(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.new_empty(0).set_(
        tensor.untyped_storage().clone(), tensor.storage_offset(), tensor.shape, tensor.stride()
    )


def run_torch(op: str, args: tuple, kwargs: dict) -> torch.Tensor | str:
    name, _, overload = op.removeprefix("aten::").partition(".")
    function = getattr(getattr(torch.ops.aten, name), overload or "default")
    args = [copy_with_strides(arg) if isinstance(arg, torch.Tensor) else arg for arg in args]
    try:
        result = function(*args, **kwargs)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        return str(error)
    if isinstance(result, torch.Tensor):
        return result
    kind = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}
    return torch.tensor(result, dtype=kind[type(result)])


def differs(
    actual: tuple[torch.Tensor, tuple[int, ...]] | str,
    expected: torch.Tensor | str,
    compares_strides: bool,
) -> str | None:
    if isinstance(actual, str) or isinstance(expected, str):
        agree = isinstance(actual, str) and isinstance(expected, str)
        return None if agree else f"ours: {actual}\ntorch: {expected}"
    ours, strides = actual
    if ours.dtype != expected.dtype or ours.shape != expected.shape:
        return f"{ours.dtype}{list(ours.shape)} is not {expected.dtype}{list(expected.shape)}"
    if compares_strides and ours.numel() > 1 and strides != expected.stride():
        return f"strides {strides} are not {expected.stride()} (sizes {list(ours.shape)})"
    rounding = ROUNDING.get(name_of(expected.dtype), 1e-14)
    wide = ours.to(torch.complex128) if ours.is_complex() else ours.to(torch.float64)
    wanted = expected.to(wide.dtype)
    scale = max(1.0, float(wanted.abs().nan_to_num(0, 0, 0).max()) if wanted.numel() else 1.0)
    if not torch.allclose(wide, wanted, rtol=rounding, atol=rounding * scale, equal_nan=True):
        return f"{ours}\nis not\n{expected}"
    return None


@pytest.mark.parametrize(
    "make_calls",
    [
        binary_calls,
        bitwise_calls,
        whole_tensor_calls,
        range_calls,
        in_place_calls,
        unary_calls,
        sum_calls,
        product_calls,
        view_calls,
        factory_calls,
    ],
)
def test_random_calls_give_what_torch_gives(make_calls):
    calls = Calls(seed=1)
    make_calls(calls)
    lines = [
        "\t".join(
            [op, *map(encode, args), *(f"{key}={encode(value)}" for key, value in kwargs.items())]
        )
        for op, args, kwargs in calls.calls
    ]
    expected = [run_torch(*call) for call in calls.calls]
    actual = run_lines(lines)

    problems = []
    for (op, args, kwargs), ours, theirs in zip(calls.calls, actual, expected, strict=True):
        problem = differs(ours, theirs, compares_strides=not op.startswith("aten::matmul"))
        if problem:
            shown = [
                f"{name_of(arg.dtype)}{list(arg.shape)}{arg.stride()}"
                if isinstance(arg, torch.Tensor)
                else arg
                for arg in args
            ]
            problems.append(f"{op}{shown}{kwargs}: {problem}")
    assert not problems, f"{len(problems)} of {len(lines)} differ\n" + "\n".join(problems[:20])
