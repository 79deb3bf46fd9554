"""autograd.forward_ad: tensors that carry a tangent."""

import opwright as ow
import opwright.autograd.forward_ad as forward_ad
import pytest
import torch
import torch.autograd.forward_ad as torch_forward_ad


def test_tangents_are_those_of_torch():
    def run(library, mode):
        x = library.tensor([1.0, 2.0])
        with mode.dual_level():
            dual = mode.make_dual(x, library.tensor([1.0, -1.0]))
            y = (dual * dual).sin()
            y[0] = 3.0
            primal, tangent = mode.unpack_dual(y)
        return primal.tolist(), tangent.tolist()

    ours, theirs = run(ow, forward_ad), run(torch, torch_forward_ad)

    assert ours[0] == pytest.approx(theirs[0])
    assert ours[1] == pytest.approx(theirs[1])


def test_a_tensor_without_a_tangent_has_none():
    with forward_ad.dual_level():
        assert forward_ad.unpack_dual(ow.ones(2) * 2).tangent is None


def test_a_tangent_can_be_differentiated():
    x = ow.tensor(3.0, requires_grad=True)

    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, ow.tensor(1.0))
        tangent = forward_ad.unpack_dual(dual**3).tangent
    tangent.backward()

    assert x.grad.item() == 18.0


def test_a_tangent_of_another_size_is_refused():
    with (
        forward_ad.dual_level(),
        pytest.raises(RuntimeError, match=r"a different size than that of the tensor: \[3\]"),
    ):
        forward_ad.make_dual(ow.ones(2), ow.ones(3))


def test_levels_do_not_nest_and_end():
    with forward_ad.dual_level(), pytest.raises(RuntimeError, match="Nested forward mode"):
        forward_ad.enter_dual_level()
    with pytest.raises(RuntimeError, match="none is active"):
        forward_ad.exit_dual_level()


def test_a_dual_tensor_needs_a_level():
    with pytest.raises(RuntimeError, match="no level exists"):
        forward_ad.make_dual(ow.ones(2), ow.ones(2))


def test_a_dual_tensor_shows_its_value_after_its_level():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(ow.ones(2), ow.zeros(2))

    primal, tangent = forward_ad.unpack_dual(dual)

    assert (primal.tolist(), tangent) == ([1.0, 1.0], None)


def test_each_unpacked_primal_is_a_view_of_the_value():
    x = ow.ones(2)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, ow.zeros(2))
        first, second = forward_ad.unpack_dual(dual).primal, forward_ad.unpack_dual(dual).primal

    assert first is not second
    assert first.data_ptr() == second.data_ptr() == x.data_ptr()


@pytest.mark.parametrize(
    ("primal", "tangent", "text"),
    [
        ([1], [1.0], "Expected primal to be floating point or complex"),
        ([1.0], [1], "Expected tangent to be floating point or complex"),
    ],
)
def test_integers_have_no_tangents(primal, tangent, text):
    with forward_ad.dual_level(), pytest.raises(ValueError, match=text):
        forward_ad.make_dual(ow.tensor(primal), ow.tensor(tangent))


def test_a_tangent_is_not_a_dual_tensor_of_the_same_level():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(ow.ones(2), ow.ones(2))
        with pytest.raises(RuntimeError, match="has a forward gradient at the same level"):
            forward_ad.make_dual(ow.ones(2), dual)


def test_a_dual_tensor_prints_its_tangent():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(ow.ones(2), ow.zeros(2))
        assert repr(dual) == "tensor([1., 1.], tangent=tensor([0., 0.]))"


def test_in_inference_mode_a_dual_may_be_written():
    with ow.inference_mode(), forward_ad.dual_level():
        x = ow.tensor([1.0, 2.0])
        dual = forward_ad.make_dual(x, ow.ones(2))
        dual += 1
        dual *= 3
        tangent = forward_ad.unpack_dual(dual).tangent

    assert (x.tolist(), tangent.tolist()) == ([6.0, 9.0], [3.0, 3.0])
