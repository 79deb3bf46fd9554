"""Programs as trees of modules again: the calls of each module run in a module of their own."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .. import _C, nn, pytree
from ..random import get_rng_state, set_rng_state
from .graph_signature import ConstantArgument, InputKind, OutputKind
from .module_calls import ModuleCallEntry, module_path
from .program_module import find_tensor, make_owner, register_constants, register_state

if TYPE_CHECKING:
    from .exported_program import ExportedProgram

__all__ = ["InterpreterModule", "UnflattenedModule", "unflatten"]


def unflatten(module: ExportedProgram, flat_args_adapter: object = None) -> UnflattenedModule:
    """Return a program as a module with the modules of the exported one, which can be replaced.

    >>> from opwright.export import export, unflatten
    >>> model = ow.nn.Sequential(ow.nn.Linear(3, 2), ow.nn.ReLU())
    >>> program = export(model, (ow.ones(1, 3),), preserve_module_call_signature=("1",))
    >>> tree = unflatten(program)
    >>> tree.set_submodule("1", ow.nn.Tanh())
    >>> x = ow.ones(1, 3)
    >>> ow.allclose(tree(x), ow.tanh(model[0](x)))
    True

    A module that replaces another is called like that one if its path was in
    `preserve_module_call_signature` of the export; otherwise with the tensors that the calls of the
    original used, in the order of their use, and it returns those that others use. A later call of
    the same module has a path of its own, `n@1`.
    """
    refuse_adapter(flat_args_adapter)
    return UnflattenedModule(module)


def refuse_adapter(flat_args_adapter: object) -> None:
    """Raise NotImplementedError for an adapter of arguments."""
    if flat_args_adapter is not None:
        raise NotImplementedError(
            "unflatten: a flat_args_adapter is not supported; give arguments of the exported form"
        )


class _Run(threading.local):
    """The values of the graph and of its symbols in the run on this thread."""

    values: dict[str, Any]
    symbols: dict[str, int]
    root: UnflattenedModule
    random_state: Any  # of the generator, as the calls so far left it


_run = _Run()


class Call:
    """One call of a module: its nodes and calls in order, and the values that cross its border."""

    def __init__(self, entry: ModuleCallEntry):
        self.entry = entry
        self.steps: list[_C.Node | Call] = []
        self.inputs: list[str] = []
        self.outputs: list[str] = []

    def nodes(self) -> list[_C.Node]:
        found = []
        for step in self.steps:
            found += step.nodes() if isinstance(step, Call) else [step]
        return found


class InterpreterModule(nn.Module):
    """A call of an exported module: runs its part of the program, one operator at a time.

    >>> from opwright.export import export, unflatten
    >>> model = ow.nn.Sequential(ow.nn.ReLU())
    >>> unflatten(export(model, (ow.ones(1),))).get_submodule("0").type_name()
    'opwright.nn.activation.ReLU'
    """

    def __init__(self, call: Call):
        super().__init__()
        self._call = call

    def type_name(self) -> str:
        """Return the qualified name of the class of the exported module."""
        return self._call.entry.type_name

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the calls that the module made; called by the unflattened module that it is in."""
        signature = self._call.entry.signature
        if signature is None:
            _run.values.update(zip(self._call.inputs, args, strict=True))
        else:
            given = pytree.tree_leaves((args, kwargs))
            for leaf, value in zip(signature.inputs, given, strict=True):
                if leaf.value is not None:
                    _run.values[leaf.value] = value
        self._run_steps()
        if signature is None:
            outputs = [_value(name) for name in self._call.outputs]
            return outputs[0] if len(outputs) == 1 else tuple(outputs)
        assert signature.out_spec is not None
        return pytree.tree_unflatten(map(_read, signature.outputs), signature.out_spec)

    def _run_steps(self) -> None:
        for step in self._call.steps:
            if isinstance(step, Call):
                _enter(step)
            else:
                _run_node(step)


class UnflattenedModule(InterpreterModule):
    """The result of `unflatten`: a program as a tree of modules.

    >>> from opwright.export import export, unflatten
    >>> tree = unflatten(export(ow.nn.Sequential(ow.nn.Linear(3, 2)), (ow.ones(1, 3),)))
    >>> [name for name, _ in tree.named_parameters()]
    ['0.weight', '0.bias']
    """

    _module_class = InterpreterModule

    def __init__(self, program: ExportedProgram):
        super().__init__(Call(ModuleCallEntry("")))
        self._core_graph = program._program.graph.copy()
        self.graph_signature = program.core_signature
        self.module_call_graph = program.module_call_graph
        self._program = program._program
        self._arguments = program._arguments
        self._results = program._results
        register_state(self, program)
        register_constants(self, program)
        self._paths = self._read_inputs()
        calls = _split(self._core_graph, self._call, self.module_call_graph)
        self._states = _find_states(self._core_graph)
        held = {**self._paths, **dict.fromkeys(self._states, "")}
        _find_borders(self._call, held, self._written())
        for call in calls:
            owner, last = make_owner(self, call.entry.fqn)
            module = self._module_class(call)
            if (holder := owner._modules.get(last)) is not None:
                module.__dict__.update(holder.__dict__, _call=call)  # its state and modules
            setattr(owner, last, module)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program as the calls of its modules."""
        leaves = self._arguments.read(args, kwargs, "program")
        self._program.check_inputs(leaves)
        outer = dict(_run.__dict__)
        _run.values, _run.symbols, _run.root = {}, {}, self
        _run.random_state = get_rng_state() if self._states else None
        try:
            self._bind_leaves(leaves)
            self._run_steps()
            if self._states:
                set_rng_state(_run.random_state)
            outputs = [
                _output(spec.arg)
                for spec in self.graph_signature.output_specs
                if spec.kind is OutputKind.USER_OUTPUT
            ]
        finally:
            _run.__dict__.clear()
            _run.__dict__.update(outer)
        return pytree.tree_unflatten(outputs, self._results)

    @property
    def graph(self) -> _C.Graph:
        """The graph of the whole program."""
        return self._core_graph

    def print_readable(self, print_output: bool = True) -> str:
        """Print the code of the program, annotated with types and lines; return it."""
        return self.graph.print_readable(print_output)

    def _read_inputs(self) -> dict[str, str]:
        """Return the paths of the values that are parameters, buffers and constants."""
        paths = {}
        for spec in self.graph_signature.input_specs:
            if spec.kind not in (InputKind.USER_INPUT, InputKind.RANDOM_STATE):
                paths[spec.arg.name] = str(spec.target)
        return paths

    def _written(self) -> list[str]:
        """Return the values that the end of the program needs."""
        return [
            spec.arg.name
            for spec in self.graph_signature.output_specs
            if not isinstance(spec.arg, ConstantArgument)
        ]

    def _bind_leaves(self, leaves: list[Any]) -> None:
        specs = [
            spec for spec in self.graph_signature.input_specs if spec.kind is InputKind.USER_INPUT
        ]
        inputs = {node.name: node for node in self._core_graph.inputs}
        for spec, leaf in zip(specs, leaves, strict=True):
            if not isinstance(spec.arg, ConstantArgument):
                _set_value(spec.arg.name, leaf, inputs[spec.arg.name].meta["val"])


def _split(graph: _C.Graph, root: Call, entries: list[ModuleCallEntry]) -> list[Call]:
    """Give each node to the call that it was recorded in; return the calls that have nodes."""
    known = {entry.fqn: entry for entry in entries}
    open_calls, made = [root], []
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        chain = _callers(node.module_path, known)
        depth = 1
        while depth < min(len(chain), len(open_calls)) and (
            open_calls[depth].entry.fqn == chain[depth]
        ):
            depth += 1
        del open_calls[depth:]
        finished = {call.entry.fqn for call in made}
        for fqn in chain[depth:]:
            if fqn in finished:  # a node that a pass moved: it stays with the caller
                break
            call = Call(known[fqn])
            open_calls[-1].steps.append(call)
            open_calls.append(call)
            made.append(call)
        open_calls[-1].steps.append(node)
    return made


def _callers(fqn: str, known: dict[str, ModuleCallEntry]) -> list[str]:
    """Return the paths of the calls around a node, from the outermost in."""
    chain: list[str] = []
    while fqn and fqn in known:
        chain.insert(0, fqn)
        fqn = known[fqn].caller
    return ["", *chain]


def _find_borders(root: Call, state: dict[str, str], needed: list[str]) -> None:
    """Find for each call the values that it gets from others and those that others get from it."""
    order = [(node, _used(node)) for node in root.nodes()]

    def visit(call: Call) -> None:
        own = {id(node) for node in call.nodes()}
        made = [name for node in call.nodes() for name in _made(node)]
        inside, others = set(made), set(needed)
        used: dict[str, None] = {}
        for node, names in order:
            if id(node) in own:
                used.update(dict.fromkeys(names))
            else:
                others.update(names)
        call.inputs = [name for name in used if name not in inside and name not in state]
        call.outputs = [name for name in made if name in others]
        for step in call.steps:
            if isinstance(step, Call):
                visit(step)

    for step in root.steps:
        if isinstance(step, Call):
            visit(step)


def _find_states(graph: _C.Graph) -> set[str]:
    """Return the values that are states of the random number generator."""
    states = {node.name for node in graph.inputs if node.role == "random_state"}
    for node in graph.nodes if states else ():
        if node.op == "call_function" and states.intersection(_used(node)):
            states.add(_made(node)[-1])
    return states


def _made(node: _C.Node) -> list[str]:
    """Return the names of a node's values, those of lists among them."""
    return [value.name for value in pytree.tree_leaves(list(node.results))]


def _used(node: _C.Node) -> list[str]:
    found = pytree.tree_leaves((list(node.args), dict(node.kwargs)))
    return [each.name for each in found if isinstance(each, (_C.Node, _C.NodeValue))]


# ---- Running ----


def _enter(call: Call) -> None:
    """Call the module that is at the path of a call now."""
    module = _run.root.get_submodule(call.entry.fqn)
    signature = call.entry.signature
    is_own = isinstance(module, InterpreterModule) and module._call is call
    if signature is not None:  # a module that replaced the first call replaces them all
        first = _run.root.get_submodule(module_path(call.entry.fqn))
        if not isinstance(first, InterpreterModule):
            module, is_own = first, False
    if signature is None:
        results = _call_module(module, is_own, [_value(name) for name in call.inputs], {})
        if not is_own:
            _run.values.update(zip(call.outputs, _outputs_of(call, results), strict=True))
        return
    args, kwargs = pytree.tree_unflatten(map(_read, signature.inputs), signature.in_spec)
    results = _call_module(module, is_own, args, kwargs)
    if is_own:
        return
    written = zip(signature.after, pytree.tree_leaves((args, kwargs)), strict=True)
    returned = zip(signature.outputs, pytree.tree_leaves(results), strict=True)
    buffers = dict(module.named_buffers())
    kept = [
        (leaf, buffers[name].clone()) for name, leaf in signature.buffers.items() if name in buffers
    ]
    for leaf, value in [*written, *kept, *returned]:
        if leaf.value is not None:
            _run.values[leaf.value] = value


def _call_module(module: nn.Module, is_own: bool, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call a module; one that replaced another draws from the generator itself."""
    if is_own or not _run.root._states:
        return module(*args, **kwargs)
    set_rng_state(_run.random_state)
    results = module(*args, **kwargs)
    _run.random_state = get_rng_state()
    return results


def _outputs_of(call: Call, results: Any) -> list[Any]:
    """Return what a module that replaces a call returned, one value for each that others use."""
    expected = len(call.outputs)
    outputs = list(results) if expected != 1 and isinstance(results, (tuple, list)) else [results]
    if len(outputs) != expected:
        raise ValueError(
            f"unflatten: the module at '{call.entry.fqn}' must return {expected} values for "
            f"{', '.join(call.outputs)}, got {len(outputs)}; with its path in "
            "preserve_module_call_signature of the export it would be called like the original"
        )
    return outputs


def _run_node(node: _C.Node) -> None:
    args = _concrete(list(node.args))
    kwargs = {name: _concrete(each) for name, each in node.kwargs.items()}
    with _C.set_grad_enabled(_C.is_grad_enabled() and node.grad_mode):
        result = node.target(*args, **kwargs)
    metas = pytree.tree_leaves(node.meta.get("val", ()))
    for name, value, expected in zip(_made(node), pytree.tree_leaves(result), metas, strict=True):
        _set_value(name, value, expected)


def _concrete(argument: Any) -> Any:
    if isinstance(argument, (_C.Node, _C.NodeValue)):
        return _value(argument.name)
    if isinstance(argument, (list, tuple)):
        return type(argument)(map(_concrete, argument))
    if isinstance(argument, _C.SymInt):
        return _number(str(argument))
    return argument


def _value(name: str) -> Any:
    if name in _run.root._states:
        return _run.random_state
    if name in _run.values:
        return _run.values[name]
    path = _run.root._paths.get(name)
    if path is None:
        raise RuntimeError(
            f"unflatten: the value '{name}' was computed by a module that has been replaced; give "
            "its path in preserve_module_call_signature of the export"
        )
    return find_tensor(_run.root, path)


def _read(leaf: Any) -> Any:
    return leaf.constant if leaf.value is None else _value(leaf.value)


def _set_value(name: str, value: Any, expected: Any) -> None:
    """Set a value, and the symbols that its sizes or the number itself determine."""
    if name in _run.root._states:
        _run.random_state = value
        return
    _run.values[name] = value
    if isinstance(expected, _C.SymInt):
        _run.symbols.setdefault(str(expected), value)
    elif isinstance(value, _C.Tensor):
        for size, actual in zip(expected.shape, value.shape, strict=True):
            if isinstance(size, _C.SymInt):
                _run.symbols.setdefault(str(size), actual)


def _number(expression: str) -> int:
    """Compute a size from those that are known."""
    known = _run.symbols.get(expression)
    if known is not None:
        return known
    names = {"max": max, "min": min, "Max": max, "Min": min, **_run.symbols}
    return int(eval(expression, {"__builtins__": {}}, names))


def _output(argument: Any) -> Any:
    if isinstance(argument, ConstantArgument):
        return argument.value
    known = _run.values.get(argument.name)
    if known is not None or argument.name in _run.root._paths:
        return _value(argument.name)
    return _number(argument.name)
