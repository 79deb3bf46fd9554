"""Special functions of tensors; names and meaning follow torch.special.

Each is an operator, `opwright.special_<name>`, with gradients where torch has them.

>>> ow.special.gammaln(ow.tensor([1.0, 5.0]))
tensor([0.0000, 3.1781])
>>> ow.special.xlog1py(ow.tensor([0.0, 2.0]), ow.tensor([-1.0, 1.0]))
tensor([0.0000, 1.3863])
"""

from . import _FUNCTIONS

_PREFIX = "special_"
_SPECIAL_FUNCTIONS = {
    name.removeprefix(_PREFIX): function
    for name, function in _FUNCTIONS.items()
    if name.startswith(_PREFIX)
}
globals().update(_SPECIAL_FUNCTIONS)

__all__ = sorted(_SPECIAL_FUNCTIONS)
