"""YAML as nodes with their lines; every problem is reported with its line."""

import re
from typing import NoReturn

try:
    import yaml
except ImportError as problem:
    raise ImportError(
        "reading a list of operators needs PyYAML, which is not installed: "
        "python -m pip install PyYAML (or opwright[declare])"
    ) from problem

Fields = dict[str, tuple[yaml.Node, yaml.Node]]


class DeclarationError(ValueError):
    """An error in the YAML file; the text starts with the file name and the line."""


class NodeReader:
    """Reads nodes of the file; `name` is its name in errors."""

    def __init__(self, name: str):
        self.name = name

    def compose(self, text: str) -> yaml.Node | None:
        """Return the root of the document; None if it is empty."""
        try:
            return yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            self.fail_at(mark.line + 1 if mark else 1, error.problem or error.context)
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            self.fail_at(line, f"the character {error.character:#x} is not allowed in YAML")
        except RecursionError:
            self.fail_at(1, "brackets are nested too deeply")

    def read_mapping(self, node: yaml.Node, what: str) -> Fields:
        if not isinstance(node, yaml.MappingNode):
            self.fail(node, f"{what} must be a mapping")
        fields: Fields = {}
        for key, value in node.value:
            name = self.read_text(key, "a key")
            if name in fields:
                self.fail(key, f"'{name}' appears twice")
            fields[name] = (key, value)
        return fields

    def read_list(self, node: yaml.Node, what: str) -> list[yaml.Node]:
        if not isinstance(node, yaml.SequenceNode):
            self.fail(node, f"{what} must be a list")
        return node.value

    def read_text(self, node: yaml.Node, what: str) -> str:
        if not isinstance(node, yaml.ScalarNode) or not node.value:
            self.fail(node, f"{what} must be text")
        return node.value

    def read_function(self, node: yaml.Node, what: str, may_be_python: bool) -> str:
        """Read the name of a C++ function or, where allowed, "package.module:function"."""
        name = self.read_text(node, what)
        is_python = is_python_path(name)
        is_cpp = re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)
        if is_python and not may_be_python:
            self.fail(
                node,
                f"'{name}' is a Python function, which opwright.declare.load registers; "
                "a build needs the name of a C++ function",
            )
        if not is_cpp and may_be_python and not is_python:
            self.fail(
                node,
                f"'{name}' names neither a C++ function nor a Python one, "
                "which is written package.module:function",
            )
        if not is_cpp and not is_python:
            self.fail(node, f"'{name}' is not the name of a C++ function")
        return name

    def fail(self, node: yaml.Node, problem: str) -> NoReturn:
        self.fail_at(node.start_mark.line + 1, problem)

    def fail_at(self, line: int, problem: str) -> NoReturn:
        raise DeclarationError(f"{self.name}:{line}: {problem}")


def is_python_path(name: str) -> bool:
    """Return whether a name is "package.module:function".

    >>> is_python_path("audio.kernels:soft_clip"), is_python_path("soft_clip_cpu")
    (True, False)
    """
    return re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*", name) is not None
