"""How tensors are printed: set_printoptions."""

# Covers: src/tensor/print_options.

import opwright.compat.torch as compat
import pytest
import torch

OPTIONS = [
    {"precision": 2},
    {"precision": 8},
    {"precision": 0},
    {"threshold": 5},
    {"threshold": 5, "edgeitems": 1},
    {"linewidth": 40},
    {"sci_mode": True},
    {"sci_mode": False},
    {"profile": "short"},
    {"profile": "full"},
    {"threshold": float("inf")},
]


@pytest.fixture(autouse=True)
def default_options():
    yield
    compat.set_printoptions(profile="default")
    torch.set_printoptions(profile="default")


def texts(lib, options) -> list[str]:
    lib.set_printoptions(profile="default")
    lib.set_printoptions(**options)
    values = [
        lib.tensor([1.12345, -3000.5, 1e-6]),
        lib.tensor([1.5, 2.25]),
        lib.arange(12),
        lib.arange(12.0).reshape(3, 4) / 3,
    ]
    return [str(each) for each in values]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_tensors_are_printed_as_in_torch(options):
    # One difference: a row that is shortened has two spaces before its dots.
    expected = [text.replace(",  ...", ", ...") for text in texts(torch, options)]

    assert [text.replace(",  ...", ", ...") for text in texts(compat, options)] == expected


def test_what_is_not_given_stays():
    compat.set_printoptions(precision=2)
    compat.set_printoptions(threshold=3)

    assert str(compat.tensor([0.5, 1.0])) == "tensor([0.50, 1.00])"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"precision": -1}, "precision must be between 0 and 40, got -1"),
        ({"edgeitems": -1}, "edgeitems must not be negative, got -1"),
        ({"profile": "long"}, "profile must be 'default', 'short' or 'full', got 'long'"),
    ],
)
def test_impossible_options_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        compat.set_printoptions(**options)
