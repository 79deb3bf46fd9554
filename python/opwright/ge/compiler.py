"""The backend of compile that runs graphs in the engine, with a configuration."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _C

__all__ = ["CompilerConfig", "get_compiler"]


class CompilerConfig:
    """Which library runs the graphs, and with which options.

    >>> from opwright import ge
    >>> ge.CompilerConfig(options={"ge.exec.precision_mode": "must_keep_origin_dtype"})
    CompilerConfig(library=None, options={'ge.exec.precision_mode': 'must_keep_origin_dtype'})

    `library` is the path of a shared library over the vendor's SDK that implements
    opwright/ge_engine.h; without one, Opwright's own operators run the graph, on the device of its
    tensors. `options` are passed to the library only.
    """

    def __init__(
        self,
        library: str | os.PathLike[str] | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.library = None if library is None else os.fspath(library)
        self.options = dict(options or {})

    def __repr__(self) -> str:
        return f"CompilerConfig(library={self.library!r}, options={self.options!r})"


def get_compiler(config: CompilerConfig | None = None) -> Callable[..., Any]:
    """Return a backend for `opwright.compile`.

    >>> from opwright import ge
    >>> twice = ow.compile(lambda x: x + x, backend=ge.get_compiler(ge.CompilerConfig()))
    >>> twice(ow.ones(2))
    tensor([2., 2.])

    `compile(backend="ge")` is the same with the default configuration.
    """
    chosen = CompilerConfig() if config is None else config
    if not isinstance(chosen, CompilerConfig):
        raise TypeError(
            f"get_compiler: config must be a CompilerConfig, got {type(config).__name__}"
        )
    library, options = chosen.library or "", list(chosen.options.items())

    def ge(graph_module: Any, example_inputs: Sequence[Any]) -> Callable[..., Any]:
        return _C.ge_build(graph_module.graph, library, options)

    ge.takes_core_graphs = True  # type: ignore[attr-defined]
    return ge
