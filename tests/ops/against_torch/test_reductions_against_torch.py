"""Reductions, scans, sorting and norms match torch."""

import pytest

from .torch_referee import ALL, INTS, REALS, Calls, check_against_torch, dtype_of, torch

ORDERED = ["bool", *INTS, *REALS]
INEXACT = [*REALS, "complex64", "complex128"]
SPECIAL = [0.0, -0.0, 1.0, -2.5, 3e38, 2e38, float("inf"), float("-inf"), float("nan"), 65000.0]


def dims_of(calls: Calls, x: torch.Tensor) -> list[int]:
    dims = [dim for dim in range(x.dim()) if calls.random.random() < 0.5]
    return [dim - x.dim() if calls.random.random() < 0.5 else dim for dim in dims]


def dim_of(calls: Calls, x: torch.Tensor) -> int:
    low = max(x.dim(), 1)
    return calls.random.randint(-low - (calls.random.random() < 0.03), low - 1)


def sum_calls(calls: Calls) -> None:
    for _ in range(120):
        x = calls.tensor(calls.sizes(), calls.dtype(ALL))
        keepdim = calls.random.random() < 0.5
        asked = calls.random.choice([None, None, "float32", "float64", "int32", "float16"])
        dtype = dtype_of(asked) if asked else None
        if dtype and x.is_complex():
            dtype = torch.complex128
        for op in ("sum", "mean"):
            calls.add(f"aten::{op}", x, dtype=dtype)
        calls.add("aten::sum.dim_IntList", x, dims_of(calls, x), keepdim, dtype=dtype)
        calls.add("aten::mean.dim", x, dims_of(calls, x), keepdim, dtype=dtype)
        calls.add("aten::prod.dim_int", x, dim_of(calls, x), keepdim, dtype=dtype)
        # torch multiplies halves as halves, which overflows in between.
        if dtype != torch.float16 and x.dtype != torch.float16:
            calls.add("aten::prod", x, dtype=dtype)


def order_calls(calls: Calls) -> None:
    for _ in range(120):
        x = calls.tensor(calls.sizes(), calls.dtype(ALL))
        if x.is_complex() and x.numel() == 0:
            continue
        keepdim = calls.random.random() < 0.5
        for op in ("amax", "amin"):
            calls.add(f"aten::{op}", x, dims_of(calls, x), keepdim)
        for op in ("max", "min"):
            calls.add(f"aten::{op}", x)
            calls.add(f"aten::{op}.dim", x, dim_of(calls, x), keepdim)
        # We also find the largest bool.
        for op in ("argmax", "argmin") if x.dtype != torch.bool else ():
            calls.add(f"aten::{op}", x, calls.random.choice([None, dim_of(calls, x)]), keepdim)


def truth_calls(calls: Calls) -> None:
    for _ in range(80):
        x = calls.tensor(calls.sizes(), calls.dtype(ALL))
        keepdim = calls.random.random() < 0.5
        for op in ("any", "all"):
            calls.add(f"aten::{op}", x)
            calls.add(f"aten::{op}.dim", x, dim_of(calls, x), keepdim)
            calls.add(
                f"aten::{op}.dims", x, calls.random.choice([None, dims_of(calls, x)]), keepdim
            )


def variance_calls(calls: Calls) -> None:
    for _ in range(120):
        x = calls.tensor(calls.sizes(), calls.dtype([*INEXACT, "int64"]))
        keepdim = calls.random.random() < 0.5
        calls.add("aten::var.dim", x, dims_of(calls, x), calls.random.random() < 0.5, keepdim)
        correction = calls.random.choice([None, 0, 1, 2, 0.5])
        calls.add(
            "aten::var.correction", x, dims_of(calls, x), correction=correction, keepdim=keepdim
        )
    calls.add("aten::var.dim", torch.randn(5000) + 1e4, [0])
    calls.add("aten::var.dim", torch.randn(3000, 5) + 1e4, [0])


def special_value_calls(calls: Calls) -> None:
    for dtype in REALS:
        values = torch.tensor(SPECIAL, dtype=torch.float64).to(dtype_of(dtype))
        for x in (values, values[:6], values[values == values], values[6:], values.repeat(20)):
            table = torch.stack([x, x.flip(0), torch.ones_like(x)])
            for op in ("sum", "mean", "prod", "amax", "amin", "argmax", "argmin", "any", "all"):
                calls.add(f"aten::{op}", x)
            for dim in (0, 1):
                for op in ("amax", "amin", "sum.dim_IntList", "mean.dim", "var.dim"):
                    calls.add(f"aten::{op}", table, [dim])
                for op in ("max.dim", "min.dim", "argmax", "argmin", "cumsum"):
                    calls.add(f"aten::{op}", table, dim)
                calls.add("aten::sort.stable", table, stable=True, dim=dim)
                calls.add("aten::_softmax", table, dim, False)
                calls.add("aten::_log_softmax", table, dim, False)


def large_calls(calls: Calls) -> None:
    """Lengths beyond the blocks, columns and pieces of the engine."""
    shapes = [
        [5000],
        [140001],
        [300, 301],
        [3000, 7],
        [7, 3000],
        [20000, 8],
        [33, 20, 50],
        [90000, 2],
    ]
    for sizes in shapes:
        for dtype in ("float32", "float16", "int64", "bool", "complex64"):
            x = calls.tensor(sizes, dtype)
            for dims in ([0], [-1], [0, -1] if len(sizes) > 1 else [0]):
                calls.add("aten::sum.dim_IntList", x, dims)
                calls.add("aten::any.dims", x, dims)
                if dtype in INEXACT:
                    calls.add("aten::mean.dim", x, dims)
                    calls.add("aten::var.dim", x, dims)
                if dtype in ORDERED:
                    calls.add("aten::amax", x, dims)
            if dtype in ORDERED:
                if dtype != "bool":
                    calls.add("aten::argmax", x)
                for dim in (0, -1):
                    calls.add("aten::max.dim", x, dim)
                    calls.add("aten::min.dim", x, dim)
                    descends = calls.random.random() < 0.5
                    calls.add("aten::sort.stable", x, stable=True, dim=dim, descending=descends)
            if dtype != "bool":
                calls.add("aten::cumsum", (x * 0.1 if dtype in REALS else x), 0)


def scan_and_sort_calls(calls: Calls) -> None:
    for _ in range(120):
        x = calls.tensor(calls.sizes(), calls.dtype(ALL))
        asked = calls.random.choice([None, None, "float64", "int32"])
        dtype = dtype_of(asked) if asked and not x.is_complex() else None
        calls.add("aten::cumsum", x, dim_of(calls, x), dtype=dtype)
        calls.add("aten::sort", x, dim_of(calls, x), calls.random.random() < 0.5)
        calls.add("aten::sort.stable", x, stable=True, dim=dim_of(calls, x), descending=True)


def topk_calls(calls: Calls) -> None:
    """Calls on values without ties: which of equal elements is chosen is unspecified."""
    for _ in range(80):
        sizes = calls.sizes()
        count = max(1, torch.Size(sizes).numel())
        order = torch.randperm(count, generator=torch.Generator().manual_seed(count))
        x = order.to(dtype_of(calls.dtype(["float32", "float64", "int64", "int32"])))
        x = x[: torch.Size(sizes).numel()].reshape(sizes)
        dim = dim_of(calls, x)
        largest = calls.random.random() < 0.5
        size = x.shape[dim] if x.dim() and -x.dim() <= dim else 1
        calls.add(
            "aten::topk", x, calls.random.randint(0, size + 1) if x.dim() else 1, dim, largest
        )
    x = torch.randperm(20000, generator=torch.Generator().manual_seed(1)).float().reshape(2, 10000)
    for k in (1, 5, 100, 5000, 10000):
        calls.add("aten::topk", x, k)


def softmax_calls(calls: Calls) -> None:
    for op in ("_softmax", "_log_softmax"):
        for _ in range(60):
            x = calls.tensor(calls.sizes(), calls.dtype([*REALS, "int64", "complex64"]))
            calls.add(f"aten::{op}", x, dim_of(calls, x), False)
        for sizes in ([3, 1000], [1000, 3], [5, 70, 100]):
            for dtype in REALS:
                for dim in (0, 1):
                    calls.add(f"aten::{op}", calls.tensor(sizes, dtype) * 10, dim, False)
        calls.add(f"aten::{op}", torch.ones(3), 0, True)


def parameter(calls: Calls, sizes: list[int], dtype: str) -> torch.Tensor | None:
    return calls.tensor(sizes, dtype).contiguous() if calls.random.random() < 0.7 else None


def parameter_dtype(calls: Calls, dtype: str) -> str:
    return calls.random.choice([dtype, "float32"]) if dtype in ("float16", "bfloat16") else dtype


def layer_norm_calls(calls: Calls) -> None:
    for _ in range(80):
        dtype = calls.dtype([*REALS, "int64"])
        x = calls.tensor(calls.sizes(calls.random.randint(1, 4)), dtype)
        shape = list(x.shape[calls.random.randrange(x.dim()) :])
        kind = parameter_dtype(calls, dtype)
        weight, bias = parameter(calls, shape, kind), parameter(calls, shape, kind)
        calls.add("aten::native_layer_norm", x, shape, weight, bias, 1e-5)
    for sizes in ([3, 5000], [70, 100]):
        calls.add(
            "aten::native_layer_norm", calls.tensor(sizes, "float32"), sizes[1:], None, None, 1e-5
        )
    calls.add("aten::native_layer_norm", torch.ones(2, 3), [2], None, None, 1e-5)


def image(calls: Calls, dtype: str, channels: int) -> torch.Tensor:
    """An image with several elements per channel: torch is inexact if there are few."""
    spatial = [4, *calls.sizes(calls.random.randint(0, 1))]
    x = calls.tensor([calls.random.randint(2, 3), channels, *spatial], dtype)
    if x.dim() == 4 and calls.random.random() < 0.4:
        x = x.contiguous(memory_format=torch.channels_last)
    return x if x.is_contiguous(memory_format=torch.channels_last) else x.contiguous()


def group_norm_calls(calls: Calls) -> None:
    for _ in range(80):
        dtype = calls.dtype(REALS)
        x = image(calls, dtype, 6)
        kind = parameter_dtype(calls, dtype)
        weight, bias = parameter(calls, [6], kind), parameter(calls, [6], kind)
        area = x[0, 0].numel()
        group = calls.random.choice([1, 2, 3, 6, 4])
        if area:
            calls.add("aten::native_group_norm", x, weight, bias, x.shape[0], 6, area, group, 1e-5)


def batch_norm_calls(calls: Calls) -> None:
    name = "aten::_native_batch_norm_legit"
    for _ in range(80):
        dtype = calls.dtype(REALS)
        x = image(calls, dtype, 5)
        if x.numel() == 0:
            continue
        # With halves, torch rounds the mean before it is used.
        kind = "float32" if dtype in ("float16", "bfloat16") else dtype
        weight, bias = calls.tensor([5], kind).contiguous(), parameter(calls, [5], kind)
        mean, variance = calls.tensor([5], kind).contiguous(), calls.tensor([5], kind).abs()
        training = calls.random.random() < 0.6
        calls.add(name, x, weight, bias, mean, variance, training, 0.1, 1e-5)
        calls.add(f"{name}.no_stats", x, weight, bias, True, 0.1, 1e-5)
        calls.add(f"{name}_no_training", x, weight, bias, mean, variance, 0.1, 1e-5)


@pytest.mark.parametrize(
    "make_calls",
    [
        sum_calls,
        order_calls,
        truth_calls,
        variance_calls,
        special_value_calls,
        large_calls,
        scan_and_sort_calls,
        topk_calls,
        softmax_calls,
        layer_norm_calls,
        group_norm_calls,
        batch_norm_calls,
    ],
)
def test_reductions_give_what_torch_gives(make_calls):
    check_against_torch(make_calls)
