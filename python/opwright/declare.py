"""Operators declared in a YAML file, in the format of vendors and PyTorch.

    custom:
      - func: npu_add_custom(Tensor x, Tensor y) -> Tensor
        tags: [pointwise]

`load` defines them at run time; the CMake function `opwright_declare` makes them part of an
operator binary; `python -m opwright generate` writes starter sources. All need PyYAML.
"""

import os
from pathlib import Path

from .library import Library

__all__ = ["load"]


def load(path: str | os.PathLike[str], namespace: str) -> Library:
    """Define the operators of a list; return the library that they belong to.

    They stay until the end of a `with` over that library, or permanently.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "functions.yaml")
    >>> _ = path.write_text("custom:\\n  - func: npu_add_custom(Tensor x, Tensor y) -> Tensor\\n")
    >>> lib = ow.declare.load(path, namespace="npu")
    >>> lib.impl("npu_add_custom", lambda x, y: x + y, "CPU")
    >>> ow.ops.npu.npu_add_custom(ow.tensor([1.0]), ow.tensor([2.0])).tolist()
    [3.0]

    Declaring the same operator twice, in one list or several, is harmless. A different operator
    under the same name is a ValueError with the line, as is any invalid content of the file.
    Loading is atomic: on an error, no operator is defined.

    An entry has `func` and may have `tags`, `dispatch` and `decompose`. Functions of the last two
    are registered if they are written "package.module:function"; names without a colon are C++
    functions, which an operator binary provides.
    """
    from ._library.declared import DeclaredLibrary, read_list  # PyYAML, which may be missing

    return DeclaredLibrary(namespace, read_list(Path(path), namespace))
