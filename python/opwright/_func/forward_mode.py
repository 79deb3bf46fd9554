"""Forward mode: jvp, linearize."""

from collections.abc import Callable
from typing import Any

from .. import _C, pytree
from .differentiated import Differentiated
from .reverse_mode import vjp


def jvp(func: Callable, primals: tuple, tangents: tuple, *, has_aux: bool = False) -> tuple:
    """Compute `func(*primals)` and its derivative along `tangents`: `(output, tangent)`.

    Each operator uses the rule registered with `register_jvp`, or else its backward formula; an
    operator with neither raises an error. With `has_aux` the result is `(output, tangent, aux)`.

    >>> import opwright as ow
    >>> x = ow.tensor([1.0, 2.0])
    >>> ow.func.jvp(lambda x: x * x, (x,), (ow.ones(2),))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple):
            raise TypeError(f"jvp: {name} must be a tuple, got {type(given).__name__}")
    if not primals:
        raise ValueError("jvp: there are no primals to differentiate with respect to")
    call = Differentiated("jvp", func, primals, {}, tuple(range(len(primals))), has_aux)
    leaves, spec = pytree.tree_flatten(tangents)
    if spec != call.input_spec:
        raise ValueError(
            f"jvp: tangents must have the structure of the primals, {call.input_spec}, got {spec}"
        )
    outputs, output_tangents, aux = _C.jvp(call, call.inputs, leaves)
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
    cotangents = pytree.tree_map(_C.make_function("zeros_like"), output)
    _, push_forward = vjp(pull_back, cotangents)

    def push(*tangents: Any) -> Any:
        return push_forward(tangents)[0]

    return output, push
