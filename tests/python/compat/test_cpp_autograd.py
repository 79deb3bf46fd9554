"""torch::autograd::Function and kernels under Autograd keys in C++, loaded under compat.

The sources are those of tests/operators/compat/compat_autograd_function.cpp.
"""
# Covers: src/host/host_functions, src/host/function_level, bridges/torch/python/function_object.

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import opwright.compat.torch as torch
import pytest
from opwright.compat.torch.fx.experimental.proxy_tensor import make_fx
from opwright.compat.torch.utils._python_dispatch import TorchDispatchMode

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
LIBRARY = str(BUILD / "operators" / "libcompat_autograd_function.so")


@pytest.fixture(scope="module", autouse=True)
def ops():
    torch.ops.load_library(LIBRARY)
    return torch.ops.compat_function


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_the_backward_of_a_function_gives_the_gradient(ops):
    x = leaf(1.0, 2.0, -3.0)

    y = ops.cube(x, 2.0)
    y.sum().backward()

    assert y.tolist() == [2.0, 16.0, -54.0]
    assert x.grad.tolist() == [6.0, 24.0, 54.0]


def test_second_gradients_go_through_the_backward(ops):
    x = leaf(2.0)

    (first,) = torch.autograd.grad(ops.cube(x, 1.0), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)

    assert first.tolist() == [12.0]
    assert second.tolist() == [12.0]
    assert torch.autograd.gradcheck(lambda x: ops.cube(x, 2.0), (leaf(1.0, -0.5),))
    assert torch.autograd.gradgradcheck(lambda x: ops.cube(x, 2.0), (leaf(1.0, -0.5),))


def test_the_node_has_the_name_that_torch_gives_it(ops):
    node = ops.cube(leaf(1.0), 1.0).grad_fn

    assert node.name() == "torch::autograd::CppNode<(anonymous namespace)::CubeFunction>"


def test_nothing_is_recorded_under_no_grad_and_for_plain_inputs(ops):
    with torch.no_grad():
        assert not ops.cube(leaf(1.0), 1.0).requires_grad
    assert not ops.cube(torch.ones(1), 1.0).requires_grad


def test_saved_tensors_are_freed_and_checked(ops):
    x = leaf(1.0)
    y = ops.cube(x, 1.0)
    y.backward()
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        y.backward()

    written = leaf(1.0) * 1
    z = ops.cube(written, 1.0)
    written.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an in-place operation"):
        z.backward()


def test_optional_inputs_and_outputs_without_gradient(ops):
    x, weight = leaf(1.0, -2.0), leaf(3.0, 4.0)

    scaled, sign, count = ops.split_sign(x, weight)
    scaled.sum().backward()

    assert scaled.tolist() == [3.0, -8.0]
    assert sign.tolist() == [True, False]
    assert not count.requires_grad
    assert x.grad.tolist() == [3.0, 4.0]
    assert weight.grad.tolist() == [1.0, -2.0]
    ops.split_sign(x, None)[0].sum().backward()
    assert x.grad.tolist() == [4.0, 5.0]


def test_a_function_that_writes_its_input(ops):
    x = leaf(1.0, 2.0)

    y = ops.double_written(x)
    y.sum().backward()

    assert y.tolist() == [2.0, 4.0]
    assert x.tolist() == [1.0, 2.0]
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(("materialize", "expected"), [(True, 103.0), (False, 3.0)])
def test_missing_gradients_are_zeros_unless_the_function_takes_undefined_ones(
    ops, materialize, expected
):
    x = leaf(1.0)

    ops.two_results(x, materialize)[1].backward()

    assert x.grad.tolist() == [expected]


def test_no_grad_guard_hides_calls_of_a_composite(ops):
    x = leaf(1.0)

    y = ops.partly_recorded(x)
    y.backward()

    assert y.tolist() == [11.0]
    assert x.grad.tolist() == [1.0]
    assert torch.is_grad_enabled()


def test_a_backward_with_too_few_gradients_is_an_error(ops):
    with pytest.raises(
        RuntimeError, match=r"returned an incorrect number of gradients \(expected 2, got 1\)"
    ):
        ops.wrong_count(leaf(1.0), leaf(1.0)).backward()


def test_a_kernel_for_one_device_and_one_with_dispatch_keys(ops):
    x = leaf(2.0)
    ops.halve(x).backward()
    assert x.grad.tolist() == [0.5]

    hidden = ops.negate(x)

    assert hidden.tolist() == [-2.0]
    assert not hidden.requires_grad  # the whole kernel runs below autograd
    assert torch.sin(x).requires_grad


def product_of(*outputs: torch.Tensor) -> torch.Tensor:
    product = outputs[0]
    for each in outputs[1:]:
        product = product * each
    return product.sum()


# Scalar functions of one tensor.
FUNCTIONS = {
    "cube": lambda ops, x: ops.cube(x, 1.0).sum(),
    "halve": lambda ops, x: (ops.halve(x * x) * x).sum(),
    "two_results": lambda ops, x: product_of(x, *ops.two_results(x, True)),
    "split_sign": lambda ops, x: ops.split_sign(x, x * x)[0].sum(),
    "double_written": lambda ops, x: (ops.double_written(x) * x * x).sum(),
    "saved_result": lambda ops, x: product_of(*ops.saved_result(x)),
}
REFUSED = r"cannot use C\+\+ torch::autograd::Function with functorch transforms"


def derivatives_of(f, x, count: int) -> list[torch.Tensor]:
    """Return the first derivatives of f, computed in eager mode."""
    x = x.clone().requires_grad_()
    found, value = [], f(x)
    for _ in range(count):
        (value,) = torch.autograd.grad(value.sum(), x, create_graph=True)
        found.append(value.detach())
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_func_grad_and_vmap_use_the_kernel(ops, name):
    f = partial(FUNCTIONS[name], ops)
    x = torch.tensor([0.5, 2.0])
    first, second, third = derivatives_of(f, x, 3)
    g = torch.func.grad(f)
    g2 = torch.func.grad(lambda x: g(x).sum())

    torch.testing.assert_close(g(x), first)
    torch.testing.assert_close(g2(x), second)
    torch.testing.assert_close(torch.func.grad(lambda x: g2(x).sum())(x), third)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_backward_outside_of_func_grad_uses_the_kernel(ops, name):
    f = partial(FUNCTIONS[name], ops)
    values = torch.tensor([0.5, 2.0])
    x = values.clone().requires_grad_()

    torch.func.grad(f)(x).sum().backward()

    torch.testing.assert_close(x.grad, derivatives_of(f, values, 2)[1])


@pytest.mark.filterwarnings("ignore:compat_function.*has no vmap rule")
@pytest.mark.parametrize("name", ["cube", "two_results"])
def test_func_grad_inside_of_vmap_uses_the_kernel(ops, name):
    f = partial(FUNCTIONS[name], ops)
    x = torch.tensor([0.5, 2.0])

    mapped = torch.func.vmap(torch.func.grad(f))(x)

    torch.testing.assert_close(mapped, derivatives_of(f, x, 1)[0])


def test_vmap_over_another_tensor_leaves_recording_to_the_level_outside(ops):
    x = torch.tensor([0.5, 2.0])
    factors = torch.tensor([1.0, 2.0, 3.0])

    def f(x):
        return torch.func.vmap(lambda factor: ops.two_results(x, True)[0] * factor)(factors).sum()

    torch.testing.assert_close(torch.func.grad(f)(x), derivatives_of(f, x, 1)[0])
    assert derivatives_of(f, x, 1)[0].tolist() == [112.0, 112.0]


@pytest.mark.filterwarnings("ignore:compat_function.*has no vmap rule")
def test_vmap_between_two_derivatives_takes_operators_with_a_kernel(ops):
    x = torch.tensor([0.5, 2.0])

    def f(x):
        return ops.cube(x, 1.0).sum()

    of_mapped = torch.func.grad(lambda x: torch.func.vmap(torch.func.grad(f))(x).sum())(x)

    assert of_mapped.tolist() == [3.0, 12.0]
    with pytest.raises(NotImplementedError, match="so jvp cannot go through it"):
        torch.func.jvp(torch.func.grad(f), (x,), (torch.ones(2),))


@pytest.mark.parametrize(
    "transform",
    [
        lambda f, x: torch.func.grad(lambda x: torch.func.vmap(torch.func.grad(f))(x).sum())(x),
        lambda f, x: torch.func.jvp(torch.func.grad(f), (x,), (torch.ones(2),)),
        lambda f, x: torch.func.vmap(torch.func.grad(f))(x.clone().requires_grad_()),
    ],
    ids=["grad of vmap of grad", "jvp of grad", "eager around vmap of grad"],
)
def test_a_level_that_would_record_the_operators_inside_is_refused(ops, transform):
    f = partial(FUNCTIONS["two_results"], ops)

    with pytest.raises(RuntimeError, match=REFUSED):
        transform(f, torch.tensor([0.5, 2.0]))


def test_a_level_that_records_nothing_allows_the_operators_inside(ops):
    f = partial(FUNCTIONS["two_results"], ops)
    x = torch.tensor([0.5, 2.0], requires_grad=True)

    with torch.no_grad():
        mapped = torch.func.vmap(torch.func.grad(f))(x)

    torch.testing.assert_close(mapped, derivatives_of(f, x.detach(), 1)[0])


def test_a_function_applied_to_a_batch_or_a_dual_number_is_refused(ops):
    with pytest.raises(RuntimeError, match=REFUSED):
        torch.func.vmap(lambda x: ops.double_written(x))(torch.ones(2, 3))
    with pytest.raises(RuntimeError, match=REFUSED):
        torch.func.jvp(lambda x: ops.double_written(x), (torch.ones(2),), (torch.ones(2),))


def test_functionalize_refuses_a_function_whose_backward_it_would_lose(ops):
    def f(x):
        return ops.two_results(x, True)[0]

    x = leaf(1.0)

    with pytest.raises(NotImplementedError, match="functionalize does not keep the backward"):
        torch.func.functionalize(f)(x)
    with torch.no_grad():
        assert torch.func.functionalize(f)(x).tolist() == [2.0]
    assert torch.func.functionalize(f)(torch.ones(1)).tolist() == [2.0]


@pytest.mark.parametrize("name", ["cube", "two_results"])
def test_functionalize_outside_of_func_grad_uses_the_kernel(ops, name):
    f = partial(FUNCTIONS[name], ops)
    x = torch.tensor([0.5, 2.0])

    gradient = torch.func.functionalize(torch.func.grad(f))(x)

    torch.testing.assert_close(gradient, derivatives_of(f, x, 1)[0])


def test_a_tensor_in_saved_data_is_refused_by_nested_derivatives(ops):
    def f(x):
        return ops.kept_input(x).sum()

    x = torch.tensor([2.0])
    g = torch.func.grad(f)
    outside = leaf(2.0)
    torch.func.grad(f)(outside).sum().backward()

    assert g(x).tolist() == [6.0]
    assert outside.grad.tolist() == [3.0]
    with pytest.raises(RuntimeError, match="ctx->saved_data holds a tensor, which has no history"):
        torch.func.grad(lambda x: g(x).sum())(x)


def test_a_dispatch_mode_sees_the_operators_inside_and_keeps_the_backward(ops):
    class Calls(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    seen: list[str] = []
    x = leaf(1.0)

    with Calls():
        y = ops.two_results(x, True)[1]
    y.backward()

    assert len(seen) == 2
    assert x.grad.tolist() == [103.0]


def test_a_kernel_for_another_device_leaves_the_recording_to_the_operator(ops):
    x = leaf(6.0)
    y = ops.third(x)

    assert y.tolist() == [2.0]
    with pytest.raises(RuntimeError, match="compat_function::third has no backward formula"):
        y.backward()

    with torch.library.Library("compat_function", "FRAGMENT") as lib:
        torch.library.register_autograd(
            "compat_function::third", lambda ctx, grad: grad / 3, lib=lib
        )
        ops.third(x).backward()

    assert x.grad.tolist() == [pytest.approx(1 / 3)]


def test_backward_passes_on_several_threads_do_not_disturb_each_other(ops):
    x = torch.linspace(0.5, 2, 16, dtype=torch.float64).requires_grad_()
    y = ops.cube(x, 2.0)

    def gradients(number: int) -> bool:
        weight = torch.full((16,), float(number), dtype=torch.float64)
        found = [torch.autograd.grad(y, x, weight, retain_graph=True)[0] for _ in range(50)]
        return all(torch.equal(each, found[0]) for each in found) and torch.allclose(
            found[0], weight * 6 * x.detach() ** 2
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(gradients, range(1, 9)))


def test_traces_and_exports_hold_the_operator(ops):
    x = leaf(1.0, 2.0)

    forward = make_fx(lambda x: ops.cube(x, 2.0))(x)
    joint = make_fx(lambda x: torch.autograd.grad(ops.cube(x, 2.0).sum(), x)[0])(x)

    assert "compat_function.cube" in forward.code
    assert joint(leaf(1.0, 3.0)).tolist() == [6.0, 54.0]

    class Cubed(torch.nn.Module):
        def forward(self, x):
            return torch.ops.compat_function.cube(x, 2.0)

    program = torch.export.export(Cubed(), (torch.ones(2),))
    assert "compat_function::cube" in str(program)
    assert program.module()(torch.tensor([1.0, 3.0])).tolist() == [2.0, 54.0]


def test_a_compiled_function_trains_through_it(ops):
    x = leaf(1.0, 2.0)

    torch.compile(lambda x: ops.cube(x, 2.0).sum())(x).backward()

    assert x.grad.tolist() == [6.0, 24.0]


def test_opcheck_accepts_a_kernel_under_autograd(ops):
    x = torch.randn(3, requires_grad=True)

    results = torch.library.opcheck(ops.cube.default, (x, 2.0))

    assert set(results.values()) == {"SUCCESS"}
