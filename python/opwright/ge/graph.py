"""convert: turns a function, module or program into a graph of the engine."""

import os
from collections.abc import Callable, Mapping
from typing import IO, Any

from .. import _C, nn
from ..export import ExportedProgram
from ..export import export as export_program

__all__ = ["Graph", "Op", "convert"]

Op = _C.GeOp


class Graph:
    """A graph in memory that can be read, saved or passed to the engine.

    >>> from opwright import ge
    >>> graph = ge.convert(lambda x, y: x + y, (ow.ones(2), ow.ones(2)))
    >>> [op.type for op in graph.ops]
    ['Data', 'Data', 'Add', 'NetOutput']
    """

    def __init__(self, graph: _C.GeGraph) -> None:
        self._graph = graph

    @property
    def name(self) -> str:
        """The name of the graph.

        >>> from opwright import ge
        >>> ge.convert(lambda x: -x, (ow.ones(2),), name="negated").name
        'negated'
        """
        return self._graph.name

    @property
    def ops(self) -> list[Op]:
        """The ops, in execution order.

        Each has `name`, `type`, `inputs` ("Add_1:0"), `attributes`, `line` (the user's) and the
        descriptors of inputs and outputs, (name, dtype, dims) with -1 for dynamic sizes.

        >>> from opwright import ge
        >>> ge.convert(lambda x: x.relu(), (ow.ones(2),)).ops[1].output_descriptors
        [('y', opwright.float32, [2])]
        """
        return self._graph.ops

    @property
    def input_names(self) -> list[str]:
        """The names of the Data ops, in the order of the arguments.

        >>> from opwright import ge
        >>> ge.convert(lambda x, y: x * y, (ow.ones(2), ow.ones(2))).input_names
        ['x', 'y']
        """
        return self._graph.input_names

    @property
    def output_names(self) -> list[str]:
        """The outputs that the graph returns, in order.

        >>> from opwright import ge
        >>> len(ge.convert(lambda x: (x + 1, x * 2), (ow.ones(2),)).output_names)
        2
        """
        return self._graph.output_names

    def serialize(self) -> bytes:
        """Return the bytes of a ge.proto.ModelDef, the engine's own format.

        >>> from opwright import ge
        >>> type(ge.convert(lambda x: x + 1, (ow.ones(2),)).serialize())
        <class 'bytes'>
        """
        return self._graph.serialize()

    def save(self, destination: str | os.PathLike[str] | IO[bytes]) -> None:
        """Write the bytes to a path or an open file.

        >>> import io
        >>> from opwright import ge
        >>> file, graph = io.BytesIO(), ge.convert(lambda x: x + 1, (ow.ones(2),))
        >>> graph.save(file)
        >>> file.getvalue() == graph.serialize()
        True
        """
        if isinstance(destination, (str, os.PathLike)):
            with open(destination, "wb") as file:
                file.write(self.serialize())
        else:
            destination.write(self.serialize())

    def text(self) -> str:
        """Return the graph as text: one line for each op.

        >>> from opwright import ge
        >>> "Relu" in ge.convert(lambda x: x.relu(), (ow.ones(2),)).text()
        True
        """
        return str(self._graph)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"ge.Graph({self.name!r}, {len(self.ops)} ops)"


def convert(
    model: nn.Module | Callable[..., Any] | ExportedProgram,
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    name: str = "opwright",
) -> Graph:
    """Convert a function, module or program to a graph of the engine; nothing is built or run.

    >>> from opwright import ge
    >>> batch = ow.export.Dim("batch")
    >>> graph = ge.convert(
    ...     lambda x: x.relu(), (ow.ones(2, 3),), dynamic_shapes={"x": {0: batch}}
    ... )
    >>> graph.ops[0].output_descriptors
    [('y', opwright.float32, [-1, 3])]

    `dynamic_shapes` says which sizes may differ, as in `opwright.export.export`. Parameters and
    buffers become Const ops; those that the program writes are additional outputs. Raises
    NotImplementedError for an operator without a converter, with its name and the user's line.
    """
    if isinstance(model, ExportedProgram):
        if args or kwargs or dynamic_shapes is not None:
            raise ValueError(
                "ge.convert: an ExportedProgram has its arguments and sizes; give none"
            )
        program = model
    else:
        program = export_program(model, tuple(args), kwargs, dynamic_shapes=dynamic_shapes)
    return Graph(_C.ge_convert(program._program.graph, name, True))
