"""The tuples that functions with several named results return, as torch.return_types.

Each is a named tuple with the name of the function.

>>> import opwright as ow
>>> largest = ow.tensor([[1.0, 5.0], [7.0, 3.0]]).max(dim=1)
>>> largest.values, largest.indices
(tensor([5., 7.]), tensor([1, 0]))
>>> values, indices = largest
>>> isinstance(largest, ow.return_types.max)
True
"""

from collections import namedtuple

from .. import _C

_CLASSES = {
    name: namedtuple(name, fields, module=__name__)  # type: ignore[misc]
    for name, fields in _C.result_names().items()
}
globals().update(_CLASSES)
__all__ = sorted(_CLASSES)
