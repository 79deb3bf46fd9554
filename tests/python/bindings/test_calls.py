"""The call itself: binding by position and keyword, every kind of argument, overloads, packets."""
# Covers: python/bindings/operator/*.

import inspect
import pickle

import numpy as np
import opwright as ow
import pytest


@pytest.fixture
def kinds(scope):
    """Return an operator that returns its input."""
    got = []

    def kernel(x, f, i, b=True, *, dims=None, y=None, s="none"):
        got.append((x, f, i, b, dims, y, s))

    op = scope.define(
        "calls::kinds(Tensor x, float f, int i, bool b=True, *, int[]? dims=None, "
        'Tensor? y=None, str s="none") -> ()'
    )
    scope.implement("calls::kinds", "cpu", kernel)

    def call(*args, **kwargs):
        assert op(*args, **kwargs) is None
        return got.pop()

    return call


def test_positional_arguments_and_defaults(kinds):
    x = ow.ones(2)
    assert kinds(x, 1.5, 3)[1:] == (1.5, 3, True, None, None, "none")
    assert kinds(x, 1.5, 3, False)[3] is False


def test_keywords_in_any_order(kinds):
    x = ow.ones(2)
    assert kinds(b=False, i=7, f=0.5, x=x, dims=(4,))[1:5] == (0.5, 7, False, [4])
    assert kinds(x, 0.5, i=1, y=x)[5] is x


def test_a_keyword_that_is_not_interned(kinds):
    name = "".join(["d", "ims"])
    assert kinds(ow.ones(2), 1.0, 1, **{name: [1]})[4] == [1]


def test_long_lists_and_numpy_numbers(kinds):
    x = ow.ones(2)
    assert kinds(x, 0.0, 1, dims=list(range(1000)))[4] == list(range(1000))
    got = kinds(x, np.float32(0.5), np.int32(4), np.bool_(False))
    assert got[1:4] == (0.5, 4, False)


def test_an_int_is_taken_for_a_float_and_a_bool_for_an_int(kinds):
    got = kinds(ow.ones(2), 2, True)
    assert (got[1], type(got[1]), got[2]) == (2.0, float, 1)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda op, x: op(x, x, 1),
            TypeError,
            "argument 'f' (position 2) must be float, got Tensor; "
            "its item() is the number that it holds",
        ),
        (
            lambda op, x: op(3, 1.0, 1),
            TypeError,
            "argument 'x' (position 1) must be Tensor, got int",
        ),
        (
            lambda op, x: op(np.ones(2), 1.0, 1),
            TypeError,
            "argument 'x' (position 1) must be Tensor, got numpy.ndarray",
        ),
        (lambda op, x: op(x, 1.0), TypeError, "missing argument 'i' (position 3)"),
        (
            lambda op, x: op(x, 1.0, 1, True, [1]),
            TypeError,
            "takes 4 positional arguments but 5 were given; 'dims' must be given by keyword",
        ),
        (
            lambda op, x: op(x, 1.0, 1, dim=[1]),
            TypeError,
            "got an unexpected keyword argument 'dim'; did you mean 'dims'?",
        ),
        (lambda op, x: op(x, 1.0, 1, x=x), TypeError, "got multiple values for argument 'x'"),
        (
            lambda op, x: op(x, 1.0, 1, dims=[1.5]),
            TypeError,
            "argument 'dims' must be int[]?, but element 0 is float",
        ),
        (
            lambda op, x: op(x, 1.0, 2**70),
            OverflowError,
            "argument 3: the int 1180591620717411303424 does not fit into 64 bits",
        ),
    ],
)
def test_a_call_that_does_not_bind_names_operator_and_argument(kinds, call, kind, text):
    with pytest.raises(kind) as caught:
        call(ow.ops.calls.kinds.default, ow.ones(2))
    assert str(caught.value).splitlines()[0].removeprefix("calls::kinds()").lstrip(": ") == text


def test_a_packet_chooses_the_overload(scope):
    one = scope.define("calls::pick.int(Tensor x, int n) -> str")
    scope.define("calls::pick.float(Tensor x, float n) -> str")
    scope.implement("calls::pick.int", "cpu", lambda x, n: "int")
    scope.implement("calls::pick.float", "cpu", lambda x, n: "float")
    pick = ow.ops.calls.pick
    x = ow.ones(1)
    assert [pick(x, 1), pick(x, 1.0), pick(x, n=2.5)] == ["int", "float", "float"]
    assert pick.overloads() == ["int", "float"]
    assert pick.int is one
    with pytest.raises(TypeError, match="no overload of calls::pick takes"):
        pick(x, "a")


def test_an_operator_follows_a_redefinition_of_its_name():
    with ow._C.Scope() as first:
        op = first.define("calls::again(Tensor x) -> int")
        first.implement("calls::again", "cpu", lambda x: 1)
        assert op(ow.ones(1)) == 1
    with pytest.raises(AttributeError, match="there is no operator calls::again"):
        op(ow.ones(1))
    with ow._C.Scope() as second:
        assert second.define("calls::again(Tensor x, int n=5) -> int") is op
        second.implement("calls::again", "cpu", lambda x, n: n)
        assert (op(ow.ones(1)), op(ow.ones(1), 6)) == (5, 6)


def test_operators_and_packets_are_pickled_by_name():
    op = ow.ops.aten.add.Tensor
    assert pickle.loads(pickle.dumps(op)) is op
    assert pickle.loads(pickle.dumps(ow.ops.aten.add)) is ow.ops.aten.add


def test_a_pickled_operator_that_is_gone_says_so(scope):
    with ow._C.Scope() as short:
        data = pickle.dumps(short.define("calls::gone(Tensor x) -> int"))
    with pytest.raises(AttributeError, match="there is no operator calls::gone"):
        pickle.loads(data)


def test_operators_held_by_a_class_do_not_bind_to_its_instances():
    class Model:
        sin = ow.ops.aten.sin

    assert Model().sin(ow.zeros(2)).tolist() == [0.0, 0.0]


def test_methods_and_functions_take_sizes_as_arguments():
    assert ow.zeros(2, 3).shape == (2, 3)
    assert ow.zeros([2, 3]).shape == (2, 3)
    assert ow.zeros((2,)).shape == (2,)
    assert ow.ones(2, 3).view(3, 2).shape == (3, 2)
    assert ow.ones(2, 3).permute(1, 0).shape == (3, 2)
    with pytest.raises(TypeError):
        ow.ops.aten.zeros(2, 3)


def test_functions_that_make_a_tensor_take_requires_grad():
    assert ow.ones(2, requires_grad=True).requires_grad
    assert not ow.ones(2, requires_grad=False).requires_grad
    assert ow.zeros_like(ow.ones(2), requires_grad=True).requires_grad
    with pytest.raises(TypeError, match="unexpected keyword argument 'requires_grad'"):
        ow.sin(ow.ones(2), requires_grad=True)


def test_a_call_with_a_tensor_that_requires_grad_is_recorded():
    result = ow.zeros(2, requires_grad=True).sin()

    assert result.tolist() == [0.0, 0.0]
    assert result.requires_grad


def test_many_arguments_and_many_results(scope):
    arguments = ", ".join(f"Tensor x{i}" for i in range(40))
    results = ", ".join(["Tensor"] * 40)
    op = scope.define(f"calls::wide({arguments}) -> ({results})")
    scope.implement("calls::wide", "cpu", lambda *args: args[::-1])
    tensors = [ow.ones(1) for _ in range(40)]
    assert all(a is b for a, b in zip(op(*tensors), reversed(tensors), strict=True))


def test_lists_of_tensors_optional_tensors_and_strings(scope):
    got = []
    op = scope.define(
        "calls::lists(Tensor[] xs, Tensor?[] ys, str[] names, float[2] scale=[1.0, 1.0]) -> ()"
    )
    scope.implement("calls::lists", "cpu", lambda *args: got.append(args))
    x = ow.ones(1)
    op([x, x], [x, None], ["a", "b"], 0.5)
    assert got == [([x, x], [x, None], ["a", "b"], [0.5, 0.5])]
    op((), (None,), (), scale=[1, 2])
    assert got[1] == ([], [None], [], [1.0, 2.0])


def test_a_registered_class_passes_through_a_call(scope):
    class Filter:
        pass

    ow._C.register_opaque_type(Filter, "calls.Filter")
    op = scope.define("calls::filtered(Tensor x, calls.Filter f) -> calls.Filter")
    scope.implement("calls::filtered", "cpu", lambda x, f: f)
    one = Filter()
    assert op(ow.ones(1), one) is one
    with pytest.raises(
        TypeError, match=r"argument 'f' \(position 2\) must be calls.Filter, got int"
    ):
        op(ow.ones(1), 3)


def test_the_kernel_that_a_slot_holds_is_called_without_dispatch(scope):
    op = scope.define("calls::twice(Tensor x, float f=2.0) -> Tensor")
    scope.implement("calls::twice", "cpu", lambda x, f: x * f)
    scope.implement("calls::twice", "Fake", lambda x, f: x)
    kernel = ow._C.get_kernel(op, "cpu")
    assert kernel(ow.ones(1), f=3.0).tolist() == [3.0]
    assert (kernel.slot, kernel.operator) == ("CPU", op)
    with pytest.raises(ValueError, match="calls::twice has nothing for Vmap; it has: CPU, Fake"):
        ow._C.get_kernel(op, "Vmap")


def test_a_fallback_gets_the_operator_and_its_arguments(scope):
    got = []
    op = scope.define("calls::unserved(Tensor x, *, int n) -> int")
    scope.set_fallback("meta", lambda op, x, *, n: got.append(op) or n)
    assert op(ow.ones(1, device="meta"), n=3) == 3
    assert got == [op]


def test_help_shows_schema_and_place(scope):
    op = scope.define("calls::shown(Tensor x) -> Tensor")
    assert op.__doc__.startswith("calls::shown(Tensor x) -> Tensor\n\nDefined at ")
    assert "test_calls.py:" in op.site
    op.documentation = "What it does."
    assert "What it does." in ow.ops.calls.shown.__doc__
    assert (op.__name__, op.__module__) == ("shown.default", "opwright.ops.calls")


@pytest.mark.parametrize(("base", "overload"), [("exp", "default"), ("add", "Tensor")])
def test_an_operator_has_the_names_that_it_has_in_torch(base, overload):
    torch = pytest.importorskip("torch")
    theirs = getattr(getattr(torch.ops.aten, base), overload)

    op = getattr(getattr(ow.ops.aten, base), overload)

    assert (op.__name__, str(op)) == (theirs.__name__, str(theirs))
    assert repr(op) == f"<operator {op.name}>"


@pytest.mark.own_process  # the bridge to torch makes it known
def test_a_tensor_of_another_library_is_refused_by_its_name():
    torch = pytest.importorskip("torch")
    with pytest.raises(
        TypeError, match=r"argument 'self' \(position 1\) must be Tensor, got torch.Tensor"
    ):
        ow.ops.aten.sin(torch.ones(2))


def test_the_types_have_a_text_of_their_own():
    assert ow.Operator.__doc__.startswith("One overload of an operator")
    assert (ow.Operator.__module__, repr(ow.Operator | None)) == (
        "opwright",
        "opwright.Operator | None",
    )


def test_each_use_of_a_packet_shows_what_it_is():
    shown = [repr(each) for each in (ow.ops.aten.sin, ow.sin, ow.Tensor.sin)]
    assert shown == ["<operators aten::sin>", "<function opwright.sin>", "<method Tensor.sin>"]


def test_the_signature_of_an_operator_is_that_of_its_schema(scope):
    op = scope.define('calls::signed(Tensor x, int n=3, *, str mode="a") -> (Tensor, int)')
    assert str(inspect.signature(op)) == (
        "(x: 'Tensor', n: 'int' = 3, *, mode: 'str' = 'a') -> '(Tensor, int)'"
    )
