"""Seeded random calls of views, copies and indexing match torch."""
# Covers: src/ops/embedding/*.

import pytest

from .torch_referee import ALL, INTS, REALS, Calls, OptionalTensors, check_against_torch, torch


def view_calls(calls: Calls) -> None:
    for _ in range(250):
        sizes = calls.sizes(calls.random.randint(0, 4))
        x = calls.tensor(sizes, calls.dtype(ALL))
        ndim = len(sizes)
        dim = calls.random.randint(-ndim - 1, ndim)
        other = calls.random.randint(-ndim - 1, ndim)
        number = calls.random.randint(-1, 4)
        size = sizes[dim] if -ndim <= dim < ndim else 1
        cut = calls.random.randint(0, size)
        dims = [calls.random.randint(-ndim, max(ndim - 1, 0)) for _ in range(2)]
        choices = [
            ("split_with_sizes", [cut, size - cut], dim),
            ("split_with_sizes", [cut, size], dim),
            ("split.Tensor", number, dim),
            ("chunk", number, dim),
            ("unbind.int", dim),
            ("narrow", dim, number, calls.random.randint(-1, 3)),
            ("diagonal", calls.random.randint(-3, 3), dim, other),
            ("squeeze.dims", dims),
            ("unfold", dim, number, calls.random.randint(0, 3)),
            ("flatten.using_ints", dim, other),
            ("unflatten.int", dim, calls.random.choice([[-1, 1], [1, size], [2, -1], [3]])),
            ("movedim.int", dim, other),
            ("movedim.intlist", dims, dims[::-1]),
            ("swapdims", dim, other),
            ("broadcast_to", [2, *sizes]),
            ("expand_as", calls.tensor([2, *sizes], "float32")),
            ("reshape_as", calls.tensor(sizes[::-1], "float32")),
        ]
        op, *args = calls.random.choice(choices)
        calls.add(f"aten::{op}", x, *args)


def cat_calls(calls: Calls) -> None:
    for _ in range(150):
        sizes = calls.sizes(calls.random.randint(1, 4))
        dim = calls.random.randint(-len(sizes), len(sizes) - 1)
        tensors = []
        dtype = calls.dtype(ALL)
        for _ in range(calls.random.randint(1, 4)):
            own = list(sizes)
            own[dim] = calls.random.randint(0, 4)
            if calls.random.random() < 0.05:
                own[0] += 1
            if calls.random.random() < 0.1:
                own = [0]
            mixed = calls.random.random() < 0.2
            tensors.append(calls.tensor(own, calls.dtype(ALL) if mixed else dtype))
        calls.add("aten::cat", tensors, dim)
        same = [calls.tensor(sizes, dtype) for _ in range(calls.random.randint(1, 3))]
        calls.add("aten::stack", same, calls.random.randint(-len(sizes) - 2, len(sizes) + 1))


def repeat_calls(calls: Calls) -> None:
    for _ in range(150):
        sizes = calls.sizes(calls.random.randint(0, 4))
        x = calls.tensor(sizes, calls.dtype(ALL))
        repeats = [
            calls.random.randint(0 if calls.random.random() < 0.1 else 1, 3)
            for _ in range(len(sizes) + calls.random.randint(0 if not sizes else -1, 2))
        ]
        dims = [calls.random.randint(-len(sizes), len(sizes)) for _ in range(len(sizes) // 2)]
        shifts = [calls.random.randint(-9, 9) for _ in dims]
        calls.add("aten::repeat", x, repeats)
        calls.add("aten::tile", x, repeats)
        calls.add("aten::flip", x, dims)
        calls.add("aten::roll", x, shifts, dims)
        calls.add("aten::roll", x, [calls.random.randint(-9, 9)])


def pad_calls(calls: Calls) -> None:
    for _ in range(150):
        sizes = calls.sizes(calls.random.randint(1, 4))
        pairs = calls.random.randint(0, len(sizes))
        pad = [calls.random.randint(-2, 3) for _ in range(2 * pairs)]
        x = calls.tensor(sizes, calls.dtype(ALL))
        calls.add("aten::constant_pad_nd", x, pad, calls.random.choice([0, 2, -1]))
        ndim = calls.random.randint(1, 3)
        sizes = calls.sizes(ndim + calls.random.randint(1, 2))
        x = calls.tensor(sizes, calls.dtype([*INTS, *REALS]))
        pad = [calls.random.randint(-1, 3) for _ in range(2 * ndim)]
        calls.add(f"aten::reflection_pad{ndim}d", x, pad)
        calls.add(f"aten::replication_pad{ndim}d", x, pad)


def view_scatter_calls(calls: Calls) -> None:
    for _ in range(80):
        sizes = calls.sizes(calls.random.randint(1, 4))
        dtype = calls.dtype(ALL)
        x = calls.tensor(sizes, dtype)
        dim = calls.random.randint(-len(sizes), len(sizes) - 1)
        index = calls.random.randint(-4, 4)
        start, end = calls.random.choice([None, 0, 1, -2]), calls.random.choice([None, 2, -1, 50])
        step = calls.random.randint(1, 2)
        part = torch.ops.aten.slice.Tensor(x, dim, start, end, step)
        src = calls.tensor(list(part.shape), calls.dtype(ALL))
        calls.add("aten::slice_scatter", x, src, dim, start, end, step)
        left = [size for i, size in enumerate(sizes) if i != dim % len(sizes)]
        calls.add("aten::select_scatter", x, calls.tensor(left, dtype), dim, index)
        if len(sizes) > 1:
            offset = calls.random.randint(-2, 2)
            part = torch.ops.aten.diagonal(x, offset, 0, -1)
            src = calls.tensor(list(part.shape), dtype)
            calls.add("aten::diagonal_scatter", x, src, offset, 0, -1)


def make_index(calls: Calls, sizes: list[int], limit: int, lowest: int = 0) -> torch.Tensor:
    """Return index tensors of any strides; a few hold an index that is out of range."""
    wrong = 2 if calls.random.random() < 0.05 else 0
    dtype = calls.random.choice(["int64", "int64", "int32"])
    index = calls.tensor(sizes, dtype)
    if index.numel():
        values = torch.tensor(
            [
                calls.random.randint(lowest - wrong, max(limit - 1, lowest) + wrong)
                for _ in range(index.numel())
            ]
        )
        index.copy_(values.reshape(index.shape))
    return index


def index_calls(calls: Calls) -> None:
    for _ in range(400):
        sizes = calls.sizes(calls.random.randint(1, 4))
        dtype = calls.dtype(ALL)
        x = calls.tensor(sizes, dtype)
        shape = calls.sizes(calls.random.randint(0, 2))
        indices, dim = [], 0
        while dim < len(sizes) and calls.random.random() < 0.85:
            kind = calls.random.choice(["none", "ints", "ints", "ints", "mask"])
            if kind == "none":
                indices.append(None)
                dim += 1
            elif kind == "ints":
                own = [1 if calls.random.random() < 0.2 else size for size in shape]
                indices.append(make_index(calls, own, sizes[dim], -sizes[dim]))
                dim += 1
            elif shape in ([], [1]) or not any(i is not None for i in indices):
                count = calls.random.randint(1, len(sizes) - dim)
                mask = calls.tensor(sizes[dim : dim + count], "bool")
                indices.append(mask)
                shape = [int(mask.sum())]
                dim += count
            else:
                break
        if all(index is None for index in indices):
            continue
        calls.add("aten::index.Tensor", x, OptionalTensors(indices))
        unique = x.clone()
        try:
            part = torch.ops.aten.index.Tensor(unique, indices)
        except (RuntimeError, IndexError):
            continue
        values = calls.tensor(list(part.shape), dtype)
        calls.add("aten::index_put", x, OptionalTensors(indices), values, True)
        calls.add("aten::index_put_", x, OptionalTensors(indices), values, True)
        one = calls.tensor([], dtype)
        calls.add("aten::index_put", x, OptionalTensors(indices), one)


def index_put_calls(calls: Calls) -> None:
    """Each position is written once, so that the order does not matter."""
    for _ in range(60):
        rows, columns = calls.random.randint(1, 7), calls.random.randint(1, 7)
        dtype = calls.dtype(ALL)
        x = calls.tensor([rows, columns, 3], dtype)
        order = torch.tensor(calls.random.sample(range(rows), calls.random.randint(1, rows)))
        values = calls.tensor([len(order), columns, 3], dtype)
        calls.add("aten::index_put", x, OptionalTensors([order]), values)
        values = calls.tensor([columns, len(order)], dtype)
        last = torch.tensor([2])
        calls.add(
            "aten::index_put_", x.permute(1, 0, 2), OptionalTensors([None, order, last]), values
        )
        values = calls.tensor([3], dtype)
        calls.add("aten::index_put", x, OptionalTensors([order]), values)
        calls.add("aten::index_put", x, OptionalTensors([order]), calls.tensor([9, 9], dtype))


def select_calls(calls: Calls) -> None:
    for _ in range(200):
        sizes = calls.sizes(calls.random.randint(0, 4))
        x = calls.tensor(sizes, calls.dtype(ALL))
        dim = calls.random.randint(-len(sizes) - 1, len(sizes))
        size = sizes[dim] if -len(sizes) <= dim < len(sizes) else 1
        shape = calls.random.choice([[], [3], [0], [7], [2, 2]])
        calls.add("aten::index_select", x, dim, make_index(calls, shape, size))
        rows = calls.tensor(calls.sizes(calls.random.choice([2, 2, 2, 1, 3])), calls.dtype(ALL))
        calls.add("aten::embedding", rows, make_index(calls, calls.sizes(), rows.shape[0]))
        calls.add("aten::nonzero", x)
        whole, part = calls.broadcast_pair()
        calls.add(
            "aten::masked_select", calls.tensor(whole, calls.dtype(ALL)), calls.tensor(part, "bool")
        )


def gather_calls(calls: Calls) -> None:
    for _ in range(250):
        sizes = calls.sizes(calls.random.randint(0, 3))
        dtype = calls.dtype(ALL)
        x = calls.tensor(sizes, dtype)
        dim = calls.random.randint(-len(sizes), max(len(sizes) - 1, 0))
        size = sizes[dim] if sizes else 1
        shape = [calls.random.randint(1, each) if each else 0 for each in sizes]
        if sizes:
            shape[dim] = calls.random.randint(0, 6) if size else 0
        if calls.random.random() < 0.05:
            shape = [9, *shape]
        index = make_index(calls, shape, size)
        calls.add("aten::gather", x, dim, index)
        src = calls.tensor([each + calls.random.randint(0, 2) for each in shape], dtype)
        calls.add("aten::scatter_add", x, dim, index, src)
        calls.add("aten::scatter_add_", x, dim, index, src)
        calls.add("aten::scatter.value", x, dim, index, calls.random.choice([2, -1, 2.5]))
        reduce = calls.random.choice(["sum", "prod", "mean", "amax", "amin", "median"])
        if dtype == "bool" and reduce in ("mean", "median"):
            continue
        calls.add(
            "aten::scatter_reduce.two",
            x,
            dim,
            index,
            src,
            reduce,
            include_self=calls.random.random() < 0.5,
        )


def scatter_calls(calls: Calls) -> None:
    for _ in range(100):
        sizes = [calls.random.randint(1, 6) for _ in range(calls.random.randint(1, 3))]
        dtype = calls.dtype(ALL)
        dim = calls.random.randint(-len(sizes), len(sizes) - 1)
        shape = [calls.random.randint(1, each) for each in sizes]
        order = torch.argsort(torch.rand(sizes), dim)
        index = order[tuple(slice(each) for each in shape)]
        calls.add(
            "aten::scatter.src", calls.tensor(sizes, dtype), dim, index, calls.tensor(sizes, dtype)
        )
        calls.add(
            "aten::scatter_.src", calls.tensor(sizes, dtype), dim, index, calls.tensor(sizes, dtype)
        )


def mask_calls(calls: Calls) -> None:
    for _ in range(120):
        whole, part = calls.broadcast_pair()
        dtype = calls.dtype(ALL)
        x = calls.tensor(whole, dtype)
        mask = calls.tensor(part, "bool" if calls.random.random() < 0.95 else "int32")
        value = calls.random.choice([2, True, 1.5])
        calls.add("aten::masked_fill.Scalar", x, mask, value)
        calls.add("aten::masked_fill_.Scalar", x, mask, value)
        source = calls.tensor(calls.random.choice([whole, part, [400]]), dtype)
        calls.add("aten::masked_scatter", x, mask, source)
        calls.add("aten::masked_scatter_", x, mask, source)


@pytest.mark.parametrize(
    "make_calls",
    [
        view_calls,
        cat_calls,
        repeat_calls,
        pad_calls,
        view_scatter_calls,
        index_calls,
        index_put_calls,
        select_calls,
        gather_calls,
        scatter_calls,
        mask_calls,
    ],
)
def test_random_calls_give_what_torch_gives(make_calls):
    torch.manual_seed(1)
    check_against_torch(make_calls)
