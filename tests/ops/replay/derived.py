"""Calls of an overload's other forms: what its schema says that they take is taken from its call.

Overloads of one name (in-place ones add an underscore) are forms of each other if they take the
same arguments, in order. Of an in-place form self is written; an out form takes tensors to write
besides, instead of dtype, layout and device; a form with numbers takes a number where the other has
a tensor. So `clamp` leads to clamp_ and clamp.out, `special_zeta` to special_zeta.self_scalar_out.
"""

from collections.abc import Iterator
from functools import cache

import torch

from . import differences
from .call import copy_arguments, list_of

OPTIONS = ("dtype", "layout", "device", "pin_memory")  # an out form takes them from out
NUMBERS = {"number": lambda value: value, "float": float, "int": int}


def is_out(argument) -> bool:
    """Return whether the argument is a tensor for results: written, and by keyword alone."""
    return argument.kwarg_only and argument.alias_info is not None and argument.alias_info.is_write


def inputs_of(overload) -> list:
    return [each for each in overload._schema.arguments if not is_out(each)]


def outs_of(overload) -> list:
    return [each for each in overload._schema.arguments if is_out(each)]


def packets_of(overload) -> Iterator:
    """Return the packets of the overload's name, without an underscore and with one."""
    name = overload._schema.name.removeprefix("aten::").removesuffix("_")
    for each in (name, name + "_"):
        packet = getattr(torch.ops.aten, each, None)
        if packet is not None and not name.startswith("__"):
            yield packet


@cache
def forms_of(overload) -> tuple:
    """Return the other forms of an overload that writes no `out`."""
    if overload.namespace != "aten" or outs_of(overload):
        return ()
    found = []
    for packet in packets_of(overload):
        for name in packet.overloads():
            form = getattr(packet, name)
            if form is not overload and pairs_of(overload, form) is not None:
                found.append(form)
    return tuple(found)


def pairs_of(overload, form) -> list | None:
    """Return the pairs of arguments of the overload and its form; None if it is none."""
    given, taken = inputs_of(overload), inputs_of(form)
    if outs_of(form):
        names = {each.name for each in taken}
        given = [each for each in given if each.name in names or each.name not in OPTIONS]
    if len(given) != len(taken):
        return None
    pairs = list(zip(given, taken, strict=True))
    return pairs if all(corresponds(*pair) for pair in pairs) else None


def corresponds(given, taken) -> bool:
    if given.kwarg_only != taken.kwarg_only or (taken.kwarg_only and given.name != taken.name):
        return False
    is_number = str(given.type) == "Tensor" and str(taken.type) in NUMBERS
    return str(given.type) == str(taken.type) or is_number


class ImpossibleError(Exception):
    """The form cannot be called with these arguments."""


def call_of(form, overload, args: tuple, kwargs: dict, result, *, fits: bool) -> tuple[tuple, dict]:
    """Return a call of the form with copies of these arguments.

    `result` is that of the overload. Unless the outs are to fit it, they are empty.
    """
    args, kwargs = copy_arguments(args, kwargs)
    must_fit = differences.find(differences.FITTING, str(form)) is not None
    fits = fits or must_fit
    names = [argument.name for argument in overload._schema.arguments]
    values = dict(zip(names, args, strict=False)) | kwargs
    form_args, form_kwargs = [], {}
    for given, taken in pairs_of(overload, form):
        if given.name not in values:
            continue
        value = values[given.name]
        if str(given.type) != str(taken.type):
            value = number_of(value, str(taken.type))
            if must_fit:
                raise ImpossibleError
            fits = False  # the result may be smaller
        if given.name in names[: len(args)]:
            form_args.append(value)
        else:
            form_kwargs[taken.name] = value
    return tuple(form_args), form_kwargs | made_outs(form, result, fits=fits)


def number_of(value, kind: str):
    """Return the first element of a tensor as a number of this kind."""
    if not isinstance(value, torch.Tensor):
        return value
    if value.numel() == 0 or (kind != "number" and value.is_complex()):
        raise ImpossibleError
    return NUMBERS[kind](value.reshape(-1)[0].item())


def made_outs(form, result, *, fits: bool) -> dict:
    outs = outs_of(form)
    if not outs:
        return {}

    def make(one):
        if not isinstance(one, torch.Tensor):
            raise ImpossibleError
        return torch.ones_like(one) if fits else torch.empty(0, dtype=one.dtype)

    if len(outs) == 1 and "List" in str(outs[0].type):
        return {outs[0].name: [make(one) for one in list_of(result)]}
    results = list_of(result)
    if len(results) != len(outs):
        raise ImpossibleError
    return {out.name: make(one) for out, one in zip(outs, results, strict=True)}
