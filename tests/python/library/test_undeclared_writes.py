"""An undeclared write is found under debug.check_mutation."""

import opwright as ow
import pytest
from opwright import Tensor, debug, library


@library.custom_op("trial_a07::undeclared", mutates_args=())
def undeclared(x: Tensor) -> None:
    x.numpy()[:] = 0


@library.custom_op("trial_a07::declared", mutates_args=["x"])
def declared(x: Tensor) -> None:
    x.numpy()[:] = 0


def test_an_undeclared_write_is_found_while_it_is_asked_for():
    with debug.check_mutation(), pytest.raises(RuntimeError) as failure:
        undeclared(ow.ones(2))

    assert str(failure.value) == (
        "trial_a07::undeclared changed its argument 'x' (float32[2]), which its schema does not "
        "mark as written: element [0] was 1 and is 0\n"
        "  Declare it: mutates_args={'x'} in custom_op, or Tensor(a!) x in the schema."
    )


def test_a_declared_write_is_no_error():
    with debug.check_mutation():
        x = ow.ones(2)
        declared(x)

    assert x.tolist() == [0.0, 0.0]


def test_nothing_is_checked_unless_asked_for():
    undeclared(ow.ones(2))


def test_it_is_off_again_behind_the_scope():
    with debug.check_mutation():
        pass

    undeclared(ow.ones(2))


def test_scopes_nest():
    with debug.check_mutation():
        with debug.check_mutation(False):
            undeclared(ow.ones(2))
        with pytest.raises(RuntimeError, match="undeclared"):
            undeclared(ow.ones(2))


def test_a_plain_call_holds_until_the_next():
    debug.check_mutation(True)
    try:
        with pytest.raises(RuntimeError, match="undeclared"):
            undeclared(ow.ones(2))
    finally:
        debug.check_mutation(False)
    undeclared(ow.ones(2))
