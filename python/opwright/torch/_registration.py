"""One operator in torch's dispatcher: its definition, its kernels and its rules."""

from collections.abc import Callable
from enum import IntEnum

import torch

from .. import _torch
from ._autograd import make_autograd_kernel
from ._autograd_function import make_wrapping_kernel
from ._batching import make_pointwise_rule
from ._foreign import overload_of, split_name
from ._functions import (
    EXPLICIT,
    IMPLICIT,
    KERNEL_KEYS,
    WRAPS_AUTOGRAD,
    Functions,
    calling_by_position,
)
from ._sample_loop import make_loop_rule

# Under vmap torch runs a custom composite slice by slice, unless this key also has its body.
THROUGH_VMAP = "FuncTorchBatchedDecomposition"


class Thunk(IntEnum):
    """The kinds of C functions that torch calls; see bridges/torch/torch_operator.h."""

    KERNEL = 0
    AUTOGRAD = 1
    COMPOSITE = 2


# Our tags that have another name in torch.
TAG_NAMES = {
    "nondeterministic": "nondeterministic_bitwise",
    "ordered": "maybe_aliasing_or_mutating",
}


def torch_tags(names: tuple[str, ...]) -> tuple[torch.Tag, ...]:
    """Return the tags of an operator that this torch knows."""
    known = [getattr(torch.Tag, TAG_NAMES.get(name, name), None) for name in names]
    return (torch.Tag.pt2_compliant_tag, *[tag for tag in known if tag is not None])


def _refuse_second_definition(name: str) -> None:
    namespace, base, overload = split_name(name)
    try:
        torch._C._dispatch_find_schema_or_throw(f"{namespace}::{base}", overload)
    except RuntimeError:
        return
    dump = torch._C._dispatch_dump(name)
    owner = next(
        (line for line in dump.splitlines() if line.startswith("debug:")), "debug: unknown"
    )
    raise ValueError(
        f"{name} is defined in torch already: {owner.removeprefix('debug: ')}\n"
        "  An operator has one definition; load one of the two libraries only."
    )


class _Removed:
    """Called by an overload that is still held after its operator was removed."""

    def __init__(self, name: str, hashed: int) -> None:
        self._name, self._hash = name, hashed

    def __call__(self, *_args: object, **_kwargs: object) -> None:
        raise RuntimeError(
            f"{self._name} was removed from torch, but something that was made with it before, "
            "such as a compiled graph, still calls it\n"
            "  Load it again and recompile, or keep it open for as long as it is called."
        )

    def __hash__(self) -> int:
        return self._hash  # that of what it replaces: torch keys tables by it


class RegisteredOperator:
    """An operator that is in torch until it is closed."""

    def __init__(self, name: str) -> None:
        self.operator = _torch.make_operator(name)
        self.name = self.operator.name
        self.functions = Functions(self.operator)
        _refuse_second_definition(self.name)
        namespace = self.name.split("::")[0]
        self._library = torch.library.Library(namespace, "FRAGMENT")
        self._registrations: list[_torch.Registration] = []
        self.overload: torch._ops.OpOverload | None = None
        try:
            self._library.define(
                self.operator.schema.removeprefix(f"{namespace}::"),
                tags=torch_tags(self.functions.tags),
            )
            self.overload = overload_of(self.name)
            self._register_functions()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the operator; what still holds it gets an error."""
        self.operator.remove()
        if self.overload is not None:  # compiled graphs hold it
            self.overload._op = _Removed(self.name, hash(self.overload._op))
        for registration in self._registrations:
            registration.close()
        self._registrations.clear()
        self._library._destroy()
        # Its finalizer would remove the names again, even if another library has them by then.
        self._library._op_defs.clear()
        self._library._op_impls.clear()

    @property
    def _short_name(self) -> str:
        return self.name.split("::")[1]

    @property
    def _takes_symbols(self) -> bool:
        """Whether torch would specialize arguments on their way to a C function."""
        return any("SymInt" in text for _, text, _, _ in self.operator.arguments)

    def _register_functions(self) -> None:
        if self.functions.is_composite():
            self._register_composite()
        else:
            self._register_kernels()
            self._register_autograd()
            torch.library.register_fake(self.name, self._fake, lib=self._library)
        rule = self._vmap_rule()
        if rule is not None:
            torch.library.register_vmap(self.name, rule, lib=self._library)

    def _vmap_rule(self) -> Callable | None:
        """Return the rule that torch registers; None if its own error or the body is enough."""
        if any(
            "Tensor" in text and by_keyword for _, text, _, by_keyword in self.operator.arguments
        ):
            return None  # torch's vmap does not support keyword-only tensors
        if self.functions.has("Vmap"):
            return self._vmap
        if self.functions.is_composite():
            return None
        if "pointwise" in self.functions.tags and not self.overload._schema.is_mutable:
            return make_pointwise_rule(self.overload)
        return make_loop_rule(self.functions, self.overload)

    def _add_thunk(self, thunk: Thunk, key: str, in_python: Callable) -> None:
        self.operator.set_python(thunk, in_python)
        self._registrations.append(self.operator.register(thunk, key))

    def _register_kernels(self) -> None:
        for slot, key in (*KERNEL_KEYS.items(), (EXPLICIT, EXPLICIT), (IMPLICIT, EXPLICIT)):
            in_python = self.functions.in_python(slot)
            if in_python is not None:
                self._library.impl(self._short_name, self._with_defaults(in_python), key)
            elif slot not in self.operator.slots:
                continue
            elif self.operator.uncarried:
                self._library.impl(self._short_name, self.functions.in_binary(slot), key)
            else:
                rule = calling_by_position(self.functions.in_binary(slot), self.operator)
                self._add_thunk(Thunk.KERNEL, key, rule)

    def _register_autograd(self) -> None:
        if self.functions.has(WRAPS_AUTOGRAD):
            kernel = record = make_wrapping_kernel(self.functions)
        else:
            kernel, record = make_autograd_kernel(self.functions, self.functions.tags)
        is_own = not self.operator.uncarried and self.functions.has_own_kernels()
        if self._takes_symbols or not is_own:
            self._library.impl(self._short_name, self._filling_defaults(kernel), "Autograd")
        else:
            self._add_thunk(Thunk.AUTOGRAD, "Autograd", kernel)
            # Called by torch.ops: plain calls need no dispatcher, the others go on to it.
            self.overload._op = self.operator.fast(self.overload._op, record)

    def _register_composite(self) -> None:
        def find_and_call(*args: object, **kwargs: object) -> object:
            return self.functions.find(IMPLICIT)(*args, **kwargs)

        body = self._with_defaults(find_and_call)
        in_python = self.functions.in_python(IMPLICIT) is not None
        if self._takes_symbols or self.operator.uncarried or in_python:
            self._library.impl(self._short_name, body, IMPLICIT)
        else:
            rule = calling_by_position(find_and_call, self.operator)
            self._add_thunk(Thunk.COMPOSITE, IMPLICIT, rule)
        if not self.functions.has("Vmap"):
            self._library.impl(self._short_name, body, THROUGH_VMAP)

    def _filling_defaults(self, function: Callable) -> Callable:
        """Adapt `function`, which takes all arguments by position, to torch's way of calling."""
        schema = self.overload._schema

        def call(*args: object, **kwargs: object) -> object:
            return function(*_all_arguments(schema, args, kwargs))

        return call

    def _with_defaults(self, function: Callable) -> Callable:
        """Adapt `function`, which takes arguments in the schema's form, to the same."""
        if not any(argument.has_default_value() for argument in self.overload._schema.arguments):
            return function
        return self._filling_defaults(calling_by_position(function, self.operator))

    def _fake(self, *args: object, **kwargs: object) -> object:
        functions = self.functions
        fake = functions.find("Fake") or functions.find(EXPLICIT) or functions.find(IMPLICIT)
        if fake is not None:
            return self._with_defaults(fake)(*args, **kwargs)
        written = [index for _, index, _ in self.operator.results]
        if min(written, default=0) >= 0:  # it returns nothing of its own
            given = _all_arguments(self.overload._schema, args, kwargs)
            results = tuple([given[index] for index in written])
            return results[0] if len(results) == 1 else results or None
        raise NotImplementedError(
            f"{self.name} has no fake kernel, so torch cannot know the sizes of its results\n"
            "  Register one: m.register_fake(...) in C++, or opwright.library.register_fake("
            f'"{self.name}") in Python.'
        )

    def _vmap(self, info: object, in_dims: tuple, *args: object, **kwargs: object) -> tuple:
        schema = self.overload._schema
        given = _all_arguments(schema, args, kwargs)
        dims = [list(d) if isinstance(d, tuple) else d for d in in_dims]
        dims += [None] * (len(given) - len(dims))
        rule = self.functions.find("Vmap")
        *results, out_dims = _as_tuple(rule(info.batch_size, info.randomness, dims, *given))
        if len(results) == 1:
            return results[0], out_dims[0]
        return tuple(results), tuple(out_dims)


def _as_tuple(value: object) -> tuple:
    return value if isinstance(value, tuple) else (value,)


def _all_arguments(schema: torch._C.FunctionSchema, args: tuple, kwargs: dict) -> list:
    """Return all arguments by position; torch omits those with their default."""
    given = list(args)
    for argument in schema.arguments[len(args) :]:
        given.append(kwargs.get(argument.name, argument.default_value))
    return given
