"""FakeTensorMode with PyTorch's options."""

import opwright.compat.torch as torch
import pytest
from opwright.compat.torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
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

    for kind in (RuntimeError, AssertionError):
        with pytest.raises(kind, match="Please convert all Tensors"), FakeTensorMode():
            x.sin()


def test_numbers_alone_make_a_fake_tensor():
    with FakeTensorMode():
        quotient = torch.div(3, 2)

    assert quotient.is_fake
    assert (quotient.dtype, tuple(quotient.shape)) == (torch.float32, ())
    assert torch.div(3, 2).tolist() == 1.5
    assert torch.add(2, 3).dtype == torch.int64


def test_a_value_of_a_transform_over_a_fake_is_a_fake_tensor():
    seen = []

    def f(x):
        seen.append(isinstance(x, FakeTensor))
        return x * 2

    with FakeTensorMode():
        torch.func.jvp(f, (torch.ones(3),), (torch.ones(3),))
    torch.func.jvp(f, (torch.ones(3),), (torch.ones(3),))

    assert seen == [True, False]


def test_a_parameter_is_converted_while_the_mode_is_active():
    weight = torch.nn.Parameter(torch.ones(2))

    with FakeTensorMode() as mode:
        assert mode.from_tensor(weight).is_fake


def test_a_storage_from_bytes_makes_a_tensor():
    storage = torch.UntypedStorage.from_buffer(b"ab", dtype=torch.uint8)

    assert torch.ByteTensor(storage).tolist() == [97, 98]
    with FakeTensorMode():
        fake = torch.ByteTensor(torch.UntypedStorage.from_buffer(b"ab", dtype=torch.uint8))
    assert fake.is_fake
    assert tuple(fake.shape) == (2,)
    with pytest.raises(ValueError, match="byte_order must be 'native' or 'little', got 'big'"):
        torch.UntypedStorage.from_buffer(b"ab", "big", dtype=torch.int16)


def test_an_overload_for_tensors_takes_a_number():
    x = torch.tensor([1, 2])

    assert torch.ops.aten.add.Tensor(x, 2).tolist() == [3, 4]
    assert torch.ops.aten.sub_.Tensor(x, 1, alpha=2).tolist() == [-1, 0]
    assert torch.ops.aten.sym_size.int(x, -1) == 2


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
