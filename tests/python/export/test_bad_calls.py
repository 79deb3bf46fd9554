"""Calls that a program rejects before anything runs: which argument, and what it should be."""

import opwright as ow
import pytest
from opwright.export import Dim, export


def f(x, pair, scale=2.0, *, mask=None):
    return x @ pair[0] * scale + pair[1]


X, PAIR = ow.ones(4, 3), (ow.ones(3, 2), ow.ones(2))
PROGRAM = export(
    f, (X, PAIR), {"scale": 3.0}, dynamic_shapes={"x": {0: Dim("batch", min=2, max=64)}}
)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda: PROGRAM(X),
            TypeError,
            "program: the argument 'pair' is missing; it takes x, pair, scale",
        ),
        (
            lambda: PROGRAM(X, PAIR, 3.0, 4),
            TypeError,
            "program: it takes 3 by position (x, pair, scale), got 4",
        ),
        (
            lambda: PROGRAM(X, PAIR, 3.0, width=1),
            TypeError,
            "program: there is no argument 'width'; it takes x, pair, scale",
        ),
        (
            lambda: PROGRAM(X, PAIR, 3.0, x=X),
            TypeError,
            "program: the argument 'x' is given twice",
        ),
        (
            lambda: PROGRAM(X, [*PAIR], 3.0),
            TypeError,
            "program: the argument 'pair' has another structure: pair is a list of 2, expected a "
            "tuple of 2",
        ),
        (
            lambda: PROGRAM(X, (PAIR[0], [PAIR[1]]), 3.0),
            TypeError,
            "program: the argument 'pair' has another structure: pair[1] is a list of 1, expected "
            "a leaf",
        ),
        (
            lambda: PROGRAM(None, PAIR, 3.0),
            TypeError,
            "program: the argument 'x' has another structure: x is None, expected a leaf",
        ),
        (
            lambda: PROGRAM(X, PAIR, 2.0),
            ValueError,
            "program: the argument 'scale' was 3.0 when the program was exported and is part of "
            "it, got 2.0; export again for another value",
        ),
        (
            lambda: PROGRAM(X, PAIR, ow.ones(1)),
            ValueError,
            "program: the argument 'scale' was 3.0 when the program was exported and is part of "
            "it, got a tensor; export again for another value",
        ),
        (
            lambda: PROGRAM(X, (PAIR[0], 3), 3.0),
            TypeError,
            "program: the argument 'pair[1]' must be a tensor, got int",
        ),
        (
            lambda: PROGRAM(X.double(), PAIR, 3.0),
            TypeError,
            "program: the argument 'x' was exported as float32[batch, 3], got float64[4, 3]: "
            "another dtype",
        ),
        (
            lambda: PROGRAM(ow.ones(4), PAIR, 3.0),
            TypeError,
            "program: the argument 'x' was exported as float32[batch, 3], got float32[4]: another "
            "number of dimensions",
        ),
        (
            lambda: PROGRAM(ow.ones(4, 3, device="meta"), PAIR, 3.0),
            TypeError,
            "program: the argument 'x' was exported as float32[batch, 3], got float32[4, 3] on "
            "meta: another device",
        ),
        (
            lambda: PROGRAM(ow.ones(4, 5), PAIR, 3.0),
            ValueError,
            "program: dimension 1 of the argument 'x' must be 3, got 5",
        ),
        (
            lambda: PROGRAM(ow.ones(65, 3), PAIR, 3.0),
            ValueError,
            "program: it was exported for 2 <= batch <= 64, but is run with batch = 65 (dimension "
            "0 of the argument 'x'); sizes outside of that range need a program of their own",
        ),
        (
            lambda: PROGRAM(ow.ones(1, 3), PAIR, 3.0),
            ValueError,
            "program: it was exported for 2 <= batch <= 64, but is run with batch = 1 (dimension 0 "
            "of the argument 'x'); sizes outside of that range need a program of their own",
        ),
        (
            lambda: PROGRAM(X, (ow.ones(3, 7), PAIR[1]), 3.0),
            ValueError,
            "program: dimension 1 of the argument 'pair[0]' must be 2, got 7",
        ),
    ],
)
@pytest.mark.parametrize("how", ["program", "module"])
def test_a_call_that_does_not_fit_is_refused(how, call, kind, text, monkeypatch):
    if how == "module":
        monkeypatch.setitem(globals(), "PROGRAM", PROGRAM.module())
    with pytest.raises(kind) as error:
        call()
    assert str(error.value) == text


def test_nothing_is_written_by_a_call_that_is_refused():
    def write(x, y):
        x.add_(1)
        return y

    program = export(write, (ow.zeros(2), ow.ones(2)))
    x = ow.zeros(2)

    with pytest.raises(ValueError, match="dimension 0 of the argument 'y' must be 2, got 3"):
        program(x, ow.ones(3))
    assert x.tolist() == [0.0, 0.0]


def test_a_written_argument_that_overlaps_another_is_refused():
    program = export(lambda x, y: x.add_(y), (ow.zeros(2), ow.ones(2)))
    memory = ow.ones(3)

    with pytest.raises(ValueError, match=":") as error:
        program(memory[:2], memory[1:])
    assert str(error.value) == (
        "program: the argument 'x' is written and shares memory with 'y'; give it memory of its own"
    )


def test_another_constant_inside_a_container_is_refused():
    program = export(lambda batch: batch["x"] * batch["n"], ({"x": ow.ones(2), "n": 3},))

    with pytest.raises(ValueError, match=":") as error:
        program({"x": ow.ones(2), "n": 4})
    assert str(error.value) == (
        "program: the argument 'batch[\"n\"]' was 3 when the program was exported and is part of "
        "it, got 4; export again for another value"
    )


def test_other_keys_of_a_dict_are_refused():
    program = export(lambda batch: batch["x"] * 2, ({"x": ow.ones(2)},))

    with pytest.raises(TypeError) as error:
        program({"y": ow.ones(2)})
    assert str(error.value) == (
        "program: the argument 'batch' has another structure: batch is a dict with the keys \"y\", "
        'expected a dict with the keys "x"'
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: PROGRAM(ow.ones(65, 3), PAIR, 3.0),
        lambda: PROGRAM(X, PAIR, 4.0),
        lambda: PROGRAM(X, PAIR),
        lambda: PROGRAM(X, [*PAIR], 3.0),
        lambda: PROGRAM.module()(X.int(), PAIR, 3.0),
    ],
    ids=["a size", "a constant", "a missing argument", "a structure", "a dtype"],
)
def test_a_rejected_call_is_an_assertion_error_too(call):
    with pytest.raises(AssertionError, match="program: ") as told:
        call()

    assert isinstance(told.value, (ValueError, TypeError))
    assert type(told.value).__name__ in ("ValueError", "TypeError")


def test_an_error_inside_a_program_is_no_assertion_error():
    program = export(lambda i: ow.ones(3).index_select(0, i), (ow.tensor([1]),))

    with pytest.raises(IndexError) as told:
        program(ow.tensor([7]))

    assert not isinstance(told.value, AssertionError)


def test_the_keys_of_a_dict_may_come_in_another_order():
    torch = pytest.importorskip("torch")

    class Module(torch.nn.Module):
        def forward(self, batch):
            return batch["a"] * 2 + batch["b"]

    given = torch.export.export(Module(), ({"a": torch.ones(2), "b": torch.zeros(2)},))
    program = export(lambda batch: batch["a"] * 2 + batch["b"], ({"a": X, "b": X},))

    expected = given.module()({"b": torch.ones(2), "a": torch.zeros(2)})
    actual = program({"b": ow.ones(4, 3), "a": ow.zeros(4, 3)})

    assert actual[0, :2].tolist() == expected.tolist() == [1.0, 1.0]


def test_the_keys_of_a_nested_dict_may_come_in_another_order():
    program = export(lambda batch: batch[0]["a"] * 2 + batch[0]["b"], ([{"a": X, "b": X}],))

    assert program([{"b": X, "a": X * 0}]).tolist() == X.tolist()
