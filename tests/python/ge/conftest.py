"""Shared by tests of the engine: a vendor operator, and a fake of the vendor's library."""

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

import opwright as ow
import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()


@pytest.fixture
def npu() -> Iterator[ow.library.Library]:
    """Give a library with trial_ge::add_custom, which has kernels and no converter."""
    with ow.library.Library("trial_ge", "DEF") as lib:
        lib.define("add_custom(Tensor x, Tensor y) -> Tensor")
        lib.impl("add_custom", lambda x, y: x + y, "CPU")
        lib.impl("add_custom", lambda x, y: ow.empty_like(x), "Meta")
        yield lib


class StandIn:
    """The fake of the vendor's engine library, and its record of calls."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self._library = ctypes.CDLL(self.path)
        self._library.ge_stand_in_record.restype = ctypes.c_char_p
        self.forget()

    def calls(self) -> list[str]:
        return self._library.ge_stand_in_record().decode().splitlines()

    def forget(self) -> None:
        self._library.ge_stand_in_forget()


@pytest.fixture
def stand_in() -> StandIn:
    return StandIn(BUILD / "operators" / "libge_stand_in.so")
