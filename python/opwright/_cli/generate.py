"""python -m opwright generate: starter sources for a list of operators."""

from pathlib import Path

from .._generator.generate_ops.declarations import read_declarations
from .._generator.generate_ops.skeletons import write_skeletons
from .._generator.generate_ops.slots import DEVICE_KEYS
from .._library.declared import read_list


def generate(
    file: str, devices: list[str], namespace: str, folder: str, *, force: bool
) -> list[Path]:
    """Write the files, all or none; return their paths."""
    keys = {device: key for key, device in DEVICE_KEYS.items()}
    slots = list(dict.fromkeys(keys.get(each.lower(), each.upper()) for each in devices))
    for slot in slots:
        if not slot.isidentifier():
            raise ValueError(f"--kernels takes names of devices like 'cpu', got {slot.lower()!r}")
    more = tuple(slot for slot in slots if slot not in DEVICE_KEYS)
    read_list(Path(file), namespace, more)  # checks the schemas in full
    declarations = read_declarations(
        Path(file), file, built_in=False, devices=more, may_be_python=True
    )
    texts = write_skeletons(declarations, Path(file).name, namespace, slots)
    paths = {Path(folder, name): text for name, text in texts.items()}
    there = [str(path) for path in paths if path.exists()]
    if there and not force:
        raise ValueError(
            f"not overwritten: {', '.join(there)}; pass another folder to --out, or pass --force"
        )
    Path(folder).mkdir(parents=True, exist_ok=True)
    for path, text in paths.items():
        path.write_text(text)
    return list(paths)
