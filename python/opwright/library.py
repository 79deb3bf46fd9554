"""Define operators and attach their rules; names and semantics follow torch.library."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Literal

from . import _C
from ._library.autograd_kernel import is_autograd_key
from ._library.fake_context import FakeContext, get_ctx
from ._library.infer_fake import switch as inferred_fakes
from ._library.infer_schema import check_mutates_args, infer_schema, restorers
from ._library.key_set import redispatch
from ._library.library import Library
from ._library.registrations import (
    Registrations,
    check_name,
    keep,
    kernel_slot,
    kernel_slots,
    operator_name,
    registrations_of,
    replace_definition,
    restorers_of,
)
from ._library.rules import (
    VmapInfo,
    check_callable,
    jvp_rule,
    old_positions,
    scatter_rule,
    setup_context_rule,
    vmap_rule,
)
from ._library.tag import Tag, Tags, with_compliant_tag
from ._undo import Undo
from .testing import opcheck

__all__ = [
    "FakeContext",
    "Library",
    "Tag",
    "VmapInfo",
    "custom_op",
    "define",
    "get_ctx",
    "get_kernel",
    "impl",
    "infer_fake",
    "infer_schema",
    "list",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_effect",
    "register_fake",
    "register_jvp",
    "register_kernel",
    "register_opaque_type",
    "register_scatter",
    "register_vmap",
    "set_kernel_enabled",
]

OperatorLike = str | _C.Operator | _C.OperatorPacket
DeviceTypes = str | Sequence[str] | None

_scoped_library = Library  # torch's name for `with Library(...)`


def custom_op(
    name: str,
    fn: Callable | None = None,
    /,
    *,
    mutates_args: Iterable[str] | Literal["unknown"],
    device_types: DeviceTypes = None,
    schema: str | None = None,
    tags: Tags = (),
) -> _C.Operator | Callable[[Callable], _C.Operator]:
    """Turn a typed Python function into an operator.

    >>> import opwright as ow
    >>> @custom_op("audio::gain", mutates_args=())
    ... def gain(x: ow.Tensor, factor: float) -> ow.Tensor:
    ...     return x * factor
    >>> gain(ow.tensor([1.0, 2.0]), 3.0).tolist()
    [3.0, 6.0]
    >>> gain is ow.ops.audio.gain.default
    True

    `mutates_args` names every argument that the function writes to, or is "unknown": every tensor.
    The function is for all devices, or for those of `device_types`. The schema is inferred from its
    type hints unless `schema` is given, e.g. "(Tensor x, float factor) -> Tensor".

    An operator that Python defined under that name is replaced, with all its rules; one defined by
    a binary or the core is not.

    An argument whose hint is an Enum is `int` or `str` in the schema, by the type of its values;
    kernels get the member back. One whose hint is a tuple is a list in the schema; kernels get a
    tuple.
    """
    check_name(name)
    if fn is None:
        return partial(
            custom_op,
            name,
            mutates_args=mutates_args,
            device_types=device_types,
            schema=schema,
            tags=tags,
        )
    if schema is None:
        text = infer_schema(fn, mutates_args=mutates_args, op_name=name, tags=tags)
    else:
        text = f"{name}{schema}"
    parsed = _C.parse_schema(text)
    if schema is not None:
        check_mutates_args(parsed, mutates_args)
    slots = kernel_slots(device_types)
    replace_definition(parsed.name)
    registrations = Registrations(parsed.name)
    try:
        operator = registrations.define(text, with_compliant_tag(tags), source=fn)
        registrations.set_default(fn, restorers(fn))
        registrations.implement(slots, fn, checks_aliases=True)
    except Exception:
        registrations.close()
        raise
    keep(registrations)
    operator.documentation = fn.__doc__ or ""
    return operator


def define(
    qualname: str | Library,
    schema: str | None = None,
    *,
    lib: Library | None = None,
    tags: Tags = (),
) -> _C.Operator | Callable[[Callable], Callable]:
    """Define an operator by its schema; its functions are registered separately.

    >>> define("audio::sine", "(Tensor x) -> Tensor").name
    'audio::sine'
    >>> define("audio::cosine(Tensor x) -> Tensor").name
    'audio::cosine'

    With `lib` it lasts as long as that library. `define(lib, schema)` is a decorator: the function
    becomes the body of the new operator, under the key of the library.
    """
    if isinstance(qualname, Library):
        library = qualname

        def define_and_implement(function: Callable) -> Callable:
            library.impl(library.define(schema or "", tags=tags), function)
            return function

        return define_and_implement
    if schema is not None or not isinstance(qualname, str):
        check_name(qualname)
    if schema is not None and not schema.lstrip().startswith("("):
        raise ValueError(
            f"define({qualname!r}, ...): a schema with a separate name starts with its arguments, "
            f"e.g. '(Tensor x) -> Tensor', got {schema!r}"
        )
    text = f"{qualname}{schema or ''}"
    if lib is not None:
        name = lib.define(text, tags=tags)
        return _C.require_operator(name if "::" in name else f"{lib.ns}::{name}")
    registrations = Registrations("")
    operator = registrations.define(text, tags)
    keep(registrations)
    return operator


def _registrations(op: OperatorLike, lib: Library | None) -> Registrations:
    return registrations_of(operator_name(op)) if lib is None else lib._registrations_of(op)


def impl(
    qualname: OperatorLike | Library,
    types: str | Sequence[str],
    func: Callable | str | None = None,
    *,
    lib: Library | None = None,
    dispatch_key: str = "",
) -> Callable:
    """Register a function for devices or under PyTorch's dispatch keys.

    >>> import opwright as ow
    >>> _ = define("audio::double", "(Tensor x) -> Tensor")
    >>> @impl("audio::double", "cpu")
    ... def _(x):
    ...     return x + x
    >>> ow.ops.audio.double(ow.tensor([1.0])).tolist()
    [2.0]

    "default" means every device. The older form takes a library first: `impl(lib, name)` under the
    key of that library, or `impl(lib, name, "Meta")`.
    """
    if isinstance(qualname, Library):
        library, name = qualname, types
        key = dispatch_key or func or ""

        def implement(function: Callable) -> Callable:
            library.impl(name, function, key)
            return function

        return implement
    slots = () if is_autograd_key(types) else kernel_slots(types)
    for slot in slots:
        _C.check_slot(slot)
    if func is None:
        return partial(impl, qualname, types, lib=lib)
    if slots:
        _registrations(qualname, lib).implement(slots, func)
    else:
        _registrations(qualname, lib).implement_key(types, func)
    return func


def register_kernel(
    op: OperatorLike,
    device_types: DeviceTypes,
    func: Callable | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Callable:
    """Register the function that computes `op` on one or more devices.

    >>> import opwright as ow
    >>> @custom_op("audio::negate", mutates_args=(), device_types="cuda")
    ... def negate(x: ow.Tensor) -> ow.Tensor: ...
    >>> @register_kernel("audio::negate", "cpu")
    ... def _(x):
    ...     return -x
    >>> negate(ow.tensor([1.0])).tolist()
    [-1.0]

    None means every device without its own kernel. A later registration replaces an earlier one for
    every device that it names.

    Each call checks the results: one that shares memory with an argument or with another result
    is an error unless the schema marks the alias.
    """
    if func is None:
        return partial(register_kernel, op, device_types, lib=lib)
    slots = kernel_slots(device_types)
    _registrations(op, lib).implement(slots, func, checks_aliases=True)
    return func


def register_fake(
    op: OperatorLike,
    func: Callable | None = None,
    /,
    *,
    lib: Library | None = None,
    allow_override: bool = True,
) -> Callable:
    """Register the function that computes shapes and dtypes of the results without data.

    It is used for fake and meta tensors.

    >>> import opwright as ow
    >>> @custom_op("audio::decimate", mutates_args=())
    ... def decimate(x: ow.Tensor) -> ow.Tensor:
    ...     return ow.from_numpy(x.numpy()[::2].copy())
    >>> @decimate.register_fake
    ... def _(x):
    ...     return x.new_empty([(x.shape[0] + 1) // 2])
    >>> decimate(ow.empty([5], device="meta")).shape[0]
    3

    An operator tagged inplace or out needs none: it returns what it writes.
    """
    if func is None:
        return partial(register_fake, op, lib=lib, allow_override=allow_override)
    registrations = _registrations(op, lib)
    if not allow_override and _C.has_own_function(registrations.name, "Fake"):
        raise RuntimeError(
            f"{registrations.name} already has a fake impl (a Meta implementation); pass "
            "allow_override=True to replace it"
        )
    _warn_of_needless_fake(registrations.name)
    registrations.implement(("Fake",), func)
    return func


def _warn_of_needless_fake(name: str) -> None:
    operator = _C.find_operator(name)
    for tag in set(operator.tag_names if operator else ()) & {"inplace", "out"}:
        warnings.warn(
            f"{name} is tagged {tag} (torch.Tag.{tag}): without a fake kernel it returns what it "
            "writes, so it needs none",
            stacklevel=3,
        )


def infer_fake(op: OperatorLike | None = None, enabled: bool = True) -> Undo:
    """Infer the fake kernel of an operator by running it; in a `with` statement, for the block.

    The operator runs on zeros of two sizes, with a warning; sizes that the two runs do not
    determine raise an error. None means all operators without a fake kernel.

    >>> import opwright as ow
    >>> import warnings
    >>> @custom_op("audio::halve", mutates_args=())
    ... def halve(x: ow.Tensor) -> ow.Tensor:
    ...     return x[::2].clone()
    >>> mode = ow.FakeTensorMode()
    >>> x = mode.from_tensor(ow.zeros(8), dynamic=True)
    >>> with infer_fake(halve), warnings.catch_warnings(action="ignore"):
    ...     halve(x).shape
    ((s0 + 1)//2,)
    """
    name = None if op is None else operator_name(op)
    was_enabled = inferred_fakes.is_on(name)
    inferred_fakes.set(name, enabled)
    return Undo(lambda: inferred_fakes.set(name, was_enabled))


def register_autograd(
    op: OperatorLike,
    backward: Callable,
    /,
    *,
    setup_context: Callable | None = None,
    keep_old: Sequence[str] = (),
    lib: Library | None = None,
) -> None:
    """Register a backward formula.

    `backward(ctx, *grads)` gets one gradient per result and returns one per argument: None for an
    argument without one, a single value if there is one argument. `setup_context(ctx, inputs,
    output)` runs after the call and saves what the formula needs; for an operator with keyword-only
    arguments it is `setup_context(ctx, inputs, keyword_only_inputs, output)`. In both, `ctx` has
    `save_for_backward` and `saved_tensors`, `needs_input_grad`, `set_materialize_grads`,
    `mark_non_differentiable`, and any attributes set on it.

    An operator that writes to arguments has a gradient for each of those that it does not return,
    after those of its results. `keep_old` names such arguments; setup_context then gets their
    values from before the call.

    >>> import opwright as ow
    >>> @custom_op("audio::scale", mutates_args=())
    ... def scale(x: ow.Tensor, factor: float) -> ow.Tensor:
    ...     return x * factor
    >>> def setup_context(ctx, inputs, output):
    ...     _, ctx.factor = inputs
    >>> def backward(ctx, grad):
    ...     return grad * ctx.factor, None
    >>> scale.register_autograd(backward, setup_context=setup_context)
    >>> x = ow.ones(2, requires_grad=True)
    >>> scale(x, 3.0).sum().backward()
    >>> x.grad
    tensor([3., 3.])
    """
    operator = _C.require_operator(operator_name(op))
    check_callable(operator.name, "a backward formula", backward)
    if "out" in operator.tag_names:
        raise RuntimeError(
            f"{operator.name} is tagged out. Out variants do not support autograd; register the "
            "formula for the variant without out"
        )
    positions = old_positions(operator, keep_old)
    registrations = _registrations(operator, lib)
    if setup_context is None:
        registrations.remove("SetupContext")
    else:
        restore = restorers_of(operator.name)
        setup_rule = setup_context_rule(operator, setup_context, restore)
        registrations.add_rule("SetupContext", setup_rule)
    registrations.keep_old(positions)
    registrations.add_rule("Autograd", backward)


def register_jvp(
    op: OperatorLike, func: Callable | None = None, /, *, lib: Library | None = None
) -> Callable:
    """Register the forward-mode rule: `func(*args, *tangents)` returns the tangents of the results.

    There is a tangent for each tensor argument, in the order of the schema; None means a zero
    tangent. Keyword-only arguments are passed by name. An operator without such a rule gets its
    tangents from the backward formula.

    >>> import opwright as ow
    >>> @custom_op("audio::square", mutates_args=())
    ... def square(x: ow.Tensor) -> ow.Tensor:
    ...     return x * x
    >>> @square.register_jvp
    ... def _(x, tangent):
    ...     return 2 * x * tangent
    """
    if func is None:
        return partial(register_jvp, op, lib=lib)
    operator = _C.require_operator(operator_name(op))
    rule = jvp_rule(operator, func, restorers_of(operator.name))
    _registrations(operator, lib).add_rule("Jvp", rule)
    return func


def register_vmap(
    op: OperatorLike, func: Callable | None = None, /, *, lib: Library | None = None
) -> Callable:
    """Register how the operator runs over a batch: `func(info, in_dims, *args, **kwargs)`.

    `in_dims` has, for each positional argument, the batch dimension or None; `info` has
    `batch_size`, `randomness` and, for keyword-only arguments, `keyword_in_dims`. The function
    returns `(output, out_dims)`.

    >>> import opwright as ow
    >>> @custom_op("audio::cube", mutates_args=())
    ... def cube(x: ow.Tensor) -> ow.Tensor:
    ...     return x * x * x
    >>> @cube.register_vmap
    ... def _(info, in_dims, x):
    ...     return cube(x), in_dims[0]
    """
    if func is None:
        return partial(register_vmap, op, lib=lib)
    operator = _C.require_operator(operator_name(op))
    rule = vmap_rule(operator, func, restorers_of(operator.name))
    _registrations(operator, lib).add_rule("Vmap", rule)
    return func


def register_scatter(
    op: OperatorLike, func: Callable | None = None, /, *, lib: Library | None = None
) -> Callable:
    """Register the function that computes a view operator's base after a write to the view.

    `func(base, value, *args)` gets the first argument, the new value of the view and the other
    arguments, and returns the new base without writing. For an operator that returns a list of
    views, `args` ends with the index in the list. `functionalize` needs it when such a view is
    written.

    >>> import opwright as ow
    >>> @custom_op("audio::left", mutates_args=(), schema="(Tensor(a) x) -> Tensor(a)")
    ... def left(x):
    ...     return x[0]
    >>> @left.register_scatter
    ... def _(base, value):
    ...     return ow.select_scatter(base, value, 0, 0)
    >>> x = ow.zeros(2, 2)
    >>> ow.func.functionalize(lambda x: left(x).add_(1))(x).tolist(), x.tolist()
    ([1.0, 1.0], [[1.0, 1.0], [0.0, 0.0]])
    """
    if func is None:
        return partial(register_scatter, op, lib=lib)
    operator = _C.require_operator(operator_name(op))
    rule = scatter_rule(operator, func, restorers_of(operator.name))
    _registrations(operator, lib).add_rule("Scatter", rule)
    return func


def register_autocast(
    op: OperatorLike, device_type: str, cast_inputs: _C.dtype, /, *, lib: Library | None = None
) -> None:
    """Make autocast on `device_type` cast the floating tensors of a call to `cast_inputs`.

    >>> import opwright as ow
    >>> @custom_op("audio::mix", mutates_args=())
    ... def mix(x: ow.Tensor, *, y: ow.Tensor) -> ow.Tensor:
    ...     return x + y
    >>> mix.register_autocast("cpu", ow.float16)
    """
    operator = _C.require_operator(operator_name(op))
    _registrations(operator, lib).add_autocast(device_type, cast_inputs)


def register_effect(op: OperatorLike, effect: Literal["ordered"] = "ordered") -> None:
    """Declare a side effect: an ordered operator is never removed or reordered.

    >>> import opwright as ow
    >>> @custom_op("audio::play", mutates_args=())
    ... def play(x: ow.Tensor) -> None: ...
    >>> play.register_effect()
    >>> "ordered" in play.tags
    True
    """
    if effect != "ordered":
        raise ValueError(f"the effect of an operator is 'ordered', got {effect!r}")
    _C.add_tags(operator_name(op), (effect,))


def _set_enabled(registrations: Registrations, slot: str, enabled: bool) -> None:
    if registrations.is_enabled(slot) == enabled or registrations.is_closed:
        return
    if enabled:
        registrations.enable(slot)
    else:
        registrations.disable(slot)


def set_kernel_enabled(op: OperatorLike, device_type: str, enabled: bool = True) -> Undo:
    """Disable the kernel of a device, or enable it again; in a `with` statement, for the block.

    While it is disabled, the function passed to custom_op runs on that device.

    >>> import opwright as ow
    >>> @custom_op("audio::zero", mutates_args=())
    ... def zero(x: ow.Tensor) -> ow.Tensor:
    ...     return ow.zeros_like(x)
    >>> @zero.register_kernel("cpu")
    ... def _(x):
    ...     return ow.ones_like(x)
    >>> x = ow.tensor([5.0])
    >>> with zero.set_kernel_enabled("cpu", enabled=False):
    ...     zero(x).tolist()
    [0.0]
    >>> zero(x).tolist()
    [1.0]
    """
    registrations, slot = registrations_of(operator_name(op)), kernel_slot(device_type)
    if not registrations.has_kernel(slot):
        warnings.warn(
            f"{registrations.name}: no kernel was registered for {device_type} from Python",
            stacklevel=2,
        )
    was_enabled = registrations.is_enabled(slot)
    _set_enabled(registrations, slot, enabled)
    return Undo(lambda: _set_enabled(registrations, slot, was_enabled))


def get_kernel(op: OperatorLike, device_or_slot: str | _C.device) -> _C.Kernel:
    """Return the function registered for a device or slot, to call it without dispatch.

    >>> import opwright as ow
    >>> get_kernel("aten::neg", "cpu")(ow.tensor([1.0])).tolist()
    [-1.0]
    """
    slot = device_or_slot.type if isinstance(device_or_slot, _C.device) else device_or_slot
    return _C.get_kernel(_C.require_operator(operator_name(op)), slot)


def register_opaque_type(cls: type, name: str | None = None) -> type:
    """Let operators accept values of a Python class; schemas refer to it by `name`.

    Traces and guards compare the values with `==` and `hash`. The default name is the class with
    its module. Usable as a decorator.

    >>> import opwright as ow
    >>> class Filter:
    ...     gain = 2.0
    >>> _ = register_opaque_type(Filter, "audio.Filter")
    >>> @custom_op("audio::filter", mutates_args=())
    ... def apply_filter(x: ow.Tensor, filter: Filter) -> ow.Tensor:
    ...     return x * filter.gain
    >>> str(apply_filter.schema)
    'audio::filter(Tensor x, audio.Filter filter) -> Tensor'
    >>> apply_filter(ow.tensor([1.0]), Filter()).tolist()
    [2.0]
    """
    default = f"{cls.__module__}.{cls.__qualname__}".replace("<locals>.", "")
    _C.register_opaque_type(cls, name or default)
    return cls


def list(namespace: str | None = None) -> "Sequence[str]":
    """Return the sorted names of all operators, or of those of one namespace.

    >>> "aten::neg" in list("aten")
    True
    """
    return _C.list_operators(namespace or "")


_C.Operator.register_kernel = register_kernel
_C.Operator.register_fake = register_fake
_C.Operator.register_scatter = register_scatter
_C.Operator.register_autograd = register_autograd
_C.Operator.register_jvp = register_jvp
_C.Operator.register_vmap = register_vmap
_C.Operator.register_autocast = register_autocast
_C.Operator.register_effect = register_effect
_C.Operator.set_kernel_enabled = set_kernel_enabled
_C.Operator.redispatch = redispatch
