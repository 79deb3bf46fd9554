"""Code written for PyTorch, with its include or import line changed, works in torch and in the
core."""

from collections.abc import Iterator
from types import SimpleNamespace

import opwright as ow
import opwright.torch
import pytest
import torch

from .sample_hosts import binary, to_core, to_torch

close = torch.testing.assert_close


@pytest.fixture(scope="module")
def cpp_operators() -> Iterator[None]:
    names = (
        "compat_soft_shrink",
        "compat_nms",
        "compat_gated_unit",
        "compat_row_norms",
        "compat_autograd_function",
    )
    loaded = [opwright.torch.load(binary(name)) for name in names]
    yield
    for library in loaded:
        library.close()


def in_both(namespace: str, name: str):
    """Return an operator that runs in torch and in the core, with equal results."""

    def call(*args):
        in_torch = getattr(getattr(torch.ops, namespace), name)(*args)
        in_core = to_torch(getattr(getattr(ow.ops, namespace), name)(*to_core(args)))
        close(in_torch, in_core)
        return in_torch

    return call


@pytest.mark.usefixtures("cpp_operators")
class TestCpp:
    """Sources that include torch's headers: tests/operators/compat/compat_*.cpp."""

    def test_a_pointwise_operator(self) -> None:
        x = torch.randn(10)
        close(in_both("compat_shrink", "soft_shrink")(x, 0.5), torch.nn.functional.softshrink(x))

    def test_a_number_as_result(self) -> None:
        x = torch.randn(10)
        assert in_both("compat_shrink", "mean_square")(x) == pytest.approx(float((x * x).mean()))

    def test_a_size_that_depends_on_data(self) -> None:
        boxes = torch.tensor([[0.0, 0, 10, 10], [1, 1, 10, 10], [20, 20, 30, 30]])
        kept = in_both("compat_vision", "nms")(boxes, torch.tensor([0.9, 0.8, 0.7]), 0.5)
        assert kept.tolist() == [0, 2]

    def test_a_module_of_pybind_over_tensor_operations(self) -> None:
        state, gate, _, _ = in_both("compat_gated_unit", "forward")(
            torch.randn(2, 3), torch.randn(8, 3), torch.randn(8), torch.randn(2, 4), 1.0
        )
        assert state.shape == gate.shape == (2, 4)

    def test_it_trains_through_a_body_that_is_a_composite(self) -> None:
        x = torch.randn(4, requires_grad=True)
        torch.ops.compat_gated_unit.scaled_sigmoid(x, 2.0).sum().backward()
        close(x.grad, 2 * torch.sigmoid(x) * (1 - torch.sigmoid(x)))

    def test_a_parallel_loop(self) -> None:
        x = torch.randn(100, 5)
        close(in_both("compat_rows", "row_norms")(x), x.norm(dim=1))

    def test_a_kernel_for_autograd_that_applies_a_function(self) -> None:
        x = torch.randn(4, dtype=torch.float64, requires_grad=True)
        op = torch.ops.compat_function.cube

        y = op(x, 2.0)
        (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), x)

        close(y, 2 * x**3)
        close(first, 6 * x**2)
        close(second, 12 * x)
        assert torch.autograd.gradcheck(lambda x: op(x, 2.0), (x,))
        with torch.no_grad():
            assert not op(x, 2.0).requires_grad
        close(in_both("compat_function", "cube")(x.detach(), 2.0), y.detach())

    def test_functions_with_optional_inputs_writes_and_missing_gradients(self) -> None:
        ops = torch.ops.compat_function
        x = torch.tensor([1.0, -2.0], requires_grad=True)
        weight = torch.tensor([3.0, 4.0], requires_grad=True)

        scaled, _, count = ops.split_sign(x, weight)
        scaled.sum().backward()

        assert not count.requires_grad
        assert x.grad.tolist() == [3.0, 4.0]
        assert weight.grad.tolist() == [1.0, -2.0]
        for op, expected in (
            (ops.double_written, 2.0),
            (ops.halve, 0.5),
            (ops.partly_recorded, 1.0),
            (lambda x: ops.two_results(x, True)[1], 103.0),
            (lambda x: ops.two_results(x, False)[1], 3.0),
        ):
            (gradient,) = torch.autograd.grad(op(x).sum(), x)
            assert gradient.tolist() == [expected] * 2
        assert not ops.negate(x).requires_grad
        assert torch.is_grad_enabled()

    def test_a_wrong_number_of_gradients_and_transforms_are_refused(self) -> None:
        ops = torch.ops.compat_function
        x = torch.ones(2, requires_grad=True)

        with pytest.raises(RuntimeError, match=r"\(expected 2, got 1\)"):
            ops.wrong_count(x, x).sum().backward()
        with pytest.raises(RuntimeError, match="with functorch transforms"):
            torch.func.grad(lambda x: ops.cube(x, 1.0).sum())(x)

    def test_a_forward_after_its_call_and_lists_of_wrong_length_are_errors(self) -> None:
        x = torch.ones(2, requires_grad=True)
        function = torch.ops.compat_function.halve(x).grad_fn.opwright_function

        with pytest.raises(RuntimeError, match="HalveFunction: its forward was called after apply"):
            function.forward([True], [x])
        with pytest.raises(ValueError, match="expected 1 needs of inputs, got 2"):
            function.backward([True, True], [], [x])
        with pytest.raises(ValueError, match="expected 1 gradients of outputs, got 2"):
            function.backward([True], [], [x, x])

    def test_a_guard_restores_recording_when_it_is_interrupted(self, monkeypatch) -> None:
        def switch(enabled: bool) -> None:
            switches.append(enabled)
            if len(switches) == 2:
                raise KeyboardInterrupt
            original(enabled)

        switches: list[bool] = []
        original = torch._C._set_grad_enabled
        monkeypatch.setattr(torch._C, "_set_grad_enabled", switch)

        y = torch.ops.compat_function.partly_recorded(torch.ones(1, requires_grad=True))

        assert switches == [False, True, True]
        assert y.requires_grad

    def test_a_kernel_for_another_device_leaves_the_recording_to_the_operator(self) -> None:
        x = torch.ones(2, requires_grad=True)

        y = torch.ops.compat_function.third(x)

        close(y, x / 3)
        with pytest.raises(RuntimeError, match="compat_function::third"):
            y.sum().backward()

    def test_an_error_of_torch_check(self) -> None:
        with pytest.raises(RuntimeError, match="input must be contiguous"):
            torch.ops.compat_shrink.soft_shrink(torch.ones(3, 2).t(), 0.5)
        with pytest.raises(ValueError, match="lambda must not be negative, got -1"):
            torch.ops.compat_shrink.soft_shrink(torch.ones(2), -1.0)


# As an author wrote it for torch; {namespace} keeps the copies apart.
PYTHON_SOURCE = """
import torch
from torch import Tensor
from torch.library import custom_op, register_autograd, register_fake


@custom_op("{namespace}::numpy_mul", mutates_args=())
def numpy_mul(x: Tensor, y: float) -> Tensor:
    return torch.from_numpy(x.numpy() * x.numpy().dtype.type(y))


@register_fake("{namespace}::numpy_mul")
def _(x, y):
    return torch.empty_like(x)


def setup_context(ctx, inputs, output):
    x, y = inputs
    ctx.y = y


def backward(ctx, grad):
    return grad * ctx.y, None


register_autograd("{namespace}::numpy_mul", backward, setup_context=setup_context)


@custom_op("{namespace}::numpy_sin_", mutates_args=("x",))
def numpy_sin_(x: Tensor) -> None:
    import numpy as np

    x_np = x.numpy()
    np.sin(x_np, out=x_np)


@custom_op("{namespace}::numpy_nonzero", mutates_args=())
def numpy_nonzero(x: Tensor) -> Tensor:
    import numpy as np

    return torch.from_numpy(np.stack(np.nonzero(x.numpy()), axis=1))


@numpy_nonzero.register_fake
def _(x):
    count = torch.library.get_ctx().new_dynamic_size()
    return torch.empty((count, x.dim()), dtype=torch.int64, device=x.device)


@numpy_mul.register_vmap
def _(info, in_dims, x, y):
    return numpy_mul(x, y), in_dims[0]
"""
IN_BOTH = "moved_code"


def run_source(text: str) -> SimpleNamespace:
    names: dict = {"__name__": "existing_code"}
    exec(compile(text, "<existing code>", "exec"), names)
    return SimpleNamespace(**names)


@pytest.fixture(scope="module")
def moved() -> Iterator[SimpleNamespace]:
    """The source with its import lines changed, in torch and in the core."""
    text = PYTHON_SOURCE.replace("{namespace}", IN_BOTH)
    text = text.replace("\nimport torch\n", "\nimport opwright.compat.torch as torch\n")
    code = run_source(text.replace("\nfrom torch", "\nfrom opwright.compat.torch"))
    operators = (code.numpy_mul, code.numpy_sin_, code.numpy_nonzero)
    loaded = [opwright.torch.register(op) for op in operators]
    yield code
    for library in loaded:
        library.close()


@pytest.fixture(scope="module")
def original() -> SimpleNamespace:
    """The source, unchanged."""
    return run_source(PYTHON_SOURCE.replace("{namespace}", "code_for_torch"))


@pytest.mark.usefixtures("moved")
class TestPython:
    def test_a_kernel_gives_what_the_original_gives(self, original: SimpleNamespace) -> None:
        x = torch.randn(4)
        close(in_both(IN_BOTH, "numpy_mul")(x, 2.5), original.numpy_mul(x, 2.5))

    def test_a_write_is_what_the_original_writes(self, original: SimpleNamespace) -> None:
        given, expected, in_core = torch.ones(3), torch.ones(3), ow.ones(3)
        torch.ops.moved_code.numpy_sin_(given)
        ow.ops.moved_code.numpy_sin_(in_core)
        original.numpy_sin_(expected)
        close(given, expected)
        assert in_core.tolist() == expected.tolist()

    def test_a_formula_trains_in_both(self) -> None:
        x, y = torch.ones(2, requires_grad=True), ow.ones(2, requires_grad=True)
        torch.ops.moved_code.numpy_mul(x, 3.0).sum().backward()
        ow.ops.moved_code.numpy_mul(y, 3.0).sum().backward()
        assert x.grad.tolist() == y.grad.tolist() == [3.0, 3.0]

    def test_a_rule_for_batches_works_in_both(self) -> None:
        x = torch.randn(3, 4)
        mapped = torch.vmap(lambda sample: torch.ops.moved_code.numpy_mul(sample, 2.0))(x)
        in_core = ow.vmap(lambda sample: ow.ops.moved_code.numpy_mul(sample, 2.0))(to_core(x))
        close(mapped, x * 2)
        close(to_torch(in_core), x * 2)

    def test_it_compiles_with_sizes_that_depend_on_data(self) -> None:
        compiled = torch.compile(
            lambda x: (
                torch.ops.moved_code.numpy_nonzero(torch.ops.moved_code.numpy_mul(x, 2.0)) + 1
            ),
            backend="aot_eager",
            fullgraph=True,
            dynamic=True,
        )
        x = torch.tensor([0.0, 1.0, 2.0])
        close(compiled(x), torch.tensor([[2], [3]]))

    def test_torch_finds_no_fault(self) -> None:
        x = torch.randn(4, requires_grad=True)
        torch.library.opcheck(torch.ops.moved_code.numpy_mul.default, (x, 2.0))
        torch.library.opcheck(torch.ops.moved_code.numpy_sin_.default, (torch.ones(3),))
        torch.library.opcheck(torch.ops.moved_code.numpy_nonzero.default, (torch.eye(3),))
