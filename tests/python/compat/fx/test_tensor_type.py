"""Types with sizes: consistency and precision, as torch decides them."""

import itertools

import pytest

from .referee import run_in_both

PROGRAM = """
import importlib
types = importlib.import_module(fx.__name__ + ".tensor_type")
Dyn, Type = types.Dyn, types.TensorType
values = [Dyn, 1, 2, Type((1, 2)), Type((1, Dyn)), Type[1, Dyn], Type((1, 2, 3)), Type((2, 2))]
"""


@pytest.mark.parametrize("relation", ["is_consistent", "is_more_precise"])
def test_a_relation_of_types_is_that_of_torch(relation):
    reference, ours = run_in_both(PROGRAM)

    def table(names):
        pairs = itertools.product(names["values"], repeat=2)
        return [getattr(names["types"], relation)(*pair) for pair in pairs]

    assert table(ours) == table(reference)
