"""The graph of a program as one of torch.fx, and the roles of its inputs and outputs.

State and constants are placeholders before those of the caller: p_weight, b_running_mean, c_table.
The new values of buffers and inputs that the program writes are outputs before its results.
"""

from __future__ import annotations

from typing import Any

from opwright import _C, nn
from opwright.export import (
    ConstantArgument,
    ExportedProgram,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymIntArgument,
    TensorArgument,
)

from ..fx.core_graph import CoreGraphReader
from ..fx.graph_module import GraphModule
from ..fx.node import Node

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
        self._signature = program.core_signature
        self._calls = {call.fqn: call for call in program.module_call_graph}
        self._num_unnamed = 0
        self._used: set[str] = set()
        root = nn.Module()
        self._reader = CoreGraphReader(core, root)
        self._names: dict[str, str] = {}  # of the core's inputs, here
        self._wanted = self._choose_names()
        inputs = [self._add_input(core, spec) for spec in self._signature.input_specs]
        self._reader.read()
        self._describe_modules(core)
        written = self._take_writes(core)
        values = [self._reader._argument(each) for each in core.outputs]
        pairs = sorted(self._outputs(values, written), key=lambda pair: _ORDER[pair[1].kind])
        outputs, specs = [value for value, _ in pairs], [spec for _, spec in pairs]
        self._reader.graph.output(tuple(outputs))
        self.module = GraphModule(root, self._reader.graph)
        self.signature = ExportGraphSignature(inputs, specs)

    def _choose_names(self) -> dict[int, tuple[str, str]]:
        """Return the path and the placeholder of each input; those of the caller choose first."""
        chosen = {}
        specs = [*enumerate(self._signature.input_specs)]
        for index, spec in sorted(specs, key=lambda each: each[1].kind is not InputKind.USER_INPUT):
            path = str(spec.target)
            if spec.kind is InputKind.CONSTANT_TENSOR and path.startswith("captured"):
                path = f"lifted_tensor_{self._num_unnamed}"
                self._num_unnamed += 1
            chosen[index] = path, self._free_name(_PREFIXES.get(spec.kind, "") + _plain(path))
        return chosen

    def _add_input(self, core: _C.Graph, spec: InputSpec) -> InputSpec:
        is_user = spec.kind is InputKind.USER_INPUT
        target, name = self._wanted[self._signature.input_specs.index(spec)]
        if isinstance(spec.arg, ConstantArgument):
            made = self._reader.add_input(name, None, spec.arg.value)
            made.name = made.target = name
            return InputSpec(spec.kind, ConstantArgument(made.name, spec.arg.value), None)
        (node,) = [each for each in core.inputs if each.name == spec.arg.name]
        made = self._reader.add_input(name, node)
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

    def _describe_modules(self, core: _C.Graph) -> None:
        """Tell for each call the modules that it was made in: their paths and classes."""
        for node in core.nodes:
            made = self._reader._nodes.get(node)
            if made is None or made.op == "placeholder":
                continue
            chain: list[str] = []
            fqn = node.module_path
            while fqn and fqn in self._calls:
                chain.insert(0, fqn)
                fqn = self._calls[fqn].caller
            stack = {each: (each, self._calls[each].type_name) for each in ["", *chain]}
            made.meta["nn_module_stack"] = stack

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


def _plain(path: str) -> str:
    """Return a path as a name: `pair[0]` is pair_0."""
    parts = "".join(each if each.isalnum() or each == "_" else " " for each in path).split()
    return "_".join(parts)
