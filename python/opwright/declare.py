"""Operators from a list in a YAML file, as vendors and PyTorch keep them.

    custom:
      - func: npu_add_custom(Tensor x, Tensor y) -> Tensor
        tags: [pointwise]

`load` defines them while a program runs; the CMake function `opwright_declare` makes them part of
an operator binary; `python -m opwright generate` writes sources to start from. All need PyYAML.
"""

import os
from pathlib import Path

from .library import Library

__all__ = ["load"]


def load(path: str | os.PathLike[str], namespace: str) -> Library:
    """Define the operators of a list; returns the library that they belong to.

    They stay until the end of a `with` over that library, or for ever.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "functions.yaml")
    >>> _ = path.write_text("custom:\\n  - func: npu_add_custom(Tensor x, Tensor y) -> Tensor\\n")
    >>> lib = ow.declare.load(path, namespace="npu")
    >>> lib.impl("npu_add_custom", lambda x, y: x + y, "CPU")
    >>> ow.ops.npu.npu_add_custom(ow.tensor([1.0]), ow.tensor([2.0])).tolist()
    [3.0]

    The same operator twice, in one list or several, is harmless. Another one under the same name is
    a ValueError with the line, as is everything in the file that has no meaning. Either all
    operators are there afterwards or none.

    An entry has `func` and may have `tags`, `dispatch` and `decompose`. The functions of the last
    two are registered when they are written "package.module:function"; names without a colon are
    C++ functions, which an operator binary brings.
    """
    from ._library.declared import DeclaredLibrary, read_list  # PyYAML, which may be missing

    return DeclaredLibrary(namespace, read_list(Path(path), namespace))
