"""Products of groups of matrices: _grouped_mm and nn.functional.grouped_mm."""

# Covers: src/ops/matrix/grouped_product.

import re

import opwright as ow
import pytest
import torch

F = ow.nn.functional
ENDS = [2, 2, 7]


def given(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(sizes))
    return torch.randn(sizes, dtype=dtype, generator=generator)


def to_ours(tensor: torch.Tensor) -> ow.Tensor:
    return ow.from_dlpack(tensor)


def by_groups(a: torch.Tensor, b: torch.Tensor, ends: list[int]) -> torch.Tensor:
    starts = [0, *ends[:-1]]
    groups = list(enumerate(zip(starts, ends, strict=True)))
    if a.ndim == 2 and b.ndim == 2:
        return torch.stack([a[:, i:j] @ b[i:j] for _, (i, j) in groups])
    if a.ndim == 2:
        parts = [a[i:j] @ b[g] for g, (i, j) in groups]
        parts.append(torch.zeros(a.shape[0] - ends[-1], b.shape[-1], dtype=a.dtype))
        return torch.cat(parts)
    parts = [a[g] @ b[:, i:j] for g, (i, j) in groups]
    parts.append(torch.zeros(a.shape[1], b.shape[-1] - ends[-1], dtype=a.dtype))
    return torch.cat(parts, -1)


FACTORS = {
    "rows": ((8, 4), (3, 4, 5)),
    "columns": ((3, 4, 5), (5, 8)),
    "depth": ((4, 8), (8, 5)),
}


@pytest.mark.parametrize("kind", FACTORS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_each_group_has_its_product(kind, dtype):
    a, b = (given(*sizes, dtype=dtype) for sizes in FACTORS[kind])
    offs = ow.tensor(ENDS, dtype=ow.int32)

    actual = F.grouped_mm(to_ours(a), to_ours(b), offs=offs)
    transposed = F.grouped_mm(
        to_ours(a.mT.contiguous()).transpose(-1, -2),
        to_ours(b.mT.contiguous()).transpose(-1, -2),
        offs=offs,
    )

    expected = by_groups(a.double(), b.double(), ENDS)
    limit = 2e-2 if dtype in (torch.float16, torch.bfloat16) else 1e-5
    for each in (actual, transposed):
        found = torch.from_dlpack(each)
        assert found.dtype == dtype
        torch.testing.assert_close(found.double(), expected, rtol=limit, atol=limit)


def test_products_agree_with_torch():
    a, b = given(8, 16), given(3, 16, 8)
    ends = torch.tensor([2, 5, 8], dtype=torch.int32)

    actual = F.grouped_mm(to_ours(a), to_ours(b), offs=to_ours(ends))
    batches = F.grouped_mm(to_ours(given(3, 8, 16)), to_ours(b))

    expected = torch.nn.functional.grouped_mm(a, b, offs=ends)
    torch.testing.assert_close(torch.from_dlpack(actual), expected)
    torch.testing.assert_close(torch.from_dlpack(batches), given(3, 8, 16) @ b)


@pytest.mark.parametrize("kind", FACTORS)
def test_gradients_are_those_of_the_groups(kind):
    a, b = (to_ours(given(*sizes, dtype=torch.float64)) for sizes in FACTORS[kind])
    offs = ow.tensor(ENDS, dtype=ow.int32)
    factors = (a.requires_grad_(), b.requires_grad_())

    assert ow.gradcheck(lambda x, y: F.grouped_mm(x, y, offs=offs), factors)
    assert ow.gradgradcheck(lambda x, y: F.grouped_mm(x, y, offs=offs), factors)


def test_fake_products_have_the_sizes_of_real_ones():
    with ow.FakeTensorMode():
        offs = ow.zeros(3, dtype=ow.int32)
        shapes = [
            tuple(F.grouped_mm(ow.ones(*a), ow.ones(*b), offs=offs).shape)
            for a, b in FACTORS.values()
        ]

    assert shapes == [(8, 5), (4, 8), (3, 4, 5)]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: F.grouped_mm(ow.ones(2, 3), ow.ones(1, 3, 2)), "a matrix needs offs"),
        (
            lambda: F.grouped_mm(ow.ones(1, 2, 3), ow.ones(1, 3, 2), offs=ow.ones(1).int()),
            "two batches of matrices have no offs",
        ),
        (
            lambda: F.grouped_mm(ow.ones(2, 3), ow.ones(1, 3, 2), offs=ow.tensor([5]).int()),
            "offs must not decrease, and be at most 2, got 5 after 0",
        ),
        (
            lambda: F.grouped_mm(ow.ones(2, 3), ow.ones(1, 3, 2), offs=ow.tensor([2])),
            "offs must be a vector of int32, got",
        ),
        (
            lambda: F.grouped_mm(ow.ones(2, 3), ow.ones(1, 4, 2), offs=ow.tensor([2]).int()),
            "self has 3 columns, and mat2 has 4 rows",
        ),
        (
            lambda: F.grouped_mm(ow.ones(1, 2, 3), ow.ones(1, 3, 2), bias=ow.ones(2)),
            "bias is not supported; add it to the result",
        ),
    ],
)
def test_errors_say_what_is_wrong(call, text):
    with pytest.raises(RuntimeError, match=re.escape(text)):
        call()
