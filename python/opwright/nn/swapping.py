"""Whether tensors of a module keep their identity when they are replaced."""

__all__ = ["set_swaps_tensors", "swaps_tensors"]

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
