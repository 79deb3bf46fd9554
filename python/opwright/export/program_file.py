"""Program files: pure data; loading never runs code."""

import os
from typing import IO, Any

from .. import _C
from .exported_program import ExportedProgram, check_structure

__all__ = ["load", "save"]


def save(ep: ExportedProgram, f: str | os.PathLike[str] | IO[bytes]) -> None:
    """Write a program to a path or an open file.

    >>> import io
    >>> from opwright.export import export, load, save
    >>> file = io.BytesIO()
    >>> save(export(lambda x: x + 1, (ow.ones(2),)), file)
    >>> _ = file.seek(0)
    >>> load(file)(ow.ones(2))
    tensor([2., 2.])

    The file has the graph, the tensors, the constraints and the operators that the program calls;
    `python -m opwright show` prints it, and the command `opwright run` runs it without Python.

    A file named `*.pt2` becomes an archive for PyTorch 2.13, which `torch.export.load` reads and
    `load` too. PyTorch has no form for example inputs without Python's pickle, so they are left
    out, and none for Opwright's own operators: those are errors that name them.
    """
    if not isinstance(ep, ExportedProgram):
        raise TypeError(f"save: expected an ExportedProgram, got {type(ep).__name__}")
    if hasattr(f, "write"):
        is_archive = str(getattr(f, "name", "")).endswith(".pt2")
        f.write((_C.write_pt2 if is_archive else _C.write_program)(ep._program))
    else:
        _C.save_program(ep._program, os.fspath(f))


def load(f: str | os.PathLike[str] | IO[bytes]) -> ExportedProgram:
    """Read a program from a path or an open file; all of it is checked and none of it is run.

    Load the libraries of its operators first: a missing operator raises an error that names it and
    its library. Tensors of a file given by path are memory-mapped.

    >>> from opwright.export import load
    >>> load("nowhere.opw")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    OSError: ...
    """
    if hasattr(f, "read"):
        program = _C.read_program(_bytes_of(f.read()), str(getattr(f, "name", "the open file")))
    else:
        program = _C.load_program_file(os.fspath(f))
    check_structure(program)
    return ExportedProgram(program)


def _bytes_of(content: Any) -> bytes:
    if not isinstance(content, (bytes, bytearray)):
        raise TypeError("load: the file must be open for bytes (mode 'rb')")
    return bytes(content)
