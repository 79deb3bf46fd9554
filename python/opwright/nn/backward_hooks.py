"""Backward hooks: a module's gradients of inputs and outputs, as they pass through it.

An identity Function on the inputs and one on the outputs mark where the module begins and ends on
the tape.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .. import Tensor, is_grad_enabled
from ..autograd.function import Function
from .global_hooks import global_hooks
from .hooks import Hook

if TYPE_CHECKING:
    from .._C import TapeNode
    from .module import Module

Gradients = tuple[Tensor | None, ...]


class BackwardHookFunction(Function):
    """The identity, whose node has the hooks."""

    @staticmethod
    def forward(*tensors: Tensor) -> tuple[Tensor, ...]:
        return tensors

    @staticmethod
    def setup_context(
        ctx: TapeNode, inputs: tuple[Tensor, ...], output: tuple[Tensor, ...]
    ) -> None:
        pairs = zip(inputs, output, strict=True)
        ctx.mark_non_differentiable(*[made for given, made in pairs if not given.requires_grad])

    @staticmethod
    def backward(ctx: TapeNode, *grads: Tensor) -> tuple[Tensor, ...]:
        return grads


def watch_backward(module: Module) -> BackwardWatch | None:
    """Return what surrounds the forward pass of a module with backward hooks, or None."""
    hooks = [*global_hooks.backward.values(), *module._backward_hooks.values()]
    pre_hooks = [*global_hooks.backward_pre.values(), *module._backward_pre_hooks.values()]
    return BackwardWatch(module, hooks, pre_hooks) if hooks or pre_hooks else None


class BackwardWatch:
    """One call of a module with backward hooks."""

    def __init__(self, module: Module, hooks: Sequence[Hook], pre_hooks: Sequence[Hook]) -> None:
        self._module = module
        self._hooks = [hook.function for hook in hooks if hook.is_full]
        self._node_hooks = [hook.function for hook in hooks if not hook.is_full]
        self._pre_hooks = [hook.function for hook in pre_hooks]
        self._num_inputs = 0
        self._num_outputs = 0
        self._inputs: list[int] | None = None  # the places of tensors, if one requires grad
        self._outputs: list[int] = []
        self._grad_outputs: Gradients | None = None  # between the two nodes of one backward

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments behind a node that runs the hooks."""
        if not self._hooks and not self._pre_hooks:
            return args
        self._num_inputs = len(args)
        args, self._inputs = _mark(args, self._after_inputs)
        return args

    def leave(self, output: Any) -> Any:
        """Return the output behind a node that runs the pre-hooks."""
        if self._hooks or self._pre_hooks:
            if not isinstance(output, (Tensor, tuple)):
                warnings.warn(
                    "For backward hooks to be called, the output of a module should be a Tensor "
                    f"or a tuple of Tensors, got {type(output).__name__}",
                    stacklevel=4,
                )
            outputs = output if isinstance(output, tuple) else (output,)
            self._num_outputs = len(outputs)
            outputs, places = _mark(outputs, self._after_outputs)
            self._outputs = places or []
            output = outputs if isinstance(output, tuple) else outputs[0]
        if self._node_hooks:
            self._hook_last_node(output)
        return output

    def _after_outputs(self, _: Gradients, grads: Gradients) -> Gradients | None:
        given = _spread(self._outputs, grads, self._num_outputs)
        for hook in self._pre_hooks:
            given = _replaced(hook(self._module, given), given, "pre-hook", "grad_output")
        self._grad_outputs = given
        if self._inputs is None:
            self._run_hooks_without_inputs(given)
        return tuple(given[place] for place in self._outputs)

    def _run_hooks_without_inputs(self, grad_outputs: Gradients) -> None:
        if self._hooks:
            warnings.warn(
                "Full backward hook is firing when gradients are computed with respect to module "
                "outputs since no inputs require gradients. The gradients of the inputs are None",
                stacklevel=2,
            )
        for hook in self._hooks:
            returned = hook(self._module, (None,) * self._num_inputs, grad_outputs)
            is_nothing = isinstance(returned, tuple) and all(each is None for each in returned)
            if returned is not None and not is_nothing:
                raise RuntimeError(
                    "a backward hook of a module where no input requires gradient must return "
                    "None, or None for each input"
                )
        self._grad_outputs = None

    def _after_inputs(self, grads: Gradients, _: Gradients) -> Gradients | None:
        if self._grad_outputs is None:
            return None  # the gradient did not pass through the module's output
        assert self._inputs is not None
        given = _spread(self._inputs, grads, self._num_inputs)
        for hook in self._hooks:
            returned = hook(self._module, given, self._grad_outputs)
            given = _replaced(returned, given, "hook", "grad_input")
        self._grad_outputs = None
        return tuple(given[place] for place in self._inputs)

    def _hook_last_node(self, output: Any) -> None:
        last = output
        while isinstance(last, (tuple, list, dict)) and last:
            last = next(iter(last.values())) if isinstance(last, dict) else last[0]
        node = last.grad_fn if isinstance(last, Tensor) else None
        for hook in self._node_hooks if node is not None else ():
            node.register_hook(_with_module(hook, self._module))


def _with_module(hook: Callable[..., Any], module: Module) -> Callable[..., Any]:
    def run(grads: Gradients, given: Gradients) -> Gradients | None:
        return _replaced(hook(module, grads, given), grads, "hook", "grad_input")

    return run


def _mark(
    values: tuple[Any, ...], hook: Callable[..., Any]
) -> tuple[tuple[Any, ...], list[int] | None]:
    """Put the tensors behind a node with the hook; None: no tensor requires grad."""
    places = [place for place, each in enumerate(values) if isinstance(each, Tensor)]
    tensors = [values[place] for place in places]
    if not is_grad_enabled() or not any(tensor.requires_grad for tensor in tensors):
        return values, None
    marked = list(values)
    for place, tensor in zip(places, BackwardHookFunction.apply(*tensors), strict=True):
        marked[place] = tensor
    node = next(marked[place].grad_fn for place in places if marked[place].grad_fn is not None)
    node.register_hook(hook)
    is_named = type(values) is not tuple
    return (type(values)(*marked) if is_named else tuple(marked)), places


def _spread(places: Sequence[int], grads: Gradients, count: int) -> Gradients:
    spread: list[Tensor | None] = [None] * count
    for place, grad in zip(places, grads, strict=True):
        spread[place] = grad
    return tuple(spread)


def _replaced(returned: Any, grads: Gradients, what: str, which: str) -> Gradients:
    if returned is None:
        return grads
    given = returned if isinstance(returned, tuple) else (returned,)
    if len(given) != len(grads):
        raise RuntimeError(
            f"Backward {what} returned an invalid number of {which}, got {len(given)}, but "
            f"expected {len(grads)}"
        )
    return given
