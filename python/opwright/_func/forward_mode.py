"""Forward mode: jvp, linearize."""

from collections.abc import Callable
from typing import Any

from .. import _C, pytree
from .differentiated import Differentiated
from .refusal import refusal
from .reverse_mode import vjp

_JVP = "jvp(f, primals, tangents)"


def jvp(
    func: Callable,
    primals: tuple,
    tangents: tuple,
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> tuple:
    """Compute `func(*primals)` and its derivative along `tangents`: `(output, tangent)`.

    Each operator uses the rule registered with `register_jvp`, or else its backward formula; an
    operator with neither raises an error. With `has_aux` the result is `(output, tangent, aux)`.
    With `strict` an output that does not depend on the primals is an error; else its tangent is 0.

    >>> import opwright as ow
    >>> x = ow.tensor([1.0, 2.0])
    >>> ow.func.jvp(lambda x: x * x, (x,), (ow.ones(2),))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    if not isinstance(primals, tuple):
        raise refusal(
            "TypeError",
            f"{_JVP}: Expected primals to be a tuple, got {type(primals).__name__}",
        )
    if not pytree.tree_leaves(primals):
        raise refusal("ValueError", f"{_JVP}: Expected primals to contain at least one Tensor")
    call = Differentiated(_JVP, func, primals, {}, tuple(range(len(primals))), has_aux)
    leaves, spec = pytree.tree_flatten(tangents)
    if spec != call.input_spec:
        raise refusal(
            "ValueError",
            f"{_JVP}: Expected primals and tangents to have the same python structure, but "
            f"primals have {call.input_spec} and tangents {spec}",
        )
    _check_tensors(leaves)
    outputs, output_tangents, aux = _C.jvp(call, call.inputs, leaves, strict)
    output, tangent = call.as_outputs(outputs), call.as_outputs(output_tangents)
    return (output, tangent, call.as_aux(aux)) if has_aux else (output, tangent)


def linearize(func: Callable, *primals: Any) -> tuple[Any, Callable]:
    """Compute `func(*primals)` and a function from tangents of the primals to that of the output.

    The function itself runs once, however often the derivative is evaluated.

    >>> import opwright as ow
    >>> output, push = ow.func.linearize(lambda x: x * x, ow.tensor([1.0, 2.0]))
    >>> push(ow.tensor([1.0, 0.0]))
    tensor([2., 0.])
    """
    output, pull_back = vjp(func, *primals)
    inputs, structure = pytree.tree_flatten(primals)
    cotangents = pytree.tree_map(_C.make_function("zeros_like"), output)
    _, push_forward = vjp(pull_back, cotangents)

    def push(*tangents: Any) -> Any:
        given, spec = pytree.tree_flatten(tangents)
        if spec != structure:
            raise refusal(
                "ValueError",
                f"linearize: Expected the tangents {spec} to have the same argspec as the primals "
                f"{structure}",
            )
        for index, (tangent, primal) in enumerate(zip(given, inputs, strict=True)):
            for name in ("shape", "device", "dtype"):
                if getattr(tangent, name) != getattr(primal, name):
                    raise refusal(
                        "ValueError",
                        f"linearize: tangent:{index} with {name} {getattr(tangent, name)} in "
                        f"flattened pytree doesn't match the {name} {getattr(primal, name)} of the "
                        "corresponding primal",
                    )
        return push_forward(tangents)[0]

    return output, push


def _check_tensors(leaves: list[Any]) -> None:
    for leaf in leaves:
        if not isinstance(leaf, _C.Tensor):
            raise refusal(
                "TypeError",
                f"{_JVP}: Expected tangents to only contain Tensors, got {type(leaf).__name__}",
            )
