"""A fake tensor has no data, and says which line wanted it."""

import numpy as np
import opwright as ow
import pytest
from opwright import FakeTensorMode
from opwright.symbolic import SymFloat


def fake(*shape: int) -> ow.Tensor:
    with FakeTensorMode():
        return ow.zeros(*shape)


@pytest.mark.parametrize(
    ("read", "who", "kind"),
    [
        (lambda x: x.item(), "item", ow.DataDependentError),
        (lambda x: x.tolist(), "tolist", ow.DataDependentError),
        (lambda x: x.numpy(), "numpy", ow.DataDependentError),
        (np.asarray, "numpy", ow.DataDependentError),
        (lambda x: x.data_ptr(), "data_ptr", ow.DataDependentError),
        (float, "float", ow.DataDependentError),
        (int, "int", ow.DataDependentError),
        (complex, "complex", ow.DataDependentError),
        (bool, "bool", ow.DataDependentError),
        (memoryview, "buffer", BufferError),
        (lambda x: x.__dlpack__(), "__dlpack__", BufferError),
        (np.from_dlpack, "__dlpack__", BufferError),
    ],
)
def test_reading_data_names_the_line(read, who, kind):
    with pytest.raises(kind) as failure:
        read(fake(1))

    first, advice = str(failure.value).split("\n")
    assert first.startswith(
        f"{who}: a fake tensor has no data to read (float32[1]), at {__file__}:"
    )
    assert advice == (
        "  It has sizes, strides, dtype and device only; make code that needs the data an operator "
        "of its own, with a fake kernel."
    )


def test_the_error_keeps_its_class_through_a_fake_kernel_in_python():
    @ow.library.custom_op("data_access_test::first", mutates_args=())
    def first(x: ow.Tensor) -> ow.Tensor:
        return x[:1].clone()

    first.register_fake(lambda x: x.new_empty(int(x[0].item())))

    with pytest.raises(ow.DataDependentError, match="item: a fake tensor has no data to read"):
        first(fake(1))


def test_an_index_cannot_be_a_fake_number():
    with FakeTensorMode():
        index = ow.tensor(1)

    with pytest.raises(RuntimeError, match="index: a fake tensor has no data to read"):
        [1, 2][index]


def test_a_branch_on_data_names_the_line(here):
    with pytest.raises(RuntimeError) as failure:
        assert not fake(1) > 0  # branch

    assert f"bool: a fake tensor has no data to read (bool[1]), at {here('branch')}" in str(
        failure.value
    )


def test_iteration_and_text_need_no_data():
    x = fake(2, 3)

    assert [row.shape for row in x] == [(3,), (3,)]
    assert str(x) == "tensor(..., size=(2, 3))"


def test_a_mode_with_a_shape_env_keeps_numbers_symbolic():
    with FakeTensorMode(shape_env=ow.ShapeEnv()):
        count = ow.zeros((), dtype=ow.int32).item()
        factor = ow.zeros(1).item()
        flag = ow.zeros((), dtype=ow.bool).item()
        columns = ow.zeros(2, count)
        scaled = ow.ones(3) * factor

    assert (str(count), columns.shape[1] == count) == ("u0", True)
    assert count.shape_env.range(count) == (0, 2**31 - 1)  # of int32, and used as a size
    assert isinstance(factor, SymFloat)
    assert (scaled.shape, scaled.dtype, scaled.is_fake) == ((3,), ow.float32, True)
    with pytest.raises(RuntimeError, match="the bool read from a tensor is known only when"):
        bool(flag)


@pytest.mark.parametrize(("dtype", "kind"), [(ow.int64, ow.SymInt), (ow.float32, SymFloat)])
def test_a_mode_with_a_shape_env_lists_symbolic_numbers(dtype, kind):
    with FakeTensorMode(shape_env=ow.ShapeEnv()):
        rows = ow.zeros(2, 3, dtype=dtype).tolist()

    assert [[type(each) for each in row] for row in rows] == [[kind] * 3] * 2


@pytest.mark.parametrize(
    ("read", "x"),
    [
        (lambda x: x.item(), ow.zeros((), dtype=ow.complex64)),
        (lambda x: x.numpy(), ow.zeros(2)),
        (float, ow.zeros(1)),
    ],
)
def test_what_no_symbol_stands_for_needs_data_with_a_shape_env_too(read, x):
    with FakeTensorMode(shape_env=ow.ShapeEnv()) as mode:
        given = mode.from_tensor(x)

        with pytest.raises(ow.DataDependentError, match="a fake tensor has no data to read"):
            read(given)
