"""Modules as functions of their parameters and buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .. import _C
from .refusal import refusal

if TYPE_CHECKING:
    from ..nn import Module

Tensors = dict[str, _C.Tensor]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Tensors | Sequence[Tensors],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other parameters and buffers, which are given by their paths.

    Tensors that are not given keep their values; with `strict` all must be given. If `args` is not
    a tuple, it is the only argument. A buffer that the module replaces has its new value in the
    dict afterwards. With `tie_weights` a value is used for all names that share the module's
    tensor.

    >>> import opwright as ow
    >>> linear = ow.nn.Linear(2, 1)
    >>> weights = {"weight": ow.tensor([[1.0, 2.0]]), "bias": ow.tensor([0.5])}
    >>> ow.func.functional_call(linear, weights, ow.tensor([3.0, 4.0])).tolist()
    [11.5]
    """
    given = _merge(parameter_and_buffer_dicts)
    own_args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, given, tie_weights, strict):
        return module(*own_args, **(kwargs or {}))


def stack_module_state(models: Sequence[Module]) -> tuple[Tensors, Tensors]:
    """Stack the parameters and the buffers of modules of one class, to run them with vmap.

    Stacked parameters are new leaves: they require a gradient if those of the modules do.

    >>> import opwright as ow
    >>> models = [ow.nn.Linear(2, 3) for _ in range(4)]
    >>> params, buffers = ow.func.stack_module_state(models)
    >>> {name: tuple(value.shape) for name, value in params.items()}
    {'weight': (4, 3, 2), 'bias': (4, 3)}
    >>> run = lambda params, x: ow.func.functional_call(models[0], params, x)
    >>> tuple(ow.vmap(run, in_dims=(0, None))(params, ow.ones(2)).shape)
    (4, 3)
    """
    if len(models) == 0:
        raise refusal("ValueError", "stack_module_state: Expected at least one model, got 0")
    if len({model.training for model in models}) > 1:
        raise refusal(
            "ValueError",
            "stack_module_state: Expected all models to have the same training/eval mode; call "
            "train() or eval() on all of them",
        )
    if len({type(model) for model in models}) > 1:
        names = sorted({type(model).__name__ for model in models})
        raise refusal(
            "TypeError",
            "stack_module_state: Expected all models to be of the same class, got "
            + ", ".join(names),
        )
    return (
        _stack([dict(model.named_parameters()) for model in models]),
        _stack([dict(model.named_buffers()) for model in models]),
    )


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Let all batch norms of a module use the statistics of each batch; return the module.

    Running statistics are buffers that a call writes, which transforms cannot do for each sample.

    >>> import opwright as ow
    >>> model = ow.nn.Sequential(ow.nn.BatchNorm1d(3))
    >>> ow.func.replace_all_batch_norm_modules_(model)[0].running_mean is None
    True
    """
    from ..nn.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, SyncBatchNorm

    for module in root.modules():
        if isinstance(module, (BatchNorm1d, BatchNorm2d, BatchNorm3d, SyncBatchNorm)):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def _merge(dicts: Tensors | Sequence[Tensors]) -> MutableMapping[str, _C.Tensor]:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence) or not all(isinstance(each, dict) for each in dicts):
        raise refusal(
            "ValueError",
            "functional_call: Expected parameter_and_buffer_dicts to be a dict, or a list/tuple "
            f"of dicts, but got {type(dicts)}",
        )
    merged: Tensors = {}
    for each in dicts:
        repeated = sorted(merged.keys() & each.keys())
        if repeated:
            raise refusal(
                "ValueError",
                f"functional_call: {repeated} appeared in multiple dictionaries; behavior of "
                "functional call is ambiguous",
            )
        merged.update(each)
    return merged


@contextmanager
def _replaced(
    module: Module, given: MutableMapping[str, _C.Tensor], tie_weights: bool, strict: bool
) -> Iterator[None]:
    values = _for_all_names(module, given) if tie_weights else dict(given)
    if strict:
        _check_names(module, values)
    previous: list[tuple[str, Module, str, Mapping[str, Any], Any]] = []
    try:
        for path, value in values.items():
            owner_path, _, name = path.rpartition(".")
            owner = module.get_submodule(owner_path)
            members = _members_with(owner, name)
            previous.append((path, owner, name, members, members.get(name)))
            members[name] = value
            owner._raise_attribute_epoch()
        yield
    finally:
        for path, owner, name, members, before in reversed(previous):
            if path in given and members.get(name) is not None:
                given[path] = members[name]
            members[name] = before
            owner._raise_attribute_epoch()


def _members_with(owner: Module, name: str) -> dict[str, Any]:
    """Return the dict of an object that holds a tensor of this name."""
    for members in (owner._parameters, owner._buffers, owner.__dict__):
        if name in members:
            return members
    raise AttributeError(
        f"functional_call: {type(owner).__name__} has no parameter or buffer '{name}'"
    )


def _named_tensors(module: Module) -> Iterator[tuple[str, _C.Tensor]]:
    yield from module.named_parameters(remove_duplicate=False)
    yield from module.named_buffers(remove_duplicate=False)


def _for_all_names(module: Module, given: Mapping[str, _C.Tensor]) -> Tensors:
    """Repeat each value for all names of its tensor in the module."""
    names: dict[int, list[str]] = {}
    for name, tensor in _named_tensors(module):
        names.setdefault(id(tensor), []).append(name)
    values = dict(given)
    for tied in names.values():
        own = {id(given[name]): given[name] for name in tied if name in given}
        if len(own) > 1:
            raise refusal(
                "ValueError",
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. "
                "Consider using tie_weights=False",
            )
        for value in own.values():
            values.update(dict.fromkeys(tied, value))
    return values


def _check_names(module: Module, values: Tensors) -> None:
    expected = dict(_named_tensors(module)).keys()
    problems = [
        f"{what} key(s): {', '.join(repr(name) for name in sorted(names))}."
        for what, names in (
            ("Unexpected", values.keys() - expected),
            ("Missing", expected - values.keys()),
        )
        if names
    ]
    if problems:
        raise refusal(
            "ValueError",
            f"functional_call: Error(s) in reparametrizing for {type(module).__name__}:\n  "
            + "\n  ".join(problems),
        )


def _stack(states: list[Tensors]) -> Tensors:
    return {name: _stack_one(name, [state[name] for state in states]) for name in states[0]}


def _stack_one(name: str, tensors: list[_C.Tensor]) -> _C.Tensor:
    if len({tensor.requires_grad for tensor in tensors}) > 1:
        raise refusal(
            "ValueError",
            f"stack_module_state: Expected {name} from each model to have the same .requires_grad",
        )
    stacked = _C.make_function("stack")(tensors)
    return stacked.detach().requires_grad_() if tensors[0].requires_grad else stacked
