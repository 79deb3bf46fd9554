"""Names, defining twice, replacing."""

import re

import opwright as ow
import pytest
from opwright import Tensor, cpp_extension, library


def identity(x: Tensor) -> Tensor:
    return x.clone()


FORM = "an operator is named namespace::name or namespace::name.overload"


@pytest.mark.parametrize(
    "name", ["sin", "::sin", "trial::", "a::b::c", "trial:sin", "", "1x::sin", "trial::a b", "a::é"]
)
def test_a_name_that_is_not_namespace_and_name_is_refused_with_the_form(name):
    text = f"{FORM}, with letters, digits and _, got {name!r}"

    with pytest.raises(ValueError, match="^" + re.escape(text)):
        library.custom_op(name, identity, mutates_args=())
    with pytest.raises(ValueError, match="^" + re.escape(text)):
        library.define(name, "(Tensor x) -> Tensor")


def test_a_function_in_the_place_of_the_name_is_refused():
    with pytest.raises(ValueError, match="digits and _, got function"):
        library.custom_op(identity, mutates_args=())


def test_the_error_of_a_schema_without_namespace_shows_the_form():
    with pytest.raises(ValueError, match="'sin' has no namespace") as failure:
        library.define("sin(Tensor x) -> Tensor")

    assert FORM in str(failure.value)


def test_define_of_a_name_that_exists_tells_both_places(trial, here):
    trial.define("twice(Tensor x) -> Tensor")  # first

    with pytest.raises(ValueError, match="is defined twice") as failure:
        library.define("trial::twice", "(Tensor x) -> Tensor")  # second

    assert str(failure.value) == (
        f"trial::twice is defined twice: at {here('first')} and at "
        f"{here('second')}\n"
        "  Give one of them another name or overload, or remove the first."
    )


def test_custom_op_replaces_a_custom_op():
    old = library.custom_op("trial_a03::replaced", identity, mutates_args=())

    @library.custom_op("trial_a03::replaced", mutates_args=())
    def new(x: Tensor, factor: float) -> Tensor:
        return x * factor

    assert new is old
    assert new(ow.tensor([1.0]), 2.0).tolist() == [2.0]
    assert str(new.schema) == "trial_a03::replaced(Tensor x, float factor) -> Tensor"


def test_the_rules_of_a_replaced_operator_go_with_it():
    library.custom_op("trial_a03::rules", identity, mutates_args=())
    library.register_fake("trial_a03::rules", lambda x: x)
    library.register_kernel("trial_a03::rules", "cpu", lambda x: x)

    op = library.custom_op("trial_a03::rules", identity, mutates_args=())

    assert [slot for slot, _ in op.implementations()] == ["AllDevices"]


def test_custom_op_replaces_what_define_defined():
    with library.Library("trial_a03", "FRAGMENT") as lib:
        lib.define("defined(Tensor x) -> Tensor")
        lib.impl("defined", lambda x: x * 0, "CPU")
        op = library.custom_op("trial_a03::defined", identity, mutates_args=())
        assert op(ow.tensor([3.0])).tolist() == [3.0]

    assert op(ow.tensor([3.0])).tolist() == [3.0]


def test_custom_op_refuses_a_name_of_the_core_with_both_places(line_of):
    with pytest.raises(ValueError, match="is defined twice") as failure:
        library.custom_op("aten::sin", identity, mutates_args=())

    assert str(failure.value).startswith("aten::sin is defined twice: at ")
    assert f"and at {line_of(identity)}" in str(failure.value)
    assert ow.ops.aten.sin(ow.zeros(1)).tolist() == [0.0]


def test_custom_op_refuses_a_name_of_a_binary_with_both_places(line_of):
    cpp_extension.load_inline(
        "trial_a03_binary",
        """
        #include <opwright/opwright.h>
        OPWRIGHT_LIBRARY(trial_a03_binary, m) { m.def("op(Tensor x) -> Tensor"); }
        """,
        is_python_module=False,
    )

    with pytest.raises(ValueError, match="is defined twice") as failure:
        library.custom_op("trial_a03_binary::op", identity, mutates_args=())

    assert str(failure.value).startswith("trial_a03_binary::op is defined twice: at ")
    assert ".so) and at " + line_of(identity) in str(failure.value)


def test_a_refused_replacement_leaves_the_operator_as_it_was():
    op = library.custom_op("trial_a03::kept", identity, mutates_args=())

    with pytest.raises(ValueError, match="has no type hint"):
        library.custom_op("trial_a03::kept", lambda x: x, mutates_args=())
    with pytest.raises(ValueError, match="unknown type 'Tensr'"):
        library.custom_op(
            "trial_a03::kept", identity, mutates_args=(), schema="(Tensr x) -> Tensor"
        )

    assert op(ow.tensor([3.0])).tolist() == [3.0]


def test_a_failed_definition_leaves_nothing_behind():
    with pytest.raises(ValueError, match="can never be chosen"):

        @library.custom_op("trial_a03::nothing", mutates_args=(), device_types="cpu")
        def nothing() -> int:
            return 1

    assert "trial_a03::nothing" not in library.list("trial_a03")
