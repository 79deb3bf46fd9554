"""torch::autograd::Function and kernels under Autograd keys in C++, loaded under compat.

The sources are those of tests/operators/compat/compat_autograd_function.cpp.
"""
# Covers: src/host/host_functions, src/autograd/function_node, bridges/torch/python/function_object.

import os
from pathlib import Path

import opwright.compat.torch as torch
import pytest
from opwright.compat.torch.fx.experimental.proxy_tensor import make_fx

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


@pytest.mark.filterwarnings("ignore:compat_function.*has no vmap rule")
def test_func_grad_and_vmap_use_the_kernel(ops):
    x = torch.tensor([1.0, 2.0])

    gradient = torch.func.grad(lambda x: ops.cube(x, 1.0).sum())(x)
    second = torch.func.grad(lambda x: torch.func.grad(lambda x: ops.cube(x, 1.0).sum())(x).sum())(
        x
    )
    mapped = torch.func.vmap(torch.func.grad(lambda x: ops.cube(x, 1.0)))(x)

    assert gradient.tolist() == mapped.tolist() == [3.0, 12.0]
    assert second.tolist() == [6.0, 12.0]


def test_a_function_applied_to_a_batch_is_refused(ops):
    with pytest.raises(
        RuntimeError,
        match=r"cannot use C\+\+ torch::autograd::Function with functorch transforms",
    ):
        torch.func.vmap(lambda x: ops.double_written(x))(torch.ones(2, 3))


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
