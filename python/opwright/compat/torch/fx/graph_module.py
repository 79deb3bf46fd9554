"""torch.fx.graph_module: a module whose forward is the code of a graph."""

import copy
import itertools
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import opwright as ow
from opwright import nn
from opwright.compat._absent import absent

from .code_writer import PythonCode
from .codegen import TreeCodeGen
from .graph import Graph
from .node import Node

__all__ = ["GraphModule"]

_file_numbers = itertools.count()
# Where the nodes of generated code came from, by file and line; kept as long as its source is.
_stack_traces: dict[str, dict[int, str]] = {}
_HOOKS = ("_replace_hooks", "_create_node_hooks", "_erase_node_hooks", "_deepcopy_hooks")


def stack_trace_of_line(file: str, line: int) -> str | None:
    """Return the `stack_trace` of the node that a line of generated code is for, if it has one."""
    return _stack_traces.get(file, {}).get(line)


def _traces_by_line(code: PythonCode, nodes: Sequence[Node]) -> dict[int, str]:
    return {
        code._prologue_start + line: trace
        for line, index in (code._lineno_map or {}).items()
        if index is not None and (trace := nodes[index].meta.get("stack_trace"))
    }


def _compile(
    code: PythonCode, place: tuple[str, str, int] | None, name: str, nodes: Sequence[Node]
) -> Callable[..., Any]:
    """Return the function of generated code, with its source where tracebacks find it."""
    file = f"<eval_with_key>.{next(_file_numbers)}"
    if place is not None:
        file += f" from {place[1]}:{place[2]} in {place[0]}"
    linecache.cache[file] = (len(code.src), None, code.src.splitlines(keepends=True), file)
    if traces := _traces_by_line(code, nodes):
        _stack_traces[file] = traces
    names = dict(code.globals)
    exec(compile(code.src, file, "exec"), names)
    return names[name]


class GraphModule(nn.Module):
    """A graph with the parameters and modules that it reads; calling it runs the graph.

    >>> from opwright.compat.torch import fx
    >>> traced = fx.symbolic_trace(lambda x: x + 1)
    >>> for node in traced.graph.find_nodes(op="call_function"):
    ...     node.update_arg(1, 10)
    >>> _ = traced.recompile()
    >>> traced(5)
    15
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> "GraphModule":
        # Each instance has its own class, because `forward` belongs to the class.
        base = next(each for each in cls.__mro__ if "_is_graph_module_class" not in vars(each))
        own = type(base.__name__, (base,), {"_is_graph_module_class": True})
        own.__module__ = base.__module__
        return super().__new__(own)

    def __init__(
        self,
        root: nn.Module | dict[str, Any],
        graph: Graph,
        class_name: str = "GraphModule",
    ) -> None:
        super().__init__()
        type(self).__name__ = class_name
        if isinstance(root, nn.Module):
            if hasattr(root, "training"):
                self.training = root.training
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    _copy_attribute(root, self, node.target)
        elif isinstance(root, dict):
            self._take_from_dict(root, graph)
        else:
            raise RuntimeError(f"Unsupported type {type(root)} passed for root!")
        for kind in _HOOKS:
            self.__dict__[kind] = list(getattr(root, kind, ()))
        self.__dict__["meta"] = dict(getattr(root, "meta", {}))
        self.__dict__["_tracer_cls"] = graph._tracer_cls
        self.graph = graph

    def _take_from_dict(self, root: dict[str, Any], graph: Graph) -> None:
        targets = []
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module"):
                if node.target not in root:
                    raise RuntimeError(
                        f"Node {node} referenced target {node.target} but that target was not "
                        "provided in ``root``!"
                    )
                targets.append(node.target)
        # Short paths first: a module that is given must not hide what is given below it.
        for target in sorted(targets, key=lambda path: path.count(".")):
            _assign_attribute(root[target], self, target)

    # ---- The graph and its code ----

    @property
    def graph(self) -> Graph:
        """The graph; call `recompile` after a change of it."""
        return self.__dict__["_graph"]

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self.__dict__["_graph"] = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The source of `forward`."""
        if "_code" not in self.__dict__:
            raise RuntimeError("Code has not been generated! Please report a bug")
        return self.__dict__["_code"]

    def recompile(self) -> PythonCode:
        """Make `forward` from the graph as it is now; return the code."""
        graph = self.graph
        if isinstance(graph._codegen, TreeCodeGen):
            self.__dict__["_in_spec"] = graph._codegen.in_spec
            self.__dict__["_out_spec"] = graph._codegen.out_spec
        code = graph.python_code(root_module="self")
        self.__dict__["_code"] = code.src
        self.__dict__["_lineno_map"] = code._lineno_map
        self.__dict__["_prologue_start"] = code._prologue_start
        place = getattr(graph, "_co_fields", None)
        type(self).forward = _compile(code, place, graph._codegen._func_name, list(graph.nodes))
        return code

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if (check := self.__dict__.get("_size_check")) is not None:
            check(args, kwargs)
        try:
            return super().__call__(*args, **kwargs)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            if "eval_with_key" not in frames[-1].filename:
                raise
            print(_error_in_code(error, frames[-1]), file=sys.stderr)
            raise error.with_traceback(None) from None

    # ---- Modules ----

    def add_submodule(self, target: str, m: nn.Module) -> bool:
        """Add a module at a path, making empty modules on the way; return whether it could."""
        *prefix, name = target.split(".")
        module: nn.Module = self
        for part in prefix:
            child = getattr(module, part, None)
            if child is None:
                child = nn.Module()
                setattr(module, part, child)
            if not isinstance(child, nn.Module):
                return False
            module = child
        module.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Delete the module at a path; return whether it was there."""
        *prefix, name = target.split(".")
        module: Any = self
        for part in prefix:
            module = getattr(module, part, None)
            if not isinstance(module, nn.Module):
                return False
        if not isinstance(getattr(module, name, None), nn.Module):
            return False
        delattr(module, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Delete the modules that no node calls or reads from."""
        used: list[str] = []
        for node in self.graph.nodes:
            if node.op not in ("call_module", "get_attr"):
                continue
            parts = str(node.target).split(".")
            used += [".".join(parts[: index + 1]) for index in range(len(parts))]
            if node.op == "call_module":
                called = _module_at(self, parts)
                used += [f"{node.target}.{name}" for name, _ in called.named_modules() if name]
        for name in [name for name, _ in self.named_modules()]:
            if name and name not in used:
                self.delete_submodule(name)

    # ---- Copies ----

    def __deepcopy__(self, memo: dict[int, Any]) -> "GraphModule":
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        state = {key: value for key, value in self.__dict__.items() if key not in _HOOKS}
        copied = copy.deepcopy(state, memo)
        graph = copied.pop("_graph")
        nn.Module.__init__(made)
        made.__dict__.update(copied)
        for kind in _HOOKS:
            made.__dict__[kind] = list(self.__dict__[kind])
        type(made).__name__ = type(self).__name__
        made.graph = graph
        for hook in made.__dict__["_deepcopy_hooks"]:
            hook(made)
        return made

    def __copy__(self) -> "GraphModule":
        made = GraphModule(self, self.graph, type(self).__name__)
        made.__dict__["meta"] = self.__dict__["meta"]
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        left_out = ("_graph", "_size_check", "_code", "_lineno_map", "_prologue_start", *_HOOKS)
        state = {key: value for key, value in self.__dict__.items() if key not in left_out}
        return _restore, (state, self.graph, type(self).__name__)

    def _replicate_for_data_parallel(self) -> "GraphModule":
        return self.__copy__()

    # ---- Text and files ----

    def print_readable(
        self,
        print_output: bool = True,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        **options: Any,
    ) -> str:
        """Print the code of this module and of the GraphModules in it, with types; return it."""
        text = _readable(self, type(self).__name__, include_stride, include_device, options)
        if print_output:
            print(text)
        return text

    def __str__(self) -> str:
        note = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__str__(), self.code, note])

    def to_folder(self, folder: str | os.PathLike[str], module_name: str = "FxModule") -> None:
        """Write the module as a Python package: its code, and its state beside it."""
        from .to_folder import write_folder

        write_folder(self, Path(folder), module_name)

    # ---- Hooks ----

    @contextmanager
    def _set_replace_hook(self, f: Callable[..., object]) -> Iterator[None]:
        self._register_replace_node_hook(f)
        try:
            yield
        finally:
            self._unregister_replace_node_hook(f)

    def _register_replace_node_hook(self, f: Callable[..., object]) -> None:
        self.__dict__["_replace_hooks"].append(f)

    def _unregister_replace_node_hook(self, f: Callable[..., object]) -> None:
        self.__dict__["_replace_hooks"].remove(f)

    def _register_create_node_hook(self, f: Callable[..., object]) -> None:
        self.__dict__["_create_node_hooks"].append(f)

    def _unregister_create_node_hook(self, f: Callable[..., object]) -> None:
        self.__dict__["_create_node_hooks"].remove(f)

    def _register_erase_node_hook(self, f: Callable[..., object]) -> None:
        self.__dict__["_erase_node_hooks"].append(f)

    def _unregister_erase_node_hook(self, f: Callable[..., object]) -> None:
        self.__dict__["_erase_node_hooks"].remove(f)

    def _register_deepcopy_hook(self, f: Callable[..., object]) -> None:
        self.__dict__["_deepcopy_hooks"].append(f)

    def _unregister_deepcopy_hook(self, f: Callable[..., object]) -> None:
        self.__dict__["_deepcopy_hooks"].remove(f)


def _module_at(module: Any, path: list[str]) -> nn.Module:
    """Return the module at a path; an empty one if there is none."""
    for part in path:
        module = getattr(module, part, None)
    return module if isinstance(module, nn.Module) else nn.Module()


def _restore(state: dict[str, Any], graph: Graph, name: str) -> GraphModule:
    made = GraphModule.__new__(GraphModule)
    nn.Module.__init__(made)
    made.__dict__.update(state)
    for kind in _HOOKS:
        made.__dict__[kind] = []
    type(made).__name__ = name
    made.graph = graph
    return made


def _copy_attribute(source: Any, target: nn.Module, path: str) -> None:
    """Give the target what the source has at a path, with empty modules on the way."""
    *prefix, name = path.split(".")
    for part in prefix:
        inner, made = getattr(source, part), getattr(target, part, None)
        if inner is made:
            return
        if made is None:
            made = nn.Module()
            setattr(target, part, made)
        source, target = inner, made
    value = getattr(source, name)
    if isinstance(value, ow.Tensor) and not isinstance(value, nn.Parameter):
        persistent = name not in getattr(source, "_non_persistent_buffers_set", ())
        target.register_buffer(name, value, persistent=persistent)
    else:
        setattr(target, name, value)


def _assign_attribute(value: Any, target: nn.Module, path: str) -> None:
    *prefix, name = path.split(".")
    for part in prefix:
        inner = getattr(target, part, None)
        if inner is None:
            inner = nn.Module()
            setattr(target, part, inner)
        target = inner
    if isinstance(value, ow.Tensor) and not isinstance(value, nn.Parameter):
        target.register_buffer(name, value)
    else:
        setattr(target, name, value)


def _readable(
    module: GraphModule, name: str, strides: bool, devices: bool, options: dict[str, Any]
) -> str:
    code = module.graph.python_code(
        root_module="self",
        verbose=True,
        include_stride=strides,
        include_device=devices,
        additional_meta=options.get("additional_meta"),
    )
    text = f"class {name or 'GraphModule'}(torch.nn.Module):\n" + _indent(code.src.lstrip("\n"))
    children = [
        _indent(_readable(child, child_name, strides, devices, options))
        for child_name, child in module.named_children()
        if isinstance(child, GraphModule)
    ]
    return "\n".join([text.rstrip(" "), *children])


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" if line.strip() else "" for line in text.split("\n"))


def _error_in_code(error: Exception, frame: traceback.FrameSummary) -> str:
    lines = linecache.getlines(frame.filename)
    number = frame.lineno or 0
    before = "".join(lines[max(0, number - 2) : number])
    after = "".join(lines[number : number + 2])
    return (
        f"Call using an FX-traced Module, line {number} of the traced Module's generated forward "
        f"function:\n{before}\n~~~~~~~~~~~~~~~~~~~~~~~~~~~ <--- HERE\n{after}\n"
        f"{type(error).__name__}: {error}"
    )


__getattr__ = absent(__name__)
