"""What layers do beyond the outputs of PyTorch: chance, options of a call, errors."""

import opwright as ow
import pytest
import torch
from opwright import nn
from opwright.nn import functional as F

from .torch_twin import assert_same, make_twins, to_ours

# ---- dropout ----


def test_dropout_drops_its_share_and_keeps_the_mean():
    result = nn.Dropout(0.25)(ow.ones(100, 100))

    assert (result == 0).float().mean().item() == pytest.approx(0.25, abs=0.03)
    assert result.mean().item() == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("Dropout1d", (50, 8, 5)), ("Dropout2d", (50, 8, 5, 5)), ("Dropout2d", (8, 5, 5))],
)
def test_dropout_of_channels_drops_whole_ones(name, sizes):
    result = getattr(nn, name)(0.5)(ow.ones(sizes))

    channels = result.flatten(2) if len(sizes) > 3 or name == "Dropout1d" else result.flatten(1)
    assert set(channels.mean(-1).flatten().tolist()) <= {0.0, 2.0}


def test_dropout_in_place_writes_its_input():
    x = ow.ones(100)

    result = nn.Dropout(0.5, inplace=True)(x)

    assert result is x
    assert 0 < (x == 0).sum().item() < 100


def test_alpha_dropout_keeps_mean_and_deviation():
    x = nn.init.normal_(ow.empty(300, 300))

    result = nn.AlphaDropout(0.2)(x)

    assert result.mean().item() == pytest.approx(0.0, abs=0.05)
    assert result.var().item() == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("p", [-0.1, 1.5])
def test_a_probability_out_of_range_is_refused(p):
    with pytest.raises(ValueError, match="p must be between 0 and 1"):
        nn.Dropout(p)
    with pytest.raises(ValueError, match="p must be between 0 and 1"):
        F.dropout(ow.ones(1), p)


# ---- convolutions ----


def test_a_transposed_convolution_gives_the_size_that_is_asked_for():
    ours, theirs = make_twins("ConvTranspose2d", 3, 4, 3, stride=2)
    x = torch.randn(1, 3, 5, 5)

    assert_same(ours(to_ours(x), output_size=[12, 11]), theirs(x, output_size=[12, 11]))


def test_a_size_that_a_transposed_convolution_cannot_give_is_refused():
    layer = nn.ConvTranspose1d(1, 1, 3, stride=2)

    with pytest.raises(ValueError, match="size 0 can be 11 to 12"):
        layer(ow.ones(1, 1, 5), output_size=[13])


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"groups": 2}, "in_channels must be divisible by groups, got 3 and 2"),
        ({"groups": 0}, "groups must be positive"),
        ({"padding": "some"}, "padding must be 'same' or 'valid'"),
        ({"padding": "same", "stride": 2}, "padding 'same' needs stride 1"),
        ({"padding_mode": "wrap"}, "padding_mode must be one of zeros, reflect"),
    ],
)
def test_a_convolution_refuses_bad_arguments(kwargs, message):
    with pytest.raises(ValueError, match=message):
        nn.Conv2d(3, 4, 3, **kwargs)
    with pytest.raises(ValueError, match=r"groups|padding"):
        torch.nn.Conv2d(3, 4, 3, **kwargs)


def test_sizes_for_another_number_of_dimensions_are_refused():
    with pytest.raises(ValueError, match=r"2 sizes are needed, got \(3, 3, 3\)"):
        nn.Conv2d(3, 4, (3, 3, 3))


# ---- normalization ----


def test_batch_norm_refuses_one_value_per_channel_in_training():
    with pytest.raises(ValueError, match="training needs more than one value per channel"):
        nn.BatchNorm1d(3)(ow.ones(1, 3))


@pytest.mark.parametrize(
    ("function", "args", "error", "text"),
    [
        ("group_norm", (ow.ones(3), 1), RuntimeError, "at least 2 dimensions"),
        ("group_norm", (ow.ones(1, 2, 1), 2), ValueError, "more than 1 value per channel"),
        ("instance_norm", (ow.ones(4, 2, 1),), ValueError, "more than 1 spatial element"),
    ],
)
def test_a_group_of_one_value_has_no_variance(function, args, error, text):
    with pytest.raises(error, match=text):
        getattr(F, function)(*args)


def test_an_empty_batch_is_normalized():
    assert F.instance_norm(ow.ones(0, 2, 3)).shape == (0, 2, 3)
    assert F.group_norm(ow.ones(0, 2, 3), 2).shape == (0, 2, 3)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, float("inf")])
def test_normalize_of_a_vector_of_zeros_has_the_gradient_of_torch(p):
    data = [[3.0, 4.0], [0.0, 0.0]]
    x, reference = ow.tensor(data, requires_grad=True), torch.tensor(data, requires_grad=True)

    F.normalize(x, p)[:, 0].sum().backward()
    torch.nn.functional.normalize(reference, p)[:, 0].sum().backward()

    assert_same(x.grad, reference.grad)


@pytest.mark.parametrize(
    ("name", "sizes"), [("BatchNorm1d", (3,)), ("BatchNorm2d", (2, 3)), ("BatchNorm3d", (2, 3))]
)
def test_batch_norm_refuses_inputs_of_other_dimensions(name, sizes):
    with pytest.raises(ValueError, match=f"{name}: input must have"):
        getattr(nn, name)(3)(ow.ones(sizes))


def test_batch_norm_uses_the_running_statistics_in_evaluation():
    ours, theirs = make_twins("BatchNorm1d", 3)
    x = torch.randn(5, 3) * 4 + 1
    ours(to_ours(x))
    theirs(x)

    assert_same(ours.eval()(to_ours(x)), theirs.eval()(x))


def test_groups_must_divide_the_channels():
    with pytest.raises(ValueError, match="num_channels must be divisible by num_groups"):
        nn.GroupNorm(2, 3)


# ---- recurrent layers ----


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: nn.LSTM(3, 0), ValueError, "hidden_size and num_layers must be positive"),
        (lambda: nn.GRU(3, 4, 2, dropout=1.5), ValueError, "dropout must be between 0 and 1"),
        (lambda: nn.LSTM(3, 4, proj_size=4), ValueError, "below hidden_size, got 4"),
        (lambda: nn.RNN(3, 4, nonlinearity="sin"), ValueError, "must be 'tanh' or 'relu'"),
        (lambda: nn.LSTM(3, 4)(ow.ones(3)), ValueError, "input must have 2 or 3 dimensions"),
        (lambda: nn.LSTM(3, 4)(ow.ones(5, 2)), RuntimeError, "must be input_size 3"),
        (lambda: nn.GRU(3, 4)(ow.ones(0, 2, 3)), RuntimeError, "the sequence is empty"),
        (
            lambda: nn.GRU(3, 4)(ow.ones(5, 2, 3), ow.ones(1, 3, 4)),
            RuntimeError,
            r"the first state must have sizes \[1, 2, 4\], got \[1, 3, 4\]",
        ),
    ],
)
def test_a_recurrent_layer_refuses_bad_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_dropout_of_one_recurrent_layer_is_warned_about():
    with pytest.warns(UserWarning, match="does nothing with one layer"):
        nn.LSTM(3, 4, dropout=0.5)


def test_dropout_is_between_recurrent_layers_in_training():
    layer = nn.GRU(3, 4, num_layers=2, dropout=1.0)
    x = ow.ones(5, 2, 3)

    output, _ = layer(x)
    other, _ = layer(x * 2)

    assert output.tolist() == other.tolist()
    assert layer.eval()(x)[0].tolist() != layer(x * 2)[0].tolist()


def test_a_recurrent_layer_lists_its_weights_by_layer_and_direction():
    layer = nn.LSTM(3, 4, num_layers=2, bidirectional=True)

    assert [len(each) for each in layer.all_weights] == [4, 4, 4, 4]
    assert layer.all_weights[3][0] is layer.weight_ih_l1_reverse


# ---- functional ----


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, float("inf")])
def test_normalize_divides_by_the_norm(p):
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))

    assert_same(F.normalize(to_ours(x), p=p), torch.nn.functional.normalize(x, p=p))


def test_pad_refuses_what_it_cannot_do():
    with pytest.raises(NotImplementedError, match="mode must be 'constant', 'reflect'"):
        F.pad(ow.ones(1, 2), (1, 1), mode="mirror")
    with pytest.raises(ValueError, match="value is for mode 'constant' alone"):
        F.pad(ow.ones(1, 2), (1, 1), mode="reflect", value=2.0)
    with pytest.raises(NotImplementedError, match="pads the last 1 to 3 dimensions"):
        F.pad(ow.ones(2), (1, 1), mode="reflect")
    with pytest.raises(RuntimeError, match="adds at most the 2 elements"):
        F.pad(ow.ones(1, 1, 2), (3, 0), mode="circular")


@pytest.mark.parametrize("pads", [(-1, 2), (1, -1), (0, 3, -1, 1)])
def test_circular_padding_may_cut(pads):
    x = torch.arange(24.0).reshape(1, 2, 3, 4)[:, :, : len(pads)]
    x = x if len(pads) == 4 else x[0]
    expected = torch.nn.functional.pad(x, pads, mode="circular")

    assert F.pad(to_ours(x), pads, mode="circular").tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({}, ValueError, "give either size or scale_factor"),
        ({"size": 2, "scale_factor": 2}, ValueError, "give either size or scale_factor"),
        ({"size": 2, "mode": "linear"}, NotImplementedError, "needs an input of 3 dimensions"),
        ({"size": 2, "mode": "wave"}, NotImplementedError, "mode must be one of nearest"),
        ({"size": (2, 2, 2)}, ValueError, "size must be one number or 2, got 3"),
        ({"size": 2, "align_corners": True}, ValueError, "is not for mode 'nearest'"),
        (
            {"size": 2, "recompute_scale_factor": True},
            ValueError,
            "recompute_scale_factor is not meaningful with an explicit size",
        ),
    ],
)
def test_interpolate_refuses_bad_arguments(kwargs, error, message):
    with pytest.raises(error, match=message):
        F.interpolate(ow.ones(1, 1, 2, 2), **kwargs)


def test_a_reduction_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="reduction must be 'none', 'mean' or 'sum', got 'max'"):
        F.mse_loss(ow.ones(1), ow.ones(1), reduction="max")
    with pytest.raises(ValueError, match="got 'max'"):
        nn.MSELoss(reduction="max")


def test_the_two_flags_that_reduction_replaced_still_work():
    assert nn.MSELoss(size_average=False).reduction == "sum"
    assert nn.MSELoss(reduce=False).reduction == "none"
    assert nn.MSELoss(size_average=True).reduction == "mean"
    assert nn.MSELoss(size_average=0).reduction == "sum"


def test_a_loss_with_a_weight_is_that_of_torch():
    x, y, weight = torch.rand(3, 4), torch.rand(3, 4), torch.rand(3, 4)

    found = F.mse_loss(to_ours(x), to_ours(y), reduction="sum", weight=to_ours(weight))

    assert found.item() == pytest.approx(((x - y) ** 2 * weight).sum().item(), rel=1e-5)


def test_softmax_without_a_dimension_warns():
    with pytest.warns(UserWarning, match="give dim"):
        assert F.softmax(ow.zeros(2, 4)).tolist() == [[0.25] * 4] * 2


def test_attention_as_a_function_is_that_of_torch():
    q, k, v = torch.randn(3, 2, 4, 5, 8).unbind(0)

    found = F.scaled_dot_product_attention(to_ours(q), to_ours(k), to_ours(v), is_causal=True)

    assert_same(found, torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True))


def test_one_hot_is_that_of_torch():
    x = torch.tensor([[2, 0], [1, 1]])

    assert F.one_hot(to_ours(x)).tolist() == torch.nn.functional.one_hot(x).tolist()


def test_an_embedding_refuses_a_padding_that_is_no_row():
    with pytest.raises(ValueError, match="padding_idx must be within the 3 rows, got 3"):
        nn.Embedding(3, 2, padding_idx=3)


# ---- parameters ----


def test_a_parameter_shows_the_memory_of_its_data():
    data = ow.zeros(2)
    weight = nn.Parameter(data)

    data.fill_(3)

    assert weight.tolist() == [3.0, 3.0]
    assert repr(weight) == "Parameter containing:\ntensor([3., 3.], requires_grad=True)"
    assert not nn.Parameter(data, requires_grad=False).requires_grad


def test_a_parameter_of_ints_cannot_require_grad():
    with pytest.raises(RuntimeError, match="only tensors of floating and complex dtypes"):
        nn.Parameter(ow.ones(2, dtype=ow.int64))
