"""A function call as a function of the list of tensors to differentiate with respect to."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from .. import _C, pytree
from .hook_state import HooksRefused
from .refusal import refusal

_NO_HOOKS = (
    "grad, vjp, jacrev and hessian do not support saved tensor hooks (saved_tensors_hooks, "
    "save_on_cpu, checkpoint), neither around the transform nor inside of its function; use "
    "backward() or forward mode"
)
Argnums = int | tuple[int, ...]


class Differentiated:
    """Called with a list of tensors; returns lists of the outputs and of the tensors in aux."""

    def __init__(
        self,
        who: str,
        func: Callable,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        argnums: Argnums,
        has_aux: bool = False,
        is_reverse: bool = False,
    ) -> None:
        self.who = who
        self.is_reverse = is_reverse
        self.func = func
        self.args = args
        self.kwargs = kwargs
        self.has_aux = has_aux
        self.is_one = isinstance(argnums, int) and not isinstance(argnums, bool)
        self.places = _C.checked_argnums(self._numbers(argnums), len(args))
        chosen = tuple(args[place] for place in self.places)
        self.inputs, self.input_spec = pytree.tree_flatten(chosen)
        for index, leaf in enumerate(self.inputs):
            if not isinstance(leaf, _C.Tensor):
                raise refusal(
                    "TypeError",
                    f"{who}: Expected the arguments to differentiate with respect to to only "
                    f"contain Tensors, but leaf {index} is of class {type(leaf).__name__}",
                )

    def _numbers(self, argnums: Argnums) -> list[int]:
        if self.is_one:
            return [argnums]
        if not isinstance(argnums, tuple) or not all(type(each) is int for each in argnums):
            raise refusal(
                "TypeError",
                f"{self.who}: argnums must be int or Tuple[int, ...], and its elements must be int"
                f"s, got {argnums!r}",
            )
        return list(argnums)

    def __call__(self, inputs: list[_C.Tensor]) -> tuple[list[_C.Tensor], list[_C.Tensor]]:
        args, kwargs = self._lift_others()
        for place, value in zip(self.places, self._unflatten_inputs(inputs), strict=True):
            args[place] = value
        # A pack hook runs with grad mode off, so the levels below would lose the history.
        with HooksRefused(_NO_HOOKS) if self.is_reverse else nullcontext():
            returned = self.func(*args, **kwargs)
        aux = None
        if self.has_aux:
            if not isinstance(returned, tuple) or len(returned) != 2:
                raise refusal(
                    "TypeError",
                    f"{self.who}: output of function f should be a tuple: (output, aux) if has_aux "
                    f"is True, got {type(returned).__name__}",
                )
            returned, aux = returned
        self.returned_class = type(returned)
        outputs, self.output_spec = pytree.tree_flatten(returned)
        if not outputs:
            raise refusal(
                "TypeError",
                f"{self.who}: Expected f to be a function that has non-empty output, got ",
                returned,
            )
        for output in outputs:
            if not isinstance(output, _C.Tensor):
                raise refusal(
                    "TypeError",
                    f"{self.who}: expected f(*primals) to return only tensors, got unsupported "
                    f"type {type(output)}",
                    "" if self.has_aux else "; pass what else it computes along with has_aux=True",
                )
        self.aux_leaves, self.aux_spec = pytree.tree_flatten(aux)
        return outputs, [leaf for leaf in self.aux_leaves if isinstance(leaf, _C.Tensor)]

    def _lift_others(self) -> tuple[list[Any], dict[str, Any]]:
        """Return all arguments, with tensors as values of this transform: it may write to them."""
        chosen = dict.fromkeys(self.places)
        others = [None if i in chosen else arg for i, arg in enumerate(self.args)]
        leaves, spec = pytree.tree_flatten((others, self.kwargs))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, _C.Tensor)]
        if not places:
            return list(self.args), self.kwargs
        lifted = _C.lift_to_derivative([leaves[i] for i in places])
        for place, tensor in zip(places, lifted, strict=True):
            leaves[place] = tensor
        return pytree.tree_unflatten(leaves, spec)

    def _unflatten_inputs(self, leaves: list[Any]) -> tuple:
        return pytree.tree_unflatten(leaves, self.input_spec)

    def as_inputs(self, leaves: list[Any]) -> Any:
        """Arrange values, one for each input tensor, in the structure of the chosen arguments."""
        tree = self._unflatten_inputs(leaves)
        return tree[0] if self.is_one else tree

    def as_outputs(self, leaves: list[Any]) -> Any:
        return pytree.tree_unflatten(leaves, self.output_spec)

    def as_aux(self, tensors: list[_C.Tensor]) -> Any:
        left = iter(tensors)
        leaves = [next(left) if isinstance(leaf, _C.Tensor) else leaf for leaf in self.aux_leaves]
        return pytree.tree_unflatten(leaves, self.aux_spec)

    def flatten_like_outputs(self, tree: object, what: str) -> list[Any]:
        """Return the leaves of a tree that must have the structure of the function's result."""
        leaves, spec = pytree.tree_flatten(tree)
        if spec != self.output_spec:
            raise refusal(
                "ValueError",
                f"{self.who}: Expected pytree structure of {what} to be the same as pytree "
                f"structure of outputs to the function, {self.output_spec}, got {spec}",
            )
        return leaves
