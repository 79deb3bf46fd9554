"""Define, impl, Library, their older forms, get_kernel, fallback."""
# Covers: python/bindings/library/*.

import gc
import weakref

import opwright as ow
import pytest
from opwright import library
from opwright.library import Library


def numbers(x: ow.Tensor) -> list:
    return x.tolist()


# ---- define ----


def test_define_takes_a_name_and_a_schema(trial):
    op = library.define("trial::sin", "(Tensor x) -> Tensor", lib=trial)

    assert op is ow.ops.trial.sin.default
    assert str(op.schema) == "trial::sin(Tensor x) -> Tensor"


def test_define_takes_one_string(trial):
    op = library.define("trial::cos(Tensor x) -> Tensor", lib=trial)

    assert str(op.schema) == "trial::cos(Tensor x) -> Tensor"


def test_define_without_a_library_lasts():
    library.define("trial_a10::lasting", "(Tensor x) -> Tensor")
    gc.collect()

    assert "trial_a10::lasting" in library.list("trial_a10")


def test_define_with_a_library_is_its_decorator(trial):
    @library.define(trial, "double(Tensor x) -> Tensor")
    def double(x):
        return x + x

    assert numbers(ow.ops.trial.double(ow.tensor([1.0]))) == [2.0]
    assert numbers(double(ow.tensor([1.0]))) == [2.0]


def test_define_keeps_tags(trial):
    op = library.define(
        "trial::tagged", "(Tensor x) -> Tensor", lib=trial, tags=library.Tag.pointwise
    )

    assert op.tags == [library.Tag.pointwise]


def test_define_refuses_a_name_in_the_schema_beside_a_name():
    with pytest.raises(ValueError, match="starts with its arguments") as failure:
        library.define("trial::sin", "sin(Tensor x) -> Tensor")

    assert str(failure.value) == (
        "define('trial::sin', ...): a schema with a separate name starts with its arguments, e.g. "
        "'(Tensor x) -> Tensor', got 'sin(Tensor x) -> Tensor'"
    )


def test_define_refuses_what_is_no_name():
    with pytest.raises(ValueError, match=r"an operator is named namespace::name .* got int"):
        library.define(3, "(Tensor x) -> Tensor")


def test_define_refuses_an_alias_that_no_argument_has():
    with pytest.raises(ValueError, match="alias 'b' is returned but no argument has it"):
        library.define("trial::alias", "(Tensor(a!) x) -> Tensor(b)")


# ---- impl ----


@pytest.fixture
def op(trial) -> ow.Operator:
    trial.define("op(Tensor x) -> Tensor")
    return ow.ops.trial.op.default


@pytest.mark.parametrize("types", ["cpu", "CPU", ["cpu", "cuda"], "default"])
def test_impl_takes_devices_and_keys(op, types):
    library.impl("trial::op", types, lambda x: x * 2)

    assert numbers(op(ow.tensor([1.0]))) == [2.0]


def test_impl_is_a_decorator(op):
    @library.impl("trial::op", "cpu")
    def kernel(x):
        return x * 3

    assert numbers(op(ow.tensor([1.0]))) == [3.0]
    assert numbers(kernel(ow.tensor([1.0]))) == [3.0]


def test_impl_with_a_library_lasts_as_long_as_it(op):
    with Library("trial", "IMPL") as lib:
        library.impl("trial::op", "cpu", lambda x: x * 4, lib=lib)
        assert numbers(op(ow.tensor([1.0]))) == [4.0]

    with pytest.raises(NotImplementedError, match="trial::op has no kernel for CPU"):
        op(ow.tensor([1.0]))


def test_the_older_form_uses_the_key_of_the_library(op):
    lib = Library("trial", "IMPL", "CPU")

    @library.impl(lib, "op")
    def kernel(x):
        return x * 5

    assert numbers(op(ow.tensor([1.0]))) == [5.0]


def test_the_older_form_takes_a_key(op):
    lib = Library("trial", "IMPL")

    @library.impl(lib, "op", "Meta")
    def meta(x):
        return x.new_empty([7])

    assert tuple(op(ow.empty([2], device="meta")).shape) == (7,)


def test_the_older_form_takes_the_key_by_name(op):
    lib = Library("trial", "IMPL")

    @library.impl(lib, "op", dispatch_key="CPU")
    def kernel(x):
        return x * 6

    assert numbers(op(ow.tensor([1.0]))) == [6.0]


def test_a_function_may_be_registered_before_the_operator_is_defined():
    with Library("trial", "FRAGMENT") as lib:
        lib.impl("later", lambda x: x * 2, "CPU")
        lib.define("later(Tensor x) -> Tensor")

        assert numbers(ow.ops.trial.later(ow.tensor([1.0]))) == [2.0]


def test_impl_without_a_key_is_a_composite_body(trial, op):
    trial.impl("op", lambda x: x * 8)

    assert [slot for slot, _ in op.implementations()] == ["CompositeImplicitAutograd"]
    assert numbers(op(ow.tensor([1.0]))) == [8.0]


@pytest.mark.parametrize(
    ("key", "instead"),
    [
        ("Jvp", "register_jvp"),
        ("FuncTorchBatched", "register_vmap"),
        ("Autocast", "register_autocast"),
    ],
)
def test_impl_refuses_keys_whose_functions_have_another_form_here(op, key, instead):
    with pytest.raises(ValueError, match="is not a kernel") as failure:
        library.impl("trial::op", key, lambda x: x)

    assert str(failure.value) == (
        f"a function under '{key}' is not a kernel; use opwright.library.{instead}"
    )


def test_a_kernel_that_gives_the_wrong_type_is_told(trial, op):
    trial.impl("op", lambda x: 3, "CPU")

    with pytest.raises(TypeError) as failure:
        op(ow.ones(1))

    assert str(failure.value) == (
        "trial::op: result 1 of the Python function must be Tensor, but it returned int\n"
        "  the schema is trial::op(Tensor x) -> Tensor\n"
        "  in trial::op(x=float32[1])"
    )


# ---- Library ----


def test_leaving_the_scope_removes_what_it_added_and_the_older_kernel_comes_back(op):
    older = Library("trial", "IMPL", "CPU")
    older.impl("op", lambda x: x * 2)

    with Library("trial", "IMPL", "CPU") as newer:
        newer.impl("op", lambda x: x * 3)
        assert numbers(op(ow.tensor([1.0]))) == [3.0]
    assert numbers(op(ow.tensor([1.0]))) == [2.0]


def test_the_end_of_the_last_reference_removes_what_it_added(op):
    lib = Library("trial", "IMPL", "CPU")
    lib.impl("op", lambda x: x * 2)

    del lib
    gc.collect()

    with pytest.raises(NotImplementedError, match="no kernel"):
        op(ow.ones(1))


def test_a_removed_kernel_is_freed(op):
    def kernel(x):
        return x

    alive = weakref.ref(kernel)
    with Library("trial", "IMPL", "CPU") as lib:
        lib.impl("op", kernel)
    del kernel
    gc.collect()

    assert alive() is None


def test_a_library_that_its_own_kernel_refers_to_is_collected(op):
    lib = Library("trial", "IMPL", "CPU")
    lib.impl("op", lambda x, keep=lib: x)
    alive = weakref.ref(lib)

    del lib
    gc.collect()

    assert alive() is None
    with pytest.raises(NotImplementedError, match="no kernel"):
        op(ow.ones(1))


def test_a_kernel_may_be_of_a_newer_registration_than_its_definition():
    first = Library("trial_two", "FRAGMENT")
    first.define("op(Tensor x) -> Tensor")
    second = Library("trial_two", "IMPL")
    second.impl("op", lambda x: x * 2, "CPU")

    first._destroy()
    first = Library("trial_two", "FRAGMENT")
    first.define("op(Tensor x) -> Tensor")

    assert numbers(ow.ops.trial_two.op(ow.tensor([1.0]))) == [2.0]


def test_a_namespace_has_one_owner(here):
    with Library("trial_owned", "DEF") as lib:  # owner
        lib.define("op(Tensor x) -> Tensor")
        with pytest.raises(ValueError, match="claimed twice") as failure:
            Library("trial_owned", "DEF")  # intruder
        Library("trial_owned", "FRAGMENT").define("more(Tensor x) -> Tensor")

    assert here("owner") in str(failure.value)
    assert here("intruder") in str(failure.value)
    Library("trial_owned", "DEF")._destroy()


def test_another_kind_is_refused():
    with pytest.raises(
        ValueError, match="the kind of a library is one of DEF, IMPL, FRAGMENT, got 'USE'"
    ):
        Library("trial", "USE")


def test_a_library_of_functions_defines_nothing():
    with pytest.raises(ValueError, match="defines none; use 'DEF' or 'FRAGMENT'"):
        Library("trial", "IMPL").define("op(Tensor x) -> Tensor")


def test_a_library_keeps_to_its_namespace(trial):
    with pytest.raises(ValueError, match="does not belong to the library of namespace 'trial'"):
        trial.define("other::op(Tensor x) -> Tensor")
    with pytest.raises(ValueError, match="aten::sin is not of the namespace"):
        trial.impl("aten::sin", lambda x: x, "CPU")


def test_a_destroyed_library_is_of_no_use():
    lib = Library("trial", "FRAGMENT")
    lib._destroy()

    with pytest.raises(RuntimeError, match=r"Library\('trial', 'FRAGMENT'\) was destroyed"):
        lib.define("op(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match="was destroyed"):
        lib.impl("op", lambda x: x, "CPU")


def test_define_of_a_library_gives_the_name():
    with Library("trial", "FRAGMENT") as lib:
        assert lib.define("op(Tensor x) -> Tensor") == "op"
        assert lib.define("op.more(Tensor x, int n) -> Tensor") == "op.more"


def test_impl_of_a_library_takes_an_operator(trial, op):
    trial.impl(op, lambda x: x * 2, "CPU")

    assert numbers(op(ow.tensor([1.0]))) == [2.0]


def test_impl_of_a_library_may_refuse_to_override(trial, op):
    trial.impl("op", lambda x: x, "CPU")

    with pytest.raises(
        RuntimeError, match="trial::op: there is already a kernel registered for CPU"
    ):
        trial.impl("op", lambda x: x, "CPU", allow_override=False)


def test_impl_refuses_what_cannot_be_called(trial, op):
    with pytest.raises(TypeError, match=r"^trial::op: a kernel must be callable, got int$"):
        trial.impl("op", 3, "CPU")
    with pytest.raises(TypeError, match="a kernel must be callable, got int"):
        library.register_fake(op, 3)


def test_a_removed_operator_is_told_when_it_is_called():
    with Library("trial", "FRAGMENT") as lib:
        lib.define("gone(Tensor x) -> Tensor")
        gone = ow.ops.trial.gone.default

    with pytest.raises(AttributeError, match="there is no operator trial::gone"):
        gone(ow.ones(1))


# ---- fallback ----


def test_a_fallback_runs_for_operators_without_a_kernel(op):
    with Library("_", "IMPL") as lib:
        lib.fallback(lambda op, *args, **kwargs: args[0] * 10, "CPU")
        assert numbers(op(ow.tensor([1.0]))) == [10.0]
        assert numbers(ow.ops.aten.neg(ow.tensor([1.0]))) == [-1.0]

    with pytest.raises(NotImplementedError, match="no kernel"):
        op(ow.ones(1))


def test_a_fallback_gets_the_operator(op):
    seen = []

    def record(op, *args, **kwargs):
        seen.append(op)
        return args[0]

    with Library("_", "IMPL", "CPU") as lib:
        lib.fallback(record)
        op(ow.ones(1))

    assert seen == [op]


def test_a_fallback_needs_the_library_of_every_namespace(trial):
    with pytest.raises(RuntimeError, match=r"use Library\('_', 'IMPL'\)"):
        trial.fallback(lambda op, *args: None, "CPU")


def test_a_fallback_needs_a_key():
    with pytest.raises(ValueError, match="a fallback needs a device or dispatch key"):
        Library("_", "IMPL").fallback(lambda op, *args: None)


# ---- get_kernel, list ----


def test_get_kernel_gives_what_is_registered_for_a_device():
    kernel = library.get_kernel("aten::neg", "cpu")

    assert numbers(kernel(ow.tensor([1.0]))) == [-1.0]
    assert numbers(library.get_kernel(ow.ops.aten.neg, ow.device("cpu"))(ow.ones(1))) == [-1.0]


def test_a_new_kernel_can_use_the_one_that_it_replaces():
    original = library.get_kernel("aten::neg", "CPU")

    with Library("aten", "IMPL", "CPU") as lib:
        lib.impl("neg", lambda x: original(x) * 100)
        assert numbers(ow.ops.aten.neg(ow.tensor([1.0]))) == [-100.0]
    assert numbers(ow.ops.aten.neg(ow.tensor([1.0]))) == [-1.0]


def test_get_kernel_refuses_an_empty_slot(op):
    with pytest.raises(ValueError, match=r"^trial::op has nothing for CPU; it has: nothing$"):
        library.get_kernel(op, "cpu")


def test_list_gives_the_names_of_a_namespace(trial, op):
    assert library.list("trial") == ["trial::op"]
    assert "aten::sin" in library.list()
