"""The replay derives calls of an overload's other forms from their schemas."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is replayed")
pytest.importorskip("opwright", reason="the Python package is not built")

from .replay.derived import ImpossibleError, call_of, forms_of  # noqa: E402

ATEN = torch.ops.aten


def names_of(overload) -> set[str]:
    return {str(form).removeprefix("aten.") for form in forms_of(overload)}


def test_forms_are_in_place_functional_and_out():
    assert names_of(ATEN.clamp.default) == {"clamp.out", "clamp_.default"}
    assert names_of(ATEN.clamp_.default) == {"clamp.out", "clamp.default"}


def test_an_overload_of_other_arguments_is_no_form():
    assert names_of(ATEN.sum.dim_IntList) == {"sum.IntList_out"}


def test_a_form_may_take_a_number_for_a_tensor():
    assert names_of(ATEN.special_zeta.default) == {
        "special_zeta.out",
        "special_zeta.self_scalar",
        "special_zeta.self_scalar_out",
        "special_zeta.other_scalar",
        "special_zeta.other_scalar_out",
    }


def test_an_out_form_takes_no_dtype_but_a_tensor_of_it():
    result = torch.arange(2, 5, dtype=torch.float32)

    args, kwargs = call_of(
        ATEN.arange.start_out,
        ATEN.arange.start_step,
        (2, 5),
        {"dtype": torch.float32},
        result,
        fits=True,
    )

    assert args == (2, 5)
    assert set(kwargs) == {"out"}
    assert kwargs["out"].dtype == torch.float32
    assert kwargs["out"].shape == (3,)


def test_the_number_is_the_first_element():
    overload, x, y = ATEN.bitwise_left_shift.Tensor, torch.tensor([3, 4]), torch.tensor([5, 6])

    args, kwargs = call_of(
        ATEN.bitwise_left_shift.Tensor_Scalar, overload, (x, y), {}, x << y, fits=True
    )

    assert args[0].tolist() == [3, 4]
    assert args[1:] == (5,)
    assert kwargs == {}


def test_an_empty_tensor_has_no_number():
    x = torch.ones(0, dtype=torch.int64)

    with pytest.raises(ImpossibleError):
        call_of(
            ATEN.bitwise_left_shift.Tensor_Scalar,
            ATEN.bitwise_left_shift.Tensor,
            (x, x),
            {},
            x,
            fits=True,
        )


def test_copies_are_passed_and_not_the_tensors():
    x = torch.ones(2)

    args, _ = call_of(ATEN.clamp_.default, ATEN.clamp.default, (x, 3), {}, x, fits=True)

    assert args[0].data_ptr() != x.data_ptr()
