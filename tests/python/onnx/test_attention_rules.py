"""Attention and embeddings as nodes of ONNX."""

import opwright as ow
import pytest
from opwright import nn
from opwright.nn import functional as F

from .exported import Exported, check_export, node_types

SIZES = {
    "matrices": ((3, 4), (5, 4), (5, 6)),
    "batch": ((2, 3, 4), (2, 5, 4), (2, 5, 6)),
    "heads": ((2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 6)),
}


def make_operands(name="heads", dtype=ow.float32):
    return [ow.randn(*sizes, dtype=dtype) for sizes in SIZES[name]]


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("options", [{}, {"scale": 0.3}, {"is_causal": True}], ids=str)
def test_attention(name, options):
    check_export(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options), *make_operands(name)
    )


def test_attention_in_float64():
    # ONNX Runtime keeps a factor of a product as float32 where it joins both nodes.
    check_export(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        *make_operands(dtype=ow.float64),
        rtol=1e-6,
        atol=1e-6,
    )


def test_halves_are_computed_in_float32():
    check_export(F.scaled_dot_product_attention, *make_operands(dtype=ow.float16), opsets=(13, 20))


def test_a_mask_hides_and_a_blind_row_gives_zeros():
    mask = ow.tensor([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]]).to(ow.bool)
    added = ow.where(mask, 0.5, -float("inf"))

    for each in (mask, added):
        check_export(
            lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m),
            *make_operands(),
            each,
        )


def test_few_heads_serve_many():
    check_export(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
        ow.randn(2, 6, 3, 4),
        ow.randn(2, 2, 5, 4),
        ow.randn(2, 3, 5, 4),
    )


@pytest.mark.parametrize("causal", [False, True])
def test_batch_and_lengths_are_free(causal):
    batch, length, other = (ow.export.Dim(each) for each in ("batch", "length", "other"))

    def make(n, rows, columns):
        return ow.randn(n, 2, rows, 4), ow.randn(n, 2, columns, 4), ow.randn(n, 2, columns, 6)

    check_export(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal),
        *make(2, 3, 5),
        dynamic_shapes=(
            {0: batch, 2: length},
            {0: batch, 2: other},
            {0: batch, 2: other},
        ),
        at=[make(4, 7, 2), make(1, 1, 1)],
    )


def test_dropout_is_refused():
    with pytest.raises(NotImplementedError, match="attention with dropout is of training"):
        Exported(
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, dropout_p=0.5),
            tuple(make_operands()),
        )


@pytest.mark.parametrize("padding", [None, 0])
def test_an_embedding_gathers_rows(padding):
    layer = nn.Embedding(7, 3, padding_idx=padding)
    length = ow.export.Dim("length")

    check_export(
        layer,
        ow.tensor([[0, 6, 2], [3, 3, 1]]),
        dynamic_shapes=({1: length},),
        at=[(ow.tensor([[1], [0]]),)],
    )
    assert node_types(layer, ow.tensor([0, 1])) == ["Gather"]
