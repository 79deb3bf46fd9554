"""Creation operators match torch; random ones in sizes and strides."""

import pytest

from .torch_referee import (
    INTS,
    REALS,
    Calls,
    check_against_torch,
    dtype_of,
    encode,
    run_lines,
    run_torch,
)


def pattern_calls(calls: Calls) -> None:
    for _ in range(150):
        rows, columns = calls.random.randint(-1, 6), calls.random.randint(0, 6)
        offset = calls.random.randint(-7, 7)
        dtype = dtype_of(calls.dtype([*INTS, *REALS, "bool"]))
        calls.add("aten::eye", rows, dtype=dtype)
        calls.add("aten::eye.m", rows, columns, dtype=dtype)
        index = dtype_of(calls.random.choice(["int32", "int64"]))
        calls.add("aten::tril_indices", rows, columns, offset, dtype=index)
        calls.add("aten::triu_indices", rows, columns, offset, dtype=index)


def logspace_calls(calls: Calls) -> None:
    for _ in range(150):
        start, end = calls.random.uniform(-3, 3), calls.random.uniform(-3, 3)
        steps = calls.random.randint(-1, 20)
        base = calls.random.choice([2.0, 10.0, 0.5])
        dtype = dtype_of(calls.dtype(["float32", "float64"]))
        calls.add("aten::logspace", start, end, steps, base, dtype=dtype)


def complex_calls(calls: Calls) -> None:
    for _ in range(200):
        first, second = calls.broadcast_pair()
        dtype = calls.dtype(["float32", "float64", "int64"])
        x = calls.tensor(first, dtype)
        y = calls.tensor(second, calls.random.choice([dtype, "float32"]))
        calls.add("aten::complex", x, y)
        calls.add("aten::polar", x, y)


def meshgrid_calls(calls: Calls) -> None:
    for _ in range(100):
        dtype = calls.dtype([*INTS, *REALS])
        tensors = [
            calls.tensor(calls.sizes(calls.random.randint(0, 1)), dtype)
            for _ in range(calls.random.randint(1, 4))
        ]
        calls.add("aten::meshgrid", tensors)
        calls.add("aten::meshgrid.indexing", tensors, indexing=calls.random.choice(["ij", "xy"]))


def dropout_backward_calls(calls: Calls) -> None:
    for _ in range(100):
        sizes = calls.sizes()
        x = calls.tensor(sizes, calls.dtype(REALS))
        calls.add("aten::native_dropout_backward", x, calls.tensor(sizes, "bool"), 1.25)


@pytest.mark.parametrize(
    "make_calls",
    [pattern_calls, logspace_calls, complex_calls, meshgrid_calls, dropout_backward_calls],
)
def test_creation_gives_what_torch_gives(make_calls):
    check_against_torch(make_calls)


def random_calls(calls: Calls) -> None:
    for _ in range(300):
        sizes = calls.sizes()
        name = calls.dtype([*INTS, *REALS, "bool", "complex64"])
        x = calls.tensor(sizes, name)
        dtype = dtype_of(calls.dtype([*INTS, *REALS, "bool", "complex128"]))
        p = calls.random.choice([-0.5, 0.0, 0.3, 1.0, 1.5])
        train = calls.random.choice([True, False])
        wide = calls.tensor(sizes[1:], "float32").abs().clamp(0, 1)
        weights = calls.tensor(calls.sizes(calls.random.randint(1, 2)), "float32").abs()
        choices = [
            ("rand", sizes, {"dtype": dtype}),
            ("randn", sizes, {"dtype": dtype}),
            ("randint", 2, sizes, {"dtype": dtype}),
            ("randint.low", calls.random.randint(-2, 2), 2, sizes, {"dtype": dtype}),
            ("randperm", calls.random.randint(-1, 256), {"dtype": dtype}),
            ("rand_like", x),
            ("randn_like", x, {"dtype": dtype}),
            ("randint_like", x, 2),
            ("randint_like.low_dtype", x, calls.random.randint(-2, 2), 2),
            ("uniform_", x, p, 1.0),
            ("normal_", x, 0.0, p),
            ("log_normal_", x, 0.0, p),
            ("exponential_", x, p),
            ("cauchy_", x, 0.0, p),
            ("geometric_", x, p),
            ("random_", x),
            ("random_.to", x, calls.random.randint(0, 2)),
            ("random_.from", x, calls.random.randint(-2, 3), 2),
            ("bernoulli_.float", x, p),
            ("bernoulli_.Tensor", x, wide),
            ("bernoulli", x.abs().clamp(0, 1) if x.is_floating_point() else x),
            ("bernoulli.p", x, p),
            ("normal.Tensor_float", calls.tensor(sizes, calls.dtype(REALS)), p),
            ("normal.float_Tensor", 1.0, calls.tensor(sizes, calls.dtype(REALS)).abs()),
            ("normal.Tensor_Tensor", calls.tensor(sizes, "float32"), wide),
            ("normal.float_float", 1.0, p, sizes, {"dtype": x.dtype if x.numel() else None}),
            ("multinomial", weights, calls.random.randint(0, 4), train),
            ("poisson", calls.tensor(sizes, calls.dtype(REALS)).abs()),
            ("native_dropout", calls.tensor(sizes, calls.dtype(REALS)), p, True),
            ("dropout", x, p, train),
            ("feature_dropout", x, p, train),
            ("alpha_dropout", calls.tensor(sizes, calls.dtype(REALS)), p, train),
        ]
        op, *args = calls.random.choice(choices)
        kwargs = args.pop() if isinstance(args[-1], dict) else {}
        calls.add(f"aten::{op}", *args, **kwargs)


def shapes(results) -> list | str:
    if isinstance(results, str):
        return "refused"
    pairs = [each if isinstance(each, tuple) else (each, each.stride()) for each in results]
    return [
        (str(tensor.dtype), list(tensor.shape), tuple(strides) if tensor.numel() > 1 else None)
        for tensor, strides in pairs
    ]


def test_random_tensors_are_as_large_as_those_of_torch_and_are_refused_where_torch_does():
    calls = Calls(1)
    random_calls(calls)
    lines = [
        "\t".join([op, *map(encode, args), *(f"{k}={encode(v)}" for k, v in kwargs.items())])
        for op, args, kwargs in calls.calls
    ]

    ours = [shapes(results) for results in run_lines(lines)]
    theirs = [shapes(run_torch(*call)) for call in calls.calls]

    differing = [
        f"{op}{args}{kwargs}: {mine} is not {expected}"
        for (op, args, kwargs), mine, expected in zip(calls.calls, ours, theirs, strict=True)
        if mine != expected
    ]
    assert not differing, f"{len(differing)} differ\n" + "\n".join(differing[:12])
