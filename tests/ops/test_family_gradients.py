"""Gradients of products, convolutions, norms, losses, windows and indexing, and their gradients.

First order against torch, second order against difference quotients of the first.
"""

import pytest

from .gradient_referee import (
    Call,
    as_torch,
    check_first_order,
    check_second_order,
    check_third_order,
    ow,
    torch,
)

GENERATOR = torch.Generator().manual_seed(7)


def T(*sizes: int, dtype=torch.float64) -> torch.Tensor:  # noqa: N802
    return torch.randn(sizes, dtype=dtype, generator=GENERATOR)


def C(*sizes: int) -> torch.Tensor:  # noqa: N802
    return T(*sizes, dtype=torch.complex128)


def U(*sizes: int) -> torch.Tensor:  # noqa: N802
    """Return numbers between 0.1 and 0.9."""
    return torch.rand(sizes, dtype=torch.float64, generator=GENERATOR) * 0.8 + 0.1


def I(high: int, *sizes: int) -> torch.Tensor:  # noqa: N802, E743
    return torch.randint(high, sizes, generator=GENERATOR)


def distinct(*sizes: int) -> torch.Tensor:
    """Return numbers far enough apart that their order does not change."""
    count = torch.Size(sizes).numel()
    return torch.randperm(count, generator=GENERATOR).reshape(sizes).to(torch.float64) / 7


def product_calls():
    for make in (T, C):
        yield Call("mm.default", make(3, 4), make(4, 5))
        yield Call("mm.default", make(4, 3).t(), make(5, 4).t())
        yield Call("bmm.default", make(2, 3, 4), make(2, 4, 5))
        yield Call("mv.default", make(3, 4), make(4))
        yield Call("dot.default", make(4), make(4))
        yield Call("vdot.default", make(4), make(4))
        yield Call("matmul.default", make(2, 1, 3, 4), make(5, 4, 2))
    for sizes in ([3, 5], [5], [3, 1], [1, 5], [1], []):
        yield Call("addmm.default", T(*sizes), T(3, 4), T(4, 5), beta=0.5, alpha=2)
    yield Call("addmm.default", C(5), C(3, 4), C(4, 5), beta=1j, alpha=2 - 1j)
    for sizes in ([2, 3, 5], [5], [2, 1, 5], [1]):
        yield Call("baddbmm.default", T(*sizes), T(2, 3, 4), T(2, 4, 5), beta=3, alpha=0.5)
    yield Call("addmv.default", T(3), T(3, 4), T(4), beta=2, alpha=3)
    yield Call("addmv.default", T(1), T(3, 4), T(4))
    yield Call("linear.default", T(2, 3, 4), T(5, 4), T(5))
    yield Call("linear.default", T(3, 4), T(5, 4))
    yield Call("mm.default", T(0, 4), T(4, 5))
    yield Call("mm.default", T(3, 0), T(0, 5))


def attention_calls():
    yield Call("scaled_dot_product_attention.default", T(2, 3, 4, 5), T(2, 3, 6, 5), T(2, 3, 6, 5))
    mask = T(4, 6)
    yield Call(
        "scaled_dot_product_attention.default", T(2, 4, 5), T(2, 6, 5), T(2, 6, 5), mask, fixed=(3,)
    )
    yield Call(
        "scaled_dot_product_attention.default", T(2, 4, 5), T(2, 4, 5), T(2, 4, 5), None, 0.0, True
    )


def convolution_calls():
    for n in (1, 2, 3):
        image, kernel = [5] * n, [3] * n
        ones, zeros = [1] * n, [0] * n
        yield Call(
            "convolution.default",
            T(2, 4, *image),
            T(6, 2, *kernel),
            T(6),
            [2] * n,
            [1] * n,
            ones,
            False,
            zeros,
            2,
        )
        yield Call(
            "convolution.default",
            T(2, 4, *image),
            T(4, 3, *kernel),
            T(6),
            [2] * n,
            [1] * n,
            ones,
            True,
            [1] * n,
            2,
        )
    yield Call(
        "convolution.default",
        T(1, 2, 7, 6),
        T(3, 2, 3, 2),
        None,
        [1, 2],
        [2, 0],
        [2, 1],
        False,
        [0, 0],
        1,
    )
    yield Call("conv2d.default", C(1, 2, 4, 4), C(3, 2, 2, 2), C(3))
    yield Call("conv2d.default", T(2, 5, 5), T(3, 2, 3, 3), T(3))
    yield Call("conv_transpose2d.input", T(1, 2, 3, 3), T(2, 3, 2, 2), None, [2, 1])


def norm_calls():
    for weight, bias in ((T(4), T(4)), (None, None), (T(4), None)):
        yield Call("native_layer_norm.default", T(2, 3, 4), [4], weight, bias, 1e-3)
        yield Call("native_group_norm.default", T(2, 4, 3), weight, bias, 2, 4, 3, 2, 1e-3)
        yield Call("_native_batch_norm_legit.no_stats", T(3, 4, 2), weight, bias, True, 0.1, 1e-3)
        yield Call(
            "_native_batch_norm_legit_no_training.default",
            T(3, 4, 2),
            weight,
            bias,
            T(4),
            U(4),
            0.1,
            1e-3,
            fixed=(3, 4),
        )
        yield Call(
            "batch_norm.default",
            T(3, 4, 2),
            weight,
            bias,
            T(4),
            U(4),
            True,
            0.1,
            1e-3,
            False,
            fixed=(3, 4),
        )
        yield Call(
            "batch_norm.default",
            T(3, 4),
            weight,
            bias,
            T(4),
            U(4),
            False,
            0.1,
            1e-3,
            False,
            fixed=(3, 4),
        )
    yield Call("native_layer_norm.default", T(3, 2, 4), [2, 4], T(2, 4), T(2, 4), 1e-3)
    yield Call("rms_norm.default", T(3, 4), [4], T(4), 1e-3)
    yield Call("instance_norm.default", T(2, 3, 4), T(3), T(3), None, None, True, 0.1, 1e-3, False)


def loss_calls():
    for reduction in (0, 1, 2):
        for op in ("mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss"):
            yield Call(f"{op}.default", T(3, 4), T(3, 4), reduction)
        yield Call("smooth_l1_loss.default", T(3, 4), T(3, 4), reduction, 0.3)
        yield Call("huber_loss.default", T(3, 4), T(3, 4), reduction, 0.7)
        yield Call("binary_cross_entropy.default", U(3, 4), U(3, 4), None, reduction)
        yield Call("binary_cross_entropy.default", U(3, 4), U(3, 4), U(3, 4), reduction, fixed=(2,))
        yield Call(
            "binary_cross_entropy_with_logits.default",
            T(3, 4),
            U(3, 4),
            U(4),
            U(4),
            reduction,
            fixed=(2, 3),
        )
        yield Call("soft_margin_loss.default", T(3, 4), T(3, 4), reduction, fixed=(1,))
        yield Call("kl_div.default", T(3, 4), U(3, 4), reduction)
        for weight in (None, U(4)):
            target = torch.tensor([1, 3, 0])
            yield Call(
                "nll_loss_forward.default", T(3, 4), target, weight, reduction, 3, fixed=(2,)
            )
            yield Call(
                "nll_loss2d_forward.default",
                T(2, 4, 3, 2),
                I(4, 2, 3, 2),
                weight,
                reduction,
                2,
                fixed=(2,),
            )
            yield Call(
                "cross_entropy_loss.default",
                T(3, 4),
                target,
                weight,
                reduction,
                -100,
                0.1,
                fixed=(2,),
            )


def pooling_calls():
    for d in (2, 3):
        image = [5] * d
        yield Call(f"avg_pool{d}d.default", T(2, 3, *image), [3] * d, [2] * d, [1] * d, True, False)
        yield Call(f"avg_pool{d}d.default", T(3, *image), [2] * d, [], [0] * d, False, True, 3)
        yield Call(
            f"max_pool{d}d_with_indices.default", distinct(2, 3, *image), [3] * d, [2] * d, [1] * d
        )
        yield Call(
            f"max_pool{d}d_with_indices.default",
            distinct(3, *image),
            [2] * d,
            [1] * d,
            [0] * d,
            [2] * d,
        )
        yield Call(f"_adaptive_avg_pool{d}d.default", T(2, 3, *image), [3] * d)
        yield Call(f"adaptive_max_pool{d}d.default", distinct(2, 3, *image), [3] * d)
    yield Call("avg_pool1d.default", T(2, 3, 6), [2])
    yield Call("max_pool1d.default", distinct(2, 3, 6), [2])
    yield Call("adaptive_avg_pool1d.default", T(2, 3, 7), [3])


def sampling_calls():
    for d in (1, 2, 3):
        image, result = [4, 3, 2][:d], [7, 5, 3][:d]
        for op in ("upsample_nearest", "_upsample_nearest_exact"):
            yield Call(f"{op}{d}d.default", T(2, 3, *image), result)
    for align in (False, True):
        yield Call("upsample_linear1d.default", T(2, 3, 4), [7], align)
        yield Call("upsample_bilinear2d.default", T(2, 3, 4, 3), [7, 5], align, 1.75)
        yield Call("upsample_bicubic2d.default", T(2, 3, 4, 3), [7, 5], align)
        yield Call("upsample_trilinear3d.default", T(2, 3, 4, 3, 2), [7, 5, 3], align)
    yield Call("im2col.default", T(2, 3, 5, 4), [2, 3], [1, 1], [1, 0], [2, 1])
    yield Call("col2im.default", T(2, 12, 8), [4, 5], [2, 2], [1, 1], [0, 0], [2, 1])
    yield Call("constant_pad_nd.default", T(2, 3, 4), [1, 2, -1, 1], 3)
    for d in (1, 2, 3):
        pad = [1, 2, 2, 0, 1, 1][: 2 * d]
        for op in ("reflection", "replication"):
            yield Call(f"{op}_pad{d}d.default", T(2, 3, *([4] * d)), pad)
            yield Call(f"{op}_pad{d}d.default", T(3, *([4] * d)), pad)


def grid_calls():
    for mode in (0, 1, 2):
        for padding in (0, 1, 2):
            for align in (False, True):
                grid = T(2, 3, 4, 2) * 1.3
                yield Call("grid_sampler_2d.default", T(2, 3, 4, 5), grid, mode, padding, align)


def distance_calls():
    for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, float("inf")):
        yield Call("_cdist_forward.default", T(2, 3, 4), T(2, 5, 4), p, None)
        yield Call("_pdist_forward.default", T(4, 3), p)


def sorting_calls():
    for dim in (0, 1, -1):
        yield Call("sort.default", distinct(3, 4, 2), dim, True)
        yield Call("sort.stable", distinct(3, 4, 2), stable=True, dim=dim)
        yield Call("topk.default", distinct(3, 4, 2), 2, dim)
    yield Call("sort.default", T())
    yield Call("topk.default", T(), 1)


def order_calls():
    for dim in (0, 1, -1):
        for keepdim in (False, True):
            for op in ("median.dim", "nanmedian.dim", "mode.default"):
                yield Call(op, distinct(3, 4, 2), dim, keepdim)
            yield Call("kthvalue.default", distinct(3, 4, 2), 2, dim, keepdim)
        yield Call("cummax.default", distinct(3, 4, 2), dim)
        yield Call("cummin.default", distinct(3, 4, 2), dim)
    for op in ("median.default", "nanmedian.default"):
        yield Call(op, distinct(3, 5))
        yield Call(op, T())
    yield Call("median.dim", T(), 0)
    yield Call("cummax.default", T(), 0)
    yield Call("aminmax.default", distinct(3, 4), dim=1)
    yield Call("msort.default", distinct(3, 4))
    index = torch.tensor([2, 0, 2])
    for reduce in ("prod", "mean", "amax", "amin"):
        for include_self in (True, False):
            operands = (distinct(4, 3) + 1, 0, index, distinct(3, 3) + 9.05)
            yield Call("index_reduce.default", *operands, reduce, include_self=include_self)


def indexing_calls():
    twice = torch.tensor([2, 0, 2])
    rows = I(3, 2, 2)
    for make in (T, C):
        yield Call("index.Tensor", make(3, 4), [twice, None])
        yield Call("index.Tensor", make(3, 4), [None, twice])
        yield Call("index.Tensor", make(3, 4, 2), [rows, rows])
        yield Call("index_select.default", make(3, 4), 1, twice)
        yield Call("gather.default", make(3, 4), 1, I(4, 2, 3))
    yield Call("index.Tensor", T(3, 4), [T(3, 4) > 0])
    yield Call("index_select.default", T(), 0, torch.tensor([0]))
    yield Call("gather.default", T(), 0, torch.tensor(0))
    for accumulate in (False, True):
        place = torch.tensor([2, 0])
        yield Call("index_put.default", T(3, 4), [place, None], T(2, 4), accumulate)
        yield Call("index_put.default", T(3, 4), [place], T(4), accumulate)
        yield Call("index_put.default", T(3, 4), [T(3, 4) > 0], T(), accumulate)
    yield Call("index_add.default", T(3, 4), 1, twice, T(3, 3), alpha=0.5)
    yield Call("index_add.default", C(3, 4), 1, twice, C(3, 3), alpha=2)
    yield Call("index_add.default", T(4), 0, torch.tensor([1]), T(1))
    yield Call("index_copy.default", T(3, 4), 1, torch.tensor([2, 0]), T(3, 2))
    yield Call("index_fill.int_Scalar", T(3, 4), 1, twice, 2.0)
    yield Call("index_fill.int_Tensor", T(3, 4), 1, twice, T())
    yield Call("scatter.src", T(3, 4), 0, torch.tensor([[0, 1, 2, 0]]), T(1, 4))
    yield Call("scatter.value", T(3, 4), 1, torch.tensor([[0, 1], [3, 2]]), 5.0)
    yield Call("scatter_add.default", T(3, 4), 1, I(4, 2, 3), T(2, 3))
    yield Call("masked_select.default", T(3, 4), T(3, 4) > 0)
    yield Call("masked_select.default", T(3, 1), T(3, 4) > 0)
    yield Call("masked_scatter.default", T(3, 4), T(3, 4) > 0, T(4, 4))
    yield Call("masked_fill.Tensor", T(3, 4), T(4) > 0, T())
    yield Call("embedding.default", T(5, 3), I(5, 2, 4))
    yield Call("embedding.default", T(5, 3), I(5, 2, 4), 2)
    yield Call("embedding.default", T(5, 3), I(5, 2, 4), -1, True)


def scatter_reduce_calls():
    index = torch.tensor([[0, 1, 1], [2, 2, 0]])
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for include_self in (True, False):
            yield Call(
                "scatter_reduce.two",
                distinct(2, 4) + 1,
                1,
                index,
                distinct(2, 3) + 9,
                reduce,
                include_self=include_self,
            )
    zeros = torch.tensor([[0.0, 2, 3], [0, 0, 5]], dtype=torch.float64)
    yield Call("scatter_reduce.two", T(2, 4), 1, index, zeros, "prod")


def bag_calls():
    indices, offsets = torch.tensor([0, 2, 2, 4, 1]), torch.tensor([0, 2, 2])
    for mode in (0, 1, 2):
        yield Call("_embedding_bag.default", distinct(5, 3), indices, offsets, False, mode)
        yield Call(
            "_embedding_bag.default",
            distinct(5, 3),
            indices,
            offsets,
            False,
            mode,
            False,
            None,
            False,
            2,
        )
    yield Call("_embedding_bag.default", T(5, 3), indices, offsets, False, 0, False, T(5))
    last = torch.tensor([0, 2, 5])
    yield Call("_embedding_bag.default", T(5, 3), indices, last, False, 1, False, None, True)


def in_place_calls():
    twice = torch.tensor([2, 0, 2])
    index = torch.tensor([[0, 1, 1], [2, 2, 0]])
    for make in (T, C):
        yield Call("addmm_.default", make(3, 5), make(3, 4), make(4, 5), beta=0.5, alpha=2)
        yield Call("baddbmm_.default", make(2, 3, 5), make(2, 3, 4), make(2, 4, 5))
        yield Call("addmv_.default", make(3), make(3, 4), make(4), beta=3)
        yield Call("index_put_.default", make(3, 4), [twice], make(4), True)
        yield Call("scatter_add_.default", make(2, 4), 1, index, make(2, 3))
    yield Call("index_put_.default", T(3, 4), [torch.tensor([2, 0])], T(4))
    yield Call("index_add_.default", T(3, 4), 1, twice, T(3, 3), alpha=3)
    yield Call("index_copy_.default", T(3, 4), 1, torch.tensor([1, 3]), T(3, 2))
    yield Call("index_fill_.int_Scalar", T(3, 4), 1, twice, 2.0)
    yield Call("index_fill_.int_Tensor", T(3, 4), 1, twice, T())
    yield Call("scatter_.src", T(2, 4), 1, torch.tensor([[0, 1], [2, 3]]), T(2, 2))
    yield Call("scatter_.value", T(2, 4), 1, index, 2.0)
    yield Call("masked_scatter_.default", T(3, 4), T(3, 4) > 0, T(3, 4))
    for dim in (0, 1):
        yield Call("cumsum_.default", T(3, 4), dim)
        yield Call("cumprod_.default", T(3, 4), dim)
    for reduce in ("sum", "prod", "mean", "amax"):
        yield Call("scatter_reduce_.two", distinct(2, 4) + 1, 1, index, distinct(2, 3) + 9, reduce)


FAMILIES = {
    "products": product_calls,
    "attention": attention_calls,
    "convolutions": convolution_calls,
    "norms": norm_calls,
    "losses": loss_calls,
    "pooling": pooling_calls,
    "sampling": sampling_calls,
    "grids": grid_calls,
    "distances": distance_calls,
    "sorting": sorting_calls,
    "order": order_calls,
    "indexing": indexing_calls,
    "scatter_reduce": scatter_reduce_calls,
    "embedding bags": bag_calls,
    "in place": in_place_calls,
}
CALLS = [
    pytest.param(call, id=f"{family}-{i}")
    for family, make in FAMILIES.items()
    for i, call in enumerate(make())
]


@pytest.mark.parametrize("call", CALLS)
def test_first_order_equals_torch(call: Call) -> None:
    check_first_order(call)


@pytest.mark.parametrize("call", CALLS)
def test_second_order_agrees_with_differences_of_the_first(call: Call) -> None:
    check_second_order(call)


@pytest.mark.parametrize("call", [c for c in norm_calls() if "rms" not in c.op], ids=repr)
def test_third_order_of_norms_agrees_with_differences_of_the_second(call: Call) -> None:
    check_third_order(call)


def test_the_gradient_of_a_transposed_weight_is_as_dense_as_the_weight() -> None:
    weight = ow.randn(5, 4).requires_grad_()

    ow.ops.aten.linear.default(ow.randn(3, 4), weight, ow.randn(5)).sum().backward()

    assert weight.grad.stride() == weight.stride()


def test_dropout_gives_gradients_to_what_it_kept() -> None:
    x = ow.ones(100).requires_grad_()
    kept = ow.ops.aten.native_dropout.default(x, 0.75, True)[0]

    kept.backward(ow.full((100,), 3.0))

    assert as_torch(x.grad).tolist() == as_torch(kept * 3).tolist()


@pytest.mark.parametrize("op", ["uniform_", "normal_", "exponential_", "cauchy_", "log_normal_"])
def test_a_tensor_that_random_numbers_replaced_gets_a_gradient_of_zeros(op: str) -> None:
    x = ow.ones(3).requires_grad_()
    y = x * 2

    getattr(ow.ops.aten, op).default(y)
    y.sum().backward()

    assert x.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize("op", ["nll_loss", "nll_loss2d"])
def test_the_gradient_of_a_class_weight_is_refused(op: str) -> None:
    sizes = (2, 3) if op == "nll_loss" else (2, 3, 1, 1)
    target = ow.zeros(sizes[:1] + sizes[2:], dtype=ow.int64)
    weight = ow.ones(3).requires_grad_()
    loss = getattr(ow.ops.aten, op).default(ow.zeros(sizes), target, weight)

    message = f"{op}: the gradient of 'weight' is not implemented; detach it first"
    with pytest.raises(NotImplementedError, match=message):
        loss.backward()
