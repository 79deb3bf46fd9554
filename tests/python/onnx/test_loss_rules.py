"""Losses as ONNX nodes."""

from collections.abc import Callable

import opwright as ow
import pytest
from opwright.export import Dim
from opwright.nn import functional as F

from .exported import check_export, node_types

REDUCTIONS = ("none", "mean", "sum")
OPSETS = (12, 13, 18, 20, 26)

each_reduction = pytest.mark.parametrize("reduction", REDUCTIONS)
each_dtype = pytest.mark.parametrize("dtype", [ow.float32, ow.float64], ids=str)

ELEMENTWISE: dict[str, Callable] = {
    "mse_loss": F.mse_loss,
    "l1_loss": F.l1_loss,
    "smooth_l1_loss": lambda x, y, reduction: F.smooth_l1_loss(x, y, reduction=reduction, beta=0.5),
    "huber_loss": lambda x, y, reduction: F.huber_loss(x, y, reduction=reduction, delta=0.7),
    "soft_margin_loss": F.soft_margin_loss,
    "hinge_embedding_loss": F.hinge_embedding_loss,
    "kl_div": lambda x, y, reduction: F.kl_div(x, y.abs(), reduction=reduction),
    "kl_div of logs": lambda x, y, reduction: F.kl_div(x, y, reduction=reduction, log_target=True),
    "binary_cross_entropy_with_logits": lambda x, y, reduction: F.binary_cross_entropy_with_logits(
        x, y.sigmoid(), reduction=reduction
    ),
}


@each_dtype
@each_reduction
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_a_loss_of_elements(name: str, reduction: str, dtype: ow.dtype) -> None:
    x, y = ow.randn(3, 4).to(dtype), ow.randn(3, 4).to(dtype)
    loss = ELEMENTWISE[name]
    check_export(lambda x, y: loss(x, y, reduction=reduction), x, y, opsets=OPSETS, atol=1e-5)


@each_dtype
@each_reduction
def test_binary_cross_entropy_with_weights_and_at_its_ends(reduction: str, dtype: ow.dtype) -> None:
    x = ow.tensor([0.0, 1.0, 0.3, 0.9999, 1e-6, 0.5], dtype=dtype)
    y = ow.tensor([0.0, 0.0, 1.0, 0.5, 0.0, 1.0], dtype=dtype)

    def loss(x: ow.Tensor, y: ow.Tensor, weight: ow.Tensor | None = None) -> ow.Tensor:
        return F.binary_cross_entropy(x, y, weight=weight, reduction=reduction)

    check_export(loss, x, y, opsets=OPSETS, rtol=1e-5)
    check_export(loss, x, y, ow.rand(6).to(dtype), opsets=(12, 20), rtol=1e-5)


@each_dtype
@each_reduction
def test_classes_are_chosen_weighted_and_ignored(reduction: str, dtype: ow.dtype) -> None:
    x = F.log_softmax(ow.randn(5, 3).to(dtype), 1)
    target = ow.tensor([0, 2, -100, 1, 1])

    def loss(x: ow.Tensor, target: ow.Tensor, weight: ow.Tensor | None = None) -> ow.Tensor:
        return F.nll_loss(x, target, weight=weight, reduction=reduction)

    check_export(loss, x, target, opsets=OPSETS)
    check_export(loss, x, target, ow.tensor([0.5, 1.0, 2.0], dtype=dtype), opsets=(12, 20))


@each_reduction
def test_classes_of_one_row_and_of_images(reduction: str) -> None:
    loss = lambda x, target: F.nll_loss(x, target, reduction=reduction)  # noqa: E731
    check_export(loss, ow.randn(3), ow.tensor(2), opsets=(12, 20))
    classes = ow.tensor([[[0, 1], [2, 0]]])
    check_export(loss, ow.randn(1, 3, 2, 2), classes, opsets=(12, 20))


@each_reduction
def test_cross_entropy_of_a_free_batch(reduction: str) -> None:
    def loss(x: ow.Tensor, target: ow.Tensor) -> ow.Tensor:
        return F.cross_entropy(x, target, reduction=reduction)

    check_export(
        loss,
        ow.randn(4, 3),
        ow.tensor([0, 1, 2, 1]),
        dynamic_shapes={"x": {0: Dim("n")}, "target": {0: Dim("n")}},
        at=[(ow.randn(2, 3), ow.tensor([2, 0]))],
        opsets=OPSETS,
    )


def test_cross_entropy_of_probabilities_and_with_smoothing() -> None:
    x, target = ow.randn(4, 3), F.softmax(ow.randn(4, 3), 1)
    check_export(lambda x, y: F.cross_entropy(x, y), x, target, opsets=(12, 20))
    smoothed = lambda x, y: F.cross_entropy(x, y, label_smoothing=0.1)  # noqa: E731
    check_export(smoothed, x, ow.tensor([0, 1, 2, 1]), opsets=(12, 20))


def test_losses_of_pairs() -> None:
    a, b, sign = ow.randn(4, 3), ow.randn(4, 3), ow.tensor([1.0, -1.0, 1.0, -1.0])
    ranking = lambda a, b, y: F.margin_ranking_loss(a, b, y, margin=0.2)  # noqa: E731
    check_export(ranking, a[:, 0], b[:, 0], sign, opsets=(12, 20))
    check_export(lambda a, b, y: F.cosine_embedding_loss(a, b, y), a, b, sign, opsets=(12, 20))


@each_reduction
def test_what_divides_the_mean_is_a_result_too(reduction: str) -> None:
    number = REDUCTIONS.index(reduction)
    forward = ow.ops.aten.nll_loss_forward
    x, target = ow.randn(5, 3), ow.tensor([0, 2, -100, 1, 1])

    def loss(x: ow.Tensor, target: ow.Tensor, weight: ow.Tensor | None = None) -> tuple:
        return forward(x, target, weight, number, -100)

    check_export(loss, x, target, opsets=(12, 20))
    check_export(loss, x, target, ow.tensor([0.5, 1.0, 2.0]), opsets=(12, 20))
    check_export(loss, x[0], target[1], ow.tensor([0.5, 1.0, 2.0]), opsets=(12, 20))


def test_a_loss_of_classes_is_one_node() -> None:
    x, target = ow.randn(4, 3), ow.tensor([0, 1, 2, 1])
    types = node_types(lambda x, y: F.nll_loss(x, y), x, target)
    assert types == ["NegativeLogLikelihoodLoss"]
