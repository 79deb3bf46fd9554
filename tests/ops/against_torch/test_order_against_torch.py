"""Selection, unique elements, searches and histograms match torch."""
# Covers: src/ops/sorting/*, src/ops/statistics/*.

import pytest

from .torch_referee import ALL, INTS, REALS, WIDE_UNSIGNED, Calls, check_against_torch, torch

NUMBERS = [*INTS, *REALS]
ORDERED = ["bool", *NUMBERS]
SPECIAL = [0.0, -0.0, 1.0, float("nan"), -2.5, 1.0, float("inf"), float("-inf"), float("nan")]


def dim_of(calls: Calls, x: torch.Tensor) -> int:
    low = max(x.dim(), 1)
    return calls.random.randint(-low - (calls.random.random() < 0.03), low - 1)


def distinct(calls: Calls, dtype: str) -> torch.Tensor:
    """Return different elements: torch chooses any of equal ones."""
    sizes = calls.sizes(calls.random.randint(0, 3))
    count = torch.Size(sizes).numel()
    order = torch.randperm(max(count, 1), generator=torch.Generator().manual_seed(count))
    return order[:count].to(getattr(torch, dtype)).reshape(sizes)


def flag(calls: Calls) -> bool:
    return calls.random.random() < 0.5


def selection_calls(calls: Calls) -> None:
    for _ in range(150):
        x = distinct(calls, calls.dtype(["float32", "float64", "int64", "int16", "bfloat16"]))
        dim, keepdim = dim_of(calls, x), flag(calls)
        size = x.shape[dim] if x.dim() and -x.dim() <= dim else 1
        for op in ("median", "nanmedian"):
            calls.add(f"aten::{op}.dim", x, dim, keepdim)
        calls.add("aten::kthvalue", x, calls.random.randint(0, size + 1), dim, keepdim)
        calls.add("aten::mode", x, dim, keepdim)
        y = calls.tensor(calls.sizes(), calls.dtype(NUMBERS))
        if y.numel():
            calls.add("aten::median", y)
            calls.add("aten::nanmedian", y)
    for dtype in REALS:
        special = torch.tensor(SPECIAL, dtype=torch.float64).to(getattr(torch, dtype))
        for x in (special, special[:3], special[3:4], special[4:8], special.repeat(300)):
            calls.add("aten::median", x)
            calls.add("aten::nanmedian", x)
    for sizes in ([5000], [3, 4001], [700, 3]):
        for dtype in ("float32", "int32", "uint8", "int64", "float16"):
            calls.add("aten::median", calls.tensor(sizes, dtype))


def cumulative_calls(calls: Calls) -> None:
    for _ in range(120):
        x = calls.tensor(calls.sizes(), calls.dtype(ORDERED))
        for op in ("cummax", "cummin"):
            calls.add(f"aten::{op}", x, dim_of(calls, x))
    for dtype in REALS:
        x = torch.tensor(SPECIAL, dtype=torch.float64).to(getattr(torch, dtype))
        for table in (x, torch.stack([x, x.flip(0)]), torch.stack([x, x.roll(3), x.flip(0)], 1)):
            for op in ("cummax", "cummin"):
                calls.add(f"aten::{op}", table, 0)


def unique_calls(calls: Calls) -> None:
    for _ in range(150):
        x = calls.tensor(calls.sizes(), calls.dtype([*ORDERED, *WIDE_UNSIGNED]))
        inverse, counts = flag(calls), flag(calls)
        calls.add("aten::_unique2", x, True, inverse, counts)
        calls.add("aten::_unique", x, True, inverse)
        calls.add("aten::unique_consecutive", x, inverse, counts)
        y = calls.tensor([3, *calls.sizes(calls.random.randint(0, 2)), 2], calls.dtype(ORDERED))
        y = (y * 0.4).to(y.dtype) if y.dtype.is_floating_point else y % 2 > 0
        dim = dim_of(calls, y)
        calls.add("aten::unique_dim", y, dim, True, inverse, counts)
        calls.add("aten::unique_dim_consecutive", y, dim, inverse, counts)
        calls.add("aten::unique_consecutive", y, inverse, counts, dim)
    special = torch.tensor(SPECIAL)
    calls.add("aten::_unique2", special, True, True, True)
    calls.add("aten::unique_consecutive", special, True, True)
    calls.add("aten::unique_dim", torch.tensor([[1.0, float("nan")]] * 2), 0)
    for dtype in ("int64", "float32", "uint8", "float16"):
        x = (calls.tensor([5000], "float32") * 100).to(getattr(torch, dtype))
        calls.add("aten::_unique2", x, True, True, True)
        calls.add("aten::_unique2", x, True, False, True)
    for sizes, dim in (([0, 3], 0), ([0, 3], 1), ([2, 0, 0], 1), ([3, 0], 1), ([], 0)):
        calls.add("aten::unique_dim", torch.empty(sizes), dim)
        calls.add("aten::unique_dim_consecutive", torch.empty(sizes), dim)


def search_calls(calls: Calls) -> None:
    for _ in range(150):
        rows = calls.sizes(calls.random.randint(0, 2))
        kinds = [calls.dtype(NUMBERS), calls.dtype(["int64", "float32"])]
        edges = calls.tensor([*rows, 7], kinds[0])
        sorter = edges.argsort(dim=-1, stable=True)
        edges = edges if flag(calls) else edges.gather(-1, sorter)
        sorter = sorter if not torch.equal(edges, edges.sort(-1)[0]) else None
        x = calls.tensor([*rows, calls.random.choice([1, 4])], calls.random.choice(kinds))
        side = calls.random.choice([None, "left", "right", "middle"])
        calls.add(
            "aten::searchsorted.Tensor",
            edges,
            x,
            out_int32=flag(calls),
            right=flag(calls),
            side=side,
            sorter=sorter,
        )
        if len(rows) == 0:
            calls.add("aten::searchsorted.Scalar", edges.sort()[0], 2, right=flag(calls))
            calls.add("aten::bucketize.Tensor", x, edges.sort()[0], right=flag(calls))
            calls.add("aten::bucketize.Scalar", 1.5, edges.sort()[0], out_int32=flag(calls))
    special = torch.tensor(SPECIAL)
    for right in (False, True):
        calls.add("aten::bucketize.Tensor", special, special.sort()[0], right=right)


def membership_calls(calls: Calls) -> None:
    for _ in range(120):
        x = calls.tensor(calls.sizes(), calls.dtype(NUMBERS))
        others = calls.tensor(calls.sizes(), calls.dtype(NUMBERS)).contiguous()
        if "bfloat16" in str((x.dtype, others.dtype)) and x.dtype != others.dtype:
            continue
        calls.add("aten::isin.Tensor_Tensor", x, others, invert=flag(calls))
        calls.add("aten::isin.Tensor_Scalar", x, calls.random.choice([1, 2, -3]))
        calls.add("aten::isin.Scalar_Tensor", calls.random.choice([1, 2, -3]), others)
    special = torch.tensor(SPECIAL)
    for others in (special, special[1:2], special.repeat(30)):
        calls.add("aten::isin.Tensor_Tensor", special, others)
    largest = torch.tensor([2**63 - 1, -(2**63), 0])
    calls.add("aten::isin.Tensor_Tensor", largest, largest[:1])
    for _ in range(60):
        x = calls.tensor(calls.sizes(), calls.dtype(ALL))
        size = calls.random.choice([-1, 0, 2, 40])
        calls.add("aten::nonzero_static", x, size=size, fill_value=calls.random.choice([-1, 7]))


def count_calls(calls: Calls) -> None:
    for _ in range(100):
        x = calls.tensor([calls.random.choice([0, 1, 9])], calls.dtype([*INTS, "float32"]))
        x = x.abs() if calls.random.random() < 0.9 else x
        weights = calls.tensor([*x.shape], calls.dtype(["bool", *NUMBERS])) if flag(calls) else None
        calls.add("aten::bincount", x, weights, calls.random.choice([0, 0, 3, 20, -1]))
    calls.add("aten::bincount", torch.ones(2, 2, dtype=torch.int64))
    calls.add("aten::bincount", torch.ones(2, dtype=torch.int64), torch.ones(3))


def histogram_calls(calls: Calls) -> None:
    for _ in range(100):
        dtype = calls.dtype(["float32", "float64"])
        x = calls.tensor(calls.sizes(), dtype)
        bins = calls.random.choice([1, 3, 10, 0])
        low = calls.random.choice([0, -1, 0.5, 3])
        calls.add("aten::histc", x, bins, low, calls.random.choice([0, 1, 2.5]))
        weight = calls.tensor([*x.shape], dtype).abs() if flag(calls) else None
        calls.add("aten::histogram.bin_ct", x, bins, weight=weight, density=flag(calls))
        edges = calls.tensor([calls.random.choice([2, 5])], dtype).sort()[0]
        calls.add("aten::histogram.bins_tensor", x, edges, weight=weight, density=flag(calls))
        rows = calls.tensor([9, 2], dtype)
        weight = calls.tensor([9], dtype).abs() if flag(calls) else None
        for op in ("_histogramdd_from_bin_cts", "_histogramdd_bin_edges"):
            calls.add(f"aten::{op}", rows, [3, max(bins, 1)], weight=weight, density=flag(calls))
    for x in (torch.tensor(SPECIAL), torch.full([3], 2.0), torch.empty(0)):
        calls.add("aten::histc", x, 4)
        calls.add("aten::histc", x, 4, -1, 3)
        calls.add("aten::histogram.bin_ct", x, 4)


def index_reduce_calls(calls: Calls) -> None:
    for _ in range(100):
        x = calls.tensor(calls.sizes(calls.random.randint(1, 3)), calls.dtype(["float32", "int64"]))
        dim = calls.random.randrange(x.dim())
        if not x.numel():
            continue
        generator = torch.Generator().manual_seed(calls.random.randrange(2**31))
        index = torch.randint(0, x.shape[dim], [4], generator=generator)
        source = calls.tensor([*x.shape[:dim], 4, *x.shape[dim + 1 :]], str(x.dtype)[6:])
        reduce = calls.random.choice(["prod", "mean", "amax", "amin", "sum"])
        for op in ("index_reduce", "index_reduce_"):
            target = x.contiguous()
            calls.add(f"aten::{op}", target, dim, index, source, reduce, include_self=flag(calls))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "make_calls",
    [
        selection_calls,
        cumulative_calls,
        unique_calls,
        search_calls,
        membership_calls,
        count_calls,
        histogram_calls,
        index_reduce_calls,
    ],
)
def test_order_and_statistics_give_what_torch_gives(make_calls):
    check_against_torch(make_calls)
