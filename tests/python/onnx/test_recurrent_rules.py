"""Recurrent networks as nodes of ONNX: LSTM, GRU and RNN."""

from itertools import product

import opwright as ow
import pytest
from opwright import nn

from .exported import Exported, check_export

BATCH, LENGTH, WIDTH, HIDDEN = 2, 5, 3, 4
OPTIONS = list(product((1, 2), (False, True), (False, True)))
each_option = pytest.mark.parametrize(("layers", "bidirectional", "batch_first"), OPTIONS)


def make_inputs(batch, length, layers, bidirectional, batch_first, num_states):
    steps = (batch, length, WIDTH) if batch_first else (length, batch, WIDTH)
    states = [
        ow.randn(layers * (2 if bidirectional else 1), batch, HIDDEN) for _ in range(num_states)
    ]
    return ow.randn(*steps), tuple(states) if num_states == 2 else states[0]


def make_shapes(batch_first):
    batch, length = ow.export.Dim("batch"), ow.export.Dim("length")
    return batch, {0: batch, 1: length} if batch_first else {0: length, 1: batch}


@each_option
def test_an_lstm_is_a_node_for_each_layer(layers, bidirectional, batch_first):
    options = (layers, bidirectional, batch_first)
    layer = nn.LSTM(WIDTH, HIDDEN, layers, True, batch_first, 0.0, bidirectional).eval()
    batch, steps = make_shapes(batch_first)

    check_export(
        layer,
        *make_inputs(BATCH, LENGTH, *options, 2),
        dynamic_shapes=(steps, ({1: batch}, {1: batch})),
        at=[make_inputs(4, 7, *options, 2), make_inputs(1, 1, *options, 2)],
    )


@pytest.mark.parametrize("make", [nn.GRU, nn.RNN], ids=["GRU", "RNN"])
@each_option
def test_gru_and_rnn_are_a_node_for_each_layer(make, layers, bidirectional, batch_first):
    options = (layers, bidirectional, batch_first)
    layer = make(WIDTH, HIDDEN, layers, bidirectional=bidirectional, batch_first=batch_first).eval()
    batch, steps = make_shapes(batch_first)

    check_export(
        layer,
        *make_inputs(BATCH, LENGTH, *options, 1),
        dynamic_shapes=(steps, {1: batch}),
        at=[make_inputs(4, 7, *options, 1)],
    )


@pytest.mark.parametrize(
    "layer",
    [
        nn.LSTM(WIDTH, HIDDEN, bias=False),
        nn.GRU(WIDTH, HIDDEN, bias=False),
        nn.RNN(WIDTH, HIDDEN, nonlinearity="relu", num_layers=2, bidirectional=True),
        nn.LSTM(WIDTH, HIDDEN, num_layers=2, dropout=0.5).eval(),
    ],
    ids=repr,
)
def test_a_network_without_a_first_state_starts_at_zero(layer):
    check_export(layer, ow.randn(LENGTH, BATCH, WIDTH))


def test_the_weights_of_a_module_are_constants_in_the_order_of_the_node():
    layer = nn.LSTM(WIDTH, HIDDEN, num_layers=2).eval()
    inputs = make_inputs(BATCH, LENGTH, 2, False, False, 2)

    types = Exported(layer, inputs).node_types

    assert types.count("LSTM") == 2
    assert set(types) == {"LSTM", "Slice", "Squeeze", "Concat"}
    assert types.count("Concat") == 2  # of the last states


def test_weights_that_are_inputs_are_ordered_by_nodes():
    weights = [ow.randn(12, WIDTH), ow.randn(12, HIDDEN), ow.randn(12), ow.randn(12)]

    def run(x, h, *own):
        return ow.gru(x, h, own, True, 1, 0.0, False, False, False)

    check_export(run, ow.randn(LENGTH, BATCH, WIDTH), ow.randn(1, BATCH, HIDDEN), *weights)


def test_bfloat16_is_computed_in_float32():
    layer = nn.GRU(WIDTH, HIDDEN, num_layers=2).to(ow.bfloat16)

    check_export(
        lambda x: layer(x.to(ow.bfloat16))[0].float(),
        ow.randn(LENGTH, BATCH, WIDTH),
        opsets=(13, 20, 26),
        atol=2e-2,
    )


@pytest.mark.parametrize("make", [nn.LSTMCell, nn.GRUCell, nn.RNNCell])
def test_cells_are_taken_apart(make):
    check_export(make(WIDTH, HIDDEN), ow.randn(BATCH, WIDTH))


def test_a_sequence_alone_gets_a_batch():
    length = ow.export.Dim("length")

    check_export(
        nn.LSTM(WIDTH, HIDDEN),
        ow.randn(LENGTH, WIDTH),
        dynamic_shapes=({0: length},),
        at=[(ow.randn(8, WIDTH),)],
    )


def test_what_onnx_lacks_is_refused_by_name():
    x = ow.randn(LENGTH, BATCH, WIDTH)

    with pytest.raises(NotImplementedError, match="no LSTM with projections"):
        Exported(nn.LSTM(WIDTH, HIDDEN, proj_size=2), (x,))
    with pytest.raises(NotImplementedError, match=r"dropout between layers .* module\.eval"):
        Exported(nn.GRU(WIDTH, HIDDEN, num_layers=2, dropout=0.5), (x,))
