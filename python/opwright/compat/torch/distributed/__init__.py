"""torch.distributed: collectives are not there; asking for one raises the reason."""

from opwright.compat._absent import absent

__all__ = ["is_available", "is_initialized"]


def is_available() -> bool:
    """Return False: a program is one process.

    >>> is_available()
    False
    """
    return False


def is_initialized() -> bool:
    """Return False: there is no group of processes.

    >>> is_initialized()
    False
    """
    return False


__getattr__ = absent(__name__)
