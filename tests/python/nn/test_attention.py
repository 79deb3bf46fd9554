"""Masks and weights of MultiheadAttention, and its errors."""

import opwright as ow
import pytest
import torch
from opwright import nn

from .torch_twin import assert_same, make_twins, to_ours

HIDDEN = torch.tensor([[False, True], [True, False], [False, False]])  # (L, S)
PADDING = torch.tensor([[False, False], [False, True]])  # (N, S)
ROW = torch.tensor([[True, True], [True, False], [False, False]])  # hides all of the first row
BY_HEAD = torch.zeros(4, 3, 2).index_fill(2, torch.tensor([1]), -2.0)  # (N * heads, L, S)

OPTIONS = {
    "attn_mask": {"attn_mask": HIDDEN},
    "a mask of numbers": {"attn_mask": HIDDEN.float() * -3},
    "a mask by head": {"attn_mask": BY_HEAD},
    "key_padding_mask": {"key_padding_mask": PADDING},
    "both masks": {"attn_mask": HIDDEN.float() * -3, "key_padding_mask": PADDING.float() * -9},
    "no weights": {"need_weights": False},
    "no weights and a mask": {"need_weights": False, "attn_mask": HIDDEN},
    "a row that is hidden": {"attn_mask": ROW},
    "no weights and a row that is hidden": {"need_weights": False, "attn_mask": ROW},
    "no weights and padding": {"need_weights": False, "key_padding_mask": PADDING},
    "weights by head": {"average_attn_weights": False},
    "causal": {"attn_mask": HIDDEN, "is_causal": True},
}


def inputs():
    generator = torch.Generator().manual_seed(5)
    query = torch.randn(3, 2, 4, generator=generator)
    key = torch.randn(2, 2, 4, generator=generator)
    return query, key, key * 2


@pytest.mark.filterwarnings("ignore:Support for mismatched")
@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("extra", [False, True])
def test_the_output_is_that_of_torch_with(option, extra):
    ours, theirs = make_twins("MultiheadAttention", 4, 2, add_bias_kv=extra, add_zero_attn=extra)
    options = OPTIONS[option]

    found = ours(*to_ours(inputs()), **to_ours(options))

    assert_same(found, theirs(*inputs(), **options))


def test_masks_work_without_a_batch():
    ours, theirs = make_twins("MultiheadAttention", 4, 2)
    one = tuple(each[:, 0].contiguous() for each in inputs())
    options = {"attn_mask": HIDDEN, "key_padding_mask": PADDING[0], "average_attn_weights": False}

    assert_same(ours(*to_ours(one), **to_ours(options)), theirs(*one, **options))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"is_causal": True}, RuntimeError, "is_causal needs attn_mask too"),
        ({"attn_mask": ow.zeros(2, 2)}, RuntimeError, r"attn_mask must have sizes \[3, 2\] or"),
        (
            {"key_padding_mask": ow.zeros(1, 2)},
            AssertionError,
            r"key_padding_mask must have sizes \[2, 2\], got \[1, 2\]",
        ),
        (
            {"attn_mask": ow.zeros(3, 2, dtype=ow.int64)},
            AssertionError,
            "a mask must be of bools or floating numbers",
        ),
    ],
)
def test_a_bad_mask_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        nn.MultiheadAttention(4, 2)(*to_ours(inputs()), **options)


def test_inputs_of_other_sizes_are_refused():
    with pytest.raises(AssertionError, match="the last sizes of query, key and value must be 4"):
        nn.MultiheadAttention(4, 2)(ow.ones(3, 2, 5), ow.ones(3, 2, 4), ow.ones(3, 2, 4))
    with pytest.raises(AssertionError, match="must all have 2 or all 3 dimensions"):
        nn.MultiheadAttention(4, 2)(ow.ones(3, 4), ow.ones(3, 2, 4), ow.ones(3, 2, 4))


def test_heads_must_divide_the_size():
    with pytest.raises(ValueError, match="embed_dim must be divisible by num_heads, got 5 and 2"):
        nn.MultiheadAttention(5, 2)


def test_dropout_makes_weights_zero_in_training():
    layer = nn.MultiheadAttention(4, 2, dropout=1.0, bias=False)

    output, weights = layer(*to_ours(inputs()))

    assert output.abs().sum().item() == 0
    assert weights.abs().sum().item() == 0
