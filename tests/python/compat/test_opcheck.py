"""opcheck under compat: torch's four checks of the given example, with torch as the referee."""

import itertools
import warnings

import opwright.compat.torch as compat
import pytest

COUNTER = itertools.count()


def make_operator(lib, fake=None, backward=None, kernel=None):
    """An operator x * x of a library, with the given parts."""

    @lib.library.custom_op(
        f"compat_opcheck_{lib.__name__.split('.')[0]}::f{next(COUNTER)}", mutates_args=()
    )
    def f(x: lib.Tensor) -> lib.Tensor:
        return kernel(x) if kernel else x * x

    if fake:
        f.register_fake(fake)
    if backward:
        f.register_autograd(
            backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs)
        )
    return f


def plain(lib):
    return make_operator(lib, lib.empty_like), lib.randn(3)


def trainable(lib):
    f = make_operator(lib, lib.empty_like, lambda ctx, g: g * 2 * ctx.saved_tensors[0])
    return f, lib.randn(3, requires_grad=True)


def wrong_gradient(lib):
    f = make_operator(lib, lib.empty_like, lambda ctx, g: g * 7)
    return f, lib.randn(3, requires_grad=True)


def no_fake(lib):
    return make_operator(lib), lib.randn(3)


def fake_of_other_sizes(lib):
    return make_operator(lib, lambda x: x.new_empty(5)), lib.randn(3)


def fake_of_another_dtype(lib):
    return make_operator(lib, lambda x: x.new_empty(x.shape, dtype=lib.float64)), lib.randn(3)


def fake_that_is_right_for_the_example_only(lib):
    return make_operator(lib, lambda x: x.new_empty(3)), lib.randn(3)


def no_formula(lib):
    return make_operator(lib, lib.empty_like), lib.randn(3, requires_grad=True)


def gradient_of_other_sizes(lib):
    f = make_operator(lib, lib.empty_like, lambda ctx, g: g.new_zeros(7))
    return f, lib.randn(3, requires_grad=True)


def too_many_gradients(lib):
    f = make_operator(lib, lib.empty_like, lambda ctx, g: (g, g))
    return f, lib.randn(3, requires_grad=True)


def backward_that_raises(lib):
    f = make_operator(lib, lib.empty_like, lambda ctx, g: 1 // 0)
    return f, lib.randn(3, requires_grad=True)


def backward_that_reads_data(lib):
    f = make_operator(lib, lib.empty_like, lambda ctx, g: lib.from_numpy(g.numpy(force=True)))
    return f, lib.randn(3, requires_grad=True)


def undeclared_write(lib):
    return make_operator(lib, lib.empty_like, kernel=lambda x: x.add_(1) * 1), lib.randn(3)


CASES = [
    plain,
    trainable,
    wrong_gradient,
    no_fake,
    fake_of_other_sizes,
    fake_of_another_dtype,
    fake_that_is_right_for_the_example_only,
    no_formula,
    gradient_of_other_sizes,
    too_many_gradients,
    backward_that_raises,
    backward_that_reads_data,
    undeclared_write,
]


def passed_checks(lib, case):
    op, x = case(lib)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what opwright.opcheck finds beyond torch's checks
        results = lib.library.opcheck(op, (x,), raise_exception=False)
    return {name: result == "SUCCESS" for name, result in results.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_each_check_passes_where_torchs_passes(case):
    torch = pytest.importorskip("torch")

    assert passed_checks(compat, case) == passed_checks(torch, case)


def test_a_fake_kernel_that_fixes_a_size_is_a_warning():
    op, x = fake_that_is_right_for_the_example_only(compat)

    with pytest.warns(UserWarning, match="opwright.opcheck finds more: .*fake/fake-other-size"):
        compat.library.opcheck(op, (x,))


def test_a_failed_check_raises_the_finding():
    op, x = gradient_of_other_sizes(compat)

    with pytest.raises(RuntimeError, match="autograd/gradient-shape"):
        compat.library.opcheck(op, (x,))
