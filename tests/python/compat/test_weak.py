"""torch.utils.weak: dictionaries that hold tensors weakly, by identity."""

import opwright.compat.torch as torch
import pytest
from opwright.compat.torch.utils.weak import WeakTensorKeyDictionary


def test_equal_tensors_are_different_keys():
    x, y = torch.ones(2), torch.ones(2)
    names = WeakTensorKeyDictionary({x: "x"})
    names[y] = "y"
    names[x] = "again"

    assert [names[x], names.get(y), names.get(torch.ones(2))] == ["again", "y", None]
    assert [key is x for key in names] == [True, False]
    del names[x]
    with pytest.raises(KeyError):
        del names[x]
    assert (x in names, y in names, len(names)) == (False, True, 1)


def test_an_entry_goes_with_its_tensor():
    names = WeakTensorKeyDictionary()
    tensors = [torch.zeros(2) for _ in range(3)]
    for place, tensor in enumerate(tensors):
        names[tensor] = place
    del tensor

    tensors.pop(1)
    assert list(names.values()) == [0, 2]
    tensors.clear()

    assert len(names) == 0
