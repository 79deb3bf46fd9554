"""lstm, gru and rnn with every option, values and gradients, against PyTorch in float64."""

import itertools

import numpy as np
import opwright as ow
import pytest
import torch

LENGTH, BATCH, WIDTH, HIDDEN = 4, 3, 5, 6
GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def make_arguments(name, bias, layers, directions, batch_first, projection=0):
    """Random tensors: input, states, weights."""
    random = np.random.default_rng(layers * 8 + directions * 4 + bias)
    shown = projection or HIDDEN
    rows = GATES[name] * HIDDEN

    def floats(*sizes):
        return random.standard_normal(sizes)

    input = floats(BATCH, LENGTH, WIDTH) if batch_first else floats(LENGTH, BATCH, WIDTH)
    states = [floats(layers * directions, BATCH, shown)]
    if name == "lstm":
        states.append(floats(layers * directions, BATCH, HIDDEN))
    weights = []
    for layer in range(layers):
        for _ in range(directions):
            columns = shown * directions if layer else WIDTH
            weights += [floats(rows, columns), floats(rows, shown)]
            weights += [floats(rows), floats(rows)] if bias else []
            weights += [floats(projection, HIDDEN)] if projection else []
    return input, states, weights


def run(package, name, arguments, bias, layers, directions, batch_first):
    """Return the results, and the gradients of the sum of their squares."""
    input, states, weights = arguments

    def leaf(values):
        tensor = package.tensor(values.tolist(), dtype=package.float64)
        return tensor.requires_grad_()

    input = leaf(input)
    states = [leaf(each) for each in states]
    weights = [leaf(each) for each in weights]
    results = getattr(package, name)(
        input,
        states if name == "lstm" else states[0],
        weights,
        bias,
        layers,
        0.0,
        True,
        directions == 2,
        batch_first,
    )
    sum((each * each).sum() for each in results).backward()
    gradients = [each.grad for each in (input, *states, *weights)]
    return [each.tolist() for each in (*results, *gradients)]


def assert_same(name, arguments, *options):
    ours = run(ow, name, arguments, *options)
    expected = run(torch, name, arguments, *options)
    assert len(ours) == len(expected)
    for each, wanted in zip(ours, expected, strict=True):
        np.testing.assert_allclose(each, wanted, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize(
    ("bias", "layers", "directions", "batch_first"),
    list(itertools.product((False, True), (1, 2), (1, 2), (False, True))),
)
def test_results_and_gradients_are_those_of_torch(name, bias, layers, directions, batch_first):
    options = (bias, layers, directions, batch_first)

    assert_same(name, make_arguments(name, *options), *options)


@pytest.mark.parametrize("directions", [1, 2])
def test_a_projected_lstm_is_that_of_torch(directions):
    options = (True, 2, directions, False)

    assert_same("lstm", make_arguments("lstm", *options, projection=2), *options)


@pytest.mark.parametrize("name", GATES)
def test_cells_are_those_of_torch(name):
    input, states, weights = make_arguments(name, True, 1, 1, False)

    def step(package):
        def tensor(values):
            return package.tensor(values.tolist(), dtype=package.float64)

        first = [tensor(each[0]) for each in states]
        hx = first if name == "lstm" else first[0]
        last = getattr(package, f"{name}_cell")(tensor(input[0]), hx, *map(tensor, weights))
        return [each.tolist() for each in (last if name == "lstm" else [last])]

    np.testing.assert_allclose(step(ow), step(torch), rtol=1e-12)


def test_a_trace_that_keeps_composites_has_one_node_of_free_length():
    layer = ow.nn.LSTM(WIDTH, HIDDEN, num_layers=2, batch_first=True, bidirectional=True)
    steps = ow.randn(BATCH, LENGTH, WIDTH)

    with ow.no_grad():
        graph = ow.make_fx(lambda x: layer(x)[0], tracing_mode="symbolic", keep_composites=True)(
            steps
        )

    assert graph.code.count("aten.lstm") == 1
    assert "s0" in str(graph.graph)
    other = ow.randn(2, 7, WIDTH)
    assert graph(other).tolist() == layer(other)[0].tolist()


def test_dropout_of_all_between_layers_hides_the_input():
    input, states, weights = make_arguments("gru", True, 2, 1, False)

    def tensor(values):
        return ow.tensor(values.tolist(), dtype=ow.float64)

    def run_on(factor):
        own = [tensor(each) for each in weights]
        return ow.gru(
            tensor(input * factor), tensor(states[0]), own, True, 2, 1.0, True, False, False
        )[0]

    assert run_on(1.0).tolist() == run_on(2.0).tolist()
