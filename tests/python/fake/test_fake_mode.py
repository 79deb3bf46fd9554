"""FakeTensorMode: tensors created inside have no memory, and real tensors are rejected."""

import threading

import numpy as np
import opwright as ow
import pytest
from opwright import FakeTensor, FakeTensorMode, make_fx
from opwright.func import functionalize


@pytest.fixture
def mode() -> FakeTensorMode:
    return FakeTensorMode()


# ---- Creation ----


@pytest.mark.parametrize(
    ("make", "shape", "dtype"),
    [
        (lambda: ow.zeros(2, 3), (2, 3), ow.float32),
        (lambda: ow.empty(2, 3), (2, 3), ow.float32),
        (lambda: ow.full((2,), 7), (2,), ow.int64),
        (lambda: ow.arange(5), (5,), ow.int64),
        (lambda: ow.linspace(0, 1, 4), (4,), ow.float32),
        (lambda: ow.eye(3), (3, 3), ow.float32),
        (lambda: ow.randn(4), (4,), ow.float32),
        (lambda: ow.randint(0, 5, (2,)), (2,), ow.int64),
        (lambda: ow.randperm(6), (6,), ow.int64),
        (lambda: ow.scalar_tensor(2.0), (), ow.float32),
        (lambda: ow.tensor([[1, 2], [3, 4]]), (2, 2), ow.int64),
        (lambda: ow.tensor(2.5), (), ow.float32),
        (lambda: ow.as_tensor([1.0]), (1,), ow.float32),
        (lambda: ow.asarray(np.zeros(3)), (3,), ow.float64),
        (lambda: ow.from_numpy(np.zeros((2, 3))), (2, 3), ow.float64),
        (lambda: ow.from_dlpack(np.zeros(3)), (3,), ow.float64),
        (lambda: ow.frombuffer(b"abcd", ow.uint8), (4,), ow.uint8),
        (lambda: ow.Tensor(), (0,), ow.float32),
        (lambda: ow.Tensor([1.0, 2.0]), (2,), ow.float32),
        (lambda: ow.zeros(2).new_tensor([1, 2, 3]), (3,), ow.float32),
    ],
)
def test_everything_made_inside_is_fake(mode, make, shape, dtype):
    with mode:
        made = make()

    assert (made.is_fake, made.shape, made.dtype) == (True, shape, dtype)
    assert isinstance(made, FakeTensor)


def test_random_factories_do_not_advance_the_generator(mode):
    generator = ow.Generator().manual_seed(1)
    before = generator.get_state().tolist(), ow.get_rng_state().tolist()

    with mode:
        ow.randn(100, generator=generator)
        ow.rand(100)
        ow.zeros(10).uniform_()
        ow.nn.Linear(3, 4)

    assert (generator.get_state().tolist(), ow.get_rng_state().tolist()) == before


def test_a_module_made_inside_is_fake_and_runs(mode):
    with mode:
        layer = ow.nn.Linear(3, 4)
        result = layer(ow.ones(2, 3))

    assert all(parameter.is_fake for parameter in layer.parameters())
    assert isinstance(layer.weight, ow.nn.Parameter)
    assert result.shape == (2, 4)


def test_nothing_is_fake_outside(mode):
    with mode:
        pass

    assert not ow.zeros(2).is_fake
    assert not isinstance(ow.zeros(2), FakeTensor)


# ---- Devices that do not exist ----


def test_a_device_is_kept_without_being_there(mode):
    with mode:
        x = ow.zeros(2, 3, device="cuda")
        y = ow.ones(3).to("cuda:1")

    assert (str(x.device), str(x.T.device), str((x + 1).device)) == ("cuda:0",) * 3
    assert str(y.device) == "cuda:1"
    assert str(x.cpu().device) == "cpu"
    assert str(y.cpu().cuda().device) == "cuda:0"


def test_two_fake_devices_in_one_call_are_two_devices(mode):
    with mode, pytest.raises(RuntimeError, match="the tensors are on two devices"):
        ow.ones(2) + ow.ones(2, device="cuda")


def test_the_text_shows_sizes_and_device(mode):
    with mode:
        x = ow.zeros(2, 3, device="cuda", dtype=ow.float64)

    assert repr(x) == "tensor(..., device='cuda:0', size=(2, 3), dtype=float64)"
    assert f"{x}" == repr(x)


# ---- Real tensors ----


def test_a_real_tensor_inside_names_the_argument_and_from_tensor(mode, here):
    real = ow.ones(3)

    with mode, pytest.raises(RuntimeError) as failure:
        ow.zeros(3) + real  # mixed

    assert str(failure.value) == (
        "aten::add.Tensor: argument 'other' is a real tensor (float32[3]), but FakeTensorMode is "
        f"active at {here('mixed')}\n"
        "  Please convert all Tensors to FakeTensors first: mode.from_tensor(other); tensors made "
        "inside the mode are fake already."
    )


def test_a_real_tensor_without_dimensions_is_real_too(mode):
    real = ow.tensor(2.0)

    with mode, pytest.raises(RuntimeError, match="argument 'other' is a real tensor"):
        ow.zeros(3) * real


def test_a_fake_and_a_real_one_outside_do_not_mix(mode, here):
    with mode:
        fake = ow.zeros(3)

    with pytest.raises(RuntimeError) as failure:
        fake + ow.ones(3)  # mixed outside

    assert str(failure.value) == (
        "aten::add.Tensor: argument 'other' is a real tensor (float32[3]), but others are fake at "
        f"{here('mixed outside')}\n"
        "  Make it fake first: mode.from_tensor(other) of the FakeTensorMode."
    )


def test_fakes_go_on_to_work_outside(mode):
    with mode:
        x = ow.zeros(4, 3)

    result = (x @ x.T).relu().sum(0)[[0, 1]]

    assert (result.is_fake, result.shape) == (True, (2,))


def test_data_of_python_beside_a_fake_is_fake(mode):
    with mode:
        x = ow.zeros(4)

    x[1] = 2.0
    x[[0, 1]] = ow.ones(2, device="meta").shape[0]
    x[0:2] = [1.0, 2.0]

    assert x[[0, 1]].shape == (2,)


def test_a_constant_inside_of_functionalize_is_fake(mode):
    def add_constants(x):
        made = ow.tensor([1.0, 2.0])
        made.add_(ow.from_numpy(np.ones(2, np.float32)))
        return x + made, made

    with mode:
        total, made = functionalize(add_constants)(ow.zeros(2))

    assert isinstance(total, FakeTensor)
    assert (made.shape, isinstance(made, FakeTensor)) == ((2,), True)


def test_a_constant_of_a_traced_function_is_real():
    graph = make_fx(functionalize(lambda x: x + ow.tensor([1.0, 2.0])))(ow.zeros(2))

    assert graph(ow.zeros(2)).tolist() == [1.0, 2.0]


# ---- Nesting ----


def test_a_mode_may_be_entered_again(mode):
    with mode, mode:
        assert ow.zeros(1).is_fake
    assert not ow.zeros(1).is_fake


def test_modes_nest(mode):
    with mode, FakeTensorMode():
        assert ow.zeros(1).is_fake
    assert not ow.zeros(1).is_fake


def test_an_exception_leaves_the_mode(mode):
    with pytest.raises(ZeroDivisionError), mode:
        ow.zeros(1).sum(1 // 0)

    assert not ow.zeros(1).is_fake


def test_a_mode_is_of_its_thread(mode):
    seen = []
    with mode:
        thread = threading.Thread(target=lambda: seen.append(ow.zeros(1).is_fake))
        thread.start()
        thread.join()

    assert seen == [False]


def test_modes_are_left_in_order():
    outer, inner = FakeTensorMode(), FakeTensorMode()
    outer.__enter__()
    inner.__enter__()

    with pytest.raises(RuntimeError) as failure:
        outer.__exit__(None, None, None)
    inner.__exit__(None, None, None)
    outer.__exit__(None, None, None)

    assert str(failure.value) == (
        "FakeTensorMode: a mode is left on the thread that entered it, and the innermost first"
    )


# ---- from_tensor ----


def test_the_twin_is_as_its_tensor(mode):
    real = ow.zeros(4, 6, dtype=ow.float64)[1:, ::2].requires_grad_()

    fake = mode.from_tensor(real)

    assert fake.is_fake
    assert (fake.shape, fake.stride(), fake.storage_offset()) == ((3, 3), (6, 2), 6)
    assert (fake.dtype, fake.device, fake.requires_grad) == (ow.float64, real.device, True)
    assert fake._version == real._version


def test_the_same_tensor_has_one_twin(mode):
    real = ow.zeros(3)

    assert mode.from_tensor(real) is mode.from_tensor(real)
    assert mode.from_tensor(real) is not mode.from_tensor(ow.zeros(3))


def test_a_fake_tensor_is_its_own_twin(mode):
    fake = mode.from_tensor(ow.zeros(3))

    assert mode.from_tensor(fake) is fake


def test_twins_share_a_storage_as_their_tensors_do(mode):
    base = ow.zeros(4, 3)
    first, second, other = (mode.from_tensor(x) for x in (base, base[1], ow.zeros(3)))

    second.add_(1)

    assert (first._version, second._version, other._version) == (2, 2, 1)
    assert base._version == 1


def test_dynamic_makes_all_sizes_symbols(mode):
    fake = mode.from_tensor(ow.zeros(5, 1, 7), dynamic=True)

    assert str(fake.shape) == "(s0, 1, s1)"
    assert str(fake.stride()) == "(s1, s1, 1)"
    assert [s.source for s in mode.shape_env.symbols] == ["tensor.size(0)", "tensor.size(2)"]


def test_dynamic_may_list_dimensions(mode):
    fake = mode.from_tensor(ow.zeros(5, 6, 7), dynamic=(0, -1), source="x")

    assert str(fake.shape) == "(s0, 6, s1)"
    assert [s.source for s in mode.shape_env.symbols] == ["x.size(0)", "x.size(2)"]


def test_strides_of_dense_memory_in_another_order_are_products(mode):
    fake = mode.from_tensor(ow.zeros(5, 6, 7).permute(2, 0, 1), dynamic=True)

    assert str(fake.stride()) == f"(1, {fake.shape[0] * fake.shape[2]}, {fake.shape[0]})"


def test_a_dimension_that_is_not_there_is_refused(mode):
    with pytest.raises(IndexError):
        mode.from_tensor(ow.zeros(5), dynamic=(1,))


def test_a_shape_env_may_be_given():
    env = ow.ShapeEnv(duck_shaping=False)
    mode = FakeTensorMode(env)

    mode.from_tensor(ow.zeros(4, 4), dynamic=True)

    assert mode.shape_env == env
    assert len(env.symbols) == 2
    with pytest.raises(TypeError, match="FakeTensorMode: shape_env must be a ShapeEnv, got int"):
        FakeTensorMode(3)


def test_fake_tensor_is_for_isinstance_only():
    with pytest.raises(TypeError, match="FakeTensor: it is for isinstance"):
        FakeTensor()


# ---- Aliases and writes ----


def test_a_written_argument_comes_back_as_itself(mode):
    with mode:
        x = ow.zeros(3)

        assert x.add_(1) is x
        assert x[1:].relu_().storage_offset() == 1


def test_views_share_storage_and_version(mode):
    with mode:
        x = ow.zeros(4, 3)
        row, other = x[1], x.clone()

    row.mul_(2)

    assert (x._version, row._version, other._version) == (2, 2, 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ow.zeros(3),
        lambda: ow.ones(3),
        lambda: ow.randn(3),
        lambda: ow.arange(3),
        lambda: ow.empty(3).zero_(),
        lambda: ow.ones(2, 3).t().add_(1).clone(),
    ],
)
def test_versions_are_those_of_real_tensors(mode, make):
    with mode:
        fake = make()

    assert fake._version == make()._version


def test_an_author_may_write_and_give_views(mode):
    @ow.library.custom_op(
        "trial_f::fill", mutates_args=("x",), schema="(Tensor(a!) x) -> Tensor(a!)"
    )
    def fill(x):
        return x

    with mode:
        x = ow.empty(4)
        assert fill(x[1:]).storage_offset() == 1
        assert fill(x) is x

    assert x._version == 2
