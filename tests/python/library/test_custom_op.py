"""Custom_op as a decorator and as a plain call; what it returns."""

import functools
import pickle

import numpy as np
import opwright as ow
import pytest
from opwright import Tensor, library


def double(x: Tensor) -> Tensor:
    """Twice the input."""
    return x + x


def test_custom_op_works_as_a_decorator():
    @library.custom_op("trial_a02::decorated", mutates_args=())
    def decorated(x: Tensor, factor: float) -> Tensor:
        return x * factor

    assert decorated(ow.tensor([1.0, 2.0]), 3.0).tolist() == [3.0, 6.0]
    assert ow.ops.trial_a02.decorated(ow.tensor([1.0]), factor=2.0).tolist() == [2.0]


def test_custom_op_works_as_a_plain_call():
    op = library.custom_op("trial_a02::plain", double, mutates_args=())

    assert op(ow.tensor([1.0])).tolist() == [2.0]


def test_custom_op_returns_the_operator_itself():
    op = library.custom_op("trial_a02::itself", double, mutates_args=())

    assert op is ow.ops.trial_a02.itself.default
    assert str(op.schema) == "trial_a02::itself(Tensor x) -> Tensor"


def test_the_operator_has_the_methods_that_register():
    op = library.custom_op("trial_a02::methods", double, mutates_args=())

    for name in (
        "register_kernel",
        "register_fake",
        "register_autograd",
        "register_vmap",
        "register_autocast",
        "register_effect",
        "set_kernel_enabled",
    ):
        assert callable(getattr(op, name)), name


def test_the_operator_shows_the_documentation_of_its_function():
    op = library.custom_op("trial_a02::documented", double, mutates_args=())

    assert op.documentation == "Twice the input."
    assert "Twice the input." in op.__doc__


def test_an_operator_is_pickled_by_name():
    op = library.custom_op("trial_a02::pickled", double, mutates_args=())

    assert pickle.loads(pickle.dumps(op)) is op


def test_an_error_of_the_kernel_is_raised_as_it_is_with_the_line_of_the_kernel():
    @library.custom_op("trial_a02::failing", mutates_args=())
    def failing(x: Tensor) -> Tensor:
        raise KeyError("no such key")

    with pytest.raises(KeyError) as failure:
        failing(ow.ones(2))

    assert failure.value.args == ("no such key",)
    assert failure.traceback[-1].name == "failing"


def test_a_kernel_sees_numpy_and_gives_a_tensor():
    @library.custom_op("trial_a02::numpy_sin", mutates_args=())
    def numpy_sin(x: Tensor) -> Tensor:
        return ow.from_numpy(np.sin(x.numpy()))

    x = np.linspace(0, 1, 5, dtype=np.float32)

    np.testing.assert_array_equal(numpy_sin(ow.from_numpy(x)).numpy(), np.sin(x))


def test_a_disabled_kernel_gives_way_to_the_function_of_custom_op():
    @library.custom_op("trial_a02::switched", mutates_args=())
    def switched(x: Tensor) -> str:
        return "default"

    switched.register_kernel("cpu", lambda x: "cpu")
    x = ow.ones(1)

    assert switched(x) == "cpu"
    with switched.set_kernel_enabled("cpu", enabled=False):
        assert switched(x) == "default"
    assert switched(x) == "cpu"


def test_set_kernel_enabled_works_as_a_plain_call():
    @library.custom_op("trial_a02::plain_switch", mutates_args=())
    def switched(x: Tensor) -> str:
        return "default"

    switched.register_kernel("cpu", lambda x: "cpu")
    x = ow.ones(1)

    switched.set_kernel_enabled("cpu", False)
    assert switched(x) == "default"
    switched.set_kernel_enabled("cpu", True)
    assert switched(x) == "cpu"


def test_a_kernel_that_is_registered_while_disabled_stays_disabled():
    @library.custom_op("trial_a02::late_switch", mutates_args=())
    def switched(x: Tensor) -> str:
        return "default"

    switched.register_kernel("cpu", lambda x: "first")
    x = ow.ones(1)

    with switched.set_kernel_enabled("cpu", False):
        switched.register_kernel("cpu", lambda x: "second")
        assert switched(x) == "default"
    assert switched(x) == "second"


def test_disabling_a_device_without_a_kernel_warns():
    op = library.custom_op("trial_a02::no_kernel", double, mutates_args=())

    with pytest.warns(UserWarning, match="trial_a02::no_kernel: no kernel was registered for cuda"):
        op.set_kernel_enabled("cuda", False)


def test_tags_are_taken_as_members_or_names_one_or_several():
    one = library.custom_op(
        "trial_a02::tag_one", double, mutates_args=(), tags=library.Tag.pointwise
    )
    two = library.custom_op(
        "trial_a02::tag_two", double, mutates_args=(), tags=[library.Tag.core, "reduction"]
    )

    assert one.tags == [library.Tag.pointwise, library.Tag.pt2_compliant_tag]
    assert set(two.tags) == {"core", "reduction", "pt2_compliant_tag"}


def test_tags_of_torch_without_a_meaning_here_are_kept_beside_the_operator():
    op = library.custom_op(
        "trial_a02::foreign_tag",
        double,
        mutates_args=(),
        tags=(library.Tag.pt2_compliant_tag, library.Tag.pointwise),
    )

    assert op.tags == ["pointwise", "pt2_compliant_tag"]
    assert op.tag_names == ("pointwise",)
    assert op.foreign_tags == ("pt2_compliant_tag",)


def test_an_unknown_tag_is_refused_with_the_closest_name():
    with pytest.raises(ValueError, match="did you mean 'pointwise'"):
        library.custom_op("trial_a02::bad_tag", double, mutates_args=(), tags="pointwize")


def test_what_is_no_tag_is_refused():
    with pytest.raises(TypeError, match="tags are members of Tag or their names, got 3"):
        library.custom_op("trial_a02::no_tag", double, mutates_args=(), tags=3)


def test_bound_methods_callable_objects_and_partials_become_operators():
    class Adder:
        def __call__(self, x: Tensor) -> Tensor:
            return x + 1

        def method(self, x: Tensor) -> Tensor:
            return x + 2

    def add(amount: float, x: Tensor) -> Tensor:
        return x + amount

    for function, expected in (
        (Adder(), 1.0),
        (Adder().method, 2.0),
        (functools.partial(add, 3.0), 3.0),
    ):
        op = library.custom_op("trial_a02::any_callable", function, mutates_args=())
        assert op(ow.zeros(1)).tolist() == [expected]


def test_an_operator_tagged_inplace_returns_its_argument():
    @library.custom_op("trial_a02::fill_", mutates_args=["x"], tags=library.Tag.inplace)
    def fill_(x: Tensor) -> Tensor:
        return x.zero_()

    x = ow.ones(2)

    assert fill_(x) is x
    assert x.tolist() == [0.0, 0.0]
    assert str(fill_.schema) == "trial_a02::fill_(Tensor(a0!) x) -> Tensor(a0!)"
