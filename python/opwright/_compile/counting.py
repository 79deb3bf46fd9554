"""Backends for tests: they count or keep the captured graphs and run them as they are."""

from collections.abc import Callable, Sequence
from typing import Any

from .. import compiler, tracing
from .torch_names import BACKENDS


class CompileCounter:
    """A backend that counts graphs (`frame_count`) and calls in them (`op_count`).

    >>> from opwright.compat.torch._dynamo.testing import CompileCounter
    >>> counter = CompileCounter()
    >>> _ = ow.compile(lambda x: x.sin() + 1, backend=counter)(ow.ones(2))
    >>> counter.frame_count, counter.op_count
    (1, 2)
    """

    def __init__(self) -> None:
        self.clear()

    def __call__(
        self, gm: tracing.GraphModule, example_inputs: Sequence[Any]
    ) -> Callable[..., Any]:
        self.frame_count += 1
        self.op_count += sum(node.op.startswith("call") for node in gm.graph.nodes)
        return gm

    def clear(self) -> None:
        """Start again from zero."""
        self.frame_count = 0
        self.op_count = 0


class CompileCounterWithBackend(CompileCounter):
    """A CompileCounter that keeps the graphs and compiles them with another backend.

    >>> from opwright.compat.torch._dynamo.testing import CompileCounterWithBackend
    >>> counter = CompileCounterWithBackend("aot_eager")
    >>> _ = ow.compile(lambda x: x.sin(), backend=counter)(ow.ones(2))
    >>> len(counter.graphs)
    1
    """

    def __init__(self, backend: str) -> None:
        super().__init__()
        self.backend = backend

    def __call__(
        self, gm: tracing.GraphModule, example_inputs: Sequence[Any]
    ) -> Callable[..., Any]:
        super().__call__(gm, example_inputs)
        self.graphs.append(gm)
        return compiler.compile(gm, backend=BACKENDS.get(self.backend, self.backend))

    def clear(self) -> None:
        """Start again from zero."""
        super().clear()
        self.graphs: list[tracing.GraphModule] = []


class EagerAndRecordGraphs:
    """A backend that keeps the graphs.

    >>> from opwright.compat.torch._dynamo.testing import EagerAndRecordGraphs
    >>> backend = EagerAndRecordGraphs()
    >>> _ = ow.compile(lambda x: x.sin(), backend=backend)(ow.ones(2))
    >>> len(backend.graphs)
    1
    """

    def __init__(self) -> None:
        self.graphs: list[tracing.GraphModule] = []

    def __call__(
        self, gm: tracing.GraphModule, example_inputs: Sequence[Any]
    ) -> Callable[..., Any]:
        self.graphs.append(gm)
        return gm
