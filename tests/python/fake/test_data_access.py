"""A fake tensor has no data, and says which line wanted it."""

import numpy as np
import opwright as ow
import pytest
from opwright import FakeTensorMode


def fake(*shape: int) -> ow.Tensor:
    with FakeTensorMode():
        return ow.zeros(*shape)


@pytest.mark.parametrize(
    ("read", "who", "kind"),
    [
        (lambda x: x.item(), "item", RuntimeError),
        (lambda x: x.tolist(), "tolist", RuntimeError),
        (lambda x: x.numpy(), "numpy", RuntimeError),
        (np.asarray, "numpy", RuntimeError),
        (lambda x: x.data_ptr(), "data_ptr", RuntimeError),
        (float, "float", RuntimeError),
        (int, "int", RuntimeError),
        (complex, "complex", RuntimeError),
        (bool, "bool", RuntimeError),
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
