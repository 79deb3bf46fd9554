"""The graph of a program as one of torch.fx, and the roles of its inputs and outputs.

State and constants are placeholders before those of the caller: p_weight, b_running_mean, c_table.
The new values of buffers and inputs that the program writes are outputs before its results.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from typing import Any

from opwright import _C, nn, pytree
from opwright.export import (
    ConstantArgument,
    ExportedProgram,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    ModuleCallEntry,
    OutputKind,
    OutputSpec,
    SymIntArgument,
    TensorArgument,
)

from ..fx.graph_module import GraphModule
from ..fx.node import Node
from .grad_regions import wrap_grad_regions
from .program_reader import ProgramReader

_PREFIXES = {
    InputKind.PARAMETER: "p_",
    InputKind.BUFFER: "b_",
    InputKind.CONSTANT_TENSOR: "c_",
}

# The order of outputs: what is written, then the results.
_ORDER = {
    OutputKind.BUFFER_MUTATION: 0,
    OutputKind.PARAMETER_MUTATION: 0,
    OutputKind.USER_INPUT_MUTATION: 1,
    OutputKind.USER_OUTPUT: 2,
}


class ProgramView:
    """A program in the form that torch.export gives it."""

    def __init__(self, program: ExportedProgram) -> None:
        core = program._program.graph
        self._signature = _as_called(program.core_signature, program.__dict__.get("_given_keys"))
        self._calls = {call.fqn: call for call in program.module_call_graph}
        self._used: set[str] = set()
        root = nn.Module()
        self._reader = ProgramReader(core, root)
        self._names: dict[str, str] = {}  # of the core's inputs, here
        self._wanted = self._choose_names()
        self._core_inputs = {node.name: node for node in core.inputs}
        inputs = [
            self._add_input(index, spec)
            for index, spec in enumerate(self._signature.input_specs)
            if not (self._reader.draws_plainly and spec.kind is InputKind.RANDOM_STATE)
        ]
        self._reader.read()
        describe_modules(self._reader, core, self._calls)
        self._annotate(core, program.__dict__.get("_annotations") or ())
        written = self._take_writes(core)
        written = self._wrap_regions(core, root, written, program)
        values = [self._reader._argument(each) for each in core.outputs]
        pairs = sorted(self._outputs(values, written), key=lambda pair: _ORDER[pair[1].kind])
        outputs, specs = [value for value, _ in pairs], [spec for _, spec in pairs]
        self._reader.graph.output(tuple(outputs))
        self.module = GraphModule(root, self._reader.graph)
        self.signature = ExportGraphSignature(inputs, specs)
        if custom := program.__dict__.get("_custom"):
            self._take_custom(core, custom)

    # ---- Metadata ----

    def custom_metadata(self) -> dict[Any, dict[str, Any]]:
        """Return `meta["custom"]` of the nodes, by what also describes nodes made from them."""
        found = {}
        made = {made: node for node, made in self._reader._nodes.items()}
        for node in self.module.graph.nodes:
            if custom := node.meta.get("custom"):
                core = made.get(node)
                is_call = node.op == "call_function" and core is not None
                found[_place(core) if is_call else (node.op, node.name)] = custom
        return found

    def _take_custom(self, core: _C.Graph, custom: dict[Any, dict[str, Any]]) -> None:
        """Give the nodes the metadata of those that they were made from."""
        for node in self.module.graph.nodes:
            if known := custom.get((node.op, node.name)):
                node.meta["custom"] = known
        for node in core.nodes:
            made = self._reader._nodes.get(node)
            known = custom.get(_place(node)) if node.op == "call_function" else None
            if made is not None and known:
                made.meta["custom"] = known

    def _annotate(self, core: _C.Graph, annotations: Iterable[tuple[int, int, dict]]) -> None:
        """Set what `torch.fx.traceback.annotate` gave to the calls inside it."""
        for start, end, custom in annotations:
            for node in core.nodes:
                made = self._reader._nodes.get(node)
                number = node.number
                if made is None or made.op == "placeholder" or number is None:
                    continue
                if start <= number < end:
                    made.meta["custom"] = {**custom, **made.meta.get("custom", {})}

    def _wrap_regions(
        self, core: _C.Graph, root: nn.Module, written: dict[str, Any], program: ExportedProgram
    ) -> dict[str, Any]:
        """Make modules of the parts that run with another grad mode than the export."""
        outside = program.__dict__.get("_grad_mode")
        modes = self._reader.grad_modes
        if outside is None or all(mode == outside for mode in modes.values()):
            return written
        returned = [self._reader._argument(each) for each in core.outputs]
        needed = [each for each in (*returned, *written.values()) if isinstance(each, Node)]
        replaced = wrap_grad_regions(self._reader.graph, root, modes, outside, needed)
        self._reader.replace_values(replaced)
        return {
            name: replaced.get(value, value) if isinstance(value, Node) else value
            for name, value in written.items()
        }

    # ---- Parts of the graph, for unflatten ----

    def values_by_name(self) -> dict[str, Node]:
        """Return the node of each value of the core's graph."""
        found = {}
        reader = self._reader
        for node in reader.core.nodes:
            if node.op != "call_function":
                if node in reader._nodes:
                    found[node.name] = reader._nodes[node]
                continue
            for value in pytree.tree_leaves(list(node.results)):
                known = reader._results.get((node, value.index)) or reader._nodes.get(node)
                if known is not None:
                    found[value.name] = known
        return found

    def nodes_by_call(self) -> dict[str, list[Node]]:
        """Return the nodes that express each call of the core's graph, by its name."""
        names: dict[Node, str] = {}
        for node in self._reader.core.nodes:
            made = self._reader._nodes.get(node)
            if node.op == "call_function" and made is not None:
                names.setdefault(made, node.name)
        groups: dict[str, list[Node]] = {}
        waiting: list[Node] = []
        last = ""
        for node in self.module.graph.nodes:
            if node.op in ("placeholder", "output"):
                continue
            if node in names:
                last = names[node]
                groups[last] = [*waiting, node]
                waiting = []
            elif last and node.target is operator.getitem and not waiting:
                groups[last].append(node)
            else:
                waiting.append(node)
        if last:
            groups[last] += waiting
        return groups

    def is_auxiliary(self, node: Node) -> bool:
        """Return whether a node only computes with sizes, or reads a result of several."""
        return not isinstance(node.target, _C.Operator)

    def state_paths(self) -> dict[Node, str]:
        """Return the placeholders of parameters, buffers and constants with their paths."""
        nodes = {node.name: node for node in self.module.graph.find_nodes(op="placeholder")}
        return {
            nodes[spec.arg.name]: str(spec.target)
            for spec in self.signature.input_specs
            if spec.kind is not InputKind.USER_INPUT
        }

    def user_placeholders(self) -> list[Node]:
        """Return the placeholders of the caller's arguments."""
        states = self.state_paths()
        return [
            node for node in self.module.graph.find_nodes(op="placeholder") if node not in states
        ]

    def user_results(self) -> list[Any]:
        """Return the results for the caller: nodes and constants."""
        (output,) = self.module.graph.find_nodes(op="output")
        return [
            value
            for value, spec in zip(output.args[0], self.signature.output_specs, strict=True)
            if spec.kind is OutputKind.USER_OUTPUT
        ]

    # ---- Inputs ----

    def _choose_names(self) -> dict[int, tuple[str, str]]:
        """Return the path and the placeholder of each input; those of the caller choose first."""
        chosen = {}
        paths = shown_paths(self._signature)
        specs = [*enumerate(self._signature.input_specs)]
        for index, spec in sorted(specs, key=lambda each: each[1].kind is not InputKind.USER_INPUT):
            path = paths[index]
            chosen[index] = path, self._free_name(_PREFIXES.get(spec.kind, "") + plain_name(path))
        return chosen

    def _add_input(self, index: int, spec: InputSpec) -> InputSpec:
        is_user = spec.kind is InputKind.USER_INPUT
        target, name = self._wanted[index]
        if isinstance(spec.arg, ConstantArgument):
            made = self._reader.add_input(name, None, spec.arg.value)
            made.name = made.target = name
            return InputSpec(spec.kind, ConstantArgument(made.name, spec.arg.value), None)
        made = self._reader.add_input(name, self._core_inputs[spec.arg.name])
        made.name = made.target = name
        self._names[spec.arg.name] = made.name
        argument = type(spec.arg)(made.name)
        return InputSpec(spec.kind, argument, None if is_user else target, spec.persistent)

    def _free_name(self, wanted: str) -> str:
        """Return a name that no placeholder has; unlike fx's own, it may be that of a builtin."""
        name, number = wanted, 0
        while name in self._used:
            number += 1
            name = f"{wanted}_{number}"
        self._used.add(name)
        return name

    def _take_writes(self, core: _C.Graph) -> dict[str, Any]:
        """Remove the writes at the end; return the new value of each input that is written."""
        written = {}
        for node in core.nodes:
            if node.op != "call_function" or node.target.name != "aten::copy_":
                continue
            copy = self._reader._nodes[node]
            if copy.args[0].op == "placeholder":
                written[copy.args[0].name] = copy.args[1]
                self._reader._nodes[node] = copy.args[1]
                copy.replace_all_uses_with(copy.args[1])  # results, or views of them
                self._reader.graph.erase_node(copy)
        return written

    def _outputs(self, values: list[Any], written: dict[str, Any]) -> list[tuple[Any, OutputSpec]]:
        placeholders = {
            str(spec.target): self._names[spec.arg.name]
            for spec in self._signature.input_specs
            if spec.arg.name in self._names
        }
        returned = iter(values)
        outputs = []
        for spec in self._signature.output_specs:
            target = spec.target
            if spec.kind is OutputKind.USER_OUTPUT:
                is_constant = isinstance(spec.arg, ConstantArgument)
                value = spec.arg.value if is_constant else next(returned)
            else:
                name = self._names.get(str(target)) or placeholders[str(target)]
                value = written[name]
                if spec.kind is OutputKind.USER_INPUT_MUTATION:
                    target = name
            outputs.append((value, OutputSpec(spec.kind, _argument(value), target)))
        return outputs


def _argument(value: Any) -> Any:
    if not isinstance(value, Node):
        return ConstantArgument("", value)
    is_number = isinstance(value.meta.get("val"), (_C.SymInt, int))
    return SymIntArgument(value.name) if is_number else TensorArgument(value.name)


def _place(node: Any) -> tuple[str, str]:
    """Return the line and the module of a call, which the calls that it decomposes into share."""
    return node.location, node.module_path


def plain_name(path: str) -> str:
    """Return a path as a name: `pair[0]` is pair_0."""
    parts = "".join(each if each.isalnum() or each == "_" else " " for each in path).split()
    return "_".join(parts)


def shown_paths(signature: ExportGraphSignature) -> list[str]:
    """Return the path of each input; constants without one are lifted_tensor_0, ..._1, ..."""
    paths: list[str] = []
    num_unnamed = 0
    for spec in signature.input_specs:
        path = str(spec.target)
        if spec.kind is InputKind.CONSTANT_TENSOR and path.startswith("captured"):
            path = f"lifted_tensor_{num_unnamed}"
            num_unnamed += 1
        paths.append(path)
    return paths


def describe_modules(
    reader: ProgramReader, core: _C.Graph, calls: dict[str, ModuleCallEntry]
) -> None:
    """Tell for each call the modules that it was made in: their paths and classes."""
    for node in core.nodes:
        made = reader._nodes.get(node)
        if made is None or made.op == "placeholder":
            continue
        chain: list[str] = []
        fqn = node.module_path
        while fqn and fqn in calls:
            chain.insert(0, fqn)
            fqn = calls[fqn].caller
        stack = {each: (each, calls[each].type_name) for each in ["", *chain]}
        made.meta["nn_module_stack"] = stack


def _as_called(signature: ExportGraphSignature, keys: list[str] | None) -> ExportGraphSignature:
    """Return the signature with the keyword arguments in the order of the call."""
    if not keys:
        return signature

    def place(spec: InputSpec) -> int:
        root = re.split(r"[.\[]", str(spec.target))[0]
        is_named = spec.kind is InputKind.USER_INPUT and root in keys
        return keys.index(root) if is_named else -1

    specs = signature.input_specs
    users = [index for index, spec in enumerate(specs) if spec.kind is InputKind.USER_INPUT]
    ordered = sorted((specs[index] for index in users), key=place)
    moved = dict(zip(users, ordered, strict=True))
    return type(signature)(
        [moved.get(index, spec) for index, spec in enumerate(specs)], signature.output_specs
    )
