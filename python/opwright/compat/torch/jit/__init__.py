"""torch.jit: TorchScript is not there; asking for it raises the reason."""

from opwright.compat._absent import absent

__all__ = ["is_scripting", "is_tracing"]


def is_scripting() -> bool:
    """Return False: nothing is compiled as TorchScript.

    >>> is_scripting()
    False
    """
    return False


def is_tracing() -> bool:
    """Return False: no trace is one of TorchScript.

    >>> is_tracing()
    False
    """
    return False


__getattr__ = absent(__name__)
