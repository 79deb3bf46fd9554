"""The shared library of a bridge to another host. Its C functions return a status for errors."""

import builtins
import ctypes
import functools
import os
from collections.abc import Callable
from typing import Any

from .. import _C

_TAKE_NAME = ctypes.CFUNCTYPE(None, ctypes.c_char_p)


class BridgeLibrary:
    """The functions of libopwright_<host>.so."""

    def __init__(self, host: str) -> None:
        self.path = os.path.join(
            os.path.dirname(os.path.abspath(_C.__file__)), "lib", f"libopwright_{host}.so"
        )
        self._prefix = f"opw_{host}_"
        self._library = ctypes.CDLL(self.path)
        self.function("error_kind").restype = ctypes.c_char_p
        self.function("error_message").restype = ctypes.c_char_p

    def function(self, name: str) -> Any:
        """Return the function opw_<host>_<name>."""
        return getattr(self._library, self._prefix + name)

    def call(self, name: str, *args: Any) -> None:
        """Call a function that returns a status; raise the error that it reports."""
        if self.function(name)(*args) == 0:
            return
        kind = self.function("error_kind")().decode()
        message = self.function("error_message")().decode()
        raise getattr(builtins, kind, RuntimeError)(message)

    def collect(self, name: str, *args: Any) -> list[str]:
        """Call a function that calls its last argument with each name."""
        names: list[str] = []
        take: Callable[[bytes], None] = _TAKE_NAME(lambda each: names.append(each.decode()))
        self.call(name, *args, take)
        return names


@functools.cache
def open_bridge(host: str) -> BridgeLibrary:
    """Load the bridge to a host, once."""
    return BridgeLibrary(host)
