"""FakeTensorMode with PyTorch's options."""

import opwright.compat.torch as torch
import pytest
from opwright.compat.torch._subclasses.fake_tensor import FakeTensorMode
from opwright.compat.torch.fx.experimental.symbolic_shapes import (
    DimDynamic,
    ShapeEnv,
    StatelessSymbolicContext,
    free_symbols,
    free_unbacked_symbols,
    statically_known_true,
)


def test_real_tensors_are_converted_where_they_are_allowed():
    x = torch.ones(2, 3)

    with FakeTensorMode(allow_non_fake_inputs=True):
        result = torch.cat([x, x]).sin()

    assert result.is_fake
    assert tuple(result.shape) == (4, 3)


def test_real_tensors_are_refused_otherwise():
    x = torch.ones(2, 3)

    with pytest.raises(RuntimeError, match="Please convert all Tensors"), FakeTensorMode():
        x.sin()


@pytest.mark.parametrize(
    ("options", "shape"), [({}, "(s0, 1)"), ({"static_shapes": True}, "(3, 1)")]
)
def test_a_shape_env_makes_sizes_symbolic(options, shape):
    mode = FakeTensorMode(shape_env=ShapeEnv(), **options)

    assert str(mode.from_tensor(torch.ones(3, 1)).shape) == shape


def test_a_context_says_which_sizes_are_symbolic():
    env = ShapeEnv()
    mode = FakeTensorMode(shape_env=env)
    kinds = [DimDynamic.UNBACKED, DimDynamic.STATIC, DimDynamic.STATIC]

    x = mode.from_tensor(
        torch.ones(4, 5, 6), symbolic_context=StatelessSymbolicContext(dynamic_sizes=kinds)
    )

    assert free_unbacked_symbols(x.shape[0]) == {"u0"}
    assert tuple(x.shape[1:]) == (5, 6)


def test_the_fake_of_a_parameter_is_a_parameter():
    mode = FakeTensorMode()
    weight = torch.nn.Parameter(torch.ones(2))

    fake = mode.from_tensor(weight)

    assert isinstance(fake, torch.nn.Parameter)
    assert fake.is_fake
    assert mode.from_tensor(weight) is fake


def test_symbols_are_found_and_conditions_decided_without_guards():
    env = ShapeEnv()
    size = env.make_size(4, "x.size(0)")

    assert free_symbols([size + 1, 2]) == {"s0"}
    assert statically_known_true(size >= 2)
    assert not statically_known_true(size == 4)
    assert not env.guards
