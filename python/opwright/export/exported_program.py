"""ExportedProgram: a graph with everything that it needs to run elsewhere."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _C, pytree
from .._func.call_tree import Arguments
from .graph_signature import GraphSignature, InputKind
from .module_calls import ModuleCallEntry

if TYPE_CHECKING:
    from .. import nn

__all__ = [
    "CallSpec",
    "ExportedProgram",
    "OperatorUse",
    "ProgramGraph",
    "RangeConstraint",
    "default_decompositions",
]


class RangeConstraint(NamedTuple):
    """The lower and upper bound of a size; None means unbounded.

    >>> from opwright.export import Dim, export
    >>> shapes = {"x": [Dim("n", min=2)]}
    >>> constraint = export(lambda x: x + 1, (ow.ones(4),), dynamic_shapes=shapes)
    >>> constraint.range_constraints["n"]
    [2, inf]
    >>> constraint.range_constraints["n"].least
    2
    """

    least: int | None
    greatest: int | None

    @property
    def lower(self) -> int | None:
        """The lower bound."""
        return self.least

    @property
    def upper(self) -> int | None:
        """The upper bound."""
        return self.greatest

    def __repr__(self) -> str:
        least = "-inf" if self.least is None else self.least
        return f"[{least}, {'inf' if self.greatest is None else self.greatest}]"


class CallSpec(NamedTuple):
    """The structures of a program's arguments `(args, kwargs)` and of its results.

    >>> from opwright.export import export
    >>> export(lambda x: x, (ow.ones(1),)).call_spec.in_spec.num_leaves
    1
    """

    in_spec: _C.TreeSpec
    out_spec: _C.TreeSpec


class OperatorUse(NamedTuple):
    """An operator that a program calls: its schema at export, and the library that defined it.

    >>> from opwright.export import export
    >>> export(lambda x: x.sin(), (ow.ones(4),)).operators
    [OperatorUse(name='aten::sin', schema='aten::sin(Tensor self) -> Tensor', library='')]
    """

    name: str
    schema: str
    library: str


class ProgramGraph:
    """The graph of a program as readable code.

    >>> from opwright.export import export
    >>> print(export(lambda x: x + 1, (ow.ones(2),)).graph_module.code.splitlines()[0])
    def forward(self, x):
    """

    def __init__(self, graph: _C.Graph):
        self.graph = graph

    @property
    def code(self) -> str:
        """The graph as executable Python code."""
        return self.graph.code

    def print_readable(self, print_output: bool = True) -> str:
        """Print the code, annotated with types and lines; return it."""
        return self.graph.print_readable(print_output)

    def __call__(self, *inputs: Any) -> Any:
        return self.graph(*inputs)

    def __repr__(self) -> str:
        return f"ProgramGraph({self.graph})"


class ExportedProgram:
    """A traced function with its parameters, its input constraints and the operators it needs.

    Call it like the function: it checks the arguments and runs.

    >>> from opwright.export import Dim, export
    >>> def scale(x, factor):
    ...     return {"scaled": x * factor}
    >>> shapes = {"x": {0: Dim("n", max=8)}}
    >>> program = export(scale, (ow.ones(3), 0.5), dynamic_shapes=shapes)
    >>> program(ow.ones(2), factor=0.5)
    {'scaled': tensor([0.5000, 0.5000])}
    >>> program(ow.ones(9), 0.5)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: ...
    """

    # Whether `run_decompositions` keeps operators composed of others that its table does not name.
    _keeps_composites = False

    def __init__(
        self,
        program: _C.ExportedProgram,
        arguments: Arguments | None = None,
        results: _C.TreeSpec | None = None,
        module_calls: list[ModuleCallEntry] | None = None,
    ):
        self._program = program
        self._module_calls = module_calls
        self._examples: tuple[tuple[Any, ...], dict[str, Any]] | None = None
        if arguments is not None:
            self._arguments = arguments
        if results is not None:
            self._results = results

    # ---- Calls ----

    @functools.cached_property
    def _arguments(self) -> Arguments:
        """Loaded on first use: until then its classes need not exist."""
        return read_arguments(self._program)

    @functools.cached_property
    def _results(self) -> _C.TreeSpec:
        return read_results(self._program)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves = self._arguments.read(args, kwargs, "program")
        return pytree.tree_unflatten(self._program.run(leaves), self._results)

    def module(self) -> nn.Module:
        """Return the program as a module, with parameters and buffers under their paths.

        >>> from opwright.export import export
        >>> module = export(ow.nn.Linear(3, 2), (ow.ones(1, 3),)).module()
        >>> module(ow.ones(1, 3)).sum().backward()
        >>> [name for name, parameter in module.named_parameters() if parameter.grad is not None]
        ['weight', 'bias']

        The parameters are shared with the program; buffers that the program writes are the module's
        own, so two modules do not affect each other.
        """
        from .program_module import ProgramModule

        return ProgramModule(self)

    @property
    def call_spec(self) -> CallSpec:
        """The structures of the arguments and of the results.

        >>> from opwright.export import export
        >>> export(lambda x: [x], (ow.ones(1),)).call_spec.out_spec
        TreeSpec([*])
        """
        return CallSpec(self._arguments.spec, self._results)

    @property
    def module_call_graph(self) -> list[ModuleCallEntry]:
        """The calls of modules, first the program's own; a program from a file has no others.

        >>> from opwright.export import export
        >>> program = export(ow.nn.Sequential(ow.nn.ReLU(), ow.nn.ReLU()), (ow.ones(2),))
        >>> [call.fqn for call in program.module_call_graph]
        ['', '0', '1']
        """
        root = ModuleCallEntry("", type_name=self.__dict__.get("_root_type", ""))
        return [root, *(self._module_calls or [])]

    # ---- Contents ----

    @functools.cached_property
    def graph(self) -> _C.Graph:
        """The graph: inputs for parameters, buffers and constants first, then the user inputs.

        It is a copy: changing it does not change the program.

        >>> from opwright.export import export
        >>> len(export(lambda x: x.sin().cos(), (ow.ones(2),)).graph.nodes)
        4
        """
        return self._program.graph.copy()

    @property
    def graph_module(self) -> ProgramGraph:
        """The graph with its code."""
        return ProgramGraph(self.graph)

    @functools.cached_property
    def graph_signature(self) -> GraphSignature:
        """The roles of the graph's inputs and outputs."""
        return self.core_signature

    @functools.cached_property
    def core_signature(self) -> GraphSignature:
        """The same in the names of the program's own graph; compat shows another graph."""
        return GraphSignature.of_program(self._program)

    @property
    def range_constraints(self) -> dict[str, RangeConstraint]:
        """The bounds of each dynamic size, by its name.

        >>> from opwright.export import Dim, export
        >>> shapes = [{0: Dim("n", min=2, max=9)}]
        >>> export(lambda x: x + 1, (ow.ones(4),), dynamic_shapes=shapes).range_constraints
        {'n': [2, 9]}
        """
        return {
            symbol: RangeConstraint(least, greatest)
            for symbol, least, greatest in self._program.range_constraints
        }

    @property
    def guards(self) -> list[_C.Guard]:
        """The conditions on sizes other than bounds, each with the line that required it."""
        return self._program.guards

    @property
    def operators(self) -> list[OperatorUse]:
        """The operators that the program calls."""
        return [OperatorUse(*use) for use in self._program.operators]

    @functools.cached_property
    def state_dict(self) -> dict[str, _C.Tensor]:
        """Parameters and persistent buffers by path; tied ones are one tensor under two names.

        >>> from opwright.export import export
        >>> list(export(ow.nn.Linear(3, 2), (ow.ones(1, 3),)).state_dict)
        ['weight', 'bias']
        """
        return _with_parameters(self)

    @property
    def constants(self) -> dict[str, _C.Tensor]:
        """The other tensors of the program, which the function closed over, by name.

        A tensor that modules hold under several paths has all of them.
        """
        found = dict(self._program.constants)
        same = self.__dict__.get("_same_constants") or {}
        return {**found, **{path: found[first] for path, first in same.items() if first in found}}

    @property
    def tensor_constants(self) -> dict[str, _C.Tensor]:
        """The same as `constants`."""
        return self.constants

    @property
    def example_inputs(self) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """The positional and keyword arguments of the export; None if they were not kept.

        >>> from opwright.export import export
        >>> export(lambda x, y: x + y, (ow.ones(1),), {"y": 2}).example_inputs
        ((tensor([1.]),), {'y': 2})
        """
        if self._examples is not None:
            return self._examples
        examples = self._program.example_inputs
        if len(examples) != self._arguments.spec.num_leaves:
            return None
        return pytree.tree_unflatten(examples, self._arguments.spec)

    @example_inputs.setter
    def example_inputs(self, examples: tuple[tuple[Any, ...], dict[str, Any]] | None) -> None:
        if examples is not None:
            is_call = isinstance(examples, tuple) and len(examples) == 2
            if not is_call or not isinstance(examples[0], tuple):
                raise ValueError(
                    "example_inputs: expected a tuple (args, kwargs) of a tuple and a dict, got "
                    f"{type(examples).__name__}"
                )
            self._arguments.read(*examples, "example_inputs")
        self._examples = examples

    def named_parameters(self) -> Iterator[tuple[str, _C.Tensor]]:
        """Yield the graph's parameters with their paths."""
        for name in self.core_signature.parameters:
            yield name, self.state_dict[name]

    def parameters(self) -> Iterator[_C.Tensor]:
        """Yield the graph's parameters."""
        for _, parameter in self.named_parameters():
            yield parameter

    def named_buffers(self) -> Iterator[tuple[str, _C.Tensor]]:
        """Yield the graph's buffers with their paths."""
        for name in self.core_signature.buffers:
            yield name, self.state_dict[name] if name in self.state_dict else self.constants[name]

    def buffers(self) -> Iterator[_C.Tensor]:
        """Yield the graph's buffers."""
        for _, buffer in self.named_buffers():
            yield buffer

    # ---- Other programs ----

    def run_decompositions(
        self, decomp_table: Mapping[Any, Callable | None] | Iterable[Any] | None = None
    ) -> ExportedProgram:
        """Return the same program with operators decomposed into others.

        `decomp_table` maps operators to the functions to use, or is a collection of operators that
        have a decomposition or are composite. None means `default_decompositions()`: all of those
        except the core operators with their own kernels.

        >>> from opwright.export import export
        >>> program = export(lambda x: ow.addmm(x, x, x), (ow.ones(2, 2),))
        >>> addmm = ow.ops.aten.addmm.default
        >>> plain = program.run_decompositions({addmm: lambda x, a, b, *, beta, alpha: x + a @ b})
        >>> [use.name for use in plain.operators]
        ['aten::add.Tensor', 'aten::mm']
        """
        table = _read_table(decomp_table)
        if not table:
            return ExportedProgram(
                self._program, self._arguments, self._results, self._module_calls
            )
        scope = _C.Scope()
        try:
            for operator, function in table.items():
                if function is not None:
                    scope.implement(operator.name, "Decompose", function)
            names = [operator.name for operator in table]
            program = self._program.decompose(names, self._keeps_composites)
        finally:
            scope.close()
        calls = [replace(call, signature=None) for call in self._module_calls or []]
        made = ExportedProgram(program, self._arguments, self._results, calls)
        kept = ("_same_constants", "_root_type")
        made.__dict__.update({key: self.__dict__[key] for key in kept if key in self.__dict__})
        return made

    def print_readable(self, print_output: bool = True) -> str:
        """Print the code of the graph, annotated with types and lines; return it.

        >>> from opwright.export import export
        >>> text = export(lambda x: x + 1, (ow.ones(2),)).print_readable(print_output=False)
        >>> "aten.add" in text
        True
        """
        return self.graph.print_readable(print_output)

    def __str__(self) -> str:
        return str(self._program)

    def __repr__(self) -> str:
        return f"ExportedProgram({self._program})"

    # ---- Copies ----

    def __reduce__(self) -> tuple[Any, ...]:
        return read_bytes, (_C.write_program(self._program),)

    def __deepcopy__(self, memo: dict[int, Any]) -> ExportedProgram:
        copied = read_bytes(_C.write_program(self._program))
        # The structures keep the same classes and objects, also those that a file cannot name.
        copied.__dict__.update(_arguments=self._arguments, _results=self._results)
        return copied


def default_decompositions() -> dict[_C.Operator, None]:
    """Return the operators that are decomposed by default, as a table for `run_decompositions`.

    Core operators with their own kernels (`_softmax`, `native_layer_norm`, `addmm`) are not
    decomposed; those that have a decomposition may be added.

    >>> from opwright.export import default_decompositions, export
    >>> table = default_decompositions()
    >>> program = export(lambda x: x.softmax(-1), (ow.ones(2),))
    >>> [use.name for use in program.run_decompositions(table).operators]
    ['aten::_softmax']
    >>> table[ow.ops.aten._softmax.default] = None
    >>> [use.name for use in program.run_decompositions(table).operators][:3]
    ['aten::amax', 'aten::exp', 'aten::mul.Tensor']
    """
    operators = map(_C.require_operator, _C.list_operators())
    return dict.fromkeys(each for each in operators if _is_taken_apart(each))


def read_bytes(data: bytes) -> ExportedProgram:
    """Read a program from the bytes of its file."""
    return ExportedProgram(_C.read_program(data, "the bytes of a program"))


def check_structure(program: _C.ExportedProgram) -> None:
    """Check the form of a loaded program's structures, without looking up classes."""
    texts = {
        "arguments": (program.arguments, _C.check_call_text, len(_user_inputs(program))),
        "results": (program.results, _C.check_tree_text, len(_user_outputs(program))),
    }
    for what, (text, check, expected) in texts.items():
        found = check(text) if text else expected
        if found != expected:
            raise ValueError(
                f"program: the structure of the {what} has {found} leaves, the program {expected}"
            )


def read_arguments(program: _C.ExportedProgram) -> Arguments:
    """Return the structure of the arguments; a program from C++ takes a sequence of tensors."""
    if program.arguments:
        return Arguments.read_text(program.arguments)
    names = [target for _, _, _, target, *_ in _user_inputs(program)]
    return Arguments(pytree.tree_structure((tuple(names), {})), names, [])


def read_results(program: _C.ExportedProgram) -> _C.TreeSpec:
    """Return the structure of the results; a program from C++ returns one tensor, or a tuple."""
    if program.results:
        return _C.read_tree_text(program.results)
    count = len(_user_outputs(program))
    return pytree.tree_structure(0 if count == 1 else (0,) * count)


def _user_inputs(program: _C.ExportedProgram) -> list[Any]:
    return [each for each in program.inputs if each[0] == InputKind.USER_INPUT.value]


def _user_outputs(program: _C.ExportedProgram) -> list[Any]:
    return [each for each in program.outputs if each[0] == 0]


def _with_parameters(program: ExportedProgram) -> dict[str, _C.Tensor]:
    """Return the state; tensors that a file stored as parameters become parameters again."""
    from .. import nn

    state = dict(program._program.state)
    first: dict[int, str] = {}
    for name, tensor in state.items():
        first.setdefault(id(tensor), name)
    grads = _gradients_wanted(program)
    made: dict[int, _C.Tensor] = {}
    for tensor in state.values():
        key = first[id(tensor)]
        if key in grads and not isinstance(tensor, nn.Parameter):
            made.setdefault(id(tensor), nn.Parameter(tensor, requires_grad=grads[key]))
    return {name: made.get(id(tensor), tensor) for name, tensor in state.items()}


def _gradients_wanted(program: ExportedProgram) -> dict[str, bool]:
    """Return for each parameter of the graph whether it required grad."""
    values = {node.name: node.meta["val"] for node in program._program.graph.inputs}
    paths = program.core_signature.inputs_to_parameters
    return {path: values[name].requires_grad for name, path in paths.items()}


def _read_table(
    table: Mapping[Any, Callable | None] | Iterable[Any] | None,
) -> dict[Any, Callable | None]:
    if table is None:
        return default_decompositions()
    read = dict(table) if isinstance(table, Mapping) else dict.fromkeys(table)
    for operator, function in read.items():
        if not isinstance(operator, _C.Operator):
            raise TypeError(
                "run_decompositions: expected operators such as opwright.ops.aten.mm.default, got "
                f"{operator!r}"
            )
        if function is None and not _has_decomposition(operator):
            raise ValueError(
                f"run_decompositions: {operator.name} has no decomposition; give a function for "
                "it, {operator: function}"
            )
    return read


def _has_decomposition(operator: _C.Operator) -> bool:
    if operator.base.startswith("_functional_"):  # it represents a write or a random draw
        return False
    return not _slots_of(operator).isdisjoint({"Decompose", "CompositeImplicitAutograd"})


def _is_taken_apart(operator: _C.Operator) -> bool:
    is_core = "core" in operator.tag_names and "Decompose" in _slots_of(operator)
    return _has_decomposition(operator) and not is_core


def _slots_of(operator: _C.Operator) -> set[str]:
    return {slot for slot, _ in operator.implementations()}
