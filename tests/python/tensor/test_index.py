"""Indexing: views by ints, slices, None and Ellipsis; NumPy and torch are the referees.

Index tensors, masks and sequences are in test_index_tensors.py.
"""

import numpy as np
import opwright as ow
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

SHAPE = (3, 4, 5)


def both():
    return ow.arange(60).reshape(SHAPE), torch.arange(60).reshape(SHAPE)


def indices():
    """Return a strategy of indices that are valid for SHAPE."""

    def entries(kinds):
        dims = iter(SHAPE)
        after_ellipsis = False
        result = []
        taken = sum(kind in ("int", "slice") for kind, _ in kinds)
        for kind, values in kinds:
            if kind == "none":
                result.append(None)
            elif kind == "ellipsis":
                if after_ellipsis:
                    continue
                after_ellipsis = True
                for _ in range(len(SHAPE) - taken):
                    next(dims)
                result.append(...)
            else:
                size = next(dims)
                start, stop, step = values
                if kind == "int":
                    result.append(start % (2 * size) - size)
                else:
                    result.append(slice(start if start % 3 else None, stop, step))
        return tuple(result)

    kind = st.sampled_from(["int", "slice", "slice", "none", "ellipsis"])
    values = st.tuples(
        st.integers(-8, 8), st.one_of(st.none(), st.integers(-8, 8)), st.integers(1, 4)
    )
    return (
        st.lists(st.tuples(kind, values), max_size=6)
        .filter(lambda kinds: sum(k in ("int", "slice") for k, _ in kinds) <= len(SHAPE))
        .map(entries)
    )


@given(indices())
def test_views_are_those_of_numpy(index):
    x = ow.arange(60).reshape(SHAPE)
    array = np.arange(60).reshape(SHAPE)

    view = x[index]

    assert view.tolist() == array[index].tolist()
    assert view.shape == array[index].shape


@given(indices())
def test_sizes_and_strides_are_those_of_torch(index):
    ours, theirs = both()

    assert ours[index].shape == tuple(theirs[index].shape)
    assert ours[index].stride() == theirs[index].stride()
    assert ours[index].storage_offset() == theirs[index].storage_offset()


@given(indices(), st.integers(-9, 9))
def test_assignment_writes_what_numpy_writes(index, number):
    x = ow.arange(60).reshape(SHAPE)
    array = np.arange(60).reshape(SHAPE)

    x[index] = number
    array[index] = number

    assert x.tolist() == array.tolist()


@pytest.mark.parametrize("index", [1, -1, np.int64(1), np.array(1), ow.tensor(1)])
def test_every_kind_of_int_selects(index):
    ours, theirs = both()

    assert ours[index].tolist() == theirs[int(index)].tolist()


@pytest.mark.parametrize(
    "index",
    [True, False, np.bool_(True), (0, True), (slice(None), False), (True, ...), (0, ..., True)],
)
def test_a_bool_adds_a_dimension(index):
    ours, theirs = both()
    plain = bool(index) if isinstance(index, np.bool_) else index

    assert ours[index].shape == tuple(theirs[plain].shape)


def test_an_index_that_changes_nothing_gives_another_tensor():
    x, _ = both()

    for index in (..., slice(None), (), (slice(None), ...)):
        assert x[index] is not x
        assert x[index].data_ptr() == x.data_ptr()
        assert x[index].shape == x.shape


def test_slices_take_integer_tensors():
    x, _ = both()

    assert x[ow.tensor(1) :].shape == (2, 4, 5)


def test_slices_reach_over_the_end():
    x, _ = both()

    assert x[: 10**30].shape == SHAPE
    assert x[-(10**30) :].shape == SHAPE
    assert x[5:].shape == (0, 4, 5)


@pytest.mark.parametrize(
    ("index", "kind", "text"),
    [
        (3, IndexError, "index 3 is out of range for dimension 0 with size 3"),
        (-4, IndexError, "index -4 is out of range for dimension 0 with size 3"),
        ((0, 4), IndexError, "index 4 is out of range for dimension 1 with size 4"),
        ((..., 5), IndexError, "index 5 is out of range for dimension 2 with size 5"),
        ((None, 0, 7), IndexError, "index 7 is out of range for dimension 1 with size 4"),
        ((0, 0, 0, 0), IndexError, "too many indices: 4 dimensions are indexed, the tensor has 3"),
        ((..., ...), IndexError, "an index can have one Ellipsis, got 2"),
        (10**30, IndexError, "more than 64 bits"),
        (slice(None, None, -1), ValueError, "the step of a slice must be positive, got -1"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
        ("a", IndexError, "a tensor cannot be indexed by str"),
        (1.5, IndexError, "a tensor cannot be indexed by float"),
    ],
)
def test_wrong_indices_are_named(index, kind, text):
    x, _ = both()

    with pytest.raises(kind, match=text):
        x[index]
    with pytest.raises(kind, match=text):
        x[index] = 0


def test_no_dimensions_have_no_int_index():
    x = ow.tensor(1.0)

    assert x[()].item() == 1.0
    assert x[None].shape == x[True].shape == (1,)
    with pytest.raises(IndexError, match="a tensor of zero dimensions cannot be indexed"):
        x[0]


# ---- Assignment ----


def test_assigned_tensors_broadcast():
    x = ow.zeros(2, 3)

    x[:, 1:] = ow.tensor([1.0, 2.0])
    x[0, 0] = ow.tensor([[5]])

    assert x.tolist() == [[5.0, 1.0, 2.0], [0.0, 1.0, 2.0]]


def test_assigned_lists_and_arrays_become_tensors():
    x = ow.zeros(2, 3)

    x[0] = [1, 2, 3]
    x[1] = np.array([4.0, 5.0, 6.0])

    assert x.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def test_numpy_numbers_can_be_assigned():
    x = ow.zeros(2)

    x[0] = np.float32(1.5)

    assert x.tolist() == [1.5, 0.0]


def test_an_in_place_operator_on_a_view_writes_once():
    x = ow.zeros(2, 3)
    before = x._version

    x[0] += 1

    assert x.tolist() == [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    assert x._version == before + 1


def test_an_assigned_tensor_that_does_not_fit_is_refused():
    x = ow.zeros(2, 3)

    with pytest.raises(ValueError, match="copy_"):
        x[0] = ow.zeros(4)


def test_elements_cannot_be_deleted():
    with pytest.raises(TypeError, match="elements of a tensor cannot be deleted"):
        del ow.zeros(2)[0]


def test_read_only_memory_is_not_assigned():
    array = np.zeros(2)
    array.flags.writeable = False

    with pytest.raises(ValueError, match="read-only"):
        ow.from_numpy(array)[0] = 1


def test_fake_tensors_can_be_indexed_and_assigned():
    x = ow.zeros(2, 3, device="meta")

    x[0] = 1

    assert x[:, 1:].shape == (2, 2)


# ---- Length and iteration ----


def test_length_is_the_first_size():
    assert len(ow.zeros(3, 2)) == 3
    with pytest.raises(TypeError, match="len: a tensor of zero dimensions has no length"):
        len(ow.tensor(1))


def test_iteration_gives_views_of_the_first_dimension():
    x = ow.zeros(2, 3)

    for row in x:
        row.fill_(1)

    assert x.tolist() == [[1.0] * 3] * 2
    _, second = x
    assert second.data_ptr() == x[1].data_ptr()
    assert list(ow.zeros(0, 3)) == []


def test_no_dimensions_cannot_be_iterated():
    with pytest.raises(TypeError, match="iteration over a tensor of zero dimensions"):
        iter(ow.tensor(1))


def test_a_list_can_be_searched_for_an_element():
    assert 2.0 in ow.tensor([1.0, 2.0])
    assert 3.0 not in ow.tensor([1.0, 2.0])
