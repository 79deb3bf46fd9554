"""Initial values have PyTorch's distributions."""

import math

import opwright as ow
import pytest
import torch
from opwright import nn
from opwright.nn import init

MANY = (400, 300)
FEW = (100, 200)


@pytest.fixture(autouse=True)
def _the_same_numbers():
    ow.manual_seed(0)


def moments(tensor):
    values = tensor.detach()
    return values.mean().item(), values.var().sqrt().item(), values.abs().max().item()


def assert_uniform(tensor, bound):
    mean, deviation, most = moments(tensor)
    assert most <= bound
    assert most == pytest.approx(bound, rel=0.02)
    assert mean == pytest.approx(0, abs=0.02 * bound)
    assert deviation == pytest.approx(bound / math.sqrt(3), rel=0.02)


def assert_normal(tensor, std):
    mean, deviation, most = moments(tensor)
    assert mean == pytest.approx(0, abs=0.02 * std)
    assert deviation == pytest.approx(std, rel=0.02)
    assert most > 3.5 * std


def test_uniform_fills_an_interval():
    assert_uniform(init.uniform_(ow.empty(MANY), -0.25, 0.25), 0.25)


def test_normal_has_mean_and_deviation():
    assert_normal(init.normal_(ow.empty(MANY), 0.0, 0.25), 0.25)


def test_xavier_depends_on_both_sizes():
    assert_uniform(init.xavier_uniform_(ow.empty(MANY), gain=2.0), 2 * math.sqrt(6 / 700))
    assert_normal(init.xavier_normal_(ow.empty(MANY)), math.sqrt(2 / 700))


def test_kaiming_depends_on_one_size_and_the_activation():
    relu = init.kaiming_uniform_(ow.empty(MANY), nonlinearity="relu")
    outputs = init.kaiming_normal_(ow.empty(MANY), mode="fan_out", nonlinearity="relu")

    assert_uniform(relu, math.sqrt(6 / 300))
    assert_normal(outputs, math.sqrt(2 / 400))


def test_a_window_counts_for_the_fans():
    assert_uniform(init.kaiming_uniform_(ow.empty(200, 30, 5), a=math.sqrt(5)), 1 / math.sqrt(150))


def test_a_truncated_normal_stays_within_its_limits():
    values = init.trunc_normal_(ow.empty(MANY), std=1.0, a=-1.0, b=0.5)

    assert values.min().item() >= -1.0
    assert values.max().item() <= 0.5
    expected = torch.nn.init.trunc_normal_(torch.empty(MANY), std=1.0, a=-1.0, b=0.5)
    assert values.mean().item() == pytest.approx(expected.mean().item(), abs=0.01)
    assert values.var().item() == pytest.approx(expected.var().item(), rel=0.03)


@pytest.mark.parametrize(
    "settings",
    [
        {"a": 2.5, "b": 3.5},
        {"mean": -1.0, "std": 0.5, "a": 0.5, "b": 1.0},
        {"mean": 50.0},
        {"a": 40.0, "b": 41.0},
    ],
)
def test_limits_in_the_tail_are_filled_with_a_warning_as_in_torch(settings):
    with pytest.warns(UserWarning, match=r"mean is more than 2 std from \[a, b\]"):
        values = init.trunc_normal_(ow.empty(FEW), **settings)
    with pytest.warns(UserWarning, match=r"mean is more than 2 std from \[a, b\]"):
        expected = torch.nn.init.trunc_normal_(torch.empty(FEW), **settings)

    assert settings.get("a", -2.0) <= values.min().item()
    assert values.max().item() <= settings.get("b", 2.0)
    assert values.mean().item() == pytest.approx(expected.mean().item(), abs=0.01)
    assert values.var().item() == pytest.approx(expected.var().item(), rel=0.2, abs=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [ow.float64, ow.float32, ow.bfloat16])
def test_one_limit_in_the_tail_may_be_infinite(dtype):
    values = init.trunc_normal_(ow.empty(MANY, dtype=dtype), a=4.0, b=math.inf).double()

    assert values.min().item() >= 4.0
    assert values.mean().item() == pytest.approx(4.2256, abs=0.01)


def test_a_lower_limit_above_the_upper_is_refused():
    with pytest.raises(ValueError, match=r"a must not be above b, got 2\.0 and 1\.0"):
        init.trunc_normal_(ow.empty(2), a=2.0, b=1.0)


def test_constants_identities_and_diracs():
    assert init.constant_(ow.empty(2), 3).tolist() == [3.0, 3.0]
    assert init.eye_(ow.empty(2, 3)).tolist() == torch.nn.init.eye_(torch.empty(2, 3)).tolist()
    expected = torch.nn.init.dirac_(torch.empty(4, 2, 3, 3), groups=2)
    assert init.dirac_(ow.empty(4, 2, 3, 3), groups=2).tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["linear", "conv2d", "sigmoid", "tanh", "relu", "selu"])
def test_gains_are_those_of_torch(name):
    assert init.calculate_gain(name) == torch.nn.init.calculate_gain(name)


def test_the_gain_of_leaky_relu_depends_on_its_slope():
    expected = torch.nn.init.calculate_gain("leaky_relu", 0.2)

    assert init.calculate_gain("leaky_relu", 0.2) == expected


def test_a_parameter_is_filled_and_keeps_requiring_grad():
    weight = nn.Parameter(ow.empty(2))

    assert init.ones_(weight) is weight
    assert weight.tolist() == [1.0, 1.0]
    assert weight.requires_grad


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="at least 2 dimensions, got sizes"):
        init.xavier_uniform_(ow.empty(2))
    with pytest.raises(ValueError, match="mode must be 'fan_in' or 'fan_out'"):
        init.kaiming_normal_(ow.empty(2, 2), mode="fan")
    with pytest.raises(ValueError, match="there is no nonlinearity 'wave'"):
        init.calculate_gain("wave")


# ---- the values that modules start with ----


def test_a_linear_layer_starts_uniform():
    layer = nn.Linear(400, 300)

    assert_uniform(layer.weight, 1 / 20)
    assert layer.bias.detach().abs().max().item() <= 1 / 20


def test_a_convolution_starts_uniform():
    layer = nn.Conv2d(16, 200, 5)

    assert_uniform(layer.weight, 1 / 20)
    assert layer.bias.detach().abs().max().item() <= 1 / 20


def test_an_embedding_starts_normal_but_for_its_padding():
    layer = nn.Embedding(400, 300, padding_idx=3)

    assert_normal(layer.weight, 1.0)
    assert layer.weight.detach()[3].abs().sum().item() == 0


def test_a_recurrent_layer_starts_uniform():
    assert_uniform(nn.LSTM(100, 100).weight_ih_l0, 1 / 10)


def test_attention_starts_with_xavier_and_zero_biases():
    layer = nn.MultiheadAttention(200, 2)

    assert_uniform(layer.in_proj_weight, math.sqrt(6 / 800))
    assert layer.in_proj_bias.detach().abs().sum().item() == 0
    assert layer.out_proj.bias.detach().abs().sum().item() == 0


@pytest.mark.parametrize("fill", [init.kaiming_uniform_, init.kaiming_normal_])
def test_kaiming_warns_that_a_tensor_without_elements_stays(fill):
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        fill(ow.empty(0, 1))


def test_a_tensor_without_data_is_left_alone():
    tensor = ow.empty(3, 4, device="meta")

    assert init.trunc_normal_(tensor) is tensor


@pytest.mark.parametrize("sizes", [(5, 5), (3, 7), (7, 3), (4, 2, 3), (2, 3, 2, 2)])
def test_orthogonal_rows_or_columns_have_the_length_of_the_gain(sizes):
    weight = init.orthogonal_(ow.empty(sizes, dtype=ow.float64), gain=2.0).flatten(1)

    short = weight if weight.shape[0] <= weight.shape[1] else weight.t()
    assert ow.allclose(short @ short.t(), 4 * ow.eye(short.shape[0], dtype=ow.float64))


def test_orthogonal_matrices_are_spread_evenly():
    firsts = [init.orthogonal_(ow.empty(3, 3))[0, 0].item() for _ in range(2000)]

    # An entry of a random orthogonal 3x3 matrix is uniform between -1 and 1.
    assert sum(firsts) / 2000 == pytest.approx(0, abs=0.05)
    assert sum(each**2 for each in firsts) / 2000 == pytest.approx(1 / 3, abs=0.03)


def test_a_share_of_each_column_of_a_sparse_matrix_is_zero():
    weight = init.sparse_(nn.Parameter(ow.ones(400, 300)), sparsity=0.1, std=0.25)

    assert (weight == 0).sum(0).tolist() == [40] * 300
    nonzero = weight.detach()[weight.detach() != 0]
    assert_normal(nonzero, 0.25)


@pytest.mark.parametrize("name", ["uniform", "normal", "eye", "kaiming_normal", "orthogonal"])
def test_the_old_names_warn_as_those_of_torch(name):
    with pytest.warns(FutureWarning) as own:
        getattr(init, name)(ow.empty(3, 3))
    with pytest.warns(FutureWarning) as expected:
        getattr(torch.nn.init, name)(torch.empty(3, 3))

    assert str(own[0].message) == str(expected[0].message)


def test_sizes_that_orthogonal_and_sparse_cannot_fill_are_refused():
    with pytest.raises(ValueError, match="orthogonal_: the tensor must have at least 2 dimensions"):
        init.orthogonal_(ow.empty(3))
    with pytest.raises(ValueError, match="sparse_: the tensor must have 2 dimensions"):
        init.sparse_(ow.empty(3), 0.5)
