"""The names of torch in the source of a test, and which of them are private or deprecated."""

import ast
import functools
import inspect
import re
import types
from collections.abc import Callable, Iterator

from .missing_names import MissingNameError, Placeholder
from .name_mapping import torch_path

# What torch documents as deprecated or as internal, or what no part of it is wanted here.
NOT_WANTED = re.compile(
    r"torch\.(jit|ao|quantization|quantize\w*|sparse\w*|nested|distributed|distributions|package"
    r"|hspmm|smm|sspaddmm|mkldnn\w*|TypedStorage|Storage|FloatStorage|qint\w*|quint\w*|mps|xpu|mtia)\b"
    r"|functorch\.(make_functional\w*|combine_state_for_ensemble|compile|dim)\b"
    r"|torch\.Tensor\.(to_sparse\w*|to_mkldnn|coalesce|to_dense|is_coalesced|indices|values"
    r"|q_scale|int_repr|dequantize|refine_names|align_to|align_as|rename|rename_|names)\b"
    r"|torch\.testing\._internal\b|torch\.onnx\b|torchvision\b|torchgen\b|torch\.backends\b"
)
SELF = {"self", "cls"}


def is_private(path: str) -> bool:
    """Return whether a dotted name has a component with an underscore, or is not wanted."""
    components = path.split(".")
    return NOT_WANTED.match(path) is not None or any(
        part.startswith("_") and not part.startswith("__") for part in components
    )


def dotted(node: ast.AST) -> list[str] | None:
    """Return ["torch", "x", "y"] of an attribute chain that starts with a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return [node.id, *reversed(parts)]


def chains(tree: ast.AST) -> Iterator[list[str]]:
    """Iterate over the longest attribute chains of a tree."""
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if id(node) not in inner and (chain := dotted(node)):
                yield chain
            inner.add(id(node.value))
        elif isinstance(node, ast.Name) and id(node) not in inner:
            yield [node.id]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield [*node.module.split("."), alias.name]


@functools.cache
def source_tree(function: Callable) -> ast.AST | None:
    try:
        source = inspect.getsource(inspect.unwrap(function))
        # Not dedented: texts inside it may start at the first column.
        return ast.parse(f"if True:\n{source}" if source[0].isspace() else source)
    except (OSError, TypeError, SyntaxError):
        return None


def unresolved_private_names(function: Callable) -> list[str]:
    """Return the private names of torch that a test's source uses and the package does not have."""
    tree = source_tree(function)
    if tree is None:
        return []
    scope = getattr(inspect.unwrap(function), "__globals__", {})
    found = (missing_path(chain, scope) for chain in chains(tree))
    return sorted({path for path in found if path and is_private(path)})


def private_names(function: Callable) -> list[str]:
    """Return every private name of torch in a test's source, whether the package has it or not."""
    tree = source_tree(function)
    if tree is None:
        return []
    scope = getattr(inspect.unwrap(function), "__globals__", {})
    found = (torch_name(chain, scope) for chain in chains(tree))
    return sorted({path for path in found if path and is_private(path)})


def torch_name(chain: list[str], scope: dict) -> str | None:
    """Return the chain with torch's own path in place of its first name."""
    root = scope.get(chain[0])
    if isinstance(root, Placeholder):
        return ".".join([root.path, *chain[1:]])
    if isinstance(root, types.ModuleType) and (path := torch_path(root)):
        return ".".join([path, *chain[1:]])
    if chain[0] == "torch":
        return ".".join(chain)
    return None


def missing_path(chain: list[str], scope: dict) -> str | None:
    """Return the name that a chain reaches if the package does not have it."""
    path = torch_name(chain, scope)
    if path is None:
        return None
    value = scope.get(chain[0])
    if isinstance(value, Placeholder):
        return path
    if value is None:
        return None  # an import in the body of the test; it fails on its own
    for part in chain[1:]:
        if part.startswith("__"):
            return None
        try:
            value = getattr(value, part)
        except MissingNameError as error:
            return error.path
        except AttributeError:
            return path
        except Exception:
            return None
    return None


def private_attributes(line: str) -> list[str]:
    """Return the attributes with an underscore that a line reads, but those of self."""
    found = re.findall(r"(\w+|\)|\])\.(_[a-zA-Z]\w*)", line)
    return [f"{owner}.{name}" for owner, name in found if owner not in SELF]
