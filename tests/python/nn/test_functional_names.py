"""Functions of nn.functional that are composed of others do what those of torch do."""

import opwright as ow
import pytest
import torch
from opwright.nn import functional as F

from .torch_twin import assert_same, to_ours

IN_PLACE = {
    "relu_": (),
    "elu_": (0.5,),
    "selu_": (),
    "celu_": (2.0,),
    "leaky_relu_": (0.2,),
    "hardtanh_": (-0.5, 0.25),
    "threshold_": (0.1, 7.0),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_activations_in_place_write_their_input(name):
    x = torch.linspace(-2, 2, 9)
    own = to_ours(x)

    result = getattr(F, name)(own, *IN_PLACE[name])

    assert result is own
    assert_same(own, getattr(torch.nn.functional, name)(x, *IN_PLACE[name]))


@pytest.mark.parametrize("name", ["upsample", "upsample_nearest", "upsample_bilinear"])
def test_the_older_names_of_interpolate_warn_and_resize(name):
    x = torch.arange(12.0).reshape(1, 1, 3, 4)

    with pytest.warns(UserWarning, match=f"`nn.functional.{name}` is deprecated"):
        own = getattr(F, name)(to_ours(x), scale_factor=2)

    with pytest.warns(UserWarning, match="deprecated"):
        assert_same(own, getattr(torch.nn.functional, name)(x, scale_factor=2))


@pytest.mark.parametrize("sizes", [(5,), (2, 5)])
def test_a_bilinear_map_is_that_of_torch(sizes):
    given = [torch.randn(*sizes, 2), torch.randn(*sizes, 3), torch.randn(4, 2, 3), torch.randn(4)]

    assert_same(F.bilinear(*to_ours(given)), torch.nn.functional.bilinear(*given))


def test_hard_samples_are_one_hot_with_the_gradient_of_soft_ones():
    ow.manual_seed(0)
    logits = ow.zeros(4, 3, requires_grad=True)

    sample = F.gumbel_softmax(logits, tau=0.5, hard=True)
    (sample * ow.tensor([1.0, 2.0, 3.0])).sum().backward()

    assert sorted(set(sample.detach().round().flatten().tolist())) == [0.0, 1.0]
    assert sample.sum(1).tolist() == pytest.approx([1.0] * 4)
    assert logits.grad.abs().sum().item() > 0


def test_samples_have_the_probabilities_of_the_logits():
    ow.manual_seed(0)
    logits = ow.tensor([0.2, 0.3, 0.5]).log().expand(20000, 3)

    shares = F.gumbel_softmax(logits, hard=True).mean(0)

    assert shares.tolist() == pytest.approx([0.2, 0.3, 0.5], abs=0.02)


def test_options_of_the_linear_loss_are_refused():
    with pytest.raises(NotImplementedError, match="options are not supported; leave them out"):
        F.linear_cross_entropy(ow.ones(2, 3), ow.ones(4, 3), ow.tensor([0, 1]), options=1)
