"""Gradients when an output gets none: what eager and PyTorch compute, in every mode.

Eager does not run the formula of a node that no gradient reached, and passes zeros to a formula
that got some of its gradients. The formulas here make other values of zeros than zeros.
"""

import opwright as ow
import pytest

FORMULAS = {
    "ones": lambda lib, grad: lib.ones_like(grad) * 3,
    "clamped": lambda lib, grad: lib.clamp(grad, 0.5, 2.0),
    "exponential": lambda lib, grad: lib.exp(grad),
    "constant": lambda lib, grad: lib.full(list(grad.shape), 3.0),
    "power": lambda lib, grad: grad**0,
    "infinite": lambda lib, grad: grad * float("inf"),
}


def single(lib, formula):
    """A function of one output whose backward is `formula`."""

    class Single(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return formula(lib, grad)

    return Single.apply


def double(lib, formula):
    """A function of two outputs whose backward is a gradient plus `formula` of the other."""

    class Double(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, first, second):
            return first + formula(lib, second)

    return Double.apply


def programs(lib, formula):
    one, two = single(lib, formula), double(lib, formula)
    return {
        "one node": lambda x: (one(x), x * 1),
        "a chain": lambda x: (lib.sin(one(one(x))), x * 1),
        "one node of two outputs": two,
        "a node that gets both": lambda x: (one(x), two(x)[0] + one(x)),
        "a sum of gradients": lambda x: (one(x * 2) + one(x), lib.sin(x)),
    }


PROGRAMS = list(programs(ow, FORMULAS["ones"]))


def gradient(lib, function, used):
    x = lib.tensor([0.25, -1.0, 2.0], requires_grad=True)
    return lib.autograd.grad(function(x)[used].sum(), x)[0]


@pytest.mark.parametrize("used", [0, 1])
@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("mode", ["eager", "compile"])
def test_the_other_output_has_pytorchs_gradient(torch, mode, program, formula, used):
    function = programs(ow, FORMULAS[formula])[program]
    if mode == "compile":
        function = ow.compile(function)

    actual = gradient(ow, function, used)

    expected = gradient(torch, programs(torch, FORMULAS[formula])[program], used)
    assert actual.tolist() == pytest.approx(expected.tolist(), rel=1e-6, nan_ok=True)


def define_operator(lib, name, backward):
    @lib.library.custom_op(name, mutates_args=())
    def op(x: lib.Tensor) -> tuple[lib.Tensor, lib.Tensor]:
        return x * 2, x * 3

    op.register_fake(lambda x: (lib.empty_like(x), lib.empty_like(x)))
    op.register_autograd(backward)
    return op


@pytest.mark.parametrize("used", [0, 1])
@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("mode", ["eager", "compile", "functionalize", "export"])
def test_an_operators_formula_gets_zeros_for_the_output_that_is_not_used(
    torch, mode, formula, used
):
    name = f"absent_gradients::two_{mode}_{formula}_{used}"
    given = FORMULAS[formula]
    op = define_operator(ow, name, lambda ctx, a, b: a + given(ow, b))
    other = define_operator(torch, name, lambda ctx, a, b: a + given(torch, b))

    class Model(ow.nn.Module):
        def forward(self, x):
            return op(x)

    function = Model()
    if mode == "compile":
        function = ow.compile(function)
    elif mode == "functionalize":
        function = ow.func.functionalize(op)
    elif mode == "export":
        function = ow.export.export(function, (ow.ones(3),)).module()

    actual = gradient(ow, function, used)

    expected = gradient(torch, other, used).tolist()
    assert actual.tolist() == pytest.approx(expected, rel=1e-6, nan_ok=True)
    if formula == "ones":
        assert expected == ([4.0, 4.0, 4.0] if used == 0 else [3.0, 3.0, 3.0])


@pytest.fixture
def torch():
    return pytest.importorskip("torch")
