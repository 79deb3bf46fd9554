"""The sampling operator of examples/generate on scores without an order."""

import opwright as ow
import pytest

from tests.examples.test_generate import SAMPLING


@pytest.mark.parametrize("settings", [{}, {"temperature": 0.0}, {"top_k": 2}])
def test_scores_with_a_nan_are_refused(settings):
    ow.load_library(SAMPLING)
    scores = ow.tensor([[1.0, 2.0, 3.0], [1.0, float("nan"), 3.0]])
    with pytest.raises(ValueError, match="sample: the logits have a NaN"):
        ow.ops.generate.sample(scores, ow.rand(2), **settings)
