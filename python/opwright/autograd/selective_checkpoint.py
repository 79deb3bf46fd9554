"""Selective checkpointing: which operators a second run computes again, and which it looks up."""

import enum
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from .. import _C, pytree

__all__ = [
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts",
]


class CheckpointPolicy(enum.Enum):
    """Whether the results of an operator are saved, or computed again in the backward.

    `MUST_...` and `PREFER_...` mean the same here. The policies for offloading save nothing, as in
    PyTorch without its compiler.

    >>> CheckpointPolicy.MUST_SAVE.value
    0
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


class SelectiveCheckpointContext:
    """What a policy learns about a call: its results, and whether it is a second run.

    >>> SelectiveCheckpointContext(is_recompute=False).is_recompute
    False
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


_RECOMPUTE = object()
_CONSUMED = object()
_MISMATCH = (
    "The function must call the same operators each time; it must not depend on state that "
    "changes between the forward and the backward."
)

# For each operator the results of its calls, or one of the marks above.
_Storage = dict[_C.Operator, dict[int, Any]]


class _SavedResult:
    """A result, and the version of its memory when it was saved."""

    def __init__(self, value: Any):
        is_tensor = isinstance(value, _C.Tensor)
        self._value = value.detach() if is_tensor else value
        self._version = value._version if is_tensor else 0

    def get(self, allows_writes: bool) -> Any:
        if not isinstance(self._value, _C.Tensor):
            return self._value
        if self._value._version != self._version and not allows_writes:
            raise RuntimeError(
                "A tensor cached during selective activation checkpoint has been mutated in "
                "place. Save a clone, or pass allow_cache_entry_mutation=True"
            )
        return self._value.detach()


class _Block:
    """A `with` block that gets every operator call, and numbers the calls of each operator."""

    def __init__(self, storage: _Storage):
        self._storage = storage
        self._counts: dict[_C.Operator, int] = defaultdict(int)
        self._mode = _C.DispatchMode(self._dispatch)

    def __enter__(self) -> None:
        self._counts.clear()
        self._mode.__enter__()

    def __exit__(self, *error: object) -> None:
        self._mode.__exit__(*error)

    def _next_index(self, func: _C.Operator) -> int:
        self._counts[func] += 1
        return self._counts[func] - 1

    def _dispatch(self, func: _C.Operator, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


class _FirstRun(_Block):
    def __init__(self, policy: Callable, storage: _Storage):
        super().__init__(storage)
        self._policy = policy

    def _dispatch(self, func: _C.Operator, *args: Any, **kwargs: Any) -> Any:
        results = func(*args, **kwargs)
        index = self._next_index(func)
        context = SelectiveCheckpointContext(is_recompute=False, op_output=results)
        policy = self._policy(context, func, *args, **kwargs)
        if isinstance(policy, bool):
            policy = CheckpointPolicy.MUST_SAVE if policy else CheckpointPolicy.PREFER_RECOMPUTE
        is_saved = policy in (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
        saved = pytree.tree_map(_SavedResult, results) if is_saved else _RECOMPUTE
        self._storage[func][index] = saved
        return results


class _SecondRun(_Block):
    def __init__(self, storage: _Storage, allows_writes: bool):
        super().__init__(storage)
        self._allows_writes = allows_writes

    def _dispatch(self, func: _C.Operator, *args: Any, **kwargs: Any) -> Any:
        index = self._next_index(func)
        if func not in self._storage:
            raise RuntimeError(
                f"{func} encountered during backward but not found in storage. {_MISMATCH}"
            )
        calls = self._storage[func]
        if index not in calls:
            raise RuntimeError(
                f"{func} invocation index {index} encountered during backward but not found in "
                f"storage. {_MISMATCH}"
            )
        saved = calls[index]
        if saved is _CONSUMED:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any "
                "region computed under selective activation checkpoint."
            )
        if saved is _RECOMPUTE:
            return func(*args, **kwargs)
        calls[index] = _CONSUMED
        results = pytree.tree_map(lambda each: each.get(self._allows_writes), saved)
        is_tuple = len(func.schema.returns) > 1
        recorded = _C.record_results(func, args, kwargs, results if is_tuple else (results,))
        if recorded is None:
            return func(*args, **kwargs)
        return recorded if is_tuple else recorded[0]


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable | list, allow_cache_entry_mutation: bool = False
) -> tuple[_FirstRun, _SecondRun]:
    """Return the two contexts of a checkpoint that does not compute everything again.

    A policy `policy(ctx, op, *args, **kwargs)` returns a `CheckpointPolicy` for each call of an
    operator in the first run; a list has the operators to save. Pass the function as `context_fn`
    of `checkpoint`. Each of the checkpoint's backwards needs a forward of its own.

    >>> import functools
    >>> import opwright as ow
    >>> x = ow.ones(2, requires_grad=True)
    >>> saved = [ow.ops.aten.sin.default]
    >>> contexts = functools.partial(create_selective_checkpoint_contexts, saved)
    >>> y = ow.autograd.checkpoint(lambda x: x.sin().exp(), x, context_fn=contexts)
    >>> y.sum().backward()
    """
    policy: Callable
    if isinstance(policy_fn_or_list, list):
        operators = policy_fn_or_list
        for op in operators:
            if isinstance(op, _C.Operator):
                continue
            advice = (
                " Please update the OpOverloadPacket to a specific OpOverload. For example, use "
                "ops.aten.mm.default for ops.aten.mm"
                if isinstance(op, _C.OperatorPacket)
                else ""
            )
            raise ValueError(
                f"Expected op in `op_list` to be an OpOverload but got: {op} of type "
                f"{type(op).__name__}.{advice}"
            )

        def policy(
            context: SelectiveCheckpointContext, op: _C.Operator, *args: Any, **_: Any
        ) -> bool:
            return op in operators
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: _Storage = defaultdict(dict)
    return _FirstRun(policy, storage), _SecondRun(storage, allow_cache_entry_mutation)
