"""Whether the code that runs is being compiled or exported."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from .. import _C


class _Phase(threading.local):
    num_exports = 0


_phase = _Phase()


@contextmanager
def exporting() -> Iterator[None]:
    """Make `is_exporting` true inside."""
    _phase.num_exports += 1
    try:
        yield
    finally:
        _phase.num_exports -= 1


def is_exporting() -> bool:
    """Return whether the code that runs is being exported.

    >>> from opwright.compat.torch import compiler
    >>> program = ow.export.export(lambda x: x + compiler.is_exporting(), (ow.zeros(1),))
    >>> compiler.is_exporting(), program(ow.zeros(1))
    (False, tensor([1.]))
    """
    return _phase.num_exports > 0


def is_capturing() -> bool:
    """Return whether `compile` captures the code that runs; false after a graph break."""
    return _C.is_capturing()


def is_compiling() -> bool:
    """Return whether the code that runs is being compiled or exported.

    >>> @ow.compile
    ... def f(x):
    ...     return x + 1 if ow.compiler.is_compiling() else x
    >>> f(ow.zeros(2)), ow.compiler.is_compiling()
    (tensor([1., 1.]), False)
    """
    return _C.is_capturing() or _phase.num_exports > 0
