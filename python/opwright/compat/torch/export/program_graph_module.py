"""A program as a GraphModule: the result of `ExportedProgram.module()`.

Its graph reads parameters, buffers and constants as attributes, checks the arguments in
`_guards_fn`, and writes the buffers and arguments that the program writes. A call runs the program;
after `recompile()` it runs the code of the graph, so that edits of the graph take effect.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from opwright import _C, nn
from opwright.export import ConstantArgument, InputKind, OutputKind
from opwright.export.program_module import ProgramModule, find_tensor

from ..fx.codegen import TreeCodeGen
from ..fx.core_graph import NoFormError
from ..fx.graph import Graph
from ..fx.graph_module import _HOOKS, GraphModule
from ..fx.traceback import NodeSource, NodeSourceAction
from .program_reader import ProgramReader
from .program_view import describe_modules, plain_name, shown_paths

if TYPE_CHECKING:
    from .exported_program import ExportedProgram

__all__ = ["ProgramGraphModule"]

_CREATE, _REPLACE = NodeSourceAction.CREATE, NodeSourceAction.REPLACE


class _CallCodeGen(TreeCodeGen):
    """The code of a call with positional and keyword arguments."""

    def __init__(self, orig_args: list[str], num_positional: int, in_spec: Any, out_spec: Any):
        super().__init__(orig_args, in_spec, out_spec)
        self._num_positional = num_positional

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        definition = super(TreeCodeGen, self).gen_fn_def(
            list(self.orig_args), maybe_return_annotation
        )
        if not free_vars:
            return definition
        names = ", ".join(each.split(":")[0].split("=")[0].strip(" *") for each in free_vars)
        positional = ", ".join(self.orig_args[: self._num_positional])
        keywords = ", ".join(f"'{name}':{name}" for name in self.orig_args[self._num_positional :])
        given = f"([{positional}], {{{keywords}}})"
        return f"{definition}\n    {names}, = fx_pytree.tree_flatten_spec({given}, self._in_spec)"

    def __reduce__(self) -> tuple[Any, ...]:
        specs = (_C.tree_text(self.in_spec), _C.tree_text(self.out_spec))
        return _read_codegen, (self.orig_args, self._num_positional, *specs)

    def __copy__(self) -> _CallCodeGen:
        return _CallCodeGen(self.orig_args, self._num_positional, self.in_spec, self.out_spec)


def _read_codegen(names: list[str], num_positional: int, given: str, results: str) -> _CallCodeGen:
    return _CallCodeGen(names, num_positional, _C.read_tree_text(given), _C.read_tree_text(results))


class _Guards(nn.Module):
    """Checks the arguments of a program: their sizes, dtypes and constant values."""

    _is_impure = True  # a graph keeps the call

    def __init__(self, program: _C.ExportedProgram) -> None:
        super().__init__()
        self._program = program

    def forward(self, *leaves: Any) -> None:
        self._program.check_inputs(list(leaves))

    def __deepcopy__(self, memo: dict[int, Any]) -> _Guards:
        return _Guards(self._program)

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_guards, (_C.write_program(self._program),)


def _read_guards(data: bytes) -> _Guards:
    return _Guards(_C.read_program(data, "the bytes of a module"))


class ProgramGraphModule(ProgramModule, GraphModule):
    """A program as a module of torch.fx.

    >>> import opwright.compat.torch as torch
    >>> module = torch.export.export(lambda x: x.sin(), (torch.ones(2),)).module()
    >>> print(module.code.strip())
    def forward(self, x):
        x, = fx_pytree.tree_flatten_spec(([x], {}), self._in_spec)
        _guards_fn = self._guards_fn(x);  _guards_fn = None
        sin = torch.ops.aten.sin.default(x);  x = None
        return pytree.tree_unflatten((sin,), self._out_spec)
    """

    def __init__(self, program: ExportedProgram) -> None:
        ProgramModule.__init__(self, program)
        type(self).__name__ = "GraphModule"
        for kind in _HOOKS:
            self.__dict__[kind] = []
        self.__dict__["meta"] = {}
        self.__dict__["_tracer_cls"] = None
        self.graph = _UnliftedGraph(self, program).graph
        self._run_program()

    def _run_program(self) -> None:
        """Let calls run the program, not the code of the graph."""
        del type(self).forward

    @property
    def graph(self) -> Graph:  # type: ignore[override]
        """The graph; call `recompile` after a change of it."""
        return self.__dict__["_graph"]

    @graph.setter
    def graph(self, g: Graph) -> None:
        GraphModule.graph.fset(self, g)  # type: ignore[attr-defined]

    @property
    def code(self) -> str:  # type: ignore[override]
        """The source of `forward`."""
        return self.__dict__["_code"]

    def print_readable(self, print_output: bool = True, **options: Any) -> str:  # type: ignore[override]
        """Print the code of the graph, annotated with types; return it."""
        return GraphModule.print_readable(self, print_output, **options)

    def __deepcopy__(self, memo: dict[int, Any]) -> ProgramGraphModule:
        graph = self.__dict__["_graph"]
        memo[id(graph)] = None  # copied below, when the module that it belongs to exists
        for shared in (self.__dict__["_in_spec"], self.__dict__["_out_spec"]):
            memo[id(shared)] = shared
        made = ProgramModule.__deepcopy__(self, memo)
        del memo[id(graph)]
        return self._take_graph(made, copy.deepcopy(graph, memo))

    def _take_graph(self, made: Any, graph: Graph) -> ProgramGraphModule:
        for kind in _HOOKS:
            made.__dict__[kind] = []
        type(made).__name__ = type(self).__name__
        made.graph = graph
        if "forward" not in vars(type(self)):
            made._run_program()
        return made

    def __copy__(self) -> GraphModule:
        return GraphModule(self, self.graph, type(self).__name__)

    def __reduce__(self) -> tuple[Any, ...]:
        own = {
            name: value
            for name, value in self.__dict__.items()
            if name not in (*_LEFT_OUT, *_HOOKS)
        }
        data = _C.write_program(self._program)
        shared = (data, self._arguments.text, _C.tree_text(self._results))
        return _rebuild, (*shared, own, self.graph, "forward" not in vars(type(self)))


_LEFT_OUT = (
    "_program",
    "_arguments",
    "_results",
    "_in_spec",
    "_out_spec",
    "_bound",
    "_graph",
    "_code",
    "_lineno_map",
    "_prologue_start",
)


def _rebuild(
    data: bytes, arguments: str, results: str, own: dict[str, Any], graph: Graph, is_program: bool
) -> ProgramGraphModule:
    from opwright._func.call_tree import Arguments

    made = ProgramGraphModule.__new__(ProgramGraphModule)
    program = _C.read_program(data, "the bytes of a module")
    shared = {
        "_program": program,
        "_arguments": Arguments.read_text(arguments),
        "_results": _C.read_tree_text(results),
    }
    made.__setstate__({**own, **shared})
    for kind in _HOOKS:
        made.__dict__[kind] = []
    type(made).__name__ = "GraphModule"
    made.graph = graph
    if is_program:
        made._run_program()
    return made


class _UnliftedGraph:
    """The graph of a program with its state as attributes of a module."""

    def __init__(self, module: ProgramGraphModule, program: ExportedProgram) -> None:
        self._module = module
        core = program._program.graph
        signature = program.core_signature
        self._reader = ProgramReader(core, module, keeps_grad_mode=True)
        self.graph = self._reader.graph
        arguments = program._arguments
        labels = _parameter_names(arguments.labels())
        positional = len(labels) - len(arguments.keys)
        self.graph.set_codegen(_CallCodeGen(labels, positional, arguments.spec, program._results))
        self._add_inputs(core, signature)
        self._add_guards(program, signature)
        self._reader.read()
        describe_modules(self._reader, core, {each.fqn: each for each in program.module_call_graph})
        self.graph.output(tuple(self._results(core, signature)))
        self._note_sources(id(program.graph))

    def _note_sources(self, graph: int) -> None:
        """Note from which node of the program's graph each node was made."""
        for node in self.graph.nodes:
            name = str(node.target)
            made = NodeSource(node.name, name, "ExportedProgram.module()", [_CREATE], graph)
            if node.op == "get_attr":
                read = "ExportedProgram.module().unlift()"
                made = NodeSource(node.name, name, read, [_CREATE, _REPLACE], None, [made])
            node.meta["from_node"] = [made]

    def _add_inputs(self, core: _C.Graph, signature: Any) -> None:
        nodes = {node.name: node for node in core.inputs}
        self._users = []
        for path, spec in zip(shown_paths(signature), signature.input_specs, strict=True):
            if spec.kind is InputKind.USER_INPUT:
                is_constant = isinstance(spec.arg, ConstantArgument)
                node = None if is_constant else nodes[spec.arg.name]
                value = spec.arg.value if isinstance(spec.arg, ConstantArgument) else None
                self._users.append(self._reader.add_input(plain_name(path), node, value))
            elif spec.kind is not InputKind.RANDOM_STATE:
                self._add_state(nodes[spec.arg.name], path, str(spec.target))
            elif not self._reader.draws_plainly:
                raise NoFormError(
                    "module: the graph of a program that draws random numbers in place has no form "
                    "as a module of torch.fx; call the program itself"
                )

    def _add_state(self, node: Any, path: str, target: str) -> None:
        if path != target:  # a constant without a path of its own
            setattr(self._module, path, find_tensor(self._module, target))
        made = self.graph.create_node("get_attr", path, name=plain_name(path))
        self._reader._nodes[node] = made
        self._reader._describe(made, node)
        self._reader._note_sizes(made, node.meta["val"])

    def _add_guards(self, program: ExportedProgram, signature: Any) -> None:
        self._module._guards_fn = _Guards(program._program)
        if self._users:
            name = "_guards_fn"
            self.graph.create_node("call_module", name, tuple(self._users), {}, name)

    def _results(self, core: _C.Graph, signature: Any) -> list[Any]:
        returned = iter([self._reader._argument(each) for each in core.outputs])
        return [
            spec.arg.value if isinstance(spec.arg, ConstantArgument) else next(returned)
            for spec in signature.output_specs
            if spec.kind is OutputKind.USER_OUTPUT
        ]


def _parameter_names(labels: list[str]) -> list[str]:
    """Return labels of arguments as names, each once: `args[0]` is args_0."""
    names: list[str] = []
    for index, label in enumerate(labels):
        name = label if label.isidentifier() else plain_name(label)
        while name in (*names, *labels[index + 1 :]):
            name += "_"
        names.append(name)
    return names
