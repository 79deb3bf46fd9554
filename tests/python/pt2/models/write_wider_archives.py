"""Exports the models of wider_models: python -m tests.python.pt2.models.write_wider_archives FOLDER

index.json has the file of each, and why torch does not export the others.
"""

import json
import logging
import sys
import warnings
from pathlib import Path

import torch

from .libraries import transformers
from .wider_models import WIDER


@torch.no_grad()
def write(path: Path, name: str) -> None:
    torch.manual_seed(0)
    example = WIDER[name]()
    example.model.eval().requires_grad_(False)
    program = torch.export.export(example.model, example.args, example.kwargs, strict=False)
    torch.export.save(program, path)


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable()
    transformers.logging.set_verbosity_error()
    folder = Path(sys.argv[1])
    archives, failed = {}, {}
    for number, name in enumerate(sys.argv[2:] or WIDER):
        file = f"{number}.pt2"
        try:
            write(folder / file, name)
            archives[name] = file
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"
        print(f"{name}: {failed.get(name, 'exported')}", file=sys.stderr, flush=True)
    (folder / "index.json").write_text(json.dumps({"archives": archives, "failed": failed}))


if __name__ == "__main__":
    main()
