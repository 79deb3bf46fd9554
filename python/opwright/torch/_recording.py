"""What a binary asks of torch's autograd: to record a function of its own, to switch recording."""

import threading
from functools import cache

import torch

_level = torch._C._functorch.maybe_current_level


class _Thread(threading.local):
    """The guard that a binary's code has entered on this thread."""

    below: object = None


_thread = _Thread()


def set_grad_enabled(enabled: bool | None) -> bool:
    """Switch recording on or off; return what it was. None changes nothing."""
    previous = torch.is_grad_enabled()
    if enabled is not None:
        torch._C._set_grad_enabled(enabled)
    return previous


def set_below_autograd(below: bool) -> bool:
    """Go on below torch's autograd keys, or no longer; return whether that was so before."""
    previous = _thread.below is not None
    if below and not previous:
        _thread.below = torch._C._AutoDispatchBelowAutograd()
        _thread.below.__enter__()
    elif previous and not below:
        guard, _thread.below = _thread.below, None
        guard.__exit__(None, None, None)
    return previous


@cache
def _step(name: str) -> type[torch.autograd.Function]:
    """Create the class whose name torch shows for the node."""

    def forward(ctx: object, function: object, *inputs: torch.Tensor | None) -> tuple:
        needs = list(ctx.needs_input_grad[1:])
        outputs, saved, written, constant, materialize, _ = function.forward(needs, list(inputs))
        ctx.save_for_backward(*saved)
        if written:
            ctx.mark_dirty(*written)
        if constant:
            ctx.mark_non_differentiable(*constant)
        ctx.set_materialize_grads(materialize)
        ctx.opwright_function = function
        return tuple(outputs)

    def backward(ctx: object, *grads: torch.Tensor | None) -> tuple:
        needs = list(ctx.needs_input_grad[1:])
        given = ctx.opwright_function.backward(needs, list(ctx.saved_tensors), list(grads))
        if len(given) < len(needs) or any(each is not None for each in given[len(needs) :]):
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected "
                f"{len(needs)}, got {len(given)})"
            )
        return (None, *given[: len(needs)])

    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(f"CppNode<{name}>", (torch.autograd.Function,), methods)


def apply_function(inputs: list, function: object) -> list:
    """Run the forward of a binary's autograd function and record its backward."""
    if _level() is not None:
        raise RuntimeError(
            f"{function.name}: cannot use C++ torch::autograd::Function with functorch transforms "
            "(vmap, grad, vjp, etc)\n"
            "  Register the formula of the operator with m.register_autograd instead."
        )
    return list(_step(function.name).apply(function, *inputs))
