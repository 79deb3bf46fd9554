"""Copies of views, e.g. transpose_copy: any name of a view operator with the suffix `_copy`.

The core derives each from the view operator when its name is first used.

>>> import opwright as ow
>>> from opwright._library.view_copies import transpose_copy
>>> x = ow.ones(2, 3)
>>> transpose_copy(x, 0, 1).stride(), x.transpose(0, 1).stride()
((2, 1), (1, 3))
"""

from .. import _C


def __getattr__(name: str) -> object:
    if not name.endswith("_copy"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _C.make_function(name)
