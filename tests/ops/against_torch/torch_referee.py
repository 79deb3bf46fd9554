"""Runs calls in torch and in the program run_op, and reports where the results differ."""

import os
import random
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: no operator was compared")

ROOT = Path(__file__).parents[3]
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


class OptionalTensors(list):
    """An argument of type Tensor?[]."""


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
    if isinstance(value, str):
        return f"S {value}"
    if isinstance(value, torch.dtype):
        return f"D {name_of(value)}"
    if isinstance(value, torch.memory_format):
        return f"M {name_of(value).removesuffix('_format')}"
    if isinstance(value, OptionalTensors):
        return "O " + (";".join(map(encode, value)) or "-")
    if isinstance(value, list) and value and all(isinstance(each, bool) for each in value):
        return f"G {join(map(int, value))}"
    if isinstance(value, list) and any(isinstance(each, torch.Tensor) for each in value):
        return "V " + ";".join(map(encode, value))
    return "N" if value is None else f"L {join(value)}"


def decode(line: str) -> list[tuple[torch.Tensor, tuple[int, ...]]] | str:
    """Return the results, those of a list one after another; or the error."""
    if line.startswith("E "):
        return line[2:]
    return [] if line == "-" else [decode_tensor(text) for text in line.split(";")]


def decode_tensor(text: str) -> tuple[torch.Tensor | None, tuple[int, ...]]:
    """Return the elements, contiguous, with the strides that the result has; None: undefined."""
    if text == "N":
        return None, ()
    _, dtype, sizes, strides, data = text.split(" ")
    shape = [] if sizes == "-" else [int(size) for size in sizes.split(",")]
    steps = [] if strides == "-" else [int(stride) for stride in strides.split(",")]
    raw = bytearray.fromhex("" if data == "-" else data)
    flat = (
        torch.frombuffer(raw, dtype=dtype_of(dtype))
        if raw
        else torch.empty(0, dtype=dtype_of(dtype))
    )
    return flat.reshape(shape), tuple(steps)


# Operators whose strides differ if a size is 1, or which have their own layout.
OF_ANY_STRIDES = (
    "aten::matmul",
    "aten::max_unpool2d",
    "aten::clamp",
    "aten::hardtanh",
    "aten::where.Scalar",
    "aten::index.Tensor",
    "aten::scaled_dot_product_attention",
)


def run_lines(lines: list[str]) -> list[list[tuple[torch.Tensor, tuple[int, ...]]] | str]:
    program = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release") / "run_op"
    if not program.exists():
        pytest.fail(f"{program} is not built; set OPWRIGHT_BUILD")
    text = "".join(line + "\n" for line in lines)
    run = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    return [decode(line) for line in run.stdout.splitlines()]


class Calls:
    """Random arguments from one seed, and the calls made with them."""

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
        """Return values of a small range, with contiguous, permuted or gapped strides."""
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
        """Return a number that is compatible with the tensor; only torch has a complex half."""
        choices = [True, 2, -3, 0.5, 1.7, 2 + 1j]
        return self.random.choice(choices[:-1] if tensor.dtype == torch.float16 else choices)

    def dtype(self, names: list[str]) -> str:
        return self.random.choice(names)


def copy_with_strides(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.new_empty(0).set_(
        tensor.untyped_storage().clone(), tensor.storage_offset(), tensor.shape, tensor.stride()
    )


def run_torch(op: str, args: tuple, kwargs: dict) -> list[torch.Tensor] | str:
    name, _, overload = op.removeprefix("aten::").partition(".")
    function = getattr(getattr(torch.ops.aten, name), overload or "default")
    args = [copy_with_strides(arg) if isinstance(arg, torch.Tensor) else arg for arg in args]
    try:
        result = function(*args, **kwargs)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        return str(error)
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, list | tuple):
        return list(result)
    kind = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}
    return [torch.tensor(result, dtype=kind[type(result)])]


def differ(
    actual: list[tuple[torch.Tensor, tuple[int, ...]]] | str,
    expected: list[torch.Tensor] | str,
    compares_strides: bool,
) -> str | None:
    if isinstance(actual, str) or isinstance(expected, str):
        agree = isinstance(actual, str) and isinstance(expected, str)
        return None if agree else f"ours: {str(actual)[:200]}\ntorch: {str(expected)[:200]}"
    if len(actual) != len(expected):
        return f"{len(actual)} tensors are not {len(expected)}"
    problems = [
        differs(ours, strides, theirs, compares_strides)
        for (ours, strides), theirs in zip(actual, expected, strict=True)
    ]
    return next((problem for problem in problems if problem), None)


def differs(
    ours: torch.Tensor | None,
    strides: tuple[int, ...],
    expected: torch.Tensor | None,
    compares_strides: bool,
) -> str | None:
    if ours is None or expected is None:
        return None if ours is expected else f"{ours} is not {expected}"
    if expected.dtype == torch.complex32:  # only torch has it
        return None
    if ours.dtype != expected.dtype or ours.shape != expected.shape:
        return f"{ours.dtype}{list(ours.shape)} is not {expected.dtype}{list(expected.shape)}"
    if compares_strides and ours.numel() > 1 and strides != expected.stride():
        return f"strides {strides} are not {expected.stride()} (sizes {list(ours.shape)})"
    rounding = ROUNDING.get(name_of(expected.dtype), 1e-14)
    wide = ours.to(torch.complex128) if ours.is_complex() else ours.to(torch.float64)
    wanted = expected.to(wide.dtype)
    scale = max(1.0, float(wanted.abs().nan_to_num(0, 0, 0).max()) if wanted.numel() else 1.0)
    if not torch.allclose(wide, wanted, rtol=rounding, atol=rounding * scale, equal_nan=True):
        agree = torch.isclose(wide, wanted, rtol=rounding, atol=rounding * scale, equal_nan=True)
        places = (~agree).nonzero()[:6].tolist()
        return f"{ours[~agree][:6]} is not {expected[~agree][:6]}, at {places}"
    return None


def check_against_torch(make_calls, seed: int = 1) -> None:
    """Fail with the first calls whose result differs from torch's."""
    calls = Calls(seed)
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
        problem = differ(ours, theirs, compares_strides=not op.startswith(OF_ANY_STRIDES))
        if problem:
            shown = [
                f"{name_of(arg.dtype)}{list(arg.shape)}{arg.stride()}"
                if isinstance(arg, torch.Tensor)
                else arg
                for arg in args
            ]
            problems.append(f"{op}{shown}{kwargs}: {problem}")
    assert not problems, f"{len(problems)} of {len(lines)} differ\n" + "\n".join(problems[:20])
