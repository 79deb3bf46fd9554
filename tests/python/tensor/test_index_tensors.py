"""Index tensors, masks and sequences in x[...] and x[...] = y; NumPy and torch are the referees."""

import numpy as np
import opwright as ow
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

SHAPE = (3, 4, 5)


def array():
    return np.arange(60).reshape(SHAPE)


def tensor():
    return ow.arange(60).reshape(SHAPE)


def as_ours(entry):
    return ow.tensor(entry) if isinstance(entry, np.ndarray) else entry


def as_torch(entry):
    return torch.tensor(entry) if isinstance(entry, np.ndarray) else entry


@st.composite
def advanced_indices(draw, kinds):
    """Return entries that are valid for SHAPE; index arrays broadcast to one shape."""
    shape = draw(st.sampled_from([(), (1,), (2,), (2, 3), (0,)]))
    entries, dim, arrays = [], 0, 0
    while dim < len(SHAPE) and draw(st.integers(0, 5)) > 0:
        kind = draw(st.sampled_from(kinds))
        size = SHAPE[dim]
        if kind == "array" and shape != ():
            own = tuple(1 if draw(st.booleans()) else each for each in shape)
            values = [draw(st.integers(-size, size - 1)) for _ in range(int(np.prod(own)))]
            entries.append(np.array(values, dtype=np.int64).reshape(own))
            arrays += 1
        elif kind == "mask" and arrays == 0:
            count = draw(st.integers(1, len(SHAPE) - dim))
            own = SHAPE[dim : dim + count]
            bits = [draw(st.booleans()) for _ in range(int(np.prod(own)))]
            entries.append(np.array(bits).reshape(own))
            shape = (int(sum(bits)),)
            arrays += 1
            dim += count
            continue
        elif kind == "int":
            entries.append(draw(st.integers(-size, size - 1)))
        elif kind == "none":
            entries.append(None)
            continue
        else:
            entries.append(slice(draw(st.integers(-6, 6)), None, draw(st.integers(1, 2))))
            if arrays == 0 and draw(st.booleans()):
                entries[-1] = slice(None)
        dim += 1
    return tuple(entries)


@given(advanced_indices(["array", "array", "mask", "slice", "none"]))
def test_elements_are_those_of_numpy(index):
    ours = tensor()[tuple(map(as_ours, index))]
    theirs = array()[index]

    assert ours.shape == theirs.shape
    assert ours.tolist() == theirs.tolist()


@given(advanced_indices(["array", "int", "slice", "none"]))
def test_ints_select_before_index_tensors_as_in_torch(index):
    ours = tensor()[tuple(map(as_ours, index))]
    theirs = torch.arange(60).reshape(SHAPE)[tuple(map(as_torch, index))]

    assert ours.shape == tuple(theirs.shape)
    assert ours.tolist() == theirs.tolist()


@given(advanced_indices(["array", "array", "mask", "slice", "none"]), st.integers(-9, -1))
def test_assigned_numbers_stand_where_numpy_puts_them(index, number):
    ours, theirs = tensor(), array()

    ours[tuple(map(as_ours, index))] = number
    theirs[index] = number

    assert ours.tolist() == theirs.tolist()


@given(st.permutations(range(4)), st.integers(1, 4))
def test_assigned_tensors_stand_where_numpy_puts_them(order, count):
    ours, theirs = tensor(), array()
    index = np.array(order[:count])
    values = -np.arange(3 * count * 5).reshape(3, count, 5)

    ours[:, ow.tensor(index)] = ow.tensor(values)
    theirs[:, index] = values

    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize(
    "index",
    [
        [0, 2],
        [True, False, True],
        ([0, 1], [1, 2]),
        ([[0], [1]], slice(None), [0, 4]),
        np.array([2, -1], dtype=np.int16),
        np.array([1, 0], dtype=np.uint8),
        (np.array([True, False, True]), ..., 0),
        (range(2), [0, 1]),
        [],
        (..., [1, 2]),
    ],
)
def test_lists_and_arrays_are_index_tensors(index):
    assert tensor()[index].tolist() == array()[index].tolist()


@pytest.mark.parametrize("index", [(True, True), (True, False), (True, [0, 1]), (False, [0])])
def test_truth_values_broadcast(index):
    assert tensor()[index].shape == array()[index].shape
    assert tensor()[index].tolist() == array()[index].tolist()


def test_a_mask_of_several_dimensions_goes_with_other_entries():
    mask = array()[:, :, 0] % 2 == 0

    assert tensor()[ow.tensor(mask), 1:3].tolist() == array()[mask, 1:3].tolist()


def test_truth_values_in_tensors_add_a_dimension():
    x = tensor()

    assert x[ow.tensor(True)].shape == (1, *SHAPE)
    assert x[ow.tensor(False)].shape == (0, *SHAPE)


def test_index_tensors_give_copies():
    x = tensor()

    x[[0]].zero_()

    assert x[0, 0, 1].item() == 1


def test_in_place_operators_write_through_index_tensors():
    x = ow.zeros(4)

    x[[1, 3]] += 2

    assert x.tolist() == [0.0, 2.0, 0.0, 2.0]


def test_assigned_values_take_the_dtype_and_broadcast():
    x = ow.zeros(2, 3, dtype=ow.int32)

    x[:, [0, 2]] = [[1.5, 2.5]]
    x[ow.tensor([True, False]), 1] = np.float32(7)

    assert x.tolist() == [[1, 7, 2], [1, 0, 2]]


def test_masks_choose_what_is_assigned():
    x = ow.arange(6).reshape(2, 3)

    x[x > 2] = 0

    assert x.tolist() == [[0, 1, 2], [0, 0, 0]]


@pytest.mark.parametrize(
    ("index", "kind", "text"),
    [
        ([0, 3], IndexError, "index 3 is out of range for dimension 0 of size 3"),
        ((slice(None), [0, -5]), IndexError, "index -5 is out of range for dimension 1 of size 4"),
        ([0.5], IndexError, "an index tensor must hold ints or truth values"),
        (ow.tensor([0.5]), IndexError, "an index tensor must be of int64, int32 or bool"),
        ([True, False], IndexError, r"a mask of sizes \[2\] does not fit the sizes \[3, 4, 5\]"),
        (([0, 1], [0, 1, 2]), IndexError, r"sizes \[2\] and \[3\] do not broadcast"),
        (([0], [0], [0], [0]), IndexError, "too many indices: 4 dimensions are indexed"),
        ((ow.ones(3, 4, dtype=ow.bool), 0, 0), IndexError, "too many indices: 4 dimensions"),
    ],
)
def test_wrong_index_tensors_are_named(index, kind, text):
    with pytest.raises(kind, match=text):
        tensor()[index]
    with pytest.raises(kind, match=text):
        tensor()[index] = 0


def test_assigned_sizes_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match="index_put_: values"):
        tensor()[[0, 1]] = ow.arange(7)


def test_fake_tensors_are_indexed_by_lists_and_fake_tensors():
    x = ow.zeros(3, 4, device="meta")

    x[[0, 1]] = 1

    assert x[[0, 1, 2, 0]].shape == (4, 4)
    assert x[:, ow.zeros(2, 2, dtype=ow.int64, device="meta")].shape == (3, 2, 2)
    with pytest.raises(NotImplementedError, match="how many elements of a mask are true"):
        x[[True, False, True]]


@pytest.mark.parametrize(
    "entries",
    [
        [[0, 1], [1, 2]],
        [range(2), range(2)],
        [slice(0, 1), 0],
        [None, 0],
        [Ellipsis, 0],
        [ow.tensor(0), ow.tensor(1)],
        [[True, False, True]],
    ],
)
def test_a_short_list_whose_entries_are_not_all_numbers_is_a_tuple_of_indices(entries):
    x = ow.arange(9.0).reshape(3, 3)

    with pytest.warns(UserWarning, match=r"deprecated: x\[seq\] means x\[tuple\(seq\)\]"):
        found = x[entries]

    expected = x[tuple(entries)]
    assert found.shape == expected.shape
    assert found.tolist() == expected.tolist()


def test_lists_of_numbers_and_long_lists_are_one_index():
    x = ow.arange(40.0)

    assert x[[2, 3]].tolist() == [2.0, 3.0]
    assert x[[[i, i + 1] for i in range(32)]].shape == (32, 2)


def test_a_mask_of_uint8_works_and_warns():
    x = ow.arange(6.0).reshape(2, 3)
    rows, columns = ow.tensor([1, 0], dtype=ow.uint8), ow.tensor([0, 1, 1], dtype=ow.uint8)

    with pytest.warns(UserWarning, match="uint8 is now deprecated") as warned:
        assert x[rows].tolist() == [[0.0, 1.0, 2.0]]
    assert len(warned) == 1
    with pytest.warns(UserWarning, match="uint8 is now deprecated") as warned:
        assert x[rows, columns].tolist() == [1.0, 2.0]
    assert len(warned) == 2
