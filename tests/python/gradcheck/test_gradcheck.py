"""gradcheck: right derivatives pass, faulty formulas are found and named."""

import opwright as ow
import pytest
from opwright import Tensor, gradcheck, gradgradcheck, library
from opwright.autograd.gradcheck import GradcheckError


def doubles(*values: float) -> Tensor:
    return ow.tensor(list(values), dtype=ow.float64).requires_grad_()


def make_operator(name: str, backward, jvp=None) -> ow.Operator:
    @library.custom_op(f"trial_gradcheck::{name}", mutates_args=())
    def square(x: Tensor) -> Tensor:
        return x * x

    square.register_autograd(
        backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0])
    )
    if jvp is not None:
        square.register_jvp(jvp)
    return square


FUNCTIONS = {
    "products": lambda x: x * x.sin(),
    "reduction": lambda x: x.logsumexp(0),
    "several outputs": lambda x: (x * 2, x.sum(), x > 0),
    "tree of outputs": lambda x: {"a": x.exp(), "b": [x.cos()]},
}


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_right_derivatives_pass(name, fast_mode):
    inputs = (doubles(0.5, 1.5),)

    assert gradcheck(
        FUNCTIONS[name], inputs, fast_mode=fast_mode, check_forward_ad=True, check_batched_grad=True
    )
    assert gradgradcheck(FUNCTIONS[name], inputs, fast_mode=fast_mode, check_fwd_over_rev=True)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_complex_inputs_and_outputs(fast_mode):
    z = ow.tensor([1.0 + 2.0j, -0.5 + 0.3j], dtype=ow.complex128).requires_grad_()
    x = doubles(0.5, 1.5)

    def f(z, x):
        return z * z.conj() * x, z.abs(), z * x

    assert gradcheck(f, (z, x), fast_mode=fast_mode, check_forward_ad=True)
    assert gradgradcheck(f, (z, x), fast_mode=fast_mode)


def test_inputs_that_do_not_require_grad_and_other_values_are_passed_on():
    assert gradcheck(lambda x, y, n: x * y * n, (doubles(1.0, 2.0), ow.ones(2), 3))


@pytest.mark.parametrize("fast_mode", [False, True])
def test_a_wrong_formula_is_found_with_elements_and_values(fast_mode):
    wrong = make_operator(
        f"wrong_{fast_mode}", lambda ctx, g: g * ctx.saved_tensors[0] * ow.tensor([2.0, 3.0])
    )

    with pytest.raises(GradcheckError) as raised:
        gradcheck(lambda y, x: wrong(x), (ow.ones(1), doubles(1.0, 2.0)), fast_mode=fast_mode)

    text = str(raised.value)
    assert "the backward derivative of output 0 [1] by input 1 [1] is 6 by the formula" in text
    assert "but 4" in text


def test_a_wrong_rule_for_forward_mode_is_found():
    wrong = make_operator(
        "wrong_forward",
        lambda ctx, g: 2 * g * ctx.saved_tensors[0],
        jvp=lambda x, tangent: x * tangent,
    )

    assert gradcheck(wrong, (doubles(1.0),))
    with pytest.raises(
        GradcheckError, match=r"the forward derivative of output 0 \[0\] by input 0"
    ):
        gradcheck(wrong, (doubles(1.0),), check_forward_ad=True)


def test_a_wrong_second_derivative_is_found():
    wrong = make_operator("wrong_twice", lambda ctx, g: 2 * g * ctx.saved_tensors[0].detach())

    assert gradcheck(wrong, (doubles(1.0),))
    with pytest.raises(GradcheckError, match="the backward derivative of output 0"):
        gradgradcheck(wrong, (doubles(1.0),))


def test_without_raise_exception_it_says_no():
    wrong = make_operator("wrong_quietly", lambda ctx, g: g)

    assert gradcheck(wrong, (doubles(1.0),), raise_exception=False) is False


def test_a_backward_that_is_not_deterministic_is_found():
    runs = []

    def backward(ctx, g):
        runs.append(1)
        return 2 * g * ctx.saved_tensors[0] + 1e-8 * len(runs)

    unsure = make_operator("unsure", backward)

    with pytest.raises(GradcheckError, match="the backward of output 0 is not deterministic: two"):
        gradcheck(unsure, (doubles(1.0),))
    assert gradcheck(unsure, (doubles(1.0),), nondet_tol=1e-6, check_undefined_grad=False)


def test_a_formula_that_gives_something_for_nothing_is_found():
    square = make_operator(
        "from_nothing", lambda ctx, g: 2 * g * ctx.saved_tensors[0] + (g == 0).to(ow.float64)
    )

    with pytest.raises(GradcheckError, match="although its results have no gradient"):
        gradcheck(square, (doubles(1.0),), fast_mode=True)


def test_an_output_that_depends_on_the_input_without_a_history_is_found():
    with pytest.raises(GradcheckError, match="no output requires grad, but output 0 changes with"):
        gradcheck(lambda x: x.detach() * 2, (doubles(1.0),))


def test_coarse_inputs_are_refused():
    with pytest.raises(ValueError, match="input 0 is of dtype float32, too coarse for differences"):
        gradcheck(ow.sin, (ow.ones(2, requires_grad=True),))


def test_coarse_inputs_with_a_coarse_eps_pass():
    assert gradcheck(ow.sin, (ow.ones(2, requires_grad=True),), eps=1e-2, atol=1e-2, rtol=1e-2)


def test_inputs_of_which_none_requires_grad_are_refused():
    with pytest.raises(ValueError, match="no input requires grad, so there is nothing to check"):
        gradcheck(ow.sin, (ow.ones(2, dtype=ow.float64),))


def test_a_function_that_returns_no_tensor_is_refused():
    with pytest.raises(TypeError, match="gradcheck: the function must return tensors, got int"):
        gradcheck(lambda x: 1, (doubles(1.0),))


def test_one_of_the_two_modes_must_be_checked():
    with pytest.raises(AssertionError, match="Expected at least one of"):
        gradcheck(ow.sin, doubles(0.5), check_backward_ad=False)


@pytest.mark.parametrize(
    ("change", "what"),
    [(lambda x: ow.cat([x, x]), "shape"), (lambda x: x.to(ow.float32), "dtype")],
)
def test_outputs_must_keep_their_form(change, what):
    def function(x):
        return change(x) if (x >= 1).all() else x

    with pytest.raises(AssertionError, match=f"same {what} when inputs are perturbed"):
        gradcheck(function, doubles(1.0))


def test_a_function_without_outputs_passes():
    assert gradcheck(lambda x: (), doubles(1.0))


def test_tangents_under_vmap_are_compared():
    assert gradcheck(
        lambda x, y: x * y.sin(),
        (doubles(0.5, 1.5), doubles(1.0, 2.0)),
        check_forward_ad=True,
        check_batched_forward_grad=True,
    )


def test_a_zero_tangent_counts_as_none():
    class Faulty(ow.autograd.Function):
        @staticmethod
        def forward(x, y):
            return x + y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.set_materialize_grads(False)

        @staticmethod
        def jvp(ctx, x, y):
            if x is None or y is None:
                return y if x is None else x
            return x + y + 1

    with pytest.raises(GradcheckError, match="is zero, but"):
        gradcheck(
            Faulty.apply,
            (doubles(0.5), doubles(1.0)),
            check_forward_ad=True,
            check_backward_ad=False,
        )


def test_a_coarse_dtype_is_an_error_unless_allowed():
    x = ow.tensor([1.0, 2.0]).requires_grad_()

    with pytest.raises(ValueError, match="too coarse for differences"):
        gradcheck(ow.sin, x)
    with pytest.warns(UserWarning, match="is not a double precision"):
        gradcheck(lambda x: x * 2, x, atol=0.5, allow_coarse_dtypes=True)


def test_a_wrong_derivative_is_also_named_as_torch_names_it():
    def function(x):
        y = x.clone()
        y.register_hook(lambda gradient: gradient + 1e-2)
        return y

    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to in"):
        gradcheck(function, doubles(1.0))


def test_second_derivatives_may_be_checked_with_strided_gradients():
    assert gradgradcheck(lambda x: x.sin(), doubles(0.5, 1.5), gen_non_contig_grad_outputs=True)


class Doubled(ow.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None

    @staticmethod
    def jvp(ctx, tangent, _):
        return tangent * ctx.factor


@pytest.mark.parametrize("fast_mode", [False, True])
def test_a_function_whose_forward_takes_a_ctx_is_checked_in_both_modes(fast_mode):
    assert gradcheck(
        Doubled.apply,
        (doubles(0.5, 1.5), 2),
        check_forward_ad=True,
        check_batched_forward_grad=True,
        check_batched_grad=True,
        fast_mode=fast_mode,
    )


def test_a_wrong_jvp_of_a_function_whose_forward_takes_a_ctx_is_found():
    class Faulty(Doubled):
        @staticmethod
        def jvp(ctx, tangent, _):
            return tangent * 3

    with pytest.raises(GradcheckError, match="Jacobian computed with forward mode mismatch"):
        gradcheck(Faulty.apply, (doubles(0.5), 2), check_forward_ad=True)


def test_the_backward_of_a_function_gets_a_batch_of_gradients():
    class Reading(Doubled):
        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor + 0 * float(grad.sum()), None

    assert gradcheck(Reading.apply, (doubles(0.5), 2))
    with pytest.raises(RuntimeError, match="vmap"):
        gradcheck(Reading.apply, (doubles(0.5), 2), check_batched_grad=True)
