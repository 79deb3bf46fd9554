"""Loads archives that Opwright wrote with torch, and runs them: torch_calls.py FOLDER.

For each <case>.pt2 and <case>.npz with the inputs of calls, <case>.torch.npz with the results, or
<case>.error. The names of inputs are input<call>_<number>_<dtype>. It runs in a process of its own.
"""

import sys
import traceback
from pathlib import Path

import numpy as np
import torch
from torch.utils import _pytree


def given(arrays, call):
    for name in arrays.files:
        if not name.startswith(f"input{call}_"):
            continue
        dtype = name.split("_", 2)[2]
        array = arrays[name]
        yield array.item() if dtype == "number" else torch.tensor(array).to(getattr(torch, dtype))


def run(path):
    program = torch.export.load(path)
    module, spec = program.module(), program.call_spec.in_spec
    arrays = np.load(path.with_suffix(".npz"))
    results = {}
    for call in range(int(arrays["calls"])):
        args, kwargs = _pytree.tree_unflatten(list(given(arrays, call)), spec)
        for number, leaf in enumerate(_pytree.tree_leaves(module(*args, **kwargs))):
            if isinstance(leaf, torch.Tensor):
                leaf = leaf.detach()
                leaf = leaf.float() if leaf.dtype == torch.bfloat16 else leaf
            if leaf is not None:
                results[f"result{call}_{number}"] = np.asarray(leaf)
    np.savez(path.with_suffix(".torch.npz"), **results)


def main():
    folder = Path(sys.argv[1])
    if len(sys.argv) > 2:
        import opwright.torch

        opwright.torch.load(sys.argv[2])
    for path in sorted(folder.glob("*.pt2")):
        try:
            run(path)
        except Exception:
            path.with_suffix(".error").write_text(traceback.format_exc())


if __name__ == "__main__":
    main()
