"""Running the code of a call gives the same arguments bit for bit."""

import itertools

import opwright as ow
import pytest
from opwright import _C

aten = ow.ops.aten


def split(op, values: list) -> tuple[tuple, dict]:
    """Values of all arguments of the schema, as positional and keyword arguments."""
    pairs = list(zip(op.schema.arguments, values, strict=True))
    positional = tuple(value for argument, value in pairs if not argument.kwarg_only)
    return positional, {argument.name: value for argument, value in pairs if argument.kwarg_only}


def run(code: str) -> tuple[tuple, dict]:
    """The arguments of the call that the code ends with."""
    kept = []
    head, _, call = code.rstrip("\n").rpartition("\n")
    namespace = {"keep": lambda *args, **kwargs: kept.append((args, kwargs))}
    exec(f"{head}\nkeep{call[call.index('(') :]}\n", namespace)
    return kept[0]


def assert_reproduced(op, args: tuple, kwargs: dict) -> None:
    code = _C.example_code(op, args, kwargs)

    assert _C.example_key(op, *run(code)) == _C.example_key(op, args, kwargs), code


DTYPES = [
    *(ow.bool, ow.uint8, ow.uint16, ow.uint32, ow.uint64, ow.int8, ow.int16, ow.int32, ow.int64),
    *(ow.float16, ow.bfloat16, ow.float32, ow.float64, ow.complex64, ow.complex128),
]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_comes_back(dtype):
    for x in (
        ow.zeros(2, 3, dtype=dtype),
        ow.ones(3, dtype=dtype),
        ow.ones((), dtype=dtype),
        ow.full((2, 2), 3, dtype=dtype),
        ow.arange(5).to(dtype),
        (ow.randn(3, 4) * 5).abs().to(dtype),
        ow.zeros(0, 2, dtype=dtype),
    ):
        assert_reproduced(aten.clone.default, (x,), {})


def test_extreme_numbers_come_back():
    for x in (
        ow.tensor([2**64 - 1, 0, 2**63], dtype=ow.uint64),
        ow.tensor([-(2**63), 2**63 - 1]),
        ow.tensor([5e-324, 1.7976931348623157e308, 0.1, 1 / 3], dtype=ow.float64),
        ow.tensor([1e-45, 3.4028234663852886e38, 0.1, 1 / 3]),
        ow.tensor([6e-8, 65504.0, 0.1], dtype=ow.float16),
        ow.tensor([float("nan"), float("inf"), -float("inf"), -0.0]),
        ow.tensor([complex(-0.0, float("inf")), complex(float("nan"), -0.0)]),
    ):
        assert_reproduced(aten.clone.default, (x,), {})


def test_views_come_back():
    base = ow.randn(4, 5, 6)
    for x in (
        base.permute(2, 0, 1),
        base.transpose(0, 1),
        base[0].t(),
        base[1:3, ::2, 1:],
        base[:, :1].expand(4, 5, 6),
        base.reshape(-1)[3:40:7],
        base.as_strided((3, 3), (1, 1), 2),
        base[2:2],
        base[..., 0],
    ):
        assert_reproduced(aten.clone.default, (x,), {})


def test_shared_memory_and_gradients_come_back():
    base = ow.randn(10)
    w = ow.randn(3, requires_grad=True)

    assert_reproduced(aten.add.Tensor, (base[:4], base[3:7]), {"alpha": 2.5})
    assert_reproduced(aten.add.Tensor, (base, base), {})
    assert_reproduced(aten.mul.Tensor, (w, base[:3]), {})
    assert_reproduced(aten.cat.default, ([base[:4], base[3:7], w],), {})


def test_other_values_come_back():
    x = ow.randn(2, 3)

    assert_reproduced(aten.sum.dim_IntList, (x, None, True), {"dtype": ow.float64})
    assert_reproduced(aten.div.Tensor_mode, (x, x), {"rounding_mode": "floor"})
    assert_reproduced(aten.clamp.default, (x, float("-inf"), None), {})
    assert_reproduced(aten.add.Scalar, (x, complex(1, -0.0)), {})
    assert_reproduced(aten.full.default, ([2, 3], True), {"device": ow.device("cpu")})
    assert_reproduced(aten.clone.default, (x,), {"memory_format": ow.contiguous_format})
    assert_reproduced(aten.clone.default, (x,), {"memory_format": ow.preserve_format})


def test_a_name_that_python_keeps_for_itself_is_passed():
    code = _C.example_code(getattr(aten.random_, "from"), (ow.zeros(3), 2, 5), {})

    assert code.splitlines()[-1] == 'getattr(ow.ops.aten.random_, "from")(self, 2, 5)'


CALLS = [
    (aten.mm.default, lambda: (ow.randn(4, 4), ow.randn(4, 4)), {}),
    (aten.embedding.default, lambda: (ow.randn(9, 2), ow.tensor([[1, 8], [0, 3]])), {}),
    (aten.where.self, lambda: (ow.tensor([True, False]), ow.randn(2), ow.randn(1)), {}),
    (aten.cat.default, lambda: ([ow.randn(2, 3), ow.randn(2, 3)], 1), {}),
    (aten.bernoulli.default, lambda: (ow.rand(3),), {"generator": ow.Generator()}),
    (aten.convolution.default, lambda: (ow.randn(1, 2, 5, 5), ow.randn(3, 2, 3, 3), None,
                                        [1, 1], [0, 0], [1, 1], False, [0, 0], 1), {}),
]  # fmt: skip


@pytest.mark.parametrize("wild", [False, True], ids=["of its kind", "wild"])
@pytest.mark.parametrize(("op", "make", "kwargs"), CALLS, ids=[str(call[0]) for call in CALLS])
def test_code_of_variations_gives_their_arguments(op, make, kwargs, wild):
    variations = _C.vary(op, make(), kwargs, seed=1, wild=wild)

    for values, _ in itertools.islice(variations, 120):
        assert_reproduced(op, *split(op, values))
