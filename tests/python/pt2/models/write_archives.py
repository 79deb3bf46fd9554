"""Writes what the tests compare.

python -m tests.python.pt2.models.write_archives FOLDER NAME...
python -m tests.python.pt2.models.write_archives --keep      writes kept.zip

For each specimen <name>.pt2 of torch.export.save, and <name>.npz with the flat inputs and torch's
results of each call. This is a process of its own: the one that runs the programs has no torch.
"""

import copy
import sys
import tempfile
import time
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from . import (  # noqa: F401 - each adds its models to the list
    audio,
    convolutions,
    decoders,
    plain_modules,
    text_encoders,
    vision_transformers,
)
from .libraries import transformers
from .roster import KEPT, MADE
from .specimen import SPECIMENS, Call, Specimen, prepare


def leaves(values: Any) -> list[np.ndarray]:
    """Give the tensors as arrays; NumPy has no bfloat16."""
    found = [leaf for leaf in pytree.tree_leaves(values) if leaf is not None]
    tensors = [torch.as_tensor(leaf) for leaf in found]
    return [
        (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy(force=True).copy()
        for tensor in tensors
    ]


def note(arrays: dict[str, np.ndarray], title: str, call: Any, results: Any) -> None:
    for kind, values in (("input", call), ("result", results)):
        for index, leaf in enumerate(leaves(values)):
            arrays[f"{title}_{kind}{index}"] = leaf


def tokens_of(call: Call) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(call) if not leaf.is_floating_point()]


def note_steps(arrays: dict[str, np.ndarray], made: Specimen) -> None:
    """Decode: each step's arguments come from the results of the step before.

    The cache is noted before the first step and after the last.
    """
    model, call = copy.deepcopy(made.model), copy.deepcopy(made.calls[0])
    for step in range(made.steps):
        arguments = copy.deepcopy(call)
        results = model(*call[0], **call[1])
        is_last = step + 1 == made.steps
        noted = leaves(results)[: None if is_last else 1]
        note(arrays, f"step{step}", arguments if step == 0 else tokens_of(arguments), noted)
        call = made.chain(call, results, step + 1)


def export(made: Specimen) -> torch.export.ExportedProgram:
    args, kwargs = copy.deepcopy(made.calls[0])
    return torch.export.export(
        made.model, args, kwargs, dynamic_shapes=made.dynamic_shapes, strict=False
    )


def forget_lines(program: torch.export.ExportedProgram) -> None:
    """Remove the lines and modules that the nodes come from: they are paths of this machine."""
    for graph in program.graph_module.modules():
        for node in graph.graph.nodes if isinstance(graph, torch.fx.GraphModule) else ():
            for key in ("stack_trace", "nn_module_stack", "torch_fn", "source_fn_stack"):
                node.meta.pop(key, None)


@torch.no_grad()
def write(folder: Path, name: str) -> None:
    made = prepare(name)
    program = export(made)
    if name in KEPT:
        forget_lines(program)
    torch.export.save(program, folder / f"{name}.pt2")
    arrays = {"tolerance": np.array(made.tolerance)}
    for index, call in enumerate(made.calls):
        args, kwargs = copy.deepcopy(call)
        note(arrays, f"call{index}", call, copy.deepcopy(made.model)(*args, **kwargs))
    note_steps(arrays, made)
    np.savez_compressed(folder / f"{name}.npz", **arrays)


def keep() -> None:
    """Write kept.zip, with entries that depend on their contents alone."""
    with (
        tempfile.TemporaryDirectory() as folder,
        zipfile.ZipFile(Path(__file__).with_name("kept.zip"), "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name in KEPT:
            write(Path(folder), name)
        for path in sorted(Path(folder).iterdir()):
            archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED, 9)


def main() -> None:
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.integrations.executorch.register_dynamic_cache_export_support()
    assert SPECIMENS.keys() == {*KEPT, *MADE}
    if sys.argv[1:] == ["--keep"]:
        return keep()
    folder, *names = sys.argv[1:]
    for name in names:
        start = time.monotonic()
        write(Path(folder), name)
        print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
    return None


if __name__ == "__main__":
    main()
