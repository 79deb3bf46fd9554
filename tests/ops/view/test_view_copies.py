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


@pytest.mark.parametrize("name", [name for name in CALLS if name != "view_as_real_copy"])
def test_copies_are_written_to_out(name):
    ours, theirs = make(ow, name), make(torch, name)
    expected = results_of(getattr(torch, name)(theirs, *CALLS[name]))
    is_list = len(expected) > 1 or "split" in name or "unbind" in name
    targets = [ow.empty(*each.shape) for each in expected]

    given = getattr(ow, name)(ours, *CALLS[name], out=tuple(targets) if is_list else targets[0])

    assert [each.tolist() for each in targets] == [each.tolist() for each in expected]
    assert given is (None if is_list else targets[0])


def test_an_empty_out_gets_the_sizes_of_its_copy():
    targets = (ow.empty(0), ow.empty(2))

    ow.split_copy(ow.arange(5.0), 3, out=targets)

    assert [each.tolist() for each in targets] == [[0.0, 1.0, 2.0], [3.0, 4.0]]


def test_out_needs_a_tensor_for_each_copy_and_no_history():
    x = ow.arange(4.0)

    with pytest.raises(
        RuntimeError,
        match="unbind_copy: expected 4 tensors in out, one for each result, got 2",
    ):
        ow.unbind_copy(x, out=(ow.empty(()), ow.empty(())))
    with pytest.raises(RuntimeError, match="split_copy"):
        ow.split_copy(x.requires_grad_(), 2, out=(ow.empty(2), ow.empty(2)))


def test_the_form_that_writes_copies_is_an_overload_with_torchs_schema():
    schemas = {
        name: str(getattr(getattr(ow.ops.aten, name), overload)._schema)
        for name, overload in (("unbind_copy", "int_out"), ("diagonal_copy", "out"))
    }

    assert schemas == {
        "unbind_copy": str(torch.ops.aten.unbind_copy.int_out._schema),
        "diagonal_copy": str(torch.ops.aten.diagonal_copy.out._schema),
    }


def test_a_traced_call_writes_the_copies():
    def halves(x):
        out = (x.new_empty(2), x.new_empty(2))
        ow.split_copy(x, 2, out=out)
        return out[0] - out[1]

    graph = ow.func.functionalize(halves)

    assert graph(ow.arange(4.0)).tolist() == [-2.0, -2.0]
    assert ow.vmap(halves)(ow.arange(4.0).reshape(1, 4)).tolist() == [[-2.0, -2.0]]
    assert ow.compile(halves)(ow.arange(4.0)).tolist() == [-2.0, -2.0]
