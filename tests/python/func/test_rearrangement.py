"""func.rearrange: dimensions by a pattern, as in torch.func."""

import re

import opwright as ow
import pytest
import torch

CASES = [
    ("a b c -> c a b", {}),
    ("a b c -> (a b) c", {}),
    ("a (b d) c -> a d b c", {"d": 2}),
    ("a (b1 b2) c -> (b2 a) (c b1)", {"b2": 4}),
    ("a ... -> ... a", {}),
    ("a ... -> (... a)", {}),
    ("... c -> (...) c", {}),
    ("a b c -> a 1 b c", {}),
    ("a b c -> a () (b c)", {}),
    ("...->...", {}),
]


@pytest.mark.parametrize(("pattern", "sizes"), CASES)
def test_patterns_mean_what_they_mean_in_torch(pattern, sizes):
    ours = ow.arange(96).reshape(3, 8, 4)
    theirs = torch.arange(96).reshape(3, 8, 4)

    actual = ow.func.rearrange(ours, pattern, **sizes)

    assert actual.tolist() == torch.func.rearrange(theirs, pattern, **sizes).tolist()


def test_dimensions_of_size_1_and_lists_of_tensors():
    stacked = ow.func.rearrange([ow.ones(2, 1), ow.zeros(2, 1)], "n a 1 -> a n")

    assert stacked.tolist() == [[1.0, 0.0], [1.0, 0.0]]


def test_it_is_traced_with_symbolic_sizes_and_mapped():
    def merge(x):
        return ow.func.rearrange(x, "a b c -> (a c) b")

    graph = ow.make_fx(merge, tracing_mode="symbolic")(ow.ones(2, 3, 4))
    x = ow.arange(60.0).reshape(3, 4, 5)

    assert graph(x).tolist() == merge(x).tolist()
    assert ow.vmap(merge)(ow.stack([x, x])).tolist() == [merge(x).tolist()] * 2


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a b -> b a", "the tensor has 3 dimensions and the left side names 2"),
        ("a b c", "there must be one arrow"),
        ("a b a -> a b", "'a' stands twice on one side"),
        ("a b c -> a b", "'c' stands on one side only"),
        ("a b c -> a b c ...", "'...' stands on one side only"),
        ("a (b d) c -> a b d c", "the sizes of b and d cannot both be inferred"),
        ("a ((b) c) -> a b c", "parentheses must be closed and cannot be nested"),
        ("a 2 c -> a c", "a dimension has a name or is 1, got 2"),
        ("a b* c -> a b c", "'*' is not the name of a dimension"),
        ("a 1 c -> a c", "the size 3 does not fit '()', a multiple of 1"),
    ],
)
def test_errors_show_the_pattern(pattern, text):
    with pytest.raises(ValueError, match=re.escape(f"{text}, in the pattern '{pattern}'")):
        ow.func.rearrange(ow.ones(2, 3, 4), pattern)


def test_a_size_that_does_not_divide_is_refused():
    with pytest.raises(ValueError, match=r"the size 3 does not fit '\(b d\)', a multiple of 2"):
        ow.func.rearrange(ow.ones(3), "(b d) -> b d", d=2)
    with pytest.raises(ValueError, match="a size is given for 'z', which"):
        ow.func.rearrange(ow.ones(3), "a -> a", z=2)
