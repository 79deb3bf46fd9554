"""Mutates_args."""

import opwright as ow
import pytest
from opwright import Tensor, library


def scale(x: Tensor, y: Tensor, factor: float) -> None:
    x *= factor


@pytest.mark.parametrize(
    "mutates_args", [["x"], ("x",), {"x"}, {"x": None}, iter(["x"]), frozenset({"x"})]
)
def test_any_iterable_of_names_is_taken(mutates_args):
    assert library.infer_schema(scale, mutates_args=mutates_args) == (
        "(Tensor(a0!) x, Tensor y, float factor) -> ()"
    )


def test_unknown_marks_every_tensor():
    assert library.infer_schema(scale, mutates_args="unknown") == (
        "(Tensor(a0!) x, Tensor(a1!) y, float factor) -> ()"
    )


def test_an_unknown_name_is_refused(line_of):
    with pytest.raises(ValueError, match="mutates_args names 'z'") as failure:
        library.infer_schema(scale, mutates_args=["x", "z"], op_name="trial::scale")

    assert str(failure.value) == (
        "trial::scale: mutates_args names 'z', which it does not take\n"
        "    def scale(x: opwright.Tensor, y: opwright.Tensor, factor: float) -> None\n"
        f"  defined at {line_of(scale)}. mutates_args has the names of the arguments that are "
        "written to, or is 'unknown'."
    )


def test_an_argument_that_is_no_tensor_is_refused():
    with pytest.raises(ValueError, match="'factor' is in mutates_args but is not a tensor"):
        library.infer_schema(scale, mutates_args=["factor"])


def test_an_opaque_type_whose_name_starts_with_tensor_is_no_tensor():
    class Spec: ...

    def describe(x: Tensor, spec: Spec) -> None: ...

    library.register_opaque_type(Spec, "TensorSpec")

    assert library.infer_schema(describe, mutates_args="unknown") == (
        "(Tensor(a0!) x, TensorSpec spec) -> ()"
    )
    with pytest.raises(ValueError, match="'spec' is in mutates_args but is not a tensor"):
        library.infer_schema(describe, mutates_args=["spec"])


def test_a_string_is_refused_and_not_read_as_letters():
    with pytest.raises(ValueError, match="got the string 'xy'") as failure:
        library.infer_schema(scale, mutates_args="xy")

    assert str(failure.value) == (
        "mutates_args must be the names of the arguments that are written to, or 'unknown', "
        "got the string 'xy'\n"
        "  Did you mean mutates_args=['xy']?"
    )
    with pytest.raises(ValueError, match="got the string 'x'"):
        library.custom_op("trial::scale", scale, mutates_args="x")


def test_the_version_of_a_written_argument_rises_on_each_call():
    op = library.custom_op("trial_a06::versions", scale, mutates_args=["x"])
    x, y = ow.ones(2), ow.ones(2)
    before = x._version, y._version

    op(x, y, 2.0)
    op(x, y, 2.0)

    # The kernel's own writes may raise it too.
    assert x._version >= before[0] + 2
    assert y._version == before[1]
    assert x.tolist() == [4.0, 4.0]


def test_the_version_rises_when_the_kernel_writes_through_numpy():
    @library.custom_op("trial_a06::numpy_write", mutates_args=["x"])
    def numpy_write(x: Tensor) -> None:
        x.numpy()[:] = 7

    x = ow.ones(2)
    before = x._version

    numpy_write(x)
    numpy_write(x)

    assert x._version == before + 2
    assert x.tolist() == [7.0, 7.0]


def test_lists_and_optional_tensors_can_be_written():
    def fill(xs: list[Tensor], y: Tensor | None) -> None: ...

    assert library.infer_schema(fill, mutates_args=["xs", "y"]) == (
        "(Tensor(a0!)[] xs, Tensor(a1!)? y) -> ()"
    )
