"""Where operators of the tests are defined: opwright, or torch, by the same words."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import opwright as ow

BUILD = Path(os.environ.get("OPWRIGHT_BUILD", Path(__file__).parents[3] / "build" / "release"))


@dataclass(frozen=True)
class Example:
    """An operator and the arguments of one ordinary call."""

    op: object
    args: tuple
    kwargs: Mapping[str, object] = field(default_factory=dict)

    def call(self) -> object:
        return self.op(*self.args, **self.kwargs)


class Host:
    """A package with tensors and operators, and a library whose operators go with the scope.

    `tensors` is opwright or torch: what an operator is written with.
    """

    def __init__(self, tensors: ModuleType, namespace: str):
        self.tensors = tensors
        self.namespace = namespace
        self._library = tensors.library.Library(namespace, "FRAGMENT")

    @property
    def is_ours(self) -> bool:
        return self.tensors is ow

    def define(
        self,
        schema: str,
        kernel: Callable | None = None,
        *,
        fake: Callable | None = None,
        backward: Callable | None = None,
        setup_context: Callable | None = None,
        vmap: Callable | None = None,
        jvp: Callable | None = None,
        scatter: Callable | None = None,
        composite: Callable | None = None,
        functional: Callable | None = None,
        keep_old: Sequence[str] = (),
        devices: str = "CPU",
        tags: Sequence[str] = (),
    ) -> object:
        """Define an operator with all its functions; return it."""
        library, lib = self.tensors.library, self._library
        given = tags if self.is_ours else tuple(getattr(self.tensors.Tag, tag) for tag in tags)
        lib.define(schema, tags=given)
        name = f"{self.namespace}::{schema.partition('(')[0]}"
        if kernel is not None:
            library.impl(name, devices, kernel, lib=lib)
        if composite is not None:
            lib.impl(name.partition("::")[2], composite, "CompositeImplicitAutograd")
        if functional is not None:
            lib.impl(name.partition("::")[2], functional, "Functional")
        if fake is not None:
            library.register_fake(name, fake, lib=lib)
        if backward is not None:
            options = {"keep_old": keep_old} if keep_old else {}
            library.register_autograd(
                name, backward, setup_context=setup_context, lib=lib, **options
            )
        if vmap is not None:
            library.register_vmap(name, vmap, lib=lib)
        if jvp is not None:
            library.register_jvp(name, jvp, lib=lib)
        if scatter is not None:
            library.register_scatter(name, scatter, lib=lib)
        return self.operator(name.partition("::")[2])

    def implement(self, name: str, function: Callable, key: str) -> None:
        """Register a function under one of PyTorch's dispatch keys."""
        self._library.impl(name, function, key)

    def operator(self, name: str) -> object:
        return getattr(getattr(self.tensors.ops, self.namespace), name).default

    def matrix(self, rows: int = 3, columns: int = 4, **options: object) -> object:
        """Give an ordinary tensor: contiguous, of random numbers."""
        return self.tensors.randn(rows, columns, **options)

    def __enter__(self) -> "Host":
        self.tensors.manual_seed(0)
        return self

    def __exit__(self, *_: object) -> None:
        self._library._destroy()


def binary_operator(library: str, name: str) -> object:
    """Give an operator of one of the tests' binaries."""
    ow.load_library(BUILD / "operators" / f"lib{library}.so")
    return getattr(getattr(ow.ops, library), name).default


# ---- Fakes and rules that are right ----


def same_form(x: object, *_: object) -> object:
    """Fake kernel for a result like the first argument, as for pointwise operators."""
    return x.clone()


def dense(x: object, *_: object) -> object:
    """Fake of a contiguous result with the sizes of the first argument."""
    return x.new_empty(x.shape)


def number(x: object, *_: object) -> object:
    """Fake of a result of one element, without dimensions."""
    return x.new_empty(())
