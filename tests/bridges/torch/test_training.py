"""Training through sample operators where a bridge could be silently wrong: views, parts that need
no gradient, results that nobody uses, transforms of transforms."""

import gc
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch.func import grad, hessian, jacrev, jvp, vjp, vmap

pytestmark = pytest.mark.usefixtures("samples_in_torch", "fresh_compiler")
close = torch.testing.assert_close


def numbers(*sizes: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(7)
    return torch.randn(*sizes, generator=generator, dtype=torch.float64)


def gradient_of(call: Callable, *sizes: int) -> torch.Tensor:
    leaf = numbers(*sizes).requires_grad_()
    call(leaf).backward()
    return leaf.grad


class TestWrites:
    def test_a_write_to_a_view_changes_the_history_of_its_base(self) -> None:
        def with_operator(leaf: torch.Tensor) -> torch.Tensor:
            y = leaf * 1
            torch.ops.samples_writing.square_(y[0])
            return (y * y).sum()

        def with_torch(leaf: torch.Tensor) -> torch.Tensor:
            y = leaf * 1
            y[0].mul_(y[0].clone())
            return (y * y).sum()

        close(gradient_of(with_operator, 3, 2), gradient_of(with_torch, 3, 2))

    def test_a_write_to_a_base_changes_the_history_of_its_views(self) -> None:
        def with_operator(leaf: torch.Tensor) -> torch.Tensor:
            y = leaf * 1
            view = y[0]
            torch.ops.samples_writing.halve_(y)
            return (view * view).sum()

        def with_torch(leaf: torch.Tensor) -> torch.Tensor:
            y = leaf * 1
            view = y[0]
            y.mul_(0.5)
            return (view * view).sum()

        close(gradient_of(with_operator, 3, 2), gradient_of(with_torch, 3, 2))

    def test_the_written_argument_itself_is_returned(self) -> None:
        plain, recorded = torch.ones(3), torch.ones(3, requires_grad=True) * 1
        assert torch.ops.samples_writing.halve_(plain) is plain
        assert torch.ops.samples_writing.halve_(recorded) is recorded
        assert recorded.grad_fn.name().startswith("halve_")

    def test_a_write_of_what_requires_grad_into_what_does_not(self) -> None:
        leaf, out = torch.ones(3, requires_grad=True), torch.zeros(3)
        with pytest.raises(RuntimeError, match="samples_writing::add_to"):
            torch.ops.samples_writing.add_to(leaf, leaf, out=out).sum().backward()


class TestParts:
    def test_only_the_tensors_that_need_a_gradient_get_one(self) -> None:
        x, weight = numbers(2, 3), numbers(4, 3).requires_grad_()
        torch.ops.samples_training.affine(x, weight).sum().backward()
        assert x.grad is None
        close(weight.grad, x.sum(0).expand(4, 3))

    def test_a_missing_tensor_has_no_gradient(self) -> None:
        x = numbers(2, 3).requires_grad_()
        weight = numbers(4, 3)
        torch.ops.samples_training.affine(x, weight, None, relu=True).sum().backward()
        close(x.grad, ((x @ weight.T) > 0).double() @ weight)

    def test_a_result_that_nobody_uses_has_a_gradient_of_zero(self) -> None:
        def call(leaf: torch.Tensor) -> torch.Tensor:
            return torch.ops.samples_training.from_polar(leaf, leaf)[1].sum()

        close(gradient_of(call, 4), gradient_of(lambda x: (x * x.sin()).sum(), 4))

    def test_a_result_that_is_not_differentiable_does_not_require_grad(self) -> None:
        values, places = torch.ops.samples_training.largest_in_rows(numbers(2, 3).requires_grad_())
        assert values.requires_grad
        assert not places.requires_grad

    def test_a_list_with_tensors_that_need_none(self) -> None:
        x, y = numbers(3), numbers(3).requires_grad_()
        torch.ops.samples_arguments.sum_all([x, y, x]).sum().backward()
        close(y.grad, torch.full_like(y, 2.0))

    def test_empty_tensors_train(self) -> None:
        close(gradient_of(lambda x: torch.ops.samples_training.cube(x).sum(), 0, 3), numbers(0, 3))

    def test_a_second_backward_is_refused_as_for_torchs_own(self) -> None:
        loss = torch.ops.samples_training.cube(numbers(2).requires_grad_()).sum()
        loss.backward()
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()

    def test_hooks_see_the_gradient(self) -> None:
        seen = []
        leaf = numbers(2).requires_grad_()
        y = torch.ops.samples_training.cube(leaf)
        y.register_hook(lambda gradient: seen.append(gradient.tolist()))
        y.sum().backward()
        assert seen == [[1.0, 1.0]]


class TestTransforms:
    def test_hessian_and_jacobian(self) -> None:
        x = numbers(3)
        cube = torch.ops.samples_training.cube
        close(jacrev(cube)(x), torch.diag(3 * x * x))
        close(jacrev(jacrev(lambda x: cube(x).sum()))(x), torch.diag(6 * x))

    def test_forward_over_reverse_mode_by_the_rule(self) -> None:
        x = numbers(3)
        found = hessian(lambda x: torch.ops.samples_training.from_polar(x, x)[1].sum())(x)
        close(found, torch.diag(2 * x.cos() - x * x.sin()))

    def test_pull_back_of_several_results(self) -> None:
        x = numbers(3)
        _, pull = vjp(torch.ops.samples_training.from_polar, x, x)
        of_radius, of_angle = pull((torch.ones_like(x), torch.zeros_like(x)))
        close((of_radius, of_angle), (x.cos(), -x * x.sin()))

    @pytest.mark.parametrize("in_dims", [(0, 0), (1, 0), (None, 0), (0, None)])
    @pytest.mark.parametrize("name", ["from_polar", "cube_backward"])
    def test_batches_stand_anywhere(self, name: str, in_dims: tuple) -> None:
        op = getattr(torch.ops.samples_training, name)
        samples = [(numbers(3) + i, numbers(3) * i) for i in range(1, 4)]
        args = [
            samples[0][k] if dim is None else torch.stack([s[k] for s in samples], dim)
            for k, dim in enumerate(in_dims)
        ]
        expected = [
            op(*(samples[0 if dim is None else i][k] for k, dim in enumerate(in_dims)))
            for i in range(3)
        ]
        mapped = vmap(op, in_dims=in_dims)(*args)
        if name == "from_polar":
            close(mapped, tuple(map(torch.stack, zip(*expected, strict=True))))
        else:
            close(mapped, torch.stack(expected))

    def test_vmap_of_vmap(self) -> None:
        x = numbers(2, 3, 4)
        close(vmap(vmap(torch.ops.samples_sizes.row_energies))(x.unsqueeze(-1)), x * x)

    def test_one_list_for_all_samples(self) -> None:
        x, y = numbers(2, 3), numbers(3)
        mapped = vmap(lambda sample: torch.ops.samples_arguments.sum_all([sample, y]))(x)
        close(mapped, x + 2 * y)

    def test_a_tensor_for_all_samples_takes_no_value_of_each(self) -> None:
        mean = torch.zeros(3)
        with pytest.raises(RuntimeError, match="'mean' is written with values that differ"):
            vmap(lambda x: torch.ops.samples_writing.track(mean, x))(torch.ones(2, 3))

    def test_gradients_of_a_mapped_function(self) -> None:
        x = numbers(2, 3)
        total = grad(
            lambda x: vmap(torch.ops.samples_arguments.weigh, in_dims=(0, None, None))(
                x, [2.0], [True]
            ).sum()
        )
        close(total(x), torch.full_like(x, 2.0))

    def test_grad_without_a_formula_names_the_operator(self) -> None:
        with pytest.raises(RuntimeError, match="samples_training::quantize"):
            grad(lambda x: torch.ops.samples_training.quantize(x, 4).sum())(torch.ones(2))

    def test_forward_mode_without_a_rule_names_the_operator(self) -> None:
        x = torch.ones(2)
        with pytest.raises(RuntimeError, match="samples_training::quantize"):
            jvp(lambda x: torch.ops.samples_training.quantize(x, 4), (x,), (x,))


def used_kilobytes() -> int:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory used is not known")
@pytest.mark.parametrize(
    ("how", "calls"),
    [(0, 4000), (1, 4000), (6, 4000), (11, 800)],  # 11: torch adds kilobytes of backtrace, slowly
)
def test_calls_and_errors_leave_no_memory_behind(how: int, calls: int) -> None:
    x = torch.ones(2, 3, requires_grad=True)

    def run(times: int) -> None:
        for _ in range(times):
            torch.ops.samples_training.cube(x).sum().backward()
            try:
                torch.ops.samples_composites.fail(x.detach(), how)
            except (ValueError, KeyError, RuntimeError):
                continue

    run(calls // 4)
    before = used_kilobytes()
    run(calls)
    assert used_kilobytes() - before < 400
