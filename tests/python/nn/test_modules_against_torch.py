"""Each module does what PyTorch's of the same name and arguments does."""

import pytest
import torch

from .module_cases import CASES, DROPOUTS
from .torch_twin import assert_same, make_twins, shapes_of, to_ours

ALL = pytest.mark.parametrize("case", CASES, ids=str)
ALL_AND_DROPOUTS = pytest.mark.parametrize("case", [*CASES, *DROPOUTS], ids=str)


def twins(case):
    if case.kwargs.get("dtype") is torch.float64:
        ours, theirs = make_twins(case.name, *case.args)
        return ours.double(), theirs.double()
    return make_twins(case.name, *case.args, **case.kwargs)


@ALL
def test_the_outputs_in_training_are_those_of_torch(case):
    ours, theirs = twins(case)

    assert_same(ours(*to_ours(case.inputs())), theirs(*case.inputs()))


@ALL_AND_DROPOUTS
def test_the_outputs_in_evaluation_are_those_of_torch(case):
    ours, theirs = twins(case)

    assert_same(ours.eval()(*to_ours(case.inputs())), theirs.eval()(*case.inputs()))


@ALL
def test_the_state_after_a_pass_of_training_is_that_of_torch(case):
    ours, theirs = twins(case)

    ours(*to_ours(case.inputs()))
    theirs(*case.inputs())

    assert_same(tuple(ours.state_dict().values()), tuple(theirs.state_dict().values()))


@ALL_AND_DROPOUTS
def test_keys_and_sizes_of_the_state_are_those_of_torch(case):
    ours, theirs = twins(case)

    assert shapes_of(ours.state_dict()) == shapes_of(theirs.state_dict())


@ALL_AND_DROPOUTS
def test_the_text_is_that_of_torch(case):
    ours, theirs = twins(case)

    assert repr(ours) == repr(theirs)


@ALL
def test_the_input_is_written_to_only_in_place(case):
    ours, theirs = twins(case)
    inputs, expected = to_ours(case.inputs()), case.inputs()

    ours(*inputs)
    theirs(*expected)

    assert_same(inputs, expected)
