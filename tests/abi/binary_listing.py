"""Lists what an operator binary registers, like a host: through opw_binary() of c_api.h."""

import ctypes
from pathlib import Path


class OpwLibrary(ctypes.Structure):
    pass


OpwLibrary._fields_ = [
    ("struct_size", ctypes.c_uint32),
    ("kind", ctypes.c_uint32),
    ("name_space", ctypes.c_char_p),
    ("slot", ctypes.c_char_p),
    ("file", ctypes.c_char_p),
    ("line", ctypes.c_uint32),
    ("body", ctypes.c_void_p),
    ("context", ctypes.c_void_p),
    ("next", ctypes.POINTER(OpwLibrary)),
]


class OpwImport(ctypes.Structure):
    pass


OpwImport._fields_ = [
    ("struct_size", ctypes.c_uint32),
    ("index", ctypes.c_uint32),
    ("name", ctypes.c_char_p),
    ("signature", ctypes.CFUNCTYPE(ctypes.c_char_p)),
    ("next", ctypes.POINTER(OpwImport)),
]


class OpwBinary(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("abi_major", ctypes.c_uint16),
        ("abi_minor", ctypes.c_uint16),
        ("libraries", ctypes.POINTER(OpwLibrary)),
        ("imports", ctypes.POINTER(OpwImport)),
        ("num_imports", ctypes.c_uint32),
    ]


def open_binary(path: Path, mode: int = ctypes.DEFAULT_MODE) -> OpwBinary:
    library = ctypes.CDLL(str(path), mode=mode)
    library.opw_binary.restype = ctypes.POINTER(OpwBinary)
    return library.opw_binary().contents


def nodes(first) -> list:
    found = []
    while first:
        found.append(first.contents)
        first = first.contents.next
    return found


def list_blocks(binary: OpwBinary) -> list[tuple[str, str | None]]:
    """Return (namespace, slot or None) of each library block, in the order of the source."""
    return [
        (block.name_space.decode(), block.slot and block.slot.decode())
        for block in reversed(nodes(binary.libraries))
    ]


def list_imports(binary: OpwBinary) -> dict[str, str]:
    """Return the C++ signature of each operator that the binary calls, by name."""
    return {entry.name.decode(): entry.signature().decode() for entry in nodes(binary.imports)}
