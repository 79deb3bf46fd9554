"""Packed sequences, and recurrent layers over them, give what PyTorch's give."""

import opwright as ow
import pytest
import torch
from opwright.nn import packed_sequence as ours
from torch.nn.utils import rnn as theirs

from .torch_twin import assert_same, make_twins, to_ours, to_torch

LENGTHS = [[4, 2, 2, 1], [2, 4, 1, 2], [3, 3, 3, 3]]


def padded(batch_first=False):
    x = torch.randn(5, 4, 3, generator=torch.Generator().manual_seed(0))
    return x.transpose(0, 1).contiguous() if batch_first else x


def assert_same_parts(own, expected):
    for one, other in zip(own, expected, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert_same(one, other)


def pack_both(lengths, batch_first=False):
    x = padded(batch_first)
    given = {"batch_first": batch_first, "enforce_sorted": False}
    return (
        ours.pack_padded_sequence(to_ours(x), lengths, **given),
        theirs.pack_padded_sequence(x, lengths, **given),
    )


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("lengths", LENGTHS)
def test_packing_gives_the_parts_of_torch(lengths, batch_first):
    own, expected = pack_both(lengths, batch_first)

    assert_same(own.data, expected.data)
    assert_same(own.batch_sizes, expected.batch_sizes)
    restored = own.data.shape[0]
    assert sorted(own.sorted_indices.tolist()) == [0, 1, 2, 3]
    assert restored == sum(lengths)


def test_packing_of_sorted_lengths_keeps_the_order():
    x = padded()

    own = ours.pack_padded_sequence(to_ours(x), ow.tensor([4, 3, 3, 1]))

    assert_same_parts(own, theirs.pack_padded_sequence(x, torch.tensor([4, 3, 3, 1])))


@pytest.mark.parametrize(
    "settings", [{}, {"batch_first": True}, {"padding_value": -1.0}, {"total_length": 7}]
)
@pytest.mark.parametrize("lengths", LENGTHS)
def test_padding_undoes_packing(lengths, settings):
    own, expected = pack_both(lengths)

    assert_same_parts(
        ours.pad_packed_sequence(own, **settings), theirs.pad_packed_sequence(expected, **settings)
    )


@pytest.mark.parametrize("padding_side", ["left", "right"])
@pytest.mark.parametrize("batch_first", [False, True])
def test_sequences_are_padded_as_in_torch(batch_first, padding_side):
    sequences = [torch.ones(3, 2), torch.zeros(1, 2), torch.ones(2, 2)]
    settings = (batch_first, 5.0, padding_side)

    own = ours.pad_sequence(to_ours(sequences), *settings)

    assert_same(own, theirs.pad_sequence(sequences, *settings))


def test_sequences_are_unpacked_as_they_were():
    sequences = [ow.tensor([1, 2, 3]), ow.tensor([4]), ow.tensor([5, 6])]

    packed = ours.pack_sequence(sequences, enforce_sorted=False)

    assert [each.tolist() for each in ours.unpack_sequence(packed)] == [[1, 2, 3], [4], [5, 6]]


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("RNN", {"nonlinearity": "relu"}),
        ("GRU", {"num_layers": 2, "bidirectional": True}),
        ("LSTM", {"num_layers": 2, "bidirectional": True, "batch_first": True}),
        ("LSTM", {"proj_size": 2}),
    ],
)
def test_a_recurrent_layer_computes_what_that_of_torch_does(name, settings, lengths):
    layer, expected_layer = make_twins(name, 3, 4, **settings)
    packed, expected_packed = pack_both(lengths)

    output, last = layer(packed)
    expected_output, expected_last = expected_layer(expected_packed)

    assert isinstance(output, ours.PackedSequence)
    assert_same(ours.pad_packed_sequence(output)[0], theirs.pad_packed_sequence(expected_output)[0])
    assert_same(last, expected_last)


def test_a_first_state_goes_to_its_sequence():
    layer, expected_layer = make_twins("GRU", 3, 4)
    packed, expected_packed = pack_both([2, 4, 1, 2])
    first = torch.randn(1, 4, 4, generator=torch.Generator().manual_seed(3))

    output, last = layer(packed, to_ours(first))
    expected_output, expected_last = expected_layer(expected_packed, first)

    assert_same(ours.pad_packed_sequence(output)[0], theirs.pad_packed_sequence(expected_output)[0])
    assert_same(last, expected_last)


def test_gradients_reach_the_padded_input_and_the_weights():
    layer, expected_layer = make_twins("LSTM", 3, 4)
    x = padded().requires_grad_()
    own_x = to_ours(x.detach()).requires_grad_()
    lengths = [4, 2, 2, 1]

    layer(ours.pack_padded_sequence(own_x, lengths))[0].data.sum().backward()
    expected_layer(theirs.pack_padded_sequence(x, lengths))[0].data.sum().backward()

    assert_same(own_x.grad, x.grad)
    assert_same(layer.weight_ih_l0.grad, expected_layer.weight_ih_l0.grad)


def test_conversions_keep_the_order():
    packed = ours.pack_sequence([ow.ones(1), ow.ones(2)], enforce_sorted=False).double()

    assert packed.data.dtype is ow.float64
    assert to_torch(packed.unsorted_indices).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ours.pack_padded_sequence(ow.ones(3, 2), [1, 3]), "must be in decreasing order"),
        (lambda: ours.pack_padded_sequence(ow.ones(3, 2), [3]), "one value for each of the 2"),
        (lambda: ours.pack_padded_sequence(ow.ones(3, 2), [4, 1]), "lengths must be from 1 to 3"),
        (lambda: ours.pad_sequence([]), "at least one sequence"),
        (lambda: ours.pad_sequence([ow.ones(1)], padding_side="up"), "must be 'left' or 'right'"),
    ],
)
def test_wrong_arguments_are_refused(call, text):
    with pytest.raises(RuntimeError, match=text):
        call()
