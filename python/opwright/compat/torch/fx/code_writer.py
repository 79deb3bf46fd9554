"""Writes the source of a graph: the definition of `forward`, a line per node, and its globals."""

import dataclasses
import inspect
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .code_globals import CodeGlobals
from .namespace import Namespace
from .node import Node
from .qualified_name import qualified_name
from .value_text import annotation_of, format_target, global_of, value_text

if TYPE_CHECKING:
    from .codegen import CodeGen

__all__ = ["CodeWriter", "PythonCode"]

BINARY = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "floordiv": "//",
    "truediv": "/",
    "mod": "%",
    "pow": "**",
    "lshift": "<<",
    "rshift": ">>",
    "and_": "&",
    "or_": "|",
    "xor": "^",
    "matmul": "@",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "gt": ">",
    "le": "<=",
    "ge": ">=",
}
UNARY = {"pos": "+", "neg": "-", "invert": "~"}
IN_PLACE = {
    "iadd": "+=",
    "iand": "&=",
    "ifloordiv": "//=",
    "ilshift": "<<=",
    "imod": "%=",
    "imul": "*=",
    "imatmul": "@=",
    "ior": "|=",
    "ipow": "**=",
    "irshift": ">>=",
    "isub": "-=",
    "itruediv": "/=",
    "ixor": "^=",
}


@dataclasses.dataclass
class PythonCode:
    """Generated source, and the objects that it names."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = None
    _prologue_start: int = 0


class CodeWriter:
    """One run of the generator over the nodes of a graph."""

    def __init__(
        self,
        codegen: "CodeGen",
        nodes: Sequence[Node],
        root_module: str,
        namespace: Namespace,
        *,
        verbose: bool = False,
        include_stride: bool = False,
        include_device: bool = False,
        additional_meta: Sequence[str] | None = None,
    ) -> None:
        self.codegen = codegen
        self.nodes = nodes
        self.root = root_module
        self.globals = CodeGlobals(namespace)
        self.verbose = verbose
        self.strides, self.devices = include_stride, include_device
        self.meta = additional_meta or ()
        self.free_vars: list[str] = []
        self.body: list[str] = []
        self.return_annotation = ""
        self.last_place: str | None = None

    def write(self) -> PythonCode:
        """Return the code of all nodes."""
        self.globals.values.update(self.codegen.additional_globals())
        last_uses = self._find_last_uses()
        owners: list[int] = []
        for index, node in enumerate(self.nodes):
            start = len(self.body)
            if self.verbose:
                self._write_place(node)
            self._write_node(node)
            self._end_line(node, last_uses.get(node, []))
            owners += [index] * (len(self.body) - start)
        body = self.body or ["pass\n"]
        if self.codegen._body_transformer is not None:
            body = self.codegen._body_transformer(body)
        definition = self._define()
        code = "".join(body).lstrip("\n")
        code = "\n".join(f"    {line}" for line in code.split("\n"))
        if self.verbose:
            code = "\n".join(line.rstrip() for line in code.split("\n"))
        wraps = "\n".join(
            f'torch.fx._symbolic_trace.wrap("{name}")' for name in self.globals.wrapped
        )
        head = f"\n{wraps}\n\n"
        return PythonCode(
            f"{head}{definition}\n{code}",
            self.globals.values,
            _line_map(body, owners),
            head.count("\n") + definition.count("\n") + 1,
        )

    def _define(self) -> str:
        return self.codegen.gen_fn_def(self.free_vars, self.return_annotation).lstrip("\n")

    def _find_last_uses(self) -> dict[Node, list[Node]]:
        last: dict[Node, list[Node]] = {}
        seen: set[Node] = set()
        for node in reversed(self.nodes):
            for used in node._input_nodes:
                if used not in seen:
                    seen.add(used)
                    last.setdefault(node, []).append(used)
        return last

    def _end_line(self, node: Node, unused: list[Node]) -> None:
        """End the line of a node, and release the values that it was the last to use."""
        if node.op == "placeholder":
            return
        names = [repr(each) for each in unused]
        if not node.users:
            names.append(repr(node))
        releases = f";  {' = '.join(names)} = None" if names and node.op != "output" else ""
        self.body[-1] += f"{releases}{self._meta_comment(node)}\n"

    def _meta_comment(self, node: Node) -> str:
        notes = [f"{key}: {node.meta[key]}" for key in self.meta if key in node.meta]
        return f"  # {', '.join(notes)}" if self.verbose and notes else ""

    def _write_place(self, node: Node) -> None:
        if node.op in ("placeholder", "output"):
            return
        place = _place_text(node)
        if place != self.last_place:
            self.last_place = place
            self.body.append(f"\n{place}\n")

    # ---- Values ----

    def _value(self, given: Any) -> str:
        return value_text(given, lambda each: global_of(each, self.globals.add))

    def _arguments(self, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
        parts = [self._value(each) for each in args]
        parts += [f"{key} = {self._value(value)}" for key, value in kwargs.items()]
        return ", ".join(parts)

    # ---- Nodes ----

    def _write_node(self, node: Node) -> None:
        if node.op == "placeholder":
            self._write_placeholder(node)
        elif node.op == "output":
            self._write_output(node)
        elif node.op == "call_function" and (text := _in_place_sign(node)) is not None:
            left, right = (self._value(each) for each in node.args)
            self.body.append(f"{left} {text} {right};  {node!r}{self._annotation(node)} = {left}")
        else:
            self.body.append(f"{node!r}{self._annotation(node)} = {self._expression(node)}")

    def _annotation(self, node: Node) -> str:
        if node.type is not None:
            return f" : {self.globals.add_type(node.type)}"
        return annotation_of(node, self.strides, self.devices) if self.verbose else ""

    def _write_placeholder(self, node: Node) -> None:
        default = f" = {self._value(node.args[0])}" if node.args else ""
        self.free_vars.append(f"{node.target}{self._annotation(node)}{default}")
        plain = str(node.target).replace("*", "")
        if plain != repr(node):
            self.body.append(f"{node!r} = {plain}\n")

    def _write_output(self, node: Node) -> None:
        if node.type is not None:
            self.return_annotation = f" -> {self.globals.add_type(node.type)}"
        returned = node.args[0] if node.args else None
        make = self.codegen.generate_output
        known = {"repr_fn": self._value} if "repr_fn" in inspect.signature(make).parameters else {}
        self.body.append(make(returned, **known))

    def _expression(self, node: Node) -> str:
        if node.op == "get_attr":
            return format_target(self.root, node.target)
        if node.op == "call_module":
            called = format_target(self.root, node.target)
            return f"{called}({self._arguments(node.args, node.kwargs)})"
        if node.op == "call_method":
            called = format_target(self._value(node.args[0]), node.target)
            return f"{called}({self._arguments(node.args[1:], node.kwargs)})"
        if node.op != "call_function":
            raise NotImplementedError(f"fx: a node of the kind '{node.op}' has no code")
        sign = self._sign_expression(node)
        if sign is not None:
            return sign
        name = self.globals.add(qualified_name(node.target), node.target)
        if node.meta.get("is_wrapped") and name not in self.globals.wrapped:
            self.globals.wrapped.append(name)
        return f"{name}({self._arguments(node.args, node.kwargs)})"

    def _sign_expression(self, node: Node) -> str | None:
        """Return `a + b`, `-a`, `a[b]` or `a.b` for functions that have such a form."""
        target, args = node.target, node.args
        name = getattr(target, "__name__", None)
        if node.kwargs:
            return None
        if getattr(target, "__module__", None) == "_operator":
            if name in BINARY and len(args) == 2:
                return f"{self._value(args[0])} {BINARY[name]} {self._value(args[1])}"
            if name in UNARY and len(args) == 1:
                return f"{UNARY[name]}{self._value(args[0])}"
            if name == "getitem" and len(args) == 2:
                return f"{self._value(args[0])}[{self._value(args[1])}]"
        is_read = target is getattr and len(args) == 2 and isinstance(args[1], str)
        if is_read and args[1].isidentifier():
            return f"{self._value(args[0])}.{args[1]}"
        return None


def _in_place_sign(node: Node) -> str | None:
    if getattr(node.target, "__module__", None) != "_operator" or len(node.args) != 2:
        return None
    return IN_PLACE.get(node.target.__name__)


def _place_text(node: Node) -> str:
    """Return the comment above a node: where it was traced."""
    trace = node.meta.get("stack_trace")
    if not trace:
        return "# No stacktrace found for following nodes"
    places = re.findall(r'File "([^"]+)", line (\d+), in (\S+)\n\s*(.*)', trace)
    if not places:
        return f"# {trace.strip().splitlines()[-1]}"
    file, line, function, code = places[-1]
    return f"# File: {file}:{line} in {function}, code: {code}"


def _line_map(body: Sequence[str], owners: Sequence[int]) -> dict[int, int | None]:
    """Return the node of each line of the code; line 0 is the definition.

    Lines that a transformer of the body put in front have no node.
    """
    extra = len(body) - len(owners)
    mapped: dict[int, int | None] = {}
    line = 1
    for place, text in enumerate(body):
        if 0 <= place - extra < len(owners):
            mapped.setdefault(line, owners[place - extra])
        line += text.count("\n")
    return mapped
