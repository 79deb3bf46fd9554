"""The autograd step of an operator in torch: single-level, so that it works under torch.func too.

torch rejects torch.library.register_autograd inside torch.func's transforms, and it drops
forward-mode tangents. A single-level function, applied at the key Autograd, where the arguments
already belong to the level, records there and continues below.
"""

import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import torch
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd import forward_ad
from torch.autograd.function import _SingleLevelFunction

from .._library.registrations import kept_arguments
from ._foreign import overload_of
from ._functions import Functions, calling_by_position

_any_requires_grad = torch._C._any_requires_grad
_below = torch._C._AutoDispatchBelowAutograd
_level = torch._C._functorch.maybe_current_level


class _Outside(threading.local):
    """Whether recording was on before the step: torch turns it off inside, for all levels.

    The levels below record for themselves; otherwise a second derivative would be zero.
    """

    records = True


_outside = _Outside()


class ListContext:
    """The context of a call with lists of tensors, which torch sees flattened."""

    def __init__(self, context: object, needs: tuple) -> None:
        self.__dict__["_context"] = context
        self.__dict__["needs_input_grad"] = needs

    def __getattr__(self, name: str) -> object:
        return getattr(self._context, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._context, name, value)


class Layout:
    """The positions of the tensors in an operator's arguments and results."""

    def __init__(self, functions: Functions) -> None:
        operator = functions.operator
        types = [type_text for _, type_text, _, _ in operator.arguments]
        self.tensors = [i for i, text in enumerate(types) if "Tensor" in text]
        self.lists = {i for i in self.tensors if "[" in types[i]}
        self.written = [
            i for i, (_, _, is_written, _) in enumerate(operator.arguments) if is_written
        ]
        self.returned = [index for _, index, _ in operator.results]
        self.unreturned = [i for i in self.written if i not in self.returned]
        self.result_lists = {i for i, (text, _, _) in enumerate(operator.results) if "[" in text}
        self.num_arguments = len(types)
        self.num_results = len(operator.results)
        self.num_positional = sum(not each[3] for each in operator.arguments)
        self.keyword_names = [each[0] for each in operator.arguments[self.num_positional :]]
        # A Python formula omits keyword-only arguments that are not tensors.
        self.formula_places = [
            i for i, each in enumerate(operator.arguments) if not each[3] or i in self.tensors
        ]
        self.is_flat = not self.lists and not self.result_lists and not self.unreturned
        self._all_are_tensors = len(self.tensors) == self.num_arguments and not self.lists
        self._others = [i for i in range(self.num_arguments) if i not in self.tensors]
        self._no_arguments = (None,) * self.num_arguments

    def without_tensors(self, args: Sequence) -> tuple:
        """Return the arguments, with None for tensors."""
        if self._all_are_tensors:
            return self._no_arguments
        kept = list(self._no_arguments)
        for i in self._others:
            kept[i] = args[i]
        return tuple(kept)

    def needs_of_tensors(self, needs: tuple) -> tuple[bool, ...]:
        """Return for each tensor argument whether it needs a gradient."""
        if self._all_are_tensors:
            return needs
        if not self.lists:
            return tuple([needs[i] for i in self.tensors])
        return tuple([any(needs[i]) if i in self.lists else needs[i] for i in self.tensors])


class Formula:
    """A backward formula and its setup_context, from a binary or from Python."""

    def __init__(self, functions: Functions, layout: Layout) -> None:
        self.name = functions.name
        self.layout = layout
        self.is_python = functions.in_python("Autograd") is not None
        self.backward = functions.find("Autograd")
        self.places = layout.formula_places if self.is_python else layout.tensors
        self.keep_old = functions.in_binary("KeepOld")
        if self.is_python:
            self.keep_old = _copying(kept_arguments.get(functions.name, ()))
        self.jvp = functions.find("Jvp")
        setup = functions.in_python("SetupContext")
        self.setup_in_python = setup is not None
        self.setup = setup or functions.in_binary("SetupContext")

    def save(self, ctx: object, args: Sequence, needs: tuple, output: object) -> None:
        """Run setup_context."""
        layout = self.layout
        if not self.setup_in_python or not self.is_python:
            ctx.opwright_arguments = layout.without_tensors(args)
            ctx.opwright_needs = layout.needs_of_tensors(needs)
        if self.setup is None:
            return
        if self.setup_in_python:
            inputs = tuple(args[: layout.num_positional])
            if layout.keyword_names:
                named = dict(zip(layout.keyword_names, args[layout.num_positional :], strict=True))
                self.setup(ctx, inputs, named, output)
            else:
                self.setup(ctx, inputs, output)
        elif layout.num_results == 1:
            self.setup(ctx, *args, output)
        else:
            self.setup(ctx, *args, *(output or ()))

    def gradients(self, ctx: object, grads: Sequence) -> tuple:
        """Return a gradient, a list of them, or None for each argument."""
        if self.backward is None:
            raise NotImplementedError(
                f"{self.name} has no backward formula, so nothing can be trained through it\n"
                "  Register one with register_autograd, or call it under no_grad or on detached "
                "tensors."
            )
        given = self.backward(ctx, *grads)
        if not isinstance(given, tuple):
            given = (given,)
        if len(given) != len(self.places):
            raise RuntimeError(
                f"{self.name}: the backward formula returned {len(given)} gradients, but the "
                f"operator has {len(self.places)} "
                f"{'arguments' if self.is_python else 'tensor arguments'}"
            )
        if len(given) == self.layout.num_arguments:
            return given
        all_gradients = [None] * self.layout.num_arguments
        for place, gradient in zip(self.places, given, strict=True):
            all_gradients[place] = gradient
        return tuple(all_gradients)


def _copying(positions: Sequence[int]) -> Callable | None:
    """Return a rule, like a binary's, that copies the arguments at these positions."""
    if not positions:
        return None

    def keep_old(_ctx: object, *args: object) -> tuple:
        return tuple([arg.clone() if i in positions else None for i, arg in enumerate(args)])

    return keep_old


def _old_values(formula: Formula, args: Sequence) -> Sequence:
    """Return copies of the arguments whose values from before the call setup_context needs.

    They are made where calls are recorded, and become inputs of the step: second derivatives go
    through them.
    """
    if formula.keep_old is None:
        return ()
    kept = formula.keep_old(SimpleNamespace(), *args)
    return kept if isinstance(kept, tuple) else (kept,)


def _as_given(layout: Layout, outputs: list, args: Sequence) -> list:
    """Return the results; a written argument is returned as the object that was passed."""
    return [
        args[written] if written >= 0 else output
        for written, output in zip(layout.returned, outputs, strict=True)
    ]


def _run_jvp(formula: Formula, primals: Sequence, tangents: Sequence) -> object:
    if formula.jvp is None:
        raise NotImplementedError(
            f"{formula.name} has no rule for forward mode in torch\n"
            "  Register one with register_jvp."
        )
    return formula.jvp(*primals, *tangents)


def _make_function(
    name: str, forward: Callable, backward: Callable, jvp: Callable
) -> type[_SingleLevelFunction]:
    """Create the class; torch shows its name as that of the node: <soft_clipBackward>."""
    methods = {"forward": forward, "backward": backward, "jvp": jvp}
    base = name.split("::")[1].replace(".", "_")
    return type(
        base, (_SingleLevelFunction,), {key: staticmethod(each) for key, each in methods.items()}
    )


def _make_flat_step(formula: Formula, below: Callable) -> type[_SingleLevelFunction]:
    """Create the step of an operator whose arguments and results are tensors, not lists."""
    layout = formula.layout
    written = layout.written

    def forward(ctx: object, *args: object) -> object:
        if written:
            ctx.mark_dirty(*[args[i] for i in written])
        output = below(*args)
        if written:
            outputs = output if layout.num_results > 1 else (output,)
            output = tuple(_as_given(layout, outputs, args))
            output = output if layout.num_results > 1 else output[0]
        formula.save(ctx, args, ctx.needs_input_grad, output)
        if forward_ad._current_level >= 0:
            ctx.opwright_primals = args
        return output

    def backward(ctx: object, *grads: object) -> tuple:
        return formula.gradients(ctx, grads)

    def jvp(ctx: object, *tangents: object) -> object:
        return _run_jvp(formula, ctx.opwright_primals, [tangents[i] for i in layout.tensors])

    return _make_function(formula.name, forward, backward, jvp)


def _make_list_step(formula: Formula, below: Callable) -> Callable:
    """Create the step of an operator with lists, or one that writes what it does not return."""
    layout = formula.layout

    def flatten(args: Sequence) -> tuple[list, list]:
        flat, lengths = [], []
        for i, value in enumerate(args):
            is_list = i % layout.num_arguments in layout.lists and value is not None
            lengths.append(len(value) if is_list else None)
            flat.extend(value if is_list else (value,))
        return flat, lengths

    def unflatten(flat: Sequence, lengths: Sequence) -> list:
        values, place = [], 0
        for length in lengths:
            values.append(flat[place] if length is None else tuple(flat[place : place + length]))
            place += 1 if length is None else length
        return values

    def forward(ctx: object, lengths: list, shape: list, *flat: object) -> object:
        values = unflatten(flat, lengths)
        values = [list(v) if n is not None else v for v, n in zip(values, lengths, strict=True)]
        args, old = values[: layout.num_arguments], values[layout.num_arguments :]
        needs = tuple(unflatten(ctx.needs_input_grad[2:], lengths)[: layout.num_arguments])
        context = ListContext(ctx, needs)
        saved = [
            given if kept is None else kept for kept, given in zip(old, args, strict=False)
        ] or args
        output = below(*args)
        formula.save(context, saved, needs, output)
        dirty = flatten([args[i] if i in layout.written else None for i in range(len(args))])[0]
        dirty = [each for each in dirty if each is not None]
        if dirty:
            ctx.mark_dirty(*dirty)
        ctx.opwright_lengths, ctx.opwright_list_needs = lengths, needs
        if forward_ad._current_level >= 0:
            ctx.opwright_primals = args
        outputs = list(output) if layout.num_results > 1 else [output]
        outputs = _as_given(layout, outputs, args) if layout.num_results else []
        outputs += [args[i] for i in layout.unreturned]
        shape[:] = [len(each) if isinstance(each, list | tuple) else None for each in outputs]
        ctx.opwright_shape = shape
        return tuple(
            [e for each in outputs for e in (each if isinstance(each, list | tuple) else (each,))]
        )

    def backward(ctx: object, *grads: object) -> tuple:
        given = [
            list(g) if isinstance(g, tuple) else g for g in unflatten(grads, ctx.opwright_shape)
        ]
        context = ListContext(ctx, ctx.opwright_list_needs)
        all_gradients = formula.gradients(context, given)
        flat = []
        of_old_values = [None] * (len(ctx.opwright_lengths) - layout.num_arguments)
        for gradient, length in zip(
            [*all_gradients, *of_old_values], ctx.opwright_lengths, strict=True
        ):
            if length is None:
                flat.append(gradient)
            else:
                flat.extend([None] * length if gradient is None else gradient)
        return (None, None, *flat)

    def jvp(ctx: object, _lengths: None, _shape: None, *flat: object) -> object:
        tangents = unflatten(flat, ctx.opwright_lengths)
        given = _run_jvp(formula, ctx.opwright_primals, [tangents[i] for i in layout.tensors])
        given = given if isinstance(given, tuple) else (given,)
        return tuple([e for g in given for e in (g if isinstance(g, list | tuple) else (g,))])

    step = _make_function(formula.name, forward, backward, jvp)

    def apply(*args: object) -> object:
        flat, lengths = flatten([*args, *_old_values(formula, args)])
        shape: list = []
        results = unflatten(step.apply(lengths, shape, *flat), shape)[: layout.num_results]
        results = [list(r) if isinstance(r, tuple) else r for r in results]
        return results[0] if layout.num_results == 1 else tuple(results) if results else None

    return apply


class _Current:
    """The step with the current formula: rules may be registered after loading."""

    def __init__(self, functions: Functions, layout: Layout, below: Callable) -> None:
        self._functions, self._layout, self._below = functions, layout, below
        self._registered: object = self  # none so far
        self._apply: Callable | None = None

    def step(self) -> Callable:
        registered = self._functions.registered("Autograd")
        if registered is not self._registered:
            formula = Formula(self._functions, self._layout)
            if self._layout.is_flat and formula.keep_old is None:
                self._apply = _make_flat_step(formula, self._below).apply
            else:
                self._apply = _make_list_step(formula, self._below)
            self._registered = registered
        return self._apply


def make_autograd_kernel(
    functions: Functions, tags: Sequence[str]
) -> tuple[Callable, Callable | None]:
    """Return what the key Autograd runs in Python, and what records a call outside transforms.

    Both take all arguments by position; the second is None for an operator that is never recorded.
    """
    overload = calling_by_position(overload_of(functions.name), functions.operator)
    layout = Layout(functions)

    def dispatch_below(*args: object) -> object:
        with _below():
            return overload(*args)

    if "nondifferentiable" in tags:
        return dispatch_below, None

    def record_below(*args: object) -> object:
        if _level() is None:
            return dispatch_below(*args)
        with torch.set_grad_enabled(_outside.records), forward_ad._set_fwd_grad_enabled(True):
            return dispatch_below(*args)

    # Without a transform the kernel runs directly; anything not plain goes through torch.
    below = functions.operator.fast(record_below) if functions.has_own_kernels() else record_below
    current = _Current(functions, layout, below)

    def kernel(*args: object) -> object:
        needs_gradient = torch.is_grad_enabled() and _any_requires_grad(*args)
        if not needs_gradient and forward_ad._current_level < 0:
            return dispatch_below(*args)
        apply = current.step()
        if _level() is None:
            return apply(*args)
        _outside.records = torch.is_grad_enabled()
        with enable_single_level_autograd_function():
            return apply(*args)

    def record(*args: object) -> object:
        return current.step()(*args)

    return kernel, record
