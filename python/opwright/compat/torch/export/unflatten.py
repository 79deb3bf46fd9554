"""torch.export.unflatten: programs as trees of modules, each with its part of the graph."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from opwright import export as _export
from opwright.compat._absent import absent
from opwright.export.module_calls import module_path
from opwright.export.unflattened_module import Call, refuse_adapter

if TYPE_CHECKING:
    from ..fx import Graph, GraphModule, Node
    from .exported_program import ExportedProgram
    from .program_view import ProgramView

__all__ = ["InterpreterModule", "UnflattenedModule", "unflatten"]


class _WithGraph:
    """The part of a graph that a module runs, as a graph of torch.fx."""

    _call: Call
    _view: ProgramView

    @property
    def graph_module(self) -> GraphModule:
        """The calls of the module, with those of the modules in it, as a module of torch.fx."""
        known = self.__dict__.get("_graph_module")
        if known is None:
            from ..fx import GraphModule

            graph = _CallGraph(self._view, self._call).graph
            known = GraphModule(self, graph)  # type: ignore[arg-type]
            self.__dict__["_graph_module"] = known
        return known

    @property
    def graph(self) -> Graph:
        """The graph of torch.fx of the calls that the module made."""
        return self.graph_module.graph


class InterpreterModule(_WithGraph, _export.InterpreterModule):
    """A call of an exported module, with its part of the graph.

    >>> import opwright.compat.torch as torch
    >>> program = torch.export.export(torch.nn.Sequential(torch.nn.ReLU()), (torch.ones(1),))
    >>> print(getattr(torch.export.unflatten(program), "0").graph_module.code.strip())
    def forward(self, input_1):
        relu = torch.ops.aten.relu.default(input_1);  input_1 = None
        return relu
    """


class UnflattenedModule(_WithGraph, _export.UnflattenedModule):  # type: ignore[misc]
    """The result of `unflatten`: a program as a tree of modules with graphs of torch.fx."""

    _module_class = InterpreterModule

    def __init__(self, program: ExportedProgram) -> None:
        super().__init__(program)
        for module in self.modules():
            if isinstance(module, _WithGraph):
                module.__dict__["_view"] = program._view

    def print_readable(self, print_output: bool = True, **options: Any) -> str:  # type: ignore[override]
        """Print the code of the graph, annotated with types; return it."""
        return self.graph_module.print_readable(print_output, **options)


def unflatten(module: ExportedProgram, flat_args_adapter: object = None) -> UnflattenedModule:
    """`opwright.export.unflatten`; the modules have graphs of torch.fx.

    >>> import opwright.compat.torch as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
    >>> tree = torch.export.unflatten(torch.export.export(model, (torch.ones(1, 3),)))
    >>> x = torch.randn(1, 3)
    >>> torch.equal(tree(x), model(x))
    True
    """
    refuse_adapter(flat_args_adapter)
    return UnflattenedModule(module)


class _CallGraph:
    """Makes the graph of one call of a module from the nodes of the program's graph."""

    def __init__(self, view: ProgramView, call: Call) -> None:
        from ..fx import Graph

        self.graph = Graph()
        self._view = view
        self._call = call
        self._made: dict[Node, Node] = {}
        self._values = view.values_by_name()
        self._groups = view.nodes_by_call()
        self._states = view.state_paths()
        self._common = self._common_custom(call) if call.entry.fqn else {}
        self._add_placeholders()
        self._add_states()
        for step in call.steps:
            if isinstance(step, Call):
                self._add_module(step)
            else:
                for node in self._groups.get(step.name, ()):
                    self._copy(node)
        self.graph.output(self._result())

    def _add_placeholders(self) -> None:
        is_root = not self._call.entry.fqn
        names = self._view.user_placeholders() if is_root else map(self._find, self._call.inputs)
        for node in names:
            self._made[node] = self._placeholder(node)

    def _placeholder(self, node: Node) -> Node:
        made = self.graph.placeholder(node.name)
        made.target = made.name
        made.meta = dict(node.meta)
        return made

    def _add_states(self) -> None:
        """Read the parameters, buffers and constants that the calls use, in their order."""
        used = {
            each
            for step in self._call.steps
            if not isinstance(step, Call)
            for node in self._groups.get(step.name, ())
            for each in node.all_input_nodes
        }
        prefix = module_path(self._call.entry.fqn)
        for node, path in self._states.items():
            if node not in used:
                continue
            inside = path.removeprefix(f"{prefix}.") if prefix else path
            made = self.graph.create_node("get_attr", inside, name=inside.replace(".", "_"))
            made.meta = dict(node.meta)
            self._made[node] = made

    def _add_module(self, inner: Call) -> None:
        prefix = module_path(self._call.entry.fqn)
        fqn = inner.entry.fqn
        inside = fqn.removeprefix(f"{prefix}.") if prefix else fqn
        args = tuple(self._use(self._find(name)) for name in inner.inputs)
        made = self.graph.call_module(inside, args)
        outputs = [self._find(name) for name in inner.outputs]
        if len(outputs) == 1:
            self._made[outputs[0]] = made
            made.meta = {key: value for key, value in outputs[0].meta.items() if key != "custom"}
        if custom := self._common_custom(inner):
            made.meta["custom"] = custom
        if len(outputs) == 1:
            return
        for index, output in enumerate(outputs):
            item = self.graph.call_function(operator.getitem, (made, index))
            item.meta = dict(output.meta)
            self._made[output] = item

    def _common_custom(self, call: Call) -> dict[str, Any]:
        """Return the entries of `meta["custom"]` that all nodes of a call have: it gets them."""
        nodes = [node for step in call.nodes() for node in self._groups.get(step.name, ())]
        first, *rest = [node.meta.get("custom") or {} for node in nodes] or [{}]
        return {
            key: value
            for key, value in first.items()
            if all(key in each and each[key] == value for each in rest)
        }

    def _copy(self, node: Node) -> Node:
        made = self.graph.node_copy(node, self._use)
        if self._common:
            custom = made.meta.get("custom") or {}
            made.meta["custom"] = {
                key: value for key, value in custom.items() if key not in self._common
            }
        self._made[node] = made
        return made

    def _use(self, node: Node) -> Node:
        """Return the node of this graph for one of the program's."""
        if node not in self._made:
            is_size = node.op == "call_function" and self._view.is_auxiliary(node)
            self._made[node] = self._copy(node) if is_size else self._placeholder_late(node)
        return self._made[node]

    def _placeholder_late(self, node: Node) -> Node:
        first = next(iter(self.graph.nodes))
        with self.graph.inserting_before(first):
            return self._placeholder(node)

    def _find(self, name: str) -> Node:
        return self._values[name]

    def _result(self) -> Any:
        if not self._call.entry.fqn:
            results = self._view.user_results()
            return tuple(self._use_result(each) for each in results)
        outputs = [self._use(self._find(name)) for name in self._call.outputs]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _use_result(self, value: Any) -> Any:
        from ..fx import Node

        return self._use(value) if isinstance(value, Node) else value


__getattr__ = absent(__name__)
