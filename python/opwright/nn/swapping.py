"""Tensors that exchange their contents, and whether those of a module are replaced so."""

from .. import Tensor

__all__ = ["set_swaps_tensors", "swap_tensors", "swaps_tensors"]

_setting = [False]


def swaps_tensors() -> bool:
    """Return whether `load_state_dict(assign=True)` puts the new contents into the old tensor.

    >>> swaps_tensors()
    False
    """
    return _setting[0]


def set_swaps_tensors(value: bool) -> None:
    """Set whether a replaced parameter or buffer stays the same object.

    >>> set_swaps_tensors(True)
    >>> set_swaps_tensors(False)
    """
    _setting[0] = bool(value)


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange the contents, gradients, classes and attributes of two leaves.

    >>> a, b = ow.zeros(1), ow.ones(2, 3)
    >>> swap_tensors(a, b)
    >>> a.shape, b.shape
    ((2, 3), (1,))
    """
    for each in (t1, t2):
        if not each.is_leaf:
            raise RuntimeError(
                "swap_tensors: the tensors must be leaves, got the result of an operator; detach it"
            )
    states = [(each.data, each.requires_grad, each.grad, type(each)) for each in (t1, t2)]
    attributes = [dict(each.__dict__) for each in (t1, t2)]
    for each, state, own in zip((t2, t1), states, attributes, strict=True):
        data, requires_grad, grad, kind = state
        each.grad = None
        each.requires_grad = False
        each.data = data
        each.__class__ = kind
        each.__dict__.clear()
        each.__dict__.update(own)
        each.requires_grad = requires_grad
        each.grad = grad
