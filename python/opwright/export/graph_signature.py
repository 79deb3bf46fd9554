"""The roles of the inputs and outputs of an exported graph; names follow torch.export."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import _C

__all__ = [
    "ConstantArgument",
    "ExportGraphSignature",
    "GraphSignature",
    "InputKind",
    "InputSpec",
    "OutputKind",
    "OutputSpec",
    "SymIntArgument",
    "TensorArgument",
]


class InputKind(enum.Enum):
    """Where the value of an input comes from.

    >>> from opwright.export import InputKind, export
    >>> program = export(ow.nn.Linear(3, 2), (ow.ones(1, 3),))
    >>> [spec.kind.name for spec in program.graph_signature.input_specs]
    ['PARAMETER', 'PARAMETER', 'USER_INPUT']
    """

    USER_INPUT = 0
    PARAMETER = 1
    BUFFER = 2
    CONSTANT_TENSOR = 3
    RANDOM_STATE = 4


class OutputKind(enum.Enum):
    """What an output is for: it is returned, or written to one of the program's inputs.

    >>> from opwright.export import export
    >>> program = export(lambda x: x.add_(1).sum(), (ow.ones(3),))
    >>> [spec.kind.name for spec in program.graph_signature.output_specs]
    ['USER_INPUT_MUTATION', 'USER_OUTPUT']
    """

    USER_OUTPUT = 0
    BUFFER_MUTATION = 1
    PARAMETER_MUTATION = 2
    USER_INPUT_MUTATION = 3


@dataclass(frozen=True)
class TensorArgument:
    """A tensor of the graph, by the name of its value.

    >>> from opwright.export import export
    >>> export(lambda x: x + 1, (ow.ones(3),)).graph_signature.input_specs[0].arg
    TensorArgument(name='x')
    """

    name: str


@dataclass(frozen=True)
class SymIntArgument:
    """An int of the graph, by the name of its value or as an expression of sizes.

    >>> from opwright.export import Dim, export
    >>> program = export(lambda x: 2 * x.shape[0], (ow.ones(3),), dynamic_shapes=[[Dim("n")]])
    >>> program.graph_signature.output_specs[0].arg
    SymIntArgument(name='2*n')
    """

    name: str


@dataclass(frozen=True)
class ConstantArgument:
    """An argument or result that is a constant of the program.

    >>> from opwright.export import export
    >>> program = export(lambda x, factor: x * factor, (ow.ones(3), 2.5))
    >>> program.graph_signature.input_specs[1].arg
    ConstantArgument(name='factor', value=2.5)
    """

    name: str
    value: Any


Argument = TensorArgument | SymIntArgument | ConstantArgument


@dataclass(frozen=True)
class InputSpec:
    """An input: its kind, its value in the graph, and what it represents.

    `target` is the path of a parameter or buffer in the module, or of a user input in the call. A
    buffer that is not `persistent` is not in the `state_dict`.

    >>> from opwright.export import export
    >>> export(lambda pair: pair[0] + pair[1], ((ow.ones(3), 2),)).graph_signature.input_specs[1]
    InputSpec(kind=<InputKind.USER_INPUT: 0>, arg=ConstantArgument(name='pair[1]', value=2), \
target='pair[1]', persistent=None)
    """

    kind: InputKind
    arg: Argument
    target: str | None
    persistent: bool | None = None


@dataclass(frozen=True)
class OutputSpec:
    """An output: its kind, its value in the graph, and what it is written to.

    >>> from opwright.export import export
    >>> export(lambda x: x.add_(1).sum(), (ow.ones(3),)).graph_signature.output_specs[0].target
    'x'
    """

    kind: OutputKind
    arg: Argument
    target: str | None


@dataclass(frozen=True)
class GraphSignature:
    """The inputs and outputs of an exported graph, also sorted by kind.

    >>> from opwright.export import export
    >>> signature = export(ow.nn.BatchNorm1d(2), (ow.ones(4, 2),)).graph_signature
    >>> signature.parameters, signature.user_inputs
    (('weight', 'bias'), ('input_1',))
    >>> list(signature.buffers_to_mutate.values())
    ['num_batches_tracked', 'running_mean', 'running_var']
    """

    input_specs: Sequence[InputSpec]
    output_specs: Sequence[OutputSpec]

    @classmethod
    def of_program(cls, program: _C.ExportedProgram) -> "GraphSignature":
        """Return the signature of a program of the core."""
        return cls(
            [_input_spec(*each) for each in program.inputs],
            [_output_spec(*each) for each in program.outputs],
        )

    @property
    def parameters(self) -> tuple[str, ...]:
        """The paths of the parameters."""
        return self._targets(InputKind.PARAMETER)

    @property
    def buffers(self) -> tuple[str, ...]:
        """The paths of the buffers."""
        return self._targets(InputKind.BUFFER)

    @property
    def non_persistent_buffers(self) -> tuple[str, ...]:
        """The paths of the buffers that are not in the `state_dict`."""
        inputs = [spec for spec in self.input_specs if spec.kind is InputKind.BUFFER]
        return tuple(str(spec.target) for spec in inputs if not spec.persistent)

    @property
    def lifted_tensor_constants(self) -> tuple[str, ...]:
        """The names of the tensors that the function closed over."""
        return self._targets(InputKind.CONSTANT_TENSOR)

    @property
    def user_inputs(self) -> tuple[Any, ...]:
        """The inputs of the caller: names of values, and constants."""
        inputs = [spec.arg for spec in self.input_specs if spec.kind is InputKind.USER_INPUT]
        return tuple(_name_or_constant(arg) for arg in inputs)

    @property
    def user_outputs(self) -> tuple[Any, ...]:
        """The results for the caller: names of values, and constants."""
        outputs = [spec.arg for spec in self.output_specs if spec.kind is OutputKind.USER_OUTPUT]
        return tuple(_name_or_constant(arg) for arg in outputs)

    @property
    def inputs_to_parameters(self) -> dict[str, str]:
        """Maps values to the paths of their parameters."""
        return self._inputs_to(InputKind.PARAMETER)

    @property
    def inputs_to_buffers(self) -> dict[str, str]:
        """Maps values to the paths of their buffers."""
        return self._inputs_to(InputKind.BUFFER)

    @property
    def inputs_to_lifted_tensor_constants(self) -> dict[str, str]:
        """Maps values to the names of their constants."""
        return self._inputs_to(InputKind.CONSTANT_TENSOR)

    @property
    def buffers_to_mutate(self) -> dict[str, str]:
        """Maps values to the paths of the buffers that they are written to."""
        return self._outputs_to(OutputKind.BUFFER_MUTATION)

    @property
    def parameters_to_mutate(self) -> dict[str, str]:
        """Maps values to the paths of the parameters that they are written to."""
        return self._outputs_to(OutputKind.PARAMETER_MUTATION)

    @property
    def user_inputs_to_mutate(self) -> dict[str, str]:
        """Maps values to the user inputs that they are written to."""
        return self._outputs_to(OutputKind.USER_INPUT_MUTATION)

    def __str__(self) -> str:
        """Return a line for each input and output.

        >>> from opwright.export import export
        >>> print(export(lambda x: x.sin(), (ow.ones(2),)).graph_signature)
        # inputs
        x: USER_INPUT target='x'
        <BLANKLINE>
        # outputs
        sin: USER_OUTPUT
        """
        inputs = "\n".join(map(_line, self.input_specs))
        return f"# inputs\n{inputs}\n\n# outputs\n" + "\n".join(map(_line, self.output_specs))

    def _targets(self, kind: InputKind) -> tuple[str, ...]:
        return tuple(self._inputs_to(kind).values())

    def _inputs_to(self, kind: InputKind) -> dict[str, str]:
        return {spec.arg.name: str(spec.target) for spec in self.input_specs if spec.kind is kind}

    def _outputs_to(self, kind: OutputKind) -> dict[str, str]:
        return {spec.arg.name: str(spec.target) for spec in self.output_specs if spec.kind is kind}


ExportGraphSignature = GraphSignature


def _argument(value: str, is_tensor: bool, constant: Any, name: str) -> Argument:
    if not value:
        return ConstantArgument(name, constant)
    return TensorArgument(value) if is_tensor else SymIntArgument(value)


def _input_spec(
    kind: int, value: str, is_tensor: bool, target: str, constant: Any, is_persistent: bool
) -> InputSpec:
    argument = _argument(value, is_tensor, constant, target)
    persistent = is_persistent if InputKind(kind) is InputKind.BUFFER else None
    return InputSpec(InputKind(kind), argument, target, persistent)


def _output_spec(kind: int, value: str, is_tensor: bool, target: str, constant: Any) -> OutputSpec:
    return OutputSpec(OutputKind(kind), _argument(value, is_tensor, constant, ""), target or None)


def _line(spec: InputSpec | OutputSpec) -> str:
    arg = spec.arg
    name = arg.name if not isinstance(arg, ConstantArgument) else arg.name or repr(arg.value)
    target = f" target={spec.target!r}" if spec.target is not None else ""
    persistent = getattr(spec, "persistent", None)
    kept = f" persistent={persistent}" if persistent is not None else ""
    return f"{name}: {spec.kind.name}{target}{kept}"


def _name_or_constant(argument: Argument) -> Any:
    return argument.value if isinstance(argument, ConstantArgument) else argument.name
