"""A program as a module: its own parameters and buffers, and a forward pass that runs it."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Self

from .. import _C, nn, pytree
from .._func.call_tree import Arguments
from .graph_signature import InputKind

if TYPE_CHECKING:
    from .exported_program import ExportedProgram

__all__ = ["ProgramModule"]


class ProgramModule(nn.Module):
    """The result of `ExportedProgram.module()`: a module that runs a program with its own tensors.

    >>> from opwright.export import export
    >>> module = export(ow.nn.Linear(3, 2), (ow.ones(1, 3),)).module()
    >>> list(module.state_dict())
    ['weight', 'bias']
    >>> module.eval()
    Traceback (most recent call last):
        ...
    NotImplementedError: eval: the mode of a module is part of the program that it was exported \
to; export it again in the other mode
    """

    def __init__(self, program: ExportedProgram):
        nn.Module.__init__(self)
        self._program = program._program.lift_state()
        self._arguments = program._arguments
        self._results = program._results
        self._exported_type = program.module_call_graph[0].type_name
        register_state(self, program)
        register_constants(self, program)
        signature = program.core_signature
        self._inputs = [
            str(spec.target)
            for spec in signature.input_specs
            if spec.kind in (InputKind.PARAMETER, InputKind.BUFFER)
        ]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program."""
        leaves = self._arguments.read(args, kwargs, "program")
        results = self._program.run([*self._state(), *leaves])
        return pytree.tree_unflatten(results, self._results)

    def _state(self) -> list[_C.Tensor]:
        """Return the program's tensors; looked up again when a module has changed."""
        bound = self.__dict__.get("_bound")
        if bound is None or not bound.is_current():
            bound = _Bound(self)
            self.__dict__["_bound"] = bound  # not a change of the module
        return bound.tensors

    @property
    def graph(self) -> _C.Graph:
        """The graph; parameters and buffers come before the arguments."""
        return self._program.graph.copy()

    @property
    def code(self) -> str:
        """The graph as executable Python code."""
        return self._program.graph.code

    def print_readable(self, print_output: bool = True) -> str:
        """Print the code, annotated with types and lines; return it."""
        return self._program.graph.print_readable(print_output)

    @property
    def __signature__(self) -> inspect.Signature:
        names = self._arguments.names
        kinds = inspect.Parameter
        parameters = [
            kinds(name or f"arg{i}", kinds.POSITIONAL_OR_KEYWORD if name else kinds.POSITIONAL_ONLY)
            for i, name in enumerate(names)
        ]
        rest = [key for key in self._arguments.keys if key not in names]
        return inspect.Signature([*parameters, *(kinds(key, kinds.KEYWORD_ONLY) for key in rest)])

    def train(self, mode: bool = True) -> Self:
        """Raise an error: the mode is part of the program."""
        _refuse_mode("train" if mode else "eval")

    def _apply(self, fn: Callable[[_C.Tensor], _C.Tensor]) -> Self:
        for name, tensor in [*self.named_parameters(), *self.named_buffers()]:
            changed = fn(tensor.detach())
            if changed.dtype != tensor.dtype or changed.device != tensor.device:
                raise TypeError(
                    f"the program was exported with '{name}' as {_kind(tensor)}, so it cannot be "
                    f"{_kind(changed)}; convert the module before it is exported"
                )
        return super()._apply(fn)

    def __deepcopy__(self, memo: dict[int, Any]) -> ProgramModule:
        made = memo[id(self)] = type(self).__new__(type(self))
        own = {
            name: value if name in _SHARED else copy.deepcopy(value, memo)
            for name, value in self.__dict__.items()
            if name != "_bound"
        }
        made.__setstate__(own)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        left_out = (*_SHARED, "_bound")
        own = {name: value for name, value in self.__dict__.items() if name not in left_out}
        data = _C.write_program(self._program)
        return _rebuild, (data, self._arguments.text, _C.tree_text(self._results), own)


class _Bound:
    """A module's tensors under the paths of its program, and the time of the look-up."""

    def __init__(self, module: ProgramModule):
        self._owners = list(module.modules())
        self._epochs = [owner._attribute_epoch for owner in self._owners]
        self.tensors = [find_tensor(module, path) for path in module._inputs]

    def is_current(self) -> bool:
        return self._epochs == [owner._attribute_epoch for owner in self._owners]


# Immutable, so copies of a module share it.
_SHARED = ("_program", "_arguments", "_results")


def _rebuild(data: bytes, arguments: str, results: str, own: dict[str, Any]) -> ProgramModule:
    made = ProgramModule.__new__(ProgramModule)
    program = _C.read_program(data, "the bytes of a module")
    shared = (program, Arguments.read_text(arguments), _C.read_tree_text(results))
    made.__setstate__({**own, **dict(zip(_SHARED, shared, strict=True))})
    return made


def _refuse_mode(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name}: the mode of a module is part of the program that it was exported to; export it "
        "again in the other mode"
    )


def _left_out(program: ExportedProgram) -> dict[str, _C.Tensor]:
    """Return the buffers that are not in the state_dict."""
    constants = program.constants
    return {name: constants[name] for name in program.core_signature.non_persistent_buffers}


def register_state(root: nn.Module, program: ExportedProgram) -> None:
    """Give a module the parameters and buffers of a program, under their paths.

    Buffers that the program writes are copied.
    """
    signature = program.core_signature
    written = {*signature.buffers_to_mutate.values()}
    state = {**_left_out(program), **program.state_dict}
    parameters = {id(state[name]) for name in signature.parameters}
    own = {id(state[name]): _copied(state[name]) for name in written}
    for name, tensor in state.items():
        owner, last = make_owner(root, name)
        if isinstance(tensor, nn.Parameter) and id(tensor) in parameters:
            owner.register_parameter(last, tensor)
        else:
            is_persistent = name in program.state_dict
            owner.register_buffer(last, own.get(id(tensor), tensor), persistent=is_persistent)


def register_constants(root: nn.Module, program: ExportedProgram) -> None:
    """Give a module the constants of a program as plain attributes, to look at."""
    constants = program.constants
    for name in program.core_signature.lifted_tensor_constants:
        owner, last = make_owner(root, name)
        object.__setattr__(owner, last, constants[name].detach())


def _copied(tensor: _C.Tensor) -> _C.Tensor:
    return tensor.detach().clone()


def make_owner(root: nn.Module, path: str) -> tuple[nn.Module, str]:
    """Return the module that holds the tensor of a path, creating it if necessary."""
    *parents, last = path.split(".")
    owner = root
    for name in parents:
        if name not in owner._modules:
            owner.add_module(name, nn.Module())
        owner = owner._modules[name]
    return owner, last


def find_tensor(root: nn.Module, path: str) -> _C.Tensor:
    *parents, last = path.split(".")
    owner = root
    for name in parents:
        owner = owner._modules[name]
    return getattr(owner, last)


def _kind(tensor: _C.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('opwright.')} on {tensor.device}"
