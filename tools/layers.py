"""Checks the #include lines of the tree against the layers of CMakeLists.txt.

The build enforces the rule too: a layer's include root holds only the layers that it may use. This
check also covers headers that no source includes, and reports the offending line.
"""

import re
from collections.abc import Iterator
from pathlib import Path

SOURCE_SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
LAYER_LINE = re.compile(
    r"^opwright_layer\(\s*(\w+)\s*(?:USES\s+([\w\s]+?))?\s*(?:FOLDERS\s+([\w\s./]+?))?\s*\)",
    re.MULTILINE,
)
BINDING_FOLDERS = re.compile(r"^set\(\s*OPWRIGHT_BINDING_FOLDERS([^)]*)\)", re.MULTILINE)
# More sources than a reader can keep in mind.
MOST_FILES = 40
ROOM_FOLDERS = ("src", "include", "python", "bridges", "devices", "command", "tests")

# The folders that a folder of a product may include besides itself and the public headers.
PRODUCT_FOLDERS: dict[str, set[str]] = {
    "bridges/operators": set(),
    "bridges/jax": {"bridges/operators"},
    "bridges/onnxruntime": {"bridges/operators"},
    "bridges/torch": {"bridges/operators"},
    "bridges/torch/python": {"bridges/operators", "bridges/torch"},
    "devices/cuda": set(),
    "devices/cuda/kernels": {"devices/cuda"},
    "devices/opencl": set(),
}
# Headers of the bindings that need nothing but Python's own and public ones.
SHARED_WITH_BRIDGES = {"python/bindings/interpreter/raised_exception.h"}

# Public headers must not include these: they slow down the compilation of operators.
HEAVY_HEADERS = re.compile(r"^(iostream|functional|fmt/.*)$")


def parse_layers(root: Path) -> dict[str, set[str]]:
    """Return, for each layer in order, the layers whose headers it may include, itself included."""
    layers = {}
    for name, uses, _ in LAYER_LINE.findall((root / "CMakeLists.txt").read_text()):
        layers[name] = {name}.union(*(layers[used] for used in uses.split()))
    return layers


def parse_folders(root: Path) -> dict[str, list[str]]:
    """Return, per layer that has several folders, their order: lowest first."""
    lines = LAYER_LINE.findall((root / "CMakeLists.txt").read_text())
    return {name: folders.split() for name, _, folders in lines if folders}


def parse_binding_folders(root: Path) -> list[str]:
    """Return the folders of python/bindings, lowest first."""
    path = root / "cmake" / "python.cmake"
    match = BINDING_FOLDERS.search(path.read_text()) if path.exists() else None
    return match[1].split() if match else []


def includes_of(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the line number, the opening quote or bracket, and the target of each #include."""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if match := INCLUDE.match(line):
            yield number, match[1], match[2]


def sources_under(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in SOURCE_SUFFIXES)


def layer_of_include(target: str, layers: dict[str, set[str]]) -> str | None:
    """Return the layer that `target` belongs to, or None for public and foreign headers."""
    parts = target.split("/")
    if len(parts) > 2 and parts[0] == "opwright" and parts[1] in layers:
        return parts[1]
    return None


def check_layers(root: Path) -> list[str]:
    """Return one line per violation, `path:line: what is wrong`."""
    layers = parse_layers(root)
    problems = []
    for layer, allowed in layers.items():
        for folder in (root / "src" / layer, root / "tests" / layer):
            problems += check_folder(root, folder, layers, allowed, f"layer {layer}")
    for name in ("include", "tests/operators", "tests/abi", "bridges", "devices"):
        problems += check_folder(root, root / name, layers, set(), name)
    # The command may use every layer.
    problems += check_folder(root, root / "command", layers, set(layers), "command")
    problems += check_public_headers(root)
    problems += check_stray_folders(root, layers)
    for layer, folders in parse_folders(root).items():
        problems += check_order(root, f"src/{layer}", f"opwright/{layer}", folders)
    problems += check_order(root, "python/bindings", "bindings", parse_binding_folders(root))
    problems += check_undeclared_folders(root, layers)
    problems += check_products(root)
    return problems


def check_order(root: Path, top: str, prefix: str, folders: list[str]) -> list[str]:
    """Return the includes of a folder by a lower one, and folders that the order leaves out."""
    rank = {folder: index for index, folder in enumerate(folders)}
    problems = []
    for path in sources_under(root / top):
        own = path.relative_to(root / top).parent.as_posix()
        if own not in rank:
            problems.append(f"{path.relative_to(root)}: CMakeLists.txt does not order {top}/{own}")
            continue
        for number, _, target in includes_of(path):
            if not target.startswith(f"{prefix}/"):
                continue
            other = Path(target).relative_to(prefix).parent.as_posix()
            if rank.get(other, -1) > rank[own]:
                where = f"{path.relative_to(root)}:{number}"
                problems.append(f"{where}: {top}/{own} may not include {target}, a higher folder")
    return problems


def check_products(root: Path) -> list[str]:
    """Return the includes between folders of bridges and devices that PRODUCT_FOLDERS lacks."""
    problems = []
    for path in [*sources_under(root / "bridges"), *sources_under(root / "devices")]:
        own = path.parent.relative_to(root).as_posix()
        if own not in PRODUCT_FOLDERS:
            problems.append(f"{path.relative_to(root)}: tools/layers.py does not order {own}")
            continue
        for number, _, target in includes_of(path):
            folder = Path(target).parent.as_posix()
            is_ours = target.startswith(("bridges/", "devices/", "python/", "command/"))
            if not is_ours or folder in {own, *PRODUCT_FOLDERS[own]}:
                continue
            if target not in SHARED_WITH_BRIDGES or not own.startswith("bridges/"):
                problems.append(
                    f"{path.relative_to(root)}:{number}: {own} may not include {target}"
                )
    return problems


def check_undeclared_folders(root: Path, layers: dict[str, set[str]]) -> list[str]:
    """Return layers with folders whose order CMakeLists.txt does not give."""
    ordered = parse_folders(root)
    problems = []
    for layer in layers:
        folders = {path.parent for path in sources_under(root / "src" / layer)}
        if len(folders) > 1 and layer not in ordered:
            problems.append(f"src/{layer}: give its opwright_layer(...) line FOLDERS, lowest first")
    return problems


def check_folder_sizes(root: Path) -> list[str]:
    """Return folders with more sources than MOST_FILES."""
    counts: dict[Path, int] = {}
    for name in ROOM_FOLDERS:
        for path in (root / name).rglob("*"):
            if path.suffix in {*SOURCE_SUFFIXES, ".py", ".pyi"} and "__pycache__" not in path.parts:
                counts[path.parent] = counts.get(path.parent, 0) + 1
    return [
        f"{folder.relative_to(root)}: {count} files, at most {MOST_FILES}; split it by concept"
        for folder, count in sorted(counts.items())
        if count > MOST_FILES
    ]


def check_folder(
    root: Path, folder: Path, layers: dict[str, set[str]], allowed: set[str], who: str
) -> list[str]:
    problems = []
    for path in sources_under(folder):
        for number, mark, target in includes_of(path):
            where = f"{path.relative_to(root)}:{number}"
            layer = layer_of_include(target, layers)
            if ".." in target.split("/"):
                problems.append(f'{where}: an include has "..": {target}')
            elif layer is not None and layer not in allowed:
                problems.append(f"{where}: {who} may not include {target}")
            elif mark == '"' and "/" not in target:
                problems.append(f'{where}: write "opwright/<layer>/{target}", not "{target}"')
    return problems


def check_public_headers(root: Path) -> list[str]:
    # Sources written for PyTorch rely on what PyTorch's headers include.
    compat = root / "include" / "opwright" / "compat"
    return [
        f"{path.relative_to(root)}:{number}: a public header may not include <{target}>"
        for path in sources_under(root / "include")
        for number, _, target in includes_of(path)
        if HEAVY_HEADERS.match(target) and not path.is_relative_to(compat)
    ]


def check_stray_folders(root: Path, layers: dict[str, set[str]]) -> list[str]:
    folder = root / "src"
    if not folder.is_dir():
        return []
    return [
        f"src/{path.name}: no opwright_layer(...) line names this folder"
        for path in sorted(folder.iterdir())
        if path.is_dir() and path.name not in layers
    ]
