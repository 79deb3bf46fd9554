"""Errors of the transforms and of export."""

from .. import _C


def refusal(kind: str, *parts: object) -> Exception:
    """Return an error that is a RuntimeError and of the precise kind ("TypeError").

    "InputTypeError" is a TypeError and a ValueError: an argument of the wrong structure.
    """
    return _C.make_error(kind, ("".join(map(str, parts)),))
