"""Register_kernel; the forms in which an operator may be given; the latest one counts."""

import opwright as ow
import pytest
from opwright import Tensor, library
from opwright.library import Library


@pytest.fixture
def op() -> ow.Operator:
    @library.custom_op("trial_a09::op", mutates_args=())
    def op(x: Tensor) -> str:
        return "default"

    return op


@pytest.mark.parametrize(
    "given",
    [
        "trial_a09::op",
        lambda: ow.ops.trial_a09.op,
        lambda: ow.ops.trial_a09.op.default,
    ],
    ids=["string", "packet", "overload"],
)
def test_an_operator_may_be_given_as_a_string_a_packet_or_an_overload(op, given):
    library.register_kernel(given() if callable(given) else given, "cpu", lambda x: "cpu")

    assert op(ow.ones(1)) == "cpu"


def test_an_operator_may_be_given_as_what_custom_op_returned(op):
    library.register_kernel(op, "cpu", lambda x: "cpu")

    assert op(ow.ones(1)) == "cpu"


def test_register_kernel_is_a_decorator_and_returns_the_function(op):
    @library.register_kernel(op, "cpu")
    def kernel(x):
        return "cpu"

    assert kernel(None) == "cpu"
    assert op(ow.ones(1)) == "cpu"


def test_register_kernel_is_a_method_and_a_decorator(op):
    @op.register_kernel(["cpu", "cuda"])
    def kernel(x):
        return "both"

    assert kernel(None) == "both"
    assert library.get_kernel(op, "cuda")(ow.ones(1)) == "both"


def test_the_later_kernel_replaces_the_earlier_for_each_device_that_it_names(op):
    op.register_kernel(["cpu", "cuda"], lambda x: "both")
    op.register_kernel("cpu", lambda x: "later")

    assert op(ow.ones(1)) == "later"
    assert library.get_kernel(op, "cpu")(ow.ones(1)) == "later"
    assert library.get_kernel(op, "cuda")(ow.ones(1)) == "both"


def test_the_later_of_two_for_several_devices_replaces_both(op):
    op.register_kernel("cpu", lambda x: "earlier")
    op.register_kernel("cuda", lambda x: "earlier")
    op.register_kernel(["cuda", "cpu"], lambda x: "later")

    assert op(ow.ones(1)) == "later"
    assert library.get_kernel(op, "cuda")(ow.ones(1)) == "later"


def test_a_kernel_for_none_replaces_the_default(op):
    op.register_kernel(None, lambda x: "new default")

    assert op(ow.ones(1)) == "new default"


def test_a_kernel_of_a_library_ends_with_it_and_the_older_one_comes_back(op):
    op.register_kernel("cpu", lambda x: "older")

    with Library("trial_a09", "IMPL") as lib:
        library.register_kernel(op, "cpu", lambda x: "newer", lib=lib)
        assert op(ow.ones(1)) == "newer"
    assert op(ow.ones(1)) == "older"


def test_nothing_is_registered_when_one_of_several_devices_is_unknown(op):
    with pytest.raises(ValueError, match="unknown device"):
        op.register_kernel(["cpu", "nowhere"], lambda x: "cpu")

    assert op(ow.ones(1)) == "default"


def test_a_name_with_overloads_alone_is_refused_with_them():
    with pytest.raises(AttributeError, match=r"aten::add\.Tensor"):
        library.register_kernel("aten::add", "cuda", lambda *args: None)
    with pytest.raises(ValueError, match=r"aten::add has several overloads") as failure:
        library.register_kernel(ow.ops.aten.add, "cuda", lambda *args: None)
    assert "ops.aten.add.Tensor" in str(failure.value)


def test_what_is_no_operator_is_refused():
    with pytest.raises(TypeError) as failure:
        library.register_kernel(3, "cpu", lambda x: x)

    assert str(failure.value) == (
        "an operator must be given as a name ('ns::name'), an operator or a packet of them, got int"
    )


def test_a_rule_is_not_taken_for_a_kernel(op):
    with pytest.raises(ValueError, match=r"use opwright\.library.register_autograd"):
        op.register_kernel("Autograd", lambda x: x)
