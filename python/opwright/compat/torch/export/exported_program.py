"""torch.export.exported_program: the result of export."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from opwright import export as _export
from opwright import is_grad_enabled
from opwright.compat._absent import absent
from opwright.export.exporter import trace_program

from ..utils import _pytree
from .decomposition_table import CustomDecompTable, default_decompositions, read_table

if TYPE_CHECKING:
    from ..fx import Graph, GraphModule
    from .program_view import ProgramView

__all__ = ["CustomDecompTable", "ExportedProgram", "default_decompositions"]


# What a program in this form takes over from the core's.
_KEPT = (
    "_arguments",
    "_results",
    "_examples",
    "_given_keys",
    "_grad_mode",
    "_annotations",
    "_same_constants",
    "_root_type",
)


class ExportedProgram(_export.ExportedProgram):
    """A program whose graph is one of torch.fx, with the names that torch.export gives.

    >>> import opwright.compat.torch as torch
    >>> program = torch.export.export(lambda x: x.sin(), (torch.ones(2),))
    >>> print(program.graph_module.code.strip())
    def forward(self, x):
        sin = torch.ops.aten.sin.default(x);  x = None
        return (sin,)
    """

    _keeps_composites = True

    @classmethod
    def of(cls, program: _export.ExportedProgram) -> ExportedProgram:
        """Return a program of the core in this form."""
        made = cls(program._program, module_calls=program._module_calls)
        made.__dict__.update(
            {key: program.__dict__[key] for key in _KEPT if key in program.__dict__}
        )
        return made

    @functools.cached_property
    def _view(self) -> ProgramView:
        from .program_view import ProgramView  # fx needs the package to be complete

        return ProgramView(self)

    @property
    def graph_module(self) -> GraphModule:  # type: ignore[override]
        """The graph as a module of torch.fx."""
        return self._view.module

    @property
    def graph(self) -> Graph:  # type: ignore[override]
        """The graph of torch.fx."""
        return self._view.module.graph

    @property
    def graph_signature(self) -> _export.ExportGraphSignature:  # type: ignore[override]
        """The roles of the inputs and outputs of `graph`."""
        return self._view.signature

    @property
    def range_constraints(self) -> dict[str, _export.RangeConstraint]:
        """The bounds of each symbol: of dynamic sizes, and of numbers from data.

        A size that equals another has none of its own.
        """
        symbols = {symbol.name: symbol for symbol in self._program.graph.symbols}
        bounds = {
            name: bounds
            for name, bounds in super().range_constraints.items()
            if name not in symbols or symbols[name].equals is None
        }
        unbacked = [symbol for symbol in symbols.values() if symbol.hint is None]
        return {
            **bounds,
            **{each.name: _export.RangeConstraint(*each.range) for each in unbacked},
        }

    def module(self) -> GraphModule:
        """Return the program as a module of torch.fx, with its state under its paths.

        >>> import opwright.compat.torch as torch
        >>> module = torch.export.export(lambda x: x.sin(), (torch.zeros(2),)).module()
        >>> module(torch.zeros(2))
        tensor([0., 0.])
        """
        from ..fx.core_graph import NoFormError
        from .program_graph_module import ProgramGraphModule

        try:
            return ProgramGraphModule(self)
        except NoFormError:  # it runs as it is
            return super().module()  # type: ignore[return-value]

    def run_decompositions(
        self, decomp_table: Mapping[Any, Callable | None] | Iterable[Any] | None = None
    ) -> ExportedProgram:
        """Return the same program with operators decomposed into others."""
        made = self.of(super().run_decompositions(read_table(decomp_table, self.operators)))
        made.__dict__["_given_keys"] = self.__dict__.get("_given_keys")
        if "_view" in self.__dict__ or self.__dict__.get("_annotations"):
            made.__dict__["_custom"] = self._view.custom_metadata()
        return made

    def print_readable(self, print_output: bool = True) -> str:
        """Print the code of the graph, annotated with types; return it."""
        return self.graph_module.print_readable(print_output)

    def __deepcopy__(self, memo: dict[int, Any]) -> ExportedProgram:
        made = self.of(super().__deepcopy__(memo))
        kept = ("_given_keys", "_grad_mode", "_same_constants", "_root_type")
        made.__dict__.update({key: self.__dict__[key] for key in kept if key in self.__dict__})
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        function, arguments = super().__reduce__()
        return _rebuild, (function, arguments)


def _rebuild(function: Callable[..., Any], arguments: tuple[Any, ...]) -> ExportedProgram:
    return ExportedProgram.of(function(*arguments))


def export(
    mod: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:
    """`opwright.export.export`; operators that are composed of others are kept, as in PyTorch.

    `strict` and `prefer_deferred_runtime_asserts_over_guards` have no effect: the function is run,
    not parsed, and a program checks its conditions on sizes when it is called.

    >>> import opwright.compat.torch as torch
    >>> program = torch.export.export(lambda x: x.softmax(0), (torch.ones(2),))
    >>> [node.target for node in program.graph.nodes if node.op == "call_function"]
    [<operator aten::softmax.int>]
    """
    del strict, prefer_deferred_runtime_asserts_over_guards
    program = trace_program(
        mod,
        args,
        kwargs,
        dynamic_shapes,
        preserved=tuple(preserve_module_call_signature),
        keep_composites=True,
        warn_of_attributes=True,
    )
    if isinstance(dynamic_shapes, _export.AdditionalInputs):
        dynamic_shapes.verify(program)
    program.__dict__.update(_given_keys=list(kwargs or ()), _grad_mode=is_grad_enabled())
    return ExportedProgram.of(program)


def load(f: Any) -> ExportedProgram:
    """`opwright.export.load`.

    >>> import io
    >>> import opwright.compat.torch as torch
    >>> file = io.BytesIO()
    >>> torch.export.save(torch.export.export(lambda x: x + 1, (torch.ones(2),)), file)
    >>> _ = file.seek(0)
    >>> torch.export.load(file).module()(torch.ones(2))
    tensor([2., 2.])
    """
    return ExportedProgram.of(_export.load(f))


def register_dataclass(cls: type, *, serialized_type_name: str | None = None) -> None:
    """Make a dataclass a container of its fields for `torch.utils._pytree` too.

    >>> import dataclasses
    >>> import opwright.compat.torch as torch
    >>> @dataclasses.dataclass
    ... class Pair:
    ...     x: torch.Tensor
    ...     y: torch.Tensor
    >>> torch.export.register_dataclass(Pair)
    """
    import dataclasses

    if not dataclasses.is_dataclass(cls):
        raise AssertionError(f"register_dataclass: expected a dataclass, got {cls!r}")
    _pytree.register_dataclass(cls, serialized_type_name=serialized_type_name)


__getattr__ = absent(__name__)
