"""Functions on the weights of modules do what those of torch.nn.utils do."""

import copy
import warnings

import opwright as ow
import pytest
import torch
from opwright import nn
from opwright.nn import weights

from .torch_twin import assert_same, make_twins, to_ours

utils = torch.nn.utils


def make_gradients():
    """Return parameters of both packages with the same gradients."""
    generator = torch.Generator().manual_seed(0)
    theirs = [torch.nn.Parameter(torch.zeros(size)) for size in [(3, 2), (4,), ()]]
    for each in theirs:
        each.grad = torch.randn(each.shape, generator=generator)
    theirs.append(torch.nn.Parameter(torch.ones(2)))  # without a gradient
    ours = [nn.Parameter(to_ours(each)) for each in theirs]
    for own, each in zip(ours, theirs, strict=True):
        own.grad = None if each.grad is None else to_ours(each.grad)
    return ours, theirs


def assert_same_gradients(ours, theirs):
    for own, each in zip(ours, theirs, strict=True):
        assert (own.grad is None) == (each.grad is None)
        if each.grad is not None:
            assert_same(own.grad, each.grad)


@pytest.mark.parametrize("norm_type", [2.0, 1, 3.5, float("inf"), 0])
@pytest.mark.parametrize("max_norm", [0.5, 100.0])
def test_clipping_by_the_norm(max_norm, norm_type):
    ours, theirs = make_gradients()

    total = weights.clip_grad_norm_(ours, max_norm, norm_type)

    assert_same(total, utils.clip_grad_norm_(theirs, max_norm, norm_type))
    assert_same_gradients(ours, theirs)


def test_clipping_by_a_given_norm():
    ours, theirs = make_gradients()
    total = weights.get_total_norm([each.grad for each in ours[:3]])

    weights.clip_grads_with_norm_(iter(ours), 1.0, total)
    utils.clip_grads_with_norm_(theirs, 1.0, utils.get_total_norm([e.grad for e in theirs[:3]]))

    assert_same_gradients(ours, theirs)


def test_clipping_of_elements():
    ours, theirs = make_gradients()

    weights.clip_grad_value_(ours, 0.25)
    utils.clip_grad_value_(theirs, 0.25)

    assert_same_gradients(ours, theirs)


def test_clipping_takes_one_tensor_and_parameters_without_gradients():
    ours, theirs = make_gradients()

    assert weights.clip_grad_norm_(ours[3], 1.0).item() == 0.0
    assert_same(weights.clip_grad_norm_(ours[0], 1.0), utils.clip_grad_norm_(theirs[0], 1.0))


def test_clipping_an_empty_generator_warns_and_one_of_infinity_can_fail():
    parameter = nn.Parameter(ow.ones(1))
    parameter.grad = ow.tensor([float("inf")])

    with pytest.warns(UserWarning, match="`parameters` is an empty generator"):
        weights.clip_grad_norm_((each for each in []), 1.0)
    with pytest.raises(RuntimeError, match=r"The total norm of order 2\.0 .* is non-finite"):
        weights.clip_grad_norm_([parameter], 1.0, error_if_nonfinite=True)


def test_parameters_become_a_vector_and_views_of_one():
    layer = nn.Linear(2, 3)
    vector = weights.parameters_to_vector(layer.parameters())

    weights.vector_to_parameters(vector.detach() * 2, layer.parameters())

    assert_same(weights.parameters_to_vector(layer.parameters()), torch.tensor(vector.tolist()) * 2)
    assert isinstance(layer.weight, nn.Parameter)


def test_a_gradient_goes_through_the_vector_of_parameters():
    layer = nn.Linear(2, 3)

    weights.parameters_to_vector(layer.parameters()).sum().backward()

    assert layer.bias.grad.tolist() == [1.0, 1.0, 1.0]


def test_a_vector_that_is_too_short_is_refused():
    with pytest.raises(ValueError, match="vec must be a vector of 9 elements, got sizes"):
        weights.vector_to_parameters(ow.ones(4), nn.Linear(2, 3).parameters())


CASES = [
    ("Linear", (3, 4), (5, 3)),
    ("Conv2d", (3, 4, 2), (1, 3, 5, 5)),
    ("ConvTranspose2d", (3, 4, 2), (1, 3, 5, 5)),
]


def twins_with(function, theirs_function, name, args):
    """Return both modules after the functions, with the same state."""
    ours, theirs = make_twins(name, *args)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = function(ours), theirs_function(theirs)
    ours.load_state_dict(to_ours(dict(theirs.state_dict())))
    assert list(ours.state_dict()) == list(theirs.state_dict())
    return ours, theirs


@pytest.mark.parametrize(("name", "args", "size"), CASES)
@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (weights.weight_norm, utils.weight_norm),
        (weights.spectral_norm, utils.spectral_norm),
        (weights.parametrizations.weight_norm, utils.parametrizations.weight_norm),
        (weights.parametrizations.spectral_norm, utils.parametrizations.spectral_norm),
    ],
)
def test_a_norm_of_a_weight_is_that_of_torch(function, expected, name, args, size):
    ours, theirs = twins_with(function, expected, name, args)
    x = torch.randn(size, generator=torch.Generator().manual_seed(1))

    for mode in (True, True, False):
        own, other = ours.train(mode)(to_ours(x)), theirs.train(mode)(x)
        assert_same(own, other)
    (own * own).sum().backward()
    (other * other).sum().backward()

    gradients = dict(theirs.named_parameters())
    for key, parameter in ours.named_parameters():
        assert_same(parameter.grad, gradients[key].grad)
    for key, value in ours.state_dict().items():
        assert_same(value, theirs.state_dict()[key])


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize(
    ("function", "expected"),
    [(weights.weight_norm, utils.weight_norm), (weights.spectral_norm, utils.spectral_norm)],
)
def test_a_norm_of_a_recurrent_weight_is_that_of_torch(function, expected, name):
    ours, theirs = twins_with(
        lambda layer: function(layer, "weight_hh_l0"),
        lambda layer: expected(layer, "weight_hh_l0"),
        name,
        (3, 4, 2),
    )
    x = torch.randn(5, 2, 3, generator=torch.Generator().manual_seed(1))

    own, other = ours(to_ours(x))[0], theirs(x)[0]
    assert_same(own, other)
    (own * own).sum().backward()
    (other * other).sum().backward()

    gradients = dict(theirs.named_parameters())
    for key, parameter in ours.named_parameters():
        assert_same(parameter.grad, gradients[key].grad)


def test_a_parametrization_of_a_recurrent_weight_is_used():
    layer = nn.LSTM(3, 4, bidirectional=True, proj_size=2)
    expected = layer(ow.ones(5, 2, 3))[0].detach()

    weights.parametrizations.weight_norm(layer, "weight_hr_l0_reverse")
    output = layer(ow.ones(5, 2, 3))[0]
    output.sum().backward()

    assert_same(output.detach(), torch.from_dlpack(expected))
    originals = layer.parametrizations.weight_hr_l0_reverse.parameters()
    assert all(each.grad is not None for each in originals)


@pytest.mark.parametrize("dim", [1, None])
def test_a_weight_norm_along_another_dimension(dim):
    ours, theirs = twins_with(
        lambda layer: weights.weight_norm(layer, dim=dim),
        lambda layer: utils.weight_norm(layer, dim=dim),
        "Linear",
        (3, 4),
    )

    assert_same(ours(ow.ones(2, 3)), theirs(torch.ones(2, 3)))
    assert_same(ours.weight_g, theirs.weight_g)


@pytest.mark.parametrize(
    ("add", "remove"),
    [
        (weights.weight_norm, weights.remove_weight_norm),
        (weights.spectral_norm, weights.remove_spectral_norm),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_norm_that_is_removed_leaves_the_present_weight(add, remove):
    layer = add(nn.Linear(3, 4)).eval()
    before = layer(ow.ones(1, 3)).detach()

    assert remove(layer) is layer

    assert isinstance(layer.weight, nn.Parameter)
    assert sorted(layer.state_dict()) == ["bias", "weight"]
    assert_same(layer(ow.ones(1, 3)).detach(), torch.tensor(before.tolist()))
    with pytest.raises(ValueError, match="not found in Linear"):
        remove(layer)


@pytest.mark.filterwarnings("ignore")
def test_a_norm_is_refused_twice_and_for_what_is_no_parameter():
    layer = weights.weight_norm(nn.Linear(3, 4))

    with pytest.raises(RuntimeError, match="the parameter 'weight' has it already"):
        weights.weight_norm(layer)
    with pytest.raises(ValueError, match="has no parameter 'other'"):
        weights.spectral_norm(nn.Linear(3, 4), "other")
    with pytest.raises(ValueError, match="Expected n_power_iterations to be positive"):
        weights.spectral_norm(nn.Linear(3, 4), n_power_iterations=0)


def test_states_of_the_older_weight_norm_are_read():
    with pytest.warns(FutureWarning):
        older = weights.weight_norm(nn.Linear(3, 4))
    layer = weights.parametrizations.weight_norm(nn.Linear(3, 4))

    layer.load_state_dict(older.state_dict())

    assert_same(layer.weight.detach(), torch.tensor(older.weight.tolist()))


def trained_norm(kind, count):
    norm = getattr(torch.nn, kind)(count)
    norm(torch.randn(8, count, *[3] * int(kind[9])))
    return norm.eval()


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(
    ("name", "args", "kind", "size", "transpose"),
    [
        ("Conv1d", (3, 4, 2), "BatchNorm1d", (2, 3, 6), False),
        ("Conv2d", (3, 4, 2), "BatchNorm2d", (2, 3, 6, 6), False),
        ("ConvTranspose2d", (3, 4, 2), "BatchNorm2d", (2, 3, 6, 6), True),
    ],
)
def test_a_convolution_with_its_batch_norm_is_one_convolution(
    name, args, kind, size, transpose, bias
):
    conv, _ = make_twins(name, *args, bias=bias)
    norm = getattr(nn, kind)(4)
    norm.load_state_dict(to_ours(dict(trained_norm(kind, 4).state_dict())))
    model = nn.Sequential(conv, norm).eval()
    x = to_ours(torch.randn(size, generator=torch.Generator().manual_seed(1)))

    fused = weights.fuse_conv_bn_eval(conv, norm, transpose)

    assert_same(fused(x), torch.tensor(model(x).tolist()))


def test_a_linear_layer_with_its_batch_norm_is_one_linear_layer():
    linear = nn.Linear(3, 4, bias=False)
    norm = nn.BatchNorm1d(4)
    norm.load_state_dict(to_ours(dict(trained_norm("BatchNorm1d", 4).state_dict())))
    model = nn.Sequential(linear, norm).eval()

    fused = weights.fuse_linear_bn_eval(linear, norm)

    x = to_ours(torch.randn(5, 3))
    assert_same(fused(x), torch.tensor(model(x).tolist()))


def test_fusion_needs_evaluation_and_statistics():
    with pytest.raises(AssertionError, match=r"evaluation mode; call eval\(\) first"):
        weights.fuse_conv_bn_eval(nn.Conv1d(1, 2, 3), nn.BatchNorm1d(2))
    norm = nn.BatchNorm1d(2, track_running_stats=False).eval()
    with pytest.raises(AssertionError, match="the batch norm has no running mean"):
        weights.fuse_linear_bn_eval(nn.Linear(1, 2).eval(), norm)


@pytest.mark.parametrize(("name", "dims"), [("Conv2d", 2), ("ConvTranspose3d", 3)])
def test_weights_of_convolutions_are_laid_out(name, dims):
    twins = make_twins(name, 3, 4, 2)
    function = f"convert_conv{dims}d_weight_memory_format"
    formats = {2: "channels_last", 3: "channels_last_3d"}

    for lib, functions, layer in zip((ow, torch), (weights, utils), twins, strict=True):
        getattr(functions, function)(layer, getattr(lib, formats[dims]))

    assert twins[0].weight.stride() == twins[1].weight.stride()
    assert_same(twins[0].weight, twins[1].weight)


def test_a_module_without_initial_values_has_the_parameters_of_its_class():
    layer = weights.skip_init(nn.Linear, 3, 2, bias=False)

    assert (layer.weight.shape, layer.weight.device.type) == ((2, 3), "cpu")


def test_a_module_without_a_device_argument_cannot_skip_initial_values():
    with pytest.raises(RuntimeError, match="skip_init: ReLU must take a `device` argument"):
        weights.skip_init(nn.ReLU)


# ---- parametrizations ----

parametrize = weights.parametrize


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).t()

    def right_inverse(self, x):
        return x.triu()


class Doubled(nn.Module):
    def forward(self, x):
        return x * 2


class Sum(nn.Module):
    def forward(self, x, y):
        return x + y

    def right_inverse(self, z):
        return z / 2, z / 2


def test_a_parametrized_weight_is_computed_and_trains_its_original():
    layer = parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())

    layer(ow.ones(1, 3)).sum().backward()

    assert ow.equal(layer.weight, layer.weight.t())
    assert not isinstance(layer.weight, nn.Parameter)
    assert layer.parametrizations.weight.original.grad.tolist() == [[1, 2, 2], [0, 1, 2], [0, 0, 1]]
    assert repr(layer).startswith("ParametrizedLinear(")


def test_an_optimizer_keeps_the_parameter_that_it_has():
    layer = nn.Linear(3, 3)
    weight = layer.weight

    parametrize.register_parametrization(layer, "weight", Symmetric())
    assert layer.parametrizations.weight.original is weight
    parametrize.remove_parametrizations(layer, "weight")

    assert layer.weight is weight
    assert type(layer) is nn.Linear
    assert ow.equal(weight, weight.t())


def test_parametrizations_are_applied_in_turn():
    layer = nn.Linear(3, 3)
    before = layer.weight.detach().clone()
    parametrize.register_parametrization(layer, "weight", Doubled())
    parametrize.register_parametrization(layer, "weight", Doubled())

    assert_same(layer.weight.detach(), torch.tensor(before.tolist()) * 4)
    assert isinstance(layer.parametrizations.weight[1], Doubled)


def test_several_originals_are_numbered():
    layer = nn.Linear(2, 2)
    before = layer.weight.detach().clone()
    parametrize.register_parametrization(layer, "weight", Sum())

    names = [name for name, _ in layer.named_parameters()]
    assert names == [
        "bias",
        "parametrizations.weight.original0",
        "parametrizations.weight.original1",
    ]
    assert_same(layer.weight.detach(), torch.tensor(before.tolist()))
    with pytest.raises(ValueError, match="leave_parametrized=False needs one original tensor"):
        parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    assert isinstance(parametrize.remove_parametrizations(layer, "weight").weight, nn.Parameter)


def test_an_assignment_goes_through_the_right_inverse():
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())

    layer.weight = ow.tensor([[1.0, 2.0], [2.0, 3.0]])

    assert layer.weight.tolist() == [[1, 2], [2, 3]]
    assert layer.parametrizations.weight.original.tolist() == [[1, 2], [0, 3]]


def test_a_buffer_can_be_parametrized():
    layer = nn.Module()
    layer.register_buffer("scale", ow.ones(2))
    parametrize.register_parametrization(layer, "scale", Doubled())

    assert layer.scale.tolist() == [2.0, 2.0]
    assert list(layer.state_dict()) == ["parametrizations.scale.original"]


def test_copies_are_parametrized_apart():
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())
    made = copy.deepcopy(layer)

    with ow.no_grad():
        made.parametrizations.weight.original.fill_(7.0)

    assert made.weight.tolist() == [[7, 7], [7, 7]]
    assert layer.weight.tolist() != made.weight.tolist()


def test_inside_of_cached_a_tensor_is_computed_once():
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Doubled())

    with parametrize.cached():
        first = layer.weight
        assert layer.weight is first
    assert layer.weight is not first


def test_transfer_shares_the_originals():
    source = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())

    made = parametrize.transfer_parametrizations_and_params(source, nn.Linear(2, 2))

    assert made.parametrizations.weight.original is source.parametrizations.weight.original
    assert parametrize.type_before_parametrizations(made) is nn.Linear


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (lambda x: x.double(), "may not change the dtype of the tensor, unless unsafe=True"),
        (lambda x: x.flatten(), "may not change the shape of the tensor, unless unsafe=True"),
        (lambda x: 3, "a parametrization must return a tensor, got int"),
    ],
)
def test_a_parametrization_that_changes_the_kind_of_tensor_is_refused(result, text):
    class Wrong(nn.Module):
        def forward(self, x):
            return result(x)

    layer = nn.Linear(2, 2)
    with pytest.raises(ValueError, match=text):
        parametrize.register_parametrization(layer, "weight", Wrong())
    assert isinstance(layer.weight, nn.Parameter)


def test_what_is_not_there_cannot_be_parametrized_or_removed():
    with pytest.raises(ValueError, match="has no parameter, buffer or parametrized tensor 'other'"):
        parametrize.register_parametrization(nn.Linear(2, 2), "other", Doubled())
    with pytest.raises(ValueError, match="has no parametrization of 'weight'"):
        parametrize.remove_parametrizations(nn.Linear(2, 2), "weight")
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Doubled())
    with pytest.raises(RuntimeError, match="parametrization Doubled does not implement right_inv"):
        layer.weight = ow.ones(2, 2)


def test_a_parametrized_layer_is_exported_and_compiled():
    layer = weights.parametrizations.weight_norm(nn.Linear(3, 2))
    x = to_ours(torch.randn(4, 3, generator=torch.Generator().manual_seed(0)))
    expected = torch.tensor(layer(x).tolist())

    assert_same(ow.export.export(layer, (x,))(x), expected)
    assert_same(ow.compile(layer)(x), expected)
