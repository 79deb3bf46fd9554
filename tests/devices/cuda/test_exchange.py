"""Tensors of the device exchanged with other libraries without a copy."""

import opwright as ow
import pytest


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("CUDA WAS NOT TESTED: this torch has no CUDA")
    return torch


def test_a_tensor_of_torch_is_taken_as_it_is(torch):
    theirs = torch.arange(6.0, device="cuda").reshape(2, 3)

    ours = ow.from_dlpack(theirs)
    ours.mul_(2)
    ow.cuda.synchronize()

    assert ours.device == ow.device("cuda:0")
    assert ours.data_ptr() == theirs.data_ptr()
    assert theirs.tolist() == [[0, 2, 4], [6, 8, 10]]


def test_torch_takes_a_tensor_as_it_is(torch):
    ours = ow.arange(6.0, device="cuda").reshape(3, 2).t()

    theirs = torch.from_dlpack(ours)
    theirs.add_(1)
    torch.cuda.synchronize()

    assert theirs.data_ptr() == ours.data_ptr()
    assert ours.tolist() == [[1, 3, 5], [2, 4, 6]]
    del ours
    assert theirs.sum().item() == 21


def test_work_of_another_stream_is_waited_for(torch):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        theirs = torch.zeros(1 << 24, device="cuda")
        for _ in range(50):
            theirs += 1
        ours = ow.from_dlpack(theirs)

    assert (ours * 2).sum().item() == 100 * (1 << 24)
