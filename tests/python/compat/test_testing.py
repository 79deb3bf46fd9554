"""torch.testing: assert_close accepts and refuses what torch's does, with its texts."""

import numpy as np
import opwright.compat.torch as ours
import pytest

torch = pytest.importorskip("torch")

ACCEPTED = {
    "close floats": lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.0 + 1e-6]), {}),
    "given tolerances": lambda t: (t.tensor([1.0]), t.tensor([1.4]), {"rtol": 0, "atol": 0.5}),
    "equal ints": lambda t: (t.tensor([1, 2]), t.tensor([1, 2]), {}),
    "nan with equal_nan": lambda t: (t.tensor([t.nan]), t.tensor([t.nan]), {"equal_nan": True}),
    "infinities": lambda t: (t.tensor([t.inf]), t.tensor([t.inf]), {}),
    "other dtypes": lambda t: (
        t.tensor([1.0]),
        t.tensor([1.0], dtype=t.float64),
        {"check_dtype": False},
    ),
    "containers": lambda t: ({"a": [t.ones(2), 1]}, {"a": (t.ones(2), 1)}, {}),
    "numbers": lambda t: (1.0, 1.0 + 1e-9, {}),
    "arrays": lambda t: (np.ones(2), np.ones(2), {}),
    "None": lambda t: (None, None, {}),
}

REFUSED = {
    "values": lambda t: (t.tensor([1.0, 2.0, 4.0]), t.tensor([1.0, 2.0, 3.0]), {}),
    "ints": lambda t: (t.tensor([[1, 2], [3, 4]]), t.tensor([[1, 2], [5, 4]]), {}),
    "nan": lambda t: (t.tensor([1.0, t.nan]), t.tensor([1.0, 2.0]), {}),
    "zero-dim": lambda t: (t.tensor(1.0), t.tensor(2.0), {}),
    "lengths": lambda t: ([1, 2], [1], {}),
    "items": lambda t: ([t.ones(2), t.ones(2)], [t.ones(2), t.zeros(2)], {}),
    "nested items": lambda t: ({"a": [1, 2]}, {"a": [1, 3]}, {}),
    "keys": lambda t: ({"a": 1, "b": 2}, {"a": 1, "c": 2}, {}),
    "numbers": lambda t: (1.0, 2.0, {}),
    "exact numbers": lambda t: (1, 2, {}),
    "bools": lambda t: (True, False, {}),
    "None": lambda t: (None, 1, {}),
    "a message": lambda t: (t.ones(1), t.zeros(1), {"msg": "mine"}),
    "a function of the message": lambda t: (
        t.ones(1),
        t.zeros(1),
        {"msg": lambda text: "mine: " + text},
    ),
    "strides": lambda t: (t.ones(2, 3), t.ones(3, 2).t(), {"check_stride": True}),
    "unrelated types": lambda t: ("a", t.ones(1), {}),
    "one tolerance": lambda t: (1.0, 1.0, {"rtol": 1.0}),
}


def outcome(t, case):
    actual, expected, options = case(t)
    try:
        t.testing.assert_close(actual, expected, **options)
    except Exception as error:
        return type(error).__name__, str(error).replace("torch.Tensor", "opwright.Tensor")
    return None


@pytest.mark.parametrize("name", ACCEPTED)
def test_it_accepts_what_torch_accepts(name):
    assert outcome(torch, ACCEPTED[name]) is None
    assert outcome(ours, ACCEPTED[name]) is None


@pytest.mark.parametrize("name", REFUSED)
def test_it_refuses_what_torch_refuses_with_its_text(name):
    assert outcome(ours, REFUSED[name]) == outcome(torch, REFUSED[name])


@pytest.mark.parametrize("attribute", ["shape", "dtype"])
def test_it_names_the_attribute_that_differs(attribute):
    other = {"shape": ours.ones(3), "dtype": ours.ones(2, dtype=ours.float64)}[attribute]

    with pytest.raises(AssertionError, match=f"The values for attribute '{attribute}' do not"):
        ours.testing.assert_close(ours.ones(2), other)


@pytest.mark.parametrize("name", ["bool", "uint8", "int8", "int64", "float16", "complex64"])
def test_make_tensor_draws_from_torchs_ranges(name):
    made, expected = (
        t.testing.make_tensor(20, 30, dtype=getattr(t, name), device="cpu") for t in (ours, torch)
    )

    assert (str(made.dtype)[9:], made.shape) == (str(expected.dtype)[6:], tuple(expected.shape))
    values = np.array(made.tolist())
    limits = (0, 2) if name == "bool" else (0, 10) if name == "uint8" else (-9, 10)
    assert values.real.min() >= limits[0]
    assert values.real.max() < limits[1]
    assert len(np.unique(values)) > 1


def test_make_tensor_follows_its_options():
    made = ours.testing.make_tensor(
        (4, 4), dtype=ours.int64, device="cpu", low=0, high=2, noncontiguous=True, exclude_zero=True
    )

    assert not made.is_contiguous()
    assert made.tolist() == [[1] * 4] * 4
    with pytest.raises(ValueError, match="low must not be greater than high, got 3 and 2"):
        ours.testing.make_tensor(2, dtype=ours.int64, device="cpu", low=3, high=2)
