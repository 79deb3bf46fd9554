"""Copies of views: the same elements as the view, in memory of their own."""

import opwright.compat.torch as ow
import pytest
import torch

CALLS = {
    "alias_copy": (),
    "as_strided_copy": ((2, 2), (1, 3), 1),
    "detach_copy": (),
    "diagonal_copy": (1, 0, 1),
    "expand_copy": ((2, 3, 4),),
    "permute_copy": ((1, 0),),
    "select_copy": (1, 2),
    "slice_copy": (1, 0, 4, 2),
    "split_copy": (2, 1),
    "split_with_sizes_copy": ((1, 3), 1),
    "squeeze_copy": (0,),
    "t_copy": (),
    "transpose_copy": (0, 1),
    "unbind_copy": (1,),
    "unfold_copy": (1, 2, 1),
    "unsqueeze_copy": (1,),
    "view_copy": ((6, 2),),
    "view_as_real_copy": (),
}


def make(lib, name: str):
    x = lib.arange(12.0).reshape(3, 4)
    return lib.complex(x, -x) if name == "view_as_real_copy" else x


def results_of(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


@pytest.mark.parametrize("name", CALLS)
def test_copies_have_the_elements_of_the_view_and_their_own_memory(name):
    ours, theirs = make(ow, name), make(torch, name)

    copies = results_of(getattr(ow, name)(ours, *CALLS[name]))
    expected = results_of(getattr(torch, name)(theirs, *CALLS[name]))

    ours.zero_()
    for copy, other in zip(copies, expected, strict=True):
        assert copy.tolist() == other.tolist()
        assert copy.is_contiguous()


def test_a_view_as_complex_is_copied():
    parts = ow.tensor([[1.0, 2.0], [3.0, 4.0]])

    copy = ow.view_as_complex_copy(parts)
    parts.zero_()

    assert copy.tolist() == [1 + 2j, 3 + 4j]


@pytest.mark.parametrize("name", ["diagonal_copy", "expand_copy", "unfold_copy", "slice_copy"])
def test_gradients_and_mapped_calls_are_those_of_the_view(name):
    def run(lib):
        x = make(lib, name).requires_grad_()
        result = getattr(lib, name)(x, *CALLS[name])
        (result * result).sum().backward()
        return x.grad.tolist()

    batch = ow.stack([make(ow, name), -make(ow, name)])
    mapped = ow.vmap(lambda x: getattr(ow, name)(x, *CALLS[name]))(batch)

    assert run(ow) == run(torch)
    each = [getattr(ow, name)(x, *CALLS[name]).tolist() for x in batch]
    assert mapped.tolist() == each


def test_the_history_of_a_detached_copy_ends():
    x = ow.ones(2, requires_grad=True)

    assert not ow.detach_copy(x).requires_grad
    assert ow.alias_copy(x).requires_grad
