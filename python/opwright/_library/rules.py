"""Adapters between an author's rule, in torch.library's form, and the values of its slot.

include/opwright/c_api.h lists the arguments of each slot. All arguments of the operator are passed
by position, with defaults filled in.
"""

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .. import _C
from .infer_schema import Restorers


@dataclass(frozen=True)
class VmapInfo:
    """Information for a vmap rule beyond its arguments.

    >>> VmapInfo(batch_size=3, randomness="error").batch_size
    3
    """

    batch_size: int
    randomness: str  # "error", "same" or "different"
    # The batch dimension of each keyword-only argument, or None.
    keyword_in_dims: dict[str, object] = field(default_factory=dict)


def check_callable(name: str, what: str, function: object) -> None:
    """Reject objects that are not callable."""
    if not callable(function):
        raise TypeError(f"{name}: {what} must be callable, got {type(function).__name__}")


def restoring(function: Callable, restorers: Restorers, schema: _C.Schema) -> Callable:
    """Wrap a kernel so that it receives what the type hints of the operator's function promise."""
    if not restorers:
        return function
    names = [argument.name for argument in schema.arguments]

    @functools.wraps(function)
    def kernel(*args: object, **kwargs: object) -> object:
        given = zip(names, args, strict=False)
        restored = [restorers[n](a) if n in restorers else a for n, a in given]
        named = {n: restorers[n](a) if n in restorers else a for n, a in kwargs.items()}
        return function(*restored, **named)

    return kernel


def naming_fake(function: Callable, name: str) -> Callable:
    """Wrap a fake kernel so that its errors name the operator and the line that raised."""

    @functools.wraps(function)
    def fake_kernel(*args: object, **kwargs: object) -> object:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            inner = error.__traceback__ and error.__traceback__.tb_next
            place = f" at {inner.tb_frame.f_code.co_filename}:{inner.tb_lineno}" if inner else ""
            error.add_note(f"in the fake kernel of {name}{place}")
            raise

    return fake_kernel


def _split(
    schema: _C.Schema, values: Sequence[object], restorers: Restorers
) -> tuple[tuple, dict[str, object]]:
    """Split the values of all arguments into positional and keyword-only ones."""
    pairs = zip(schema.arguments, values, strict=True)
    restored = [restorers[a.name](v) if a.name in restorers else v for a, v in pairs]
    count = sum(not argument.kwarg_only for argument in schema.arguments)
    names = [argument.name for argument in schema.arguments[count:]]
    return tuple(restored[:count]), dict(zip(names, restored[count:], strict=True))


def vmap_rule(operator: _C.Operator, function: Callable, restorers: Restorers) -> Callable:
    """Adapt `function(info, in_dims, *args, **kwargs) -> (output, out_dims)`."""
    check_callable(operator.name, "a vmap rule", function)
    arguments = operator.schema.arguments
    num_returns = len(operator.schema.returns)
    num_positional = sum(not argument.kwarg_only for argument in arguments)
    names = [argument.name for argument in arguments[num_positional:]]
    restored = [(i, restorers[a.name]) for i, a in enumerate(arguments) if a.name in restorers]

    @functools.wraps(function)
    def rule(batch_size: int, randomness: str, in_dims: Sequence, *given: object) -> tuple:
        dims = tuple([tuple(dim) if isinstance(dim, list) else dim for dim in in_dims])
        values = list(given)
        for index, restore in restored:
            values[index] = restore(values[index])
        keyword_dims = dict(zip(names, dims[num_positional:], strict=True))
        kwargs = dict(zip(names, values[num_positional:], strict=True))
        info = VmapInfo(batch_size, randomness, keyword_dims)
        returned = function(info, dims[:num_positional], *values[:num_positional], **kwargs)
        if not isinstance(returned, tuple) or len(returned) != 2:
            count = f"{len(returned)} values" if isinstance(returned, tuple) else "one value"
            raise RuntimeError(
                f"{operator.name}: the vmap rule must return (output, out_dims), got {count}"
            )
        output, out_dims = returned
        if num_returns == 0:
            return ([],)
        if num_returns == 1:
            is_wrapped = isinstance(out_dims, tuple) and len(out_dims) == 1
            return output, [out_dims[0] if is_wrapped else out_dims]
        if out_dims is None or isinstance(out_dims, int):
            out_dims = (out_dims,) * num_returns
        if not (len(output) == len(out_dims) == num_returns):
            raise RuntimeError(
                f"{operator.name}: the vmap rule returned {len(output)} outputs and "
                f"{len(out_dims)} out_dims, but the operator has {num_returns} results"
            )
        return (*output, [*out_dims])

    return rule


def scatter_rule(operator: _C.Operator, function: Callable, restorers: Restorers) -> Callable:
    """Adapt `function(base, value, *args, **kwargs)`, with the index last for a list of views."""
    check_callable(operator.name, "a scatter rule", function)
    schema = operator.schema
    is_list = bool(schema.returns) and str(schema.returns[0].type).endswith("[]")

    @functools.wraps(function)
    def rule(base: object, value: object, *values: object) -> object:
        place = values[-1:] if is_list else ()
        rest = values[: len(values) - len(place)]
        (_, *args), kwargs = _split(schema, (base, *rest), restorers)
        returned = function(base, value, *args, *place, **kwargs)
        if not isinstance(returned, _C.Tensor):
            raise TypeError(
                f"{operator.name}: the scatter rule must return the new base, a tensor, got "
                f"{type(returned).__name__}"
            )
        return returned

    return rule


def jvp_rule(operator: _C.Operator, function: Callable, restorers: Restorers) -> Callable:
    """Adapt `function(*args, *tangents)`, keyword-only arguments by name."""
    check_callable(operator.name, "a jvp rule", function)
    schema = operator.schema
    num_arguments = len(schema.arguments)
    if not restorers and not any(argument.kwarg_only for argument in schema.arguments):
        return function

    @functools.wraps(function)
    def rule(*values: object) -> object:
        args, kwargs = _split(schema, values[:num_arguments], restorers)
        return function(*args, *values[num_arguments:], **kwargs)

    return rule


def old_positions(operator: _C.Operator, names: Sequence[str]) -> list[int]:
    """Return the indices of the arguments whose old values a formula keeps."""
    arguments = [argument.name for argument in operator.schema.arguments]
    for name in (names,) if isinstance(names, str) else names:
        if name not in arguments or not operator.schema.arguments[arguments.index(name)].is_write:
            raise ValueError(
                f"{operator.name}: keep_old names arguments that it writes to, got {name!r}"
            )
    return [arguments.index(name) for name in ((names,) if isinstance(names, str) else names)]


def setup_context_rule(operator: _C.Operator, function: Callable, restorers: Restorers) -> Callable:
    """Adapt `function(ctx, inputs, output)`, with `keyword_only_inputs` third if there are any."""
    check_callable(operator.name, "setup_context", function)
    schema = operator.schema
    names = ["ctx", "inputs", "output"]
    if any(argument.kwarg_only for argument in schema.arguments):
        names.insert(2, "keyword_only_inputs")
    signature = inspect.signature(function)
    has_names = _can_bind(signature, **dict.fromkeys(names))
    if not has_names and not _can_bind(signature, *names):
        raise TypeError(
            f"{operator.name}: setup_context must take ({', '.join(names)}), got {signature}"
        )
    rule = function
    if has_names and [*signature.parameters][: len(names)] != names:

        @functools.wraps(function)
        def rule(*given: object) -> None:
            function(**dict(zip(names, given, strict=True)))

    return _restoring_inputs(rule, restorers, schema)


def _restoring_inputs(rule: Callable, restorers: Restorers, schema: _C.Schema) -> Callable:
    """Wrap a setup_context so that its inputs are what the type hints of the operator promise."""
    if not restorers:
        return rule
    positional = [argument.name for argument in schema.arguments if not argument.kwarg_only]

    def restored(name: str, value: object) -> object:
        return restorers[name](value) if name in restorers else value

    @functools.wraps(rule)
    def setup_context(ctx: object, inputs: tuple, *rest: object) -> None:
        *keyword_only, output = rest
        pairs = zip(positional, inputs, strict=True)
        named = [{n: restored(n, v) for n, v in given.items()} for given in keyword_only]
        rule(ctx, tuple(restored(n, v) for n, v in pairs), *named, output)

    return setup_context


def _can_bind(signature: inspect.Signature, *args: object, **kwargs: object) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True
