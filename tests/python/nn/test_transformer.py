"""Transformers, and multi-head attention as a function, give what PyTorch's give."""

import opwright as ow
import pytest
import torch
from opwright import nn

from .torch_twin import assert_same, make_twins, to_ours

SETTINGS = [
    {},
    {"batch_first": True},
    {"norm_first": True, "activation": "gelu"},
    {"bias": False, "layer_norm_eps": 1e-3},
]
SIZES = {"d_model": 8, "nhead": 2, "dim_feedforward": 16, "dropout": 0.0}


def numbers(*sizes, seed=0):
    return torch.randn(sizes, generator=torch.Generator().manual_seed(seed))


def causal(size):
    return torch.nn.Transformer.generate_square_subsequent_mask(size)


def call_both(twins, *args, **kwargs):
    ours, theirs = twins
    assert_same(ours(*to_ours(args), **to_ours(kwargs)), theirs(*args, **kwargs))


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", ["TransformerEncoderLayer", "TransformerDecoderLayer"])
def test_a_layer_computes_what_that_of_torch_does(name, settings):
    twins = make_twins(name, **SIZES, **settings)
    inputs = [numbers(5, 5, 8)] + [numbers(5, 5, 8, seed=1)] * (name == "TransformerDecoderLayer")

    call_both(twins, *inputs)


def test_gradients_of_a_layer_are_those_of_torch():
    ours, theirs = make_twins("TransformerEncoderLayer", **SIZES)
    x = numbers(4, 3, 8)

    ours(to_ours(x)).sum().backward()
    theirs(x).sum().backward()

    expected = dict(theirs.named_parameters())
    for name, weight in ours.named_parameters():
        assert_same(weight.grad, expected[name].grad)


def test_masks_of_a_decoder_layer_hide_positions():
    twins = make_twins("TransformerDecoderLayer", **SIZES)
    padding = torch.tensor([[False, False, True], [False, True, True]])

    call_both(
        twins,
        numbers(4, 2, 8),
        numbers(3, 2, 8, seed=1),
        tgt_mask=causal(4),
        memory_key_padding_mask=padding,
        tgt_is_causal=True,
    )


def test_a_mask_and_a_padding_mask_of_bools_are_added():
    twins = make_twins("TransformerEncoderLayer", **SIZES)
    mask = torch.zeros(3, 3, dtype=torch.bool)
    mask[0, 2] = True

    call_both(
        twins,
        numbers(3, 2, 8),
        src_mask=mask,
        src_key_padding_mask=torch.tensor([[False, False, True], [False, True, False]]),
    )


@pytest.mark.parametrize("has_norm", [False, True])
def test_an_encoder_is_a_stack_of_copies(has_norm):
    norms = (nn.LayerNorm(8), torch.nn.LayerNorm(8)) if has_norm else (None, None)
    made = [
        lib.TransformerEncoder(
            lib.TransformerEncoderLayer(**SIZES), 2, norm, enable_nested_tensor=False
        )
        for lib, norm in zip((nn, torch.nn), norms, strict=True)
    ]
    made[0].load_state_dict(to_ours(dict(made[1].state_dict())))

    call_both(made, numbers(5, 2, 8), mask=causal(5), is_causal=True)
    assert list(made[0].state_dict()) == list(made[1].state_dict())


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_transformer_computes_what_that_of_torch_does(settings):
    twins = make_twins(
        "Transformer", num_encoder_layers=2, num_decoder_layers=1, **SIZES, **settings
    )

    call_both(twins, numbers(4, 4, 8), numbers(4, 4, 8, seed=1), tgt_mask=causal(4))


def test_a_transformer_takes_inputs_without_a_batch():
    twins = make_twins("Transformer", num_encoder_layers=1, num_decoder_layers=1, **SIZES)

    call_both(twins, numbers(4, 8), numbers(3, 8, seed=1))


def test_initial_weights_have_the_spread_of_torch():
    ow.manual_seed(0)
    model = nn.Transformer(64, 2, 1, 1, 128)

    bound = (6 / (64 + 128)) ** 0.5
    assert 0.9 * bound < model.encoder.layers[0].linear1.weight.abs().max().item() <= bound


def test_wrong_sizes_are_refused():
    model = nn.Transformer(8, 2, 1, 1, 16)

    with pytest.raises(RuntimeError, match="src and tgt must have the same batch size, got sizes"):
        model(ow.ones(4, 2, 8), ow.ones(4, 3, 8))
    with pytest.raises(RuntimeError, match="the last sizes of src and tgt must be d_model 8"):
        model(ow.ones(4, 2, 6), ow.ones(4, 2, 8))
    with pytest.raises(RuntimeError, match="activation must be 'relu', 'gelu' or a function"):
        nn.TransformerEncoderLayer(8, 2, activation="tanh")
    with pytest.raises(RuntimeError, match="is_causal needs attn_mask too"):
        nn.TransformerEncoderLayer(8, 2)(ow.ones(4, 2, 8), is_causal=True)


FUNCTION_CASES = {
    "plain": {},
    "weights of each head": {"average_attn_weights": False},
    "without weights": {"need_weights": False},
    "mask": {"attn_mask": causal(3), "is_causal": True},
    "padding": {"key_padding_mask": torch.tensor([[False, True, False], [False, False, True]])},
    "static keys": {"static_k": numbers(4, 5, 2, seed=8), "static_v": numbers(4, 5, 2, seed=9)},
    "separate weights": {
        "use_separate_proj_weight": True,
        "in_proj_weight": None,
        "q_proj_weight": numbers(4, 4, seed=5),
        "k_proj_weight": numbers(4, 4, seed=6),
        "v_proj_weight": numbers(4, 4, seed=7),
    },
    "extra keys": {
        "bias_k": numbers(1, 1, 4, seed=5),
        "bias_v": numbers(1, 1, 4, seed=6),
        "add_zero_attn": True,
    },
}


@pytest.mark.parametrize("case", FUNCTION_CASES)
def test_attention_as_a_function_computes_what_that_of_torch_does(case):
    given = {
        "query": numbers(3, 2, 4),
        "key": numbers(3, 2, 4, seed=1),
        "value": numbers(3, 2, 4, seed=2),
        "embed_dim_to_check": 4,
        "num_heads": 2,
        "in_proj_weight": numbers(12, 4, seed=3),
        "in_proj_bias": numbers(12, seed=4),
        "bias_k": None,
        "bias_v": None,
        "add_zero_attn": False,
        "dropout_p": 0.0,
        "out_proj_weight": numbers(4, 4, seed=5),
        "out_proj_bias": None,
        **FUNCTION_CASES[case],
    }

    ours = nn.functional.multi_head_attention_forward(**to_ours(given))
    theirs = torch.nn.functional.multi_head_attention_forward(**given)

    for own, expected in zip(ours, theirs, strict=True):
        assert (own is None) == (expected is None)
        if own is not None:
            assert_same(own, expected)


def test_a_transformer_is_exported_and_compiled():
    model = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0).eval()
    inputs = (to_ours(numbers(4, 2, 8)), to_ours(numbers(3, 2, 8, seed=1)))
    expected = torch.tensor(model(*inputs).tolist())

    assert_same(ow.export.export(model, inputs)(*inputs), expected)
    assert_same(ow.compile(model)(*inputs), expected)
