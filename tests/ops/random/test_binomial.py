"""binomial: how many of count trials succeed."""

import math
import re

import opwright as ow
import pytest

MANY = 20_000


def draw(count: float, prob: float, dtype: ow.dtype = ow.float64) -> ow.Tensor:
    counts, probs = ow.full((MANY,), count, dtype=dtype), ow.full((MANY,), prob, dtype=dtype)
    return ow.binomial(counts, probs, ow.Generator().manual_seed(7))


@pytest.mark.parametrize(
    ("count", "prob"), [(5, 0.3), (40, 0.1), (40, 0.5), (1000, 0.02), (1000, 0.4), (50, 0.9)]
)
def test_draws_have_the_probabilities_of_the_distribution(count, prob):
    drawn = [int(each) for each in draw(count, prob).tolist()]

    mean = count * prob
    deviation = math.sqrt(mean * (1 - prob))
    kinds = [k for k in range(count + 1) if abs(k - mean) <= 2 * deviation]
    expected = [math.comb(count, k) * prob**k * (1 - prob) ** (count - k) for k in kinds]
    statistic = sum(
        (drawn.count(k) - MANY * p) ** 2 / (MANY * p) for k, p in zip(kinds, expected, strict=True)
    )
    assert all(0 <= each <= count for each in drawn)
    assert abs(sum(drawn) / MANY - mean) < 4 * deviation / math.sqrt(MANY)
    assert statistic < len(kinds) + 5 * math.sqrt(2 * len(kinds))


def test_certain_outcomes_need_no_luck():
    counts = ow.tensor([0.0, 3.0, 3.0])

    assert ow.binomial(counts, ow.tensor([0.5, 0.0, 1.0])).tolist() == [0.0, 0.0, 3.0]


def test_counts_and_probabilities_broadcast_and_keep_the_dtype():
    drawn = ow.binomial(ow.full((3, 1), 4, dtype=ow.float32), ow.full((2,), 0.5))

    assert (tuple(drawn.shape), drawn.dtype) == ((3, 2), ow.float32)


def test_the_same_seed_draws_the_same_numbers_with_any_number_of_threads():
    before = ow.num_threads()
    first = draw(30, 0.4)
    ow.set_num_threads(1)
    second = draw(30, 0.4)
    ow.set_num_threads(before)

    assert (first == second).all()


def test_a_fake_has_the_sizes_of_a_draw():
    with ow.FakeTensorMode():
        drawn = ow.binomial(ow.ones(3, 1), ow.ones(2))

    assert tuple(drawn.shape) == (3, 2)


@pytest.mark.parametrize(
    ("count", "prob", "text"),
    [
        (-1.0, 0.5, "counts must be whole numbers that are not negative, got -1"),
        (1.5, 0.5, "counts must be whole numbers that are not negative, got 1.5"),
        (2.0, 1.5, "prob must be between 0 and 1, got 1.5"),
        (2.0, math.nan, "prob must be between 0 and 1, got nan"),
    ],
)
def test_impossible_distributions_are_refused(count, prob, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        ow.binomial(ow.tensor([count]), ow.tensor([prob]))


def test_dtypes_must_be_floating_and_equal():
    with pytest.raises(RuntimeError, match="floating dtypes"):
        ow.binomial(ow.ones(1).long(), ow.ones(1).long())
    with pytest.raises(RuntimeError, match="count and prob must have the same dtype"):
        ow.binomial(ow.ones(1), ow.ones(1, dtype=ow.float64))
