"""The tape: nodes, gradient edges, and hooks for saved tensors."""

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from .. import _C
from .._C import TapeNode as Node
from .._func.hook_state import HooksRefused, enter_hooks, leave_hooks

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class GradientEdge(NamedTuple):
    """Where a gradient goes: an input of a node.

    >>> import opwright as ow
    >>> get_gradient_edge(ow.ones(2, requires_grad=True).sin()).output_nr
    0
    """

    node: Node
    output_nr: int


def get_gradient_edge(tensor: _C.Tensor) -> GradientEdge:
    """Return where the gradient of a tensor goes.

    >>> import opwright as ow
    >>> get_gradient_edge(ow.ones(2, requires_grad=True)).node
    <AccumulateGrad>
    """
    return GradientEdge(*_C.gradient_edge(tensor))


class saved_tensors_hooks:  # noqa: N801 (torch's name, used as `with saved_tensors_hooks(...)`)
    """Pass tensors saved for a backward through `pack_hook` in a `with` block.

    `pack_hook(tensor)` returns the object to keep instead of the tensor; `unpack_hook` turns it
    back into the tensor when a formula uses it.

    >>> import opwright as ow
    >>> x = ow.tensor([1.0, 2.0], requires_grad=True)
    >>> with saved_tensors_hooks(lambda tensor: tensor.numpy().copy(), ow.from_numpy):
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def __init__(
        self, pack_hook: Callable[[_C.Tensor], Any], unpack_hook: Callable[[Any], _C.Tensor]
    ):
        self._hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        enter_hooks()
        _C.push_saved_tensor_hooks(*self._hooks)

    def __exit__(self, *error: object) -> None:
        _C.pop_saved_tensor_hooks()
        leave_hooks()


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Raise an error with this message for saved-tensor hooks in a `with` block.

    If hooks are active already, entering the block is the error.

    >>> with disable_saved_tensors_hooks("no hooks here"):
    ...     with saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
    ...         pass
    Traceback (most recent call last):
        ...
    RuntimeError: no hooks here
    """
    with HooksRefused(error_message):
        yield


class save_on_cpu(saved_tensors_hooks):  # noqa: N801 (torch's name, used as `with save_on_cpu()`)
    """Keep tensors saved for a backward in the memory of the CPU in a `with` block.

    `pin_memory` is not supported: a copy to the device waits for it in any case.

    >>> import opwright as ow
    >>> x = ow.tensor([1.0, 2.0], requires_grad=True)
    >>> with save_on_cpu():
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        if pin_memory:
            raise NotImplementedError("save_on_cpu: pin_memory=True is not supported")
        super().__init__(
            lambda tensor: (tensor.device, tensor.cpu().clone()),
            lambda packed: packed[1].to(packed[0]),
        )


class _Copies:
    """What `allow_mutation_on_saved_tensors` yields: the saved values, and the copied ones.

    Empty after the block.
    """

    def __init__(self, block: _C.SavedCopies):
        self._block: _C.SavedCopies | None = block

    def close(self) -> None:
        self._block = None

    @property
    def cloned(self) -> dict[int, None]:
        return dict.fromkeys(range(self._block.num_copies if self._block else 0))

    @property
    def tid_to_weakhandle(self) -> dict[int, None]:
        return dict.fromkeys(range(self._block.num_saved if self._block else 0))


_copies = threading.local()


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_Copies]:
    """Allow writes to tensors saved for a backward in a `with` block: they are copied first.

    The backward must run in the block, too.

    >>> import opwright as ow
    >>> x = ow.tensor([1.0, 2.0], requires_grad=True)
    >>> with allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     z = (y * y).sum()
    ...     y.zero_()
    ...     z.backward()
    tensor([0., 0.], grad_fn=<ZeroBackward0>)
    >>> x.grad
    tensor([2., 4.])
    """
    if getattr(_copies, "is_active", False):
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    enter_hooks()
    block = _C.SavedCopies()
    _copies.is_active = True
    block.enter()
    copies = _Copies(block)
    try:
        yield copies
    finally:
        block.leave()
        copies.close()
        _copies.is_active = False
        leave_hooks()


def increment_version(tensor: _C.Tensor | Iterable[_C.Tensor]) -> None:
    """Count a write to the memory of the tensors, made by code that autograd does not see.

    >>> import opwright as ow
    >>> x = ow.zeros(2)
    >>> before = x._version
    >>> increment_version(x)
    >>> x._version - before
    1
    """
    for each in (tensor,) if isinstance(tensor, _C.Tensor) else tensor:
        _C.increment_version(each)


class _MultiHandle:
    """Removes the hooks of several tensors."""

    def __init__(self, handles: Sequence[_C.HookHandle]):
        self._handles = handles

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> "_MultiHandle":
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[_C.Tensor],
    fn: Callable[..., None],
    *,
    mode: Literal["all", "any"] = "all",
) -> _MultiHandle:
    """Call `fn` when the gradients of several tensors are known.

    With "all" it gets a list with the gradient of each, or None for one that this backward does not
    compute, once all others are there; with "any", the first gradient that is computed. Once for
    each backward.

    >>> import opwright as ow
    >>> x, y = ow.ones(1, requires_grad=True), ow.ones(1, requires_grad=True)
    >>> handle = register_multi_grad_hook((x, y), print)
    >>> (x * 2 + y * 3).sum().backward()
    [tensor([2.]), tensor([3.])]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"register_multi_grad_hook: mode must be 'all' or 'any', got {mode!r}")
    edges = [get_gradient_edge(tensor) for tensor in tensors]
    lock = threading.Lock()
    seen: dict[
        int, tuple[list[_C.Tensor | None], int]
    ] = {}  # by backward: gradients, how many come
    fired: set[int] = set()  # the backwards that ran the hook

    def arrived(place: int, gradient: _C.Tensor) -> None:
        backward = _C.current_backward()
        with lock:
            if backward not in seen:
                seen[backward] = (
                    [None] * len(edges),
                    sum(_C.will_run(edge.node) for edge in edges),
                )
            gradients, awaited = seen[backward]
            gradients[place] = gradient
            is_last = sum(each is not None for each in gradients) == awaited
            if is_last:
                del seen[backward]
        if is_last:
            fn(gradients)

    def first(gradient: _C.Tensor) -> None:
        backward = _C.current_backward()
        with lock:
            is_first = backward not in fired
            fired.add(backward)
        if is_first:
            fn(gradient)

    def hook_at(place: int) -> Callable[[_C.Tensor], None]:
        return lambda gradient: arrived(place, gradient)

    return _MultiHandle(
        [
            tensor.register_hook(first if mode == "any" else hook_at(place))
            for place, tensor in enumerate(tensors)
        ]
    )
