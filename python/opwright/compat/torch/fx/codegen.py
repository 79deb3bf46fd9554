"""How a graph becomes the source of `forward`: its signature and what it returns."""

from collections.abc import Callable
from typing import Any

from opwright.compat.torch.utils import _pytree as pytree

from .node import Argument

__all__ = ["CodeGen", "TreeCodeGen"]

TransformLines = Callable[[list[str]], list[str]]


class CodeGen:
    """The signature of `forward` and its return statement; derive from it to change them.

    >>> from opwright.compat.torch import fx
    >>> class Named(fx.CodeGen):
    ...     def gen_fn_def(self, free_vars, maybe_return_annotation):
    ...         return f"def forward(self, *, {', '.join(free_vars)}):"
    >>> traced = fx.symbolic_trace(lambda x: x + 1)
    >>> traced.graph.set_codegen(Named())
    >>> _ = traced.recompile()
    >>> traced(x=2)
    3
    """

    def __init__(self) -> None:
        self._body_transformer: TransformLines | None = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """Return the `def` line from the parameters and the return annotation."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(
        self, output_args: Argument, *, repr_fn: Callable[[Any], str] = repr
    ) -> str:
        """Return the `return` statement; `repr_fn` gives the expression of a value."""
        return f"return {repr_fn(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """Return the values of the placeholders, given the arguments of `forward`."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """Return the result of `forward`, given the value of the output node."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Return the names that `gen_fn_def` and `generate_output` use."""
        return []


class TreeCodeGen(CodeGen):
    """Arguments in any nesting: `forward` takes them as the function does and flattens them."""

    def __init__(self, orig_args: list[str], in_spec: Any, out_spec: Any | None = None) -> None:
        super().__init__()
        self.orig_args = orig_args
        self.in_spec = in_spec
        self.out_spec = out_spec

    def process_inputs(self, *args: Any) -> Any:
        return pytree.tree_leaves(args)

    def process_outputs(self, outputs: Any) -> Any:
        if self.out_spec is None:
            return outputs
        leaves = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        return pytree.tree_unflatten(leaves, self.out_spec)

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        parameters = [name for name in self.orig_args if name != "self"]
        definition = super().gen_fn_def(list(parameters), maybe_return_annotation)
        if not free_vars:
            return definition
        names = ", ".join(each.split(":")[0].split("=")[0].strip(" *") for each in free_vars)
        given = ", ".join(name.lstrip("*") for name in parameters)
        return f"{definition}\n    {names}, = fx_pytree.tree_flatten_spec([{given}], self._in_spec)"

    def generate_output(
        self, output_args: Argument, *, repr_fn: Callable[[Any], str] = repr
    ) -> str:
        if self.out_spec is None:
            return super().generate_output(output_args, repr_fn=repr_fn)
        return f"return pytree.tree_unflatten({repr_fn(output_args)}, self._out_spec)"

    def additional_globals(self) -> list[tuple[str, Any]]:
        from . import _pytree as fx_pytree

        return [("fx_pytree", fx_pytree), ("pytree", pytree)]
