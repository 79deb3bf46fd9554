"""Seeded random operator calls match torch: values, dtype, sizes, strides."""

import pytest

from .torch_referee import ALL, COMPLEX, INTS, REALS, Calls, check_against_torch, dtype_of, torch


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


def copy_calls(calls: Calls) -> None:
    for _ in range(30):
        sizes = calls.sizes()
        calls.add(
            "aten::copy_",
            calls.tensor(sizes, calls.dtype(ALL)),
            calls.tensor(sizes, calls.dtype(ALL)),
        )
        x = calls.tensor(sizes, calls.dtype(ALL))
        calls.add("aten::copy", x, calls.tensor(sizes, calls.dtype(ALL)))
        calls.add("aten::clone", x)
        calls.add("aten::fill.Scalar", x, calls.random.choice([True, 3, 2.5]))
        calls.add("aten::fill.Tensor", x, calls.tensor([], calls.dtype(ALL)))
    for _ in range(10):
        calls.add(
            "aten::fill_.Scalar",
            calls.tensor(calls.sizes(), calls.dtype(ALL)),
            calls.random.choice([True, 3, 2.5]),
        )
        calls.add("aten::zero_", calls.tensor(calls.sizes(), calls.dtype(ALL)))


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


@pytest.mark.parametrize(
    "make_calls",
    [
        whole_tensor_calls,
        range_calls,
        copy_calls,
        sum_calls,
        product_calls,
        view_calls,
        factory_calls,
    ],
)
def test_random_calls_give_what_torch_gives(make_calls):
    check_against_torch(make_calls)
