"""First- and second-order gradients of a call, in opwright and in torch."""

from collections.abc import Callable, Iterator

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: no gradient was compared")
ow = pytest.importorskip("opwright", reason="the package is not built: tools/build release python")

STEP = 1e-6  # of a difference quotient


class Call:
    """An overload of aten and its arguments; floating-point and complex tensors are leaves.

    `fixed` lists the positions of arguments without a gradient. An operator that writes its first
    argument gets a copy of it.
    """

    def __init__(self, op: str, *args, fixed: tuple[int, ...] = (), **options):
        self.op, self.args, self.fixed, self.options = op, args, fixed, options
        self.writes = op.split(".")[0].endswith("_")

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(describe(each) for each in self.args)})"

    def tensors(self) -> list[torch.Tensor]:
        """Return the leaves."""
        leaves = (flatten(each) for i, each in enumerate(self.args) if i not in self.fixed)
        return [each for part in leaves for each in part if has_gradient(each)]

    def run(self, module, leaves: list) -> list:
        """Return the results of `module` (torch or opwright) that have a gradient."""
        convert = as_opwright if module is ow else lambda tensor: tensor.clone()
        rest = iter(leaves)

        def replace(value, is_fixed: bool):
            if isinstance(value, torch.Tensor):
                return next(rest) if has_gradient(value) and not is_fixed else convert(value)
            if isinstance(value, list):
                return [replace(each, is_fixed) for each in value]
            return value

        args = [replace(each, i in self.fixed) for i, each in enumerate(self.args)]
        if self.writes:
            args[0] = args[0].clone()
        name, overload = self.op.split(".")
        function = getattr(getattr(module.ops.aten, name), overload)
        results = function(*args, **self.options)
        results = list(results) if isinstance(results, tuple | list) else [results]
        return [each for each in results if each is not None and each.requires_grad]


def describe(value) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    return repr(value)


def flatten(value) -> Iterator:
    if isinstance(value, list):
        for each in value:
            yield from flatten(each)
    else:
        yield value


def has_gradient(value) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def as_opwright(tensor: torch.Tensor):
    return ow.from_dlpack(tensor.detach().clone(memory_format=torch.preserve_format))


def as_torch(tensor) -> torch.Tensor:
    return torch.from_dlpack(tensor.detach())


def draw_like(tensors: list[torch.Tensor], seed: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(each.shape, dtype=each.dtype, generator=generator) for each in tensors]


def torch_gradients(
    function: Callable, leaves: list[torch.Tensor], weights: list[torch.Tensor], create_graph: bool
) -> list[torch.Tensor | None]:
    results = function(leaves)
    pairs = [(r, w) for r, w in zip(results, weights, strict=True) if r.requires_grad]
    return list(
        torch.autograd.grad(
            [r for r, _ in pairs],
            leaves,
            [w for _, w in pairs],
            create_graph=create_graph,
            allow_unused=True,
        )
    )


def ow_gradients(results: list, leaves: list, weights: list, create_graph: bool) -> list:
    """Return what backward of all results adds to the leaves; None if it adds nothing."""
    for leaf in leaves:
        leaf.grad = None
    for result, weight in zip(results, weights, strict=True):
        if result is not None and result.requires_grad:
            result.backward(weight, retain_graph=True, create_graph=create_graph)
    gradients = [leaf.grad for leaf in leaves]
    for leaf in leaves:
        leaf.grad = None
    return gradients


def zero_if_none(gradient, like: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(like) if gradient is None else gradient.detach()


def compare(what: str, ours: list, wanted: list, like: list[torch.Tensor], tolerance: float):
    for i, (a, b, tensor) in enumerate(zip(ours, wanted, like, strict=True)):
        found = torch.zeros_like(tensor) if a is None else as_torch(a)
        assert found.shape == tensor.shape, f"{what} {i} has sizes {list(found.shape)}"
        torch.testing.assert_close(
            found,
            zero_if_none(b, tensor),
            rtol=tolerance,
            atol=tolerance,
            equal_nan=True,
            msg=lambda text, i=i: f"{what} {i}: {text}",
        )


def check_first_order(call: Call, tolerance: float = 1e-9) -> None:
    """Check that the gradients of a call equal torch's."""
    leaves = [each.detach().clone().requires_grad_() for each in call.tensors()]
    weights = draw_like([each.detach() for each in call.run(torch, leaves)], 1)
    wanted = torch_gradients(lambda x: call.run(torch, x), leaves, weights, create_graph=False)
    own = [as_opwright(each).requires_grad_() for each in leaves]
    results = call.run(ow, own)
    assert len(results) == len(weights)
    ours = ow_gradients(results, own, [as_opwright(each) for each in weights], create_graph=False)
    compare(f"gradient of {call}", ours, wanted, leaves, tolerance)


def own_first_order(call: Call, values: list[torch.Tensor], create_graph: bool) -> tuple:
    """Return the leaves, including weights, and the gradients of the call's leaves."""
    count = len(call.tensors())
    own = [as_opwright(each).requires_grad_() for each in values]
    results = call.run(ow, own[:count])
    return own, ow_gradients(results, own[:count], own[count:], create_graph)


def product_of(gradients: list, weights: list[torch.Tensor]) -> float:
    """Return the real part of the inner product; a missing gradient counts as zeros."""
    pairs = zip(gradients, weights, strict=True)
    return sum((as_torch(g) * w.conj()).sum().real.item() for g, w in pairs if g is not None)


def start_values(call: Call) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return the leaves of the call, and those with the gradients of its results."""
    leaves = [each.detach().clone() for each in call.tensors()]
    results = call.run(ow, [as_opwright(each).requires_grad_() for each in leaves])
    return leaves, [*leaves, *draw_like([as_torch(each) for each in results], 1)]


def check_against_differences(
    what: str, values: list[torch.Tensor], measure: Callable, gradients: list, tolerance: float
) -> None:
    """Check the gradients of `measure` at `values` against its difference quotient."""
    direction = draw_like(values, 3)

    def moved(step: float) -> float:
        return measure([v + step * d for v, d in zip(values, direction, strict=True)])

    wanted = (moved(STEP) - moved(-STEP)) / (2 * STEP)
    found = product_of(gradients, direction)
    assert found == pytest.approx(wanted, rel=tolerance, abs=tolerance), what


def check_second_order(call: Call, tolerance: float = 1e-5) -> None:
    """Check second-order gradients against difference quotients of gradients, in one direction."""
    leaves, values = start_values(call)
    seconds = draw_like(leaves, 2)
    own, first = own_first_order(call, values, create_graph=True)
    ours = ow_gradients(first, own, [as_opwright(each) for each in seconds], create_graph=False)

    def measure(shifted: list[torch.Tensor]) -> float:
        return product_of(own_first_order(call, shifted, create_graph=False)[1], seconds)

    check_against_differences(f"second order of {call}", values, measure, ours, tolerance)


def own_second_order(call: Call, values: list, seconds: list, create_graph: bool) -> tuple:
    """Return the leaves, including weights, and the gradients of the gradients' product."""
    own, first = own_first_order(call, values, create_graph=True)
    weights = [as_opwright(each) for each in seconds]
    return own, ow_gradients(first, own, weights, create_graph)


def check_third_order(call: Call, tolerance: float = 1e-5) -> None:
    """Check the next order in the same way."""
    leaves, values = start_values(call)
    seconds, thirds = draw_like(leaves, 2), draw_like(values, 4)
    own, second = own_second_order(call, values, seconds, create_graph=True)
    ours = ow_gradients(second, own, [as_opwright(each) for each in thirds], create_graph=False)

    def measure(shifted: list[torch.Tensor]) -> float:
        return product_of(own_second_order(call, shifted, seconds, create_graph=False)[1], thirds)

    check_against_differences(f"third order of {call}", values, measure, ours, tolerance)
