"""Tracing: turns a function into a graph.

>>> def f(x, y):
...     return ow.sin(x) * y
>>> traced = make_fx(f, tracing_mode="symbolic")(ow.ones(3, 4), ow.ones(4))
>>> ow.equal(traced(ow.ones(5, 4), ow.ones(4)), f(ow.ones(5, 4), ow.ones(4)))
True
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from . import _C, pytree
from ._func.call_tree import Arguments, Parameters, argument_names, is_value, module_tensors

__all__ = ["GraphModule", "make_fx"]


class GraphModule:
    """A traced function: a graph, and the structure of its arguments and results.

    Call it like the function. Tensors may have other sizes if the graph's guards allow them; other
    arguments must be those of the trace.

    >>> traced = make_fx(lambda pair: {"sum": pair[0] + pair[1]})((ow.ones(2), ow.ones(2)))
    >>> traced((ow.ones(2), ow.zeros(2)))
    {'sum': tensor([1., 1.])}
    """

    def __init__(self, graph: _C.Graph, inputs: "_Inputs", outputs: "_Outputs"):
        self.graph = graph
        self._inputs = inputs
        self._outputs = outputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph; the same as a call.

        >>> make_fx(lambda x: x + 1)(ow.ones(2)).forward(ow.ones(2))
        tensor([2., 2.])
        """
        results = self.graph(*self._inputs.read(args, kwargs))
        return self._outputs.restore(results if isinstance(results, tuple) else (results,))

    @property
    def code(self) -> str:
        """The graph as executable Python code.

        >>> print(make_fx(lambda x: x + 1)(ow.ones(2)).code.splitlines()[0])
        def forward(self, x):
        """
        return self.graph.code

    def print_readable(self, print_output: bool = True) -> str:
        """Print the code, annotated with types and lines; return it.

        >>> text = make_fx(lambda x: x + 1)(ow.ones(2)).print_readable(print_output=False)
        >>> "aten.add" in text
        True
        """
        return self.graph.print_readable(print_output)

    def functionalize(self) -> "GraphModule":
        """Return the same without views and writes, except those to inputs at the end.

        >>> traced = make_fx(lambda x: x.clone().add_(1))(ow.ones(2))
        >>> traced.functionalize()(ow.ones(2))
        tensor([2., 2.])
        """
        return GraphModule(_C.functionalize_graph(self.graph), self._inputs, self._outputs)

    def decompose(self, operators: Iterable[_C.Operator]) -> "GraphModule":
        """Return the same with these operators decomposed.

        >>> traced = make_fx(lambda x: ow.addmm(x, x, x))(ow.ones(2, 2))
        >>> traced.decompose([ow.ops.aten.addmm.default])(ow.ones(2, 2))
        tensor([[3., 3.],
                [3., 3.]])
        """
        names = [operator.name for operator in operators]
        return GraphModule(_C.decompose_graph(self.graph, names), self._inputs, self._outputs)

    def __repr__(self) -> str:
        return f"GraphModule({self.graph})"


class _Inputs:
    """Which leaves of the arguments are inputs of the graph, and the values of the others."""

    def __init__(
        self, arguments: Arguments, leaves: list[Any], names: list[str], is_input: list[bool]
    ):
        self._arguments = arguments
        self._names = names
        self._is_input = is_input
        self._constants = [
            None if given else leaf for leaf, given in zip(leaves, is_input, strict=True)
        ]

    def read(self, args: tuple, kwargs: dict) -> list[Any]:
        leaves = self._arguments.read(args, kwargs, "the traced function")
        for name, leaf, constant, given in zip(
            self._names, leaves, self._constants, self._is_input, strict=True
        ):
            if not given and not (leaf is constant or leaf == constant):
                raise ValueError(
                    f"the argument {name} was {constant!r} when the function was traced "
                    f"and is part of the graph, got {leaf!r}; trace again for another value"
                )
        return [leaf for leaf, given in zip(leaves, self._is_input, strict=True) if given]


class _Outputs:
    """The structure of the results, and the constants among them."""

    def __init__(self, spec: Any, leaves: list[Any], is_output: list[bool]):
        self._spec = spec
        self._leaves = [
            None if given else leaf for leaf, given in zip(leaves, is_output, strict=True)
        ]
        self._places = [index for index, given in enumerate(is_output) if given]

    def restore(self, results: tuple[Any, ...]) -> Any:
        leaves = list(self._leaves)
        for place, result in zip(self._places, results, strict=True):
            leaves[place] = result
        return pytree.tree_unflatten(leaves, self._spec)


def make_fx(
    f: Callable[..., Any],
    decomposition_table: Mapping[Any, Callable] | Iterable[Any] | None = None,
    tracing_mode: Literal["real", "fake", "symbolic"] = "real",
    *,
    functional: bool = False,
    keep_composites: bool = False,
) -> Callable[..., GraphModule]:
    """Return a function that runs `f` once and returns its calls as a graph.

    `tracing_mode` is "real" (kernels run on the inputs), "fake" (fake kernels run; sizes are those
    of the inputs) or "symbolic" (sizes and ints of the inputs are symbols, and conditions on them
    become guards of the graph). Arguments and results are tensors in any nesting of tuples, lists,
    dicts, dataclasses; other values are constants of the graph. Tensors that `f` closes over become
    inputs that are read again on each call.

    `functional` turns views and writes into pure calls; the inputs are written at the end.
    `decomposition_table` names operators to decompose: a mapping to the functions to use, or a
    collection of operators that have a decomposition. `keep_composites` keeps composite `aten`
    operators.

    >>> @ow.library.custom_op("docs::twice", mutates_args=())
    ... def twice(x: ow.Tensor) -> ow.Tensor:
    ...     return x * 2
    >>> @twice.register_fake
    ... def _(x):
    ...     return ow.empty_like(x)
    >>> print(make_fx(twice, tracing_mode="symbolic")(ow.ones(3)).graph)  # doctest: +ELLIPSIS
    graph(...
    """
    return tracer_of(
        f, decomposition_table, tracing_mode, functional=functional, keep_composites=keep_composites
    )


def tracer_of(
    f: Callable[..., Any],
    decomposition_table: Mapping[Any, Callable] | Iterable[Any] | None,
    tracing_mode: Literal["real", "fake", "symbolic"],
    *,
    functional: bool = False,
    keep_composites: bool = False,
    writes_gradients: bool = True,
) -> Callable[..., GraphModule]:
    """Return the function of `make_fx`, with an option for PyTorch's.

    Without `writes_gradients` a backward() in `f` does not change `.grad` when the graph runs.
    """
    table = (
        dict.fromkeys(decomposition_table or ())
        if not isinstance(decomposition_table, Mapping)
        else dict(decomposition_table)
    )

    def trace(*args: Any, **kwargs: Any) -> GraphModule:
        scope = _C.Scope()
        try:
            for operator, function in table.items():
                if function is not None:
                    scope.implement(operator.name, "Decompose", function)
            session = _C.TraceSession(
                tracing_mode,
                functional,
                keep_composites,
                [each.name for each in table],
                writes_gradients,
            )
            return _trace(session, f, args, kwargs, tracing_mode)
        finally:
            scope.close()

    return trace


def _trace(
    session: _C.TraceSession, f: Callable, args: tuple, kwargs: dict, tracing_mode: str
) -> GraphModule:
    parameters = Parameters(f)
    arguments, given = Arguments.of_call(parameters, args, kwargs)
    names = argument_names(parameters, args, {key: kwargs[key] for key in arguments.keys})
    for tensor, name in module_tensors(f):
        session.name_tensor(tensor, name.replace(".", "_"))
    leaves = list(given)
    is_input = [False] * len(leaves)
    for index, leaf in enumerate(given):
        if isinstance(leaf, _C.Tensor):
            leaves[index] = session.add_tensor(leaf, names[index])
        elif type(leaf) is int and tracing_mode == "symbolic":
            leaves[index] = session.add_int(leaf, names[index])
        else:
            continue
        is_input[index] = True
    tensors = [index for index, leaf in enumerate(given) if isinstance(leaf, _C.Tensor)]
    for index, own in zip(tensors, session.enter([leaves[i] for i in tensors]), strict=True):
        leaves[index] = own
    own_args, own_kwargs = pytree.tree_unflatten(leaves, arguments.spec)
    result = session.run(f, own_args, own_kwargs)
    outputs, out_spec = pytree.tree_flatten(result)
    is_output = [
        is_value("make_fx", f, leaf, out_spec, index) for index, leaf in enumerate(outputs)
    ]
    graph = session.finish(
        [leaf for leaf, is_one in zip(outputs, is_output, strict=True) if is_one]
    )
    return GraphModule(
        graph, _Inputs(arguments, given, names, is_input), _Outputs(out_spec, outputs, is_output)
    )
