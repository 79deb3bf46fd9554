"""Errors of the transforms."""

from .. import _C


def refusal(kind: str, *parts: object) -> Exception:
    """Return an error that is a RuntimeError and of the precise kind ("TypeError")."""
    return _C.make_error(kind, ("".join(map(str, parts)),))
