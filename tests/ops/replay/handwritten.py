"""Samples of overloads that no entry of the database reaches.

Each function yields (name, args, kwargs): the name as aten has it, arguments of torch. A sample
that torch refuses must be refused by us. `--op` runs those of its names; nothing else lists them.
"""

from collections.abc import Iterator

import torch

from .replayer import Replayer

DTYPES = (torch.float32, torch.float64, torch.int64, torch.bool, torch.float16, torch.complex64)
REALS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def values(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Numbers of both signs, none like its neighbours, with fractions where the dtype has them."""
    count = torch.Size(sizes).numel()
    numbers = (torch.arange(count) * 7 % 11).to(torch.float64) * 0.75 - 3
    return numbers.to(dtype).reshape(sizes)


def layouts(dtype: torch.dtype) -> Iterator[torch.Tensor]:
    """The same kind of tensor in several memory orders."""
    yield values(3, 4, dtype=dtype)
    yield values(4, 3, dtype=dtype).t()
    yield values(3, 8, dtype=dtype)[:, 1::2]
    yield values(4, dtype=dtype).expand(3, 4)
    yield values(0, 4, dtype=dtype)
    yield values(1, dtype=dtype).reshape(())


COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
ARITHMETIC = ("add", "sub", "rsub", "mul", "div", "floor_divide", "fmod", "remainder")
BITS = ("bitwise_and", "bitwise_or", "bitwise_xor")


def numbers_as_operands() -> Iterator[tuple]:
    """x op 2 as a new tensor, in place and into `out`."""
    for name in (*COMPARISONS, *ARITHMETIC, *BITS):
        for dtype in DTYPES:
            for tensor in layouts(dtype):
                number = 3 if name in BITS or not dtype.is_floating_point else 1.5
                yield f"{name}.Scalar", (tensor, number), {}
                if hasattr(torch.ops.aten, name + "_"):
                    yield f"{name}_.Scalar", (tensor.contiguous(), number), {}
                out = torch.empty(0, dtype=torch.bool if name in COMPARISONS else dtype)
                yield f"{name}.Scalar_out", (tensor, number), {"out": out}
    for name in (*BITS, "remainder"):
        for dtype in DTYPES:
            for tensor in layouts(dtype):
                yield f"{name}.Scalar_Tensor", (13, tensor), {}
                yield f"{name}.Scalar_Tensor_out", (13, tensor), {"out": torch.empty_like(tensor)}


def rounded_divisions() -> Iterator[tuple]:
    for mode in ("floor", "trunc", None, "nearest"):
        for dtype in DTYPES:
            for tensor in layouts(dtype):
                keyword = {"rounding_mode": mode}
                yield "div.Scalar_mode", (tensor, 2), keyword
                yield "div_.Scalar_mode", (tensor.contiguous(), 2), keyword
                yield (
                    "div.Scalar_mode_out",
                    (tensor, 2),
                    {**keyword, "out": torch.empty_like(tensor)},
                )


def choices() -> Iterator[tuple]:
    condition = torch.tensor([[True], [False], [True]])
    for dtype in DTYPES:
        for tensor in layouts(dtype):
            for number in (2, 0.5, True):
                yield "where.ScalarSelf", (condition, number, tensor), {}
                yield "where.ScalarOther", (condition, tensor, number), {}
    for one, other in ((1, 2), (1, 0.5), (True, False), (1.5, 2j)):
        yield "where.Scalar", (condition, one, other), {}


def results_in_out() -> Iterator[tuple]:
    """Forms with `out`, of its dtype and of another, of its size and of none."""
    calls = {
        "clamp.out": (-1, 2),
        "elu.out": (1.5,),
        "hardtanh.out": (-1, 1),
        "isinf.out": (),
        "isnan.out": (),
        "leaky_relu.out": (0.1,),
        "relu.out": (),
        "silu.out": (),
    }
    for name, others in calls.items():
        for dtype in DTYPES:
            for tensor in layouts(dtype):
                for out_dtype in (dtype, torch.bool, torch.float64):
                    out = torch.empty_like(tensor, dtype=out_dtype)
                    yield name, (tensor, *others), {"out": out}
                    yield name, (tensor, *others), {"out": torch.empty(0, dtype=out_dtype)}
    for dtype in DTYPES:
        for tensor in layouts(dtype):
            yield "pow.Scalar_out", (2, tensor), {"out": torch.empty_like(tensor)}
            yield (
                "rsub.Tensor_out",
                (tensor, values(1, dtype=dtype)),
                {"out": torch.empty(0, dtype=dtype)},
            )


def in_place() -> Iterator[tuple]:
    for dtype in DTYPES:
        for tensor in layouts(dtype):
            yield "hardtanh_", (tensor.contiguous(), -1, 1), {}
            yield "gelu_", (tensor.contiguous(),), {}
            yield "gelu_", (tensor.contiguous(),), {"approximate": "tanh"}


def fills_and_copies() -> Iterator[tuple]:
    for dtype in DTYPES:
        for tensor in layouts(dtype):
            for value in (torch.tensor(2), torch.tensor(1.5), torch.ones(1)):
                yield "fill.Tensor", (tensor, value), {}
                yield "fill_.Tensor", (tensor.contiguous(), value), {}
            for source in (values(4), values(1, 1, dtype=torch.int64), values(3, 4), values(5)):
                yield "copy", (tensor, source), {}


def views() -> Iterator[tuple]:
    tensor = values(2, 3, 4)
    for one, other in ((0, 1), (-1, 0), (2, 2), (3, 0), (0, -4)):
        yield "swapaxes", (tensor, one, other), {}
        yield "swapdims", (tensor, one, other), {}


def conversions() -> Iterator[tuple]:
    for tensor in layouts(torch.float32):
        for dtype in (None, torch.float32, torch.int64, torch.bool, torch.complex64):
            yield "to.dtype_layout", (tensor,), {"dtype": dtype, "layout": torch.strided}
            yield "to.dtype_layout", (tensor,), {"dtype": dtype, "copy": True}


def norms() -> Iterator[tuple]:
    for dtype in REALS:
        mean, variance = values(3, dtype=dtype), values(3, dtype=dtype).abs() + 1
        weight, bias = values(3, dtype=dtype), values(3, dtype=dtype).flip(0)
        for tensor in (
            values(2, 3, dtype=dtype),
            values(2, 3, 4, dtype=dtype),
            values(2, 3, 4, 5, dtype=dtype).contiguous(memory_format=torch.channels_last),
            values(0, 3, 4, dtype=dtype),
        ):
            for each in ((weight, bias), (None, None), (weight, None)):
                args = (tensor, *each, mean, variance, 0.1, 1e-5)
                yield "_native_batch_norm_legit_no_training", args, {}


FAMILIES = (
    numbers_as_operands,
    rounded_divisions,
    choices,
    results_in_out,
    in_place,
    fills_and_copies,
    views,
    conversions,
    norms,
)


def samples() -> Iterator[tuple]:
    for family in FAMILIES:
        yield from family()


def find_overload(name: str):
    base, _, form = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), form or "default")


def run_handwritten(replayer: Replayer) -> None:
    replayer.entry = "handwritten"
    for name, args, kwargs in samples():
        with torch.no_grad():
            try:
                replayer.run(find_overload(name), args, kwargs)
            except (RuntimeError, IndexError, TypeError, ValueError):
                continue  # torch refuses: that we do too was compared
