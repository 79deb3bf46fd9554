"""Seeded random products, convolutions and attention match torch."""

import numpy as np
import opwright as ow
import pytest

from .torch_referee import INTS, REALS, Calls, check_against_torch, torch

NUMBERS = [*INTS, *REALS, "complex64", "complex128"]
SIZES = [0, 1, 2, 3, 5, 8, 17, 33]
WIDE_SIZES = [1, 4, 7, 16, 31, 64, 100, 129]


def product_calls(calls: Calls) -> None:
    for _ in range(300):
        pick = calls.random.choice
        rows, depth, columns = (pick(SIZES) for _ in range(3))
        batch = pick([0, 1, 2, 3])
        dtype = calls.dtype(NUMBERS)
        wrong = 1 if calls.random.random() < 0.03 else 0
        left = calls.tensor([rows, depth], dtype)
        right = calls.tensor([depth + wrong, columns], dtype)
        stack = calls.tensor([batch, rows, depth], dtype)
        other = calls.tensor([batch, depth + wrong, columns], dtype)
        vector = calls.tensor([depth + wrong], dtype)
        whole = {"beta": pick([0, 1, 2, -1]), "alpha": pick([1, 3, -2])}
        addend = calls.tensor(pick([[], [columns], [rows, 1], [rows, columns]]), dtype)
        calls.add("aten::mm", left, right)
        calls.add("aten::bmm", stack, other)
        calls.add("aten::mv", left, vector)
        calls.add("aten::dot", calls.tensor([depth], dtype), vector)
        calls.add("aten::vdot", calls.tensor([depth], dtype), vector)
        calls.add("aten::addmm", addend, left, right, **whole)
        calls.add("aten::baddbmm", addend, stack, other, **whole)
        # torch returns a result of the addend's sizes if the matrix is empty.
        sizes = pick([[rows], [1], []]) if rows * depth else [rows]
        calls.add("aten::addmv", calls.tensor(sizes, dtype), left, vector, **whole)


def wide_product_calls(calls: Calls) -> None:
    """Tiles, partial tiles and panels of every shape."""
    for _ in range(120):
        pick = calls.random.choice
        rows, depth, columns = (pick([*WIDE_SIZES, 300]) for _ in range(3))
        dtype = pick(["float32", "float64", "float32", "bfloat16", "complex64", "int32"])
        calls.add(
            "aten::mm", calls.tensor([rows, depth], dtype), calls.tensor([depth, columns], dtype)
        )
    for dtype in ("float32", "float64"):
        calls.add("aten::mm", calls.tensor([193, 600], dtype), calls.tensor([600, 1100], dtype))
        calls.add("aten::mv", calls.tensor([193, 5000], dtype), calls.tensor([5000], dtype))
        calls.add("aten::dot", calls.tensor([70000], dtype), calls.tensor([70000], dtype))


def expanded_calls(calls: Calls) -> None:
    for dtype in ("float32", "float64", "int64", "complex64"):
        row = calls.tensor([1, 40], dtype).expand(50, 40)
        column = calls.tensor([40, 1], dtype).expand(40, 60)
        calls.add("aten::mm", row, column)
        calls.add("aten::mm", row, row.t())
        calls.add("aten::mv", row, calls.tensor([1], dtype).expand(40))


def written_calls(calls: Calls) -> None:
    for _ in range(60):
        dtype = calls.dtype(["float32", "float64", "bfloat16", "int64"])
        left, right = calls.tensor([3, 5], dtype), calls.tensor([5, 4], dtype)
        stack, other = calls.tensor([2, 3, 5], dtype), calls.tensor([2, 5, 4], dtype)
        numbers = {"beta": 2, "alpha": 3}
        calls.add("aten::addmm_", calls.tensor([3, 4], dtype), left, right, **numbers)
        calls.add("aten::baddbmm_", calls.tensor([2, 3, 4], dtype), stack, other, **numbers)
        calls.add(
            "aten::addmv_", calls.tensor([3], dtype), left, calls.tensor([5], dtype), **numbers
        )
        calls.add("aten::addmm_", calls.tensor([4], dtype), left, right)
        calls.add("aten::mm.out", left, right, out=calls.tensor([3, 4], dtype))
        calls.add("aten::bmm.out", stack, other, out=torch.empty(0, dtype=getattr(torch, dtype)))
        calls.add(
            "aten::addmm.out",
            calls.tensor([4], dtype),
            left,
            right,
            out=calls.tensor([3, 4], dtype),
        )


def linear_calls(calls: Calls) -> None:
    for _ in range(100):
        dtype = calls.dtype(["float32", "float64", "bfloat16", "complex64", "int64"])
        features, results = calls.random.choice(SIZES[1:]), calls.random.choice(SIZES[1:])
        x = calls.tensor([*calls.sizes(calls.random.randint(0, 3)), features], dtype)
        bias = calls.tensor([results], dtype) if calls.random.random() < 0.7 else None
        calls.add("aten::linear", x, calls.tensor([results, features], dtype), bias)


def in_format(tensor: torch.Tensor, wants_channels_last: bool) -> torch.Tensor:
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    if wants_channels_last and tensor.dim() in formats:
        return tensor.to(memory_format=formats[tensor.dim()])
    return tensor.contiguous()


class Convolved:
    """The operands of one random convolution."""

    def __init__(self, calls: Calls, dtypes: list[str]):
        pick = calls.random.choice
        self.ndim = ndim = calls.random.randint(1, 3)
        self.dtype = calls.dtype(dtypes)
        self.transposed = calls.random.random() < 0.4
        self.groups = pick([1, 1, 2, 3])
        channels, results = pick([1, 2, 4]) * self.groups, pick([1, 2, 5]) * self.groups
        kernel = [pick([1, 2, 3]) for _ in range(ndim)]
        image = [pick([1, 4, 6, 9]) for _ in range(ndim)]
        self.stride = [pick([1, 1, 2, 3]) for _ in range(ndim)]
        self.padding = [pick([0, 1, 2]) for _ in range(ndim)]
        self.dilation = [pick([1, 1, 2]) for _ in range(ndim)]
        if self.transposed:  # torch's libraries disagree on empty results
            reach = [(k - 1) * step // 2 for k, step in zip(kernel, self.dilation, strict=True)]
            self.padding = list(map(min, self.padding, reach))
        batch = pick([0, 1, 2, 2])
        pads = self.transposed and batch > 0
        self.output_padding = [pick([0, 0, 1]) if pads else 0 for _ in range(ndim)]
        first, second = (channels, results) if self.transposed else (results, channels)
        self.x = calls.tensor([batch, channels, *image], self.dtype)
        self.weight = calls.tensor([first, second // self.groups, *kernel], self.dtype)
        # For volumes torch's choice of library, and thus of strides, depends on more.
        varies = ndim < 3 and self.dtype != "complex64"
        self.x = in_format(self.x, varies and calls.random.random() < 0.3)
        self.weight = in_format(self.weight, varies and calls.random.random() < 0.2)
        self.bias = calls.tensor([results], self.dtype) if calls.random.random() < 0.5 else None

    def arguments(self) -> tuple:
        lists = (self.stride, self.padding, self.dilation)
        return (*lists, self.transposed, self.output_padding, self.groups)


def convolution_calls(calls: Calls) -> None:
    for _ in range(400):
        c = Convolved(calls, [*REALS, "float32", "int64"])
        calls.add("aten::convolution", c.x, c.weight, c.bias, *c.arguments())


def convolution_backward_calls(calls: Calls) -> None:
    for _ in range(250):
        c = Convolved(calls, ["float32", "float64", "bfloat16"])
        if c.x.shape[0] == 0 or (c.ndim == 1 and c.x.shape[1] == 1):
            continue
        try:
            result = torch.ops.aten.convolution(c.x, c.weight, c.bias, *c.arguments())
        except RuntimeError:
            continue
        # Integers, whose sum over an image is exact.
        grad = calls.tensor(list(result.shape), c.dtype).round()
        grad = in_format(grad, calls.random.random() < 0.2)
        sizes = [result.shape[1]]
        args = (grad, c.x, c.weight, sizes, *c.arguments(), [True, True, True])
        calls.add("aten::convolution_backward", *args)


def convolution_form_calls(calls: Calls) -> None:
    for _ in range(200):
        c = Convolved(calls, ["float32", "float64", "complex64"])
        if c.dtype == "complex64" and 1 in c.weight.shape[:2]:
            continue  # the strides of one channel are those of torch's sums of real convolutions
        x = c.x if c.x.shape[0] else c.x.new_ones([1, *c.x.shape[1:]])
        x = x[0] if calls.random.random() < 0.3 else x
        operands = (x, c.weight, c.bias)
        if c.transposed:
            name = f"aten::conv_transpose{c.ndim}d" + (".input" if c.ndim > 1 else "")
            calls.add(name, *operands, c.stride, c.padding, c.output_padding, c.groups, c.dilation)
            continue
        name = f"aten::conv{c.ndim}d"
        calls.add(name, *operands, c.stride, c.padding, c.dilation, c.groups)
        padding = calls.random.choice(["same", "valid"])
        calls.add(f"{name}.padding", *operands, [1] * c.ndim, padding, c.dilation, c.groups)


def wide_convolution_calls(calls: Calls) -> None:
    """Several blocks of rows, columns and depth."""
    for dtype in ("float32", "float64"):
        x, weight = calls.tensor([2, 40, 40, 37], dtype), calls.tensor([100, 40, 3, 3], dtype)
        lists = ([1, 1], [1, 1], [1, 1])
        calls.add("aten::convolution", x, weight, None, *lists, False, [0, 0], 1)
        calls.add("aten::convolution", x, weight, None, [2, 2], [1, 1], [1, 1], False, [0, 0], 1)
        grad = calls.tensor([2, 100, 40, 37], dtype)
        args = (grad, x, weight, [100], *lists, False, [0, 0], 1, [True, True, True])
        calls.add("aten::convolution_backward", *args)


def attention_calls(calls: Calls) -> None:
    for _ in range(120):
        pick = calls.random.choice
        dtype = calls.dtype(["float32", "float64"])
        batch, heads = pick([1, 2]), pick([1, 2, 4])
        length, seen, size, result = pick([1, 3, 6]), pick([1, 4, 6]), pick([1, 8]), pick([2, 8])
        groups = calls.random.random() < 0.3
        own = 1 if groups else heads
        query = calls.tensor([batch, heads, length, size], dtype)
        key = calls.tensor([batch, own, seen, size], dtype)
        value = calls.tensor([batch, own, seen, result], dtype)
        mask = pick([None, None, "bool", dtype])
        kwargs = {
            "attn_mask": mask and calls.tensor([length, seen], mask),
            "is_causal": mask is None and calls.random.random() < 0.5,
            "enable_gqa": groups,
        }
        if calls.random.random() < 0.3:
            kwargs["scale"] = 0.3
        calls.add("aten::scaled_dot_product_attention", query, key, value, **kwargs)


@pytest.mark.parametrize(
    "make_calls",
    [
        product_calls,
        wide_product_calls,
        expanded_calls,
        written_calls,
        linear_calls,
        convolution_calls,
        convolution_backward_calls,
        convolution_form_calls,
        wide_convolution_calls,
        attention_calls,
    ],
)
def test_matrix_operators_agree_with_torch(make_calls):
    check_against_torch(make_calls)


def rows_inside(*sizes):
    """Return a tensor of [batch, heads, rows, columns] whose rows lie outside of the heads."""
    batch, heads, rows, columns = sizes
    generator = torch.Generator().manual_seed(sum(sizes))
    return torch.randn(batch, rows, heads, columns, generator=generator).transpose(1, 2)


Q, K, V = rows_inside(2, 3, 5, 8), rows_inside(2, 3, 7, 8), rows_inside(2, 3, 7, 8)
LAYOUTS = {
    "contiguous": ((Q.contiguous(), K, V), {}),
    "rows outside of heads": ((Q, K, V), {}),
    "float64": ((Q.double(), K.double(), V.double()), {}),
    "bfloat16": ((Q.bfloat16(), K.bfloat16(), V.bfloat16()), {}),
    "only the query": ((Q, K.contiguous(), V.contiguous()), {}),
    "another order": ((Q.permute(2, 1, 0, 3).contiguous().permute(2, 1, 0, 3), K, V), {}),
    "gaps": ((Q[..., :4], K[..., :4], V[..., :4]), {}),
    "expanded": ((Q[:1].expand(2, 3, 5, 8), K, V), {}),
    "causal": ((Q, K, V), {"is_causal": True}),
    "mask of two dimensions": ((Q, K, V), {"attn_mask": torch.ones(5, 7) * 0.5}),
    "mask of four dimensions": ((Q, K, V), {"attn_mask": torch.ones(2, 1, 5, 7).bool()}),
    "mask of three dimensions": ((Q, K, V), {"attn_mask": torch.ones(3, 5, 7)}),
    "mask of float32": (
        (Q.bfloat16(), K.bfloat16(), V.bfloat16()),
        {"attn_mask": torch.ones(5, 7)},
    ),
    "groups": ((rows_inside(2, 6, 5, 8), K, V), {"enable_gqa": True}),
    "wider values": ((Q, K, rows_inside(2, 3, 7, 4)), {}),
    "three dimensions": ((Q[0], K[0], V[0]), {}),
    "columns outside": ((Q, K.transpose(2, 3).contiguous().transpose(2, 3), V), {}),
    "batches broadcast": ((Q, K[:1], V[:1]), {}),
    "heads broadcast": ((Q, K[:, :1], V[:, :1]), {}),
    "nothing to attend to": ((Q, K[:, :, :0], V[:, :, :0]), {}),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_attention_has_the_memory_layout_of_torch(name):
    tensors, settings = LAYOUTS[name]
    expected = torch.nn.functional.scaled_dot_product_attention(*tensors, **settings)
    own = {
        key: ow.from_dlpack(value) if isinstance(value, torch.Tensor) else value
        for key, value in settings.items()
    }

    found = ow.nn.functional.scaled_dot_product_attention(*map(ow.from_dlpack, tensors), **own)

    assert found.stride() == expected.stride()
    values = found.to(ow.float64).numpy()
    np.testing.assert_allclose(values, expected.double().numpy(), rtol=0.02, atol=0.02)


def test_attention_under_dropout_or_with_a_mask_that_learns_is_contiguous():
    query, key, value = map(ow.from_dlpack, (Q, K, V))
    mask = ow.ones(5, 7).requires_grad_()

    attend = ow.nn.functional.scaled_dot_product_attention

    assert attend(query, key, value, dropout_p=0.5).is_contiguous()
    assert attend(query, key, value, attn_mask=mask).is_contiguous()
