"""Writes a GraphModule as a Python package that loads its parameters beside it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import opwright as ow
from opwright import safetensors

from .qualified_name import constant_text

if TYPE_CHECKING:
    from .graph_module import GraphModule

__all__ = ["write_folder"]


def write_folder(module: "GraphModule", folder: Path, name: str) -> None:
    """Write `module.py`, `state.safetensors` and `__init__.py`; submodules are pickled beside."""
    import pickle

    folder.mkdir(parents=True, exist_ok=True)
    state = {key: value.detach() for key, value in module.state_dict().items()}
    safetensors.save_file(state, folder / "state.safetensors")
    code = module.graph.python_code(root_module="self")
    lines = ["import pickle", "from math import inf, nan", "from pathlib import Path", ""]
    lines += ["import opwright.compat.torch as torch", "from opwright import safetensors"]
    lines += ["from opwright.compat.torch import device, nn", ""]
    lines += [_import_line(key, value) for key, value in code.globals.items() if _is_own(key)]
    lines += ["", "", f"class {name}(nn.Module):", "    def __init__(self, folder=None):"]
    lines += ["        super().__init__()"]
    lines += ["        folder = Path(folder) if folder else Path(__file__).parent"]
    for child_name, child in module.named_children():
        file = f"{child_name}.pkl"
        (folder / file).write_bytes(pickle.dumps(child))
        lines.append(f"        with open(folder / {file!r}, 'rb') as file:")
        lines.append(f"            self.add_module({child_name!r}, pickle.load(file))")
    for key, buffer in module._buffers.items():
        if buffer is not None:
            lines.append(f"        self.register_buffer({key!r}, {_empty_like(buffer)})")
    for key, parameter in module._parameters.items():
        if parameter is not None:
            lines.append(f"        self.{key} = nn.Parameter({_empty_like(parameter)})")
    lines.append(
        "        self.load_state_dict(safetensors.load_file(folder / 'state.safetensors'))"
    )
    source = "\n".join(f"    {line}" if line.strip() else "" for line in code.src.split("\n"))
    (folder / "module.py").write_text("\n".join(lines) + "\n" + source.rstrip() + "\n")
    (folder / "__init__.py").write_text("from .module import *\n")


_BUILT_IN = ("torch", "inf", "nan", "device", "NoneType")


def _is_own(name: str) -> bool:
    return name not in _BUILT_IN


def _import_line(name: str, value: Any) -> str:
    return f"from {value.__module__} import {value.__qualname__} as {name}"


def _empty_like(tensor: ow.Tensor) -> str:
    return f"torch.empty({list(tensor.shape)}, dtype={constant_text(tensor.dtype)})"
