"""Reverse mode: grad, grad_and_value, vjp."""

import functools
from collections.abc import Callable
from typing import Any

from .. import _C
from .differentiated import Argnums, Differentiated
from .refusal import refusal


def _differentiate(
    who: str, func: Callable, argnums: Argnums, has_aux: bool, args: tuple, kwargs: dict
) -> tuple[Any, Any, Any]:
    call = Differentiated(who, func, args, kwargs, argnums, has_aux, is_reverse=True)

    def scalar_function(inputs: list[_C.Tensor]) -> tuple[list[_C.Tensor], list[_C.Tensor]]:
        found = call(inputs)
        if not issubclass(call.returned_class, _C.Tensor):
            raise refusal(
                "TypeError",
                f"{who}: Expected f(*args) to return a Tensor, got {call.returned_class.__name__}; "
                "return what else it computes with has_aux=True, or use vjp or jacrev",
            )
        return found

    gradients, value, aux = _C.grad(scalar_function, call.inputs)
    return call.as_inputs(gradients), value, call.as_aux(aux)


def grad(func: Callable, argnums: Argnums = 0, has_aux: bool = False) -> Callable:
    """Return a function that computes the gradient of `func`, which must return a scalar.

    `argnums` selects the arguments to differentiate with respect to: an int, or a tuple of ints for
    a tuple of gradients. An argument may be a pytree of tensors; its gradient has the same
    structure. With `has_aux` the function returns a pair `(output, aux)`, and the result is
    `(gradient, aux)`. Nests with itself and with all other transforms.

    >>> import opwright as ow
    >>> def energy(x, y):
    ...     return (x * x * y).sum()
    >>> x, y = ow.tensor([1.0, 2.0]), ow.tensor([3.0, 4.0])
    >>> ow.func.grad(energy)(x, y)
    tensor([ 6., 16.])
    >>> ow.func.grad(energy, argnums=(0, 1))(x, y)
    (tensor([ 6., 16.]), tensor([1., 4.]))
    """

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        gradient, _, aux = _differentiate("grad(f)(*args)", func, argnums, has_aux, args, kwargs)
        return (gradient, aux) if has_aux else gradient

    return run


def grad_and_value(func: Callable, argnums: Argnums = 0, has_aux: bool = False) -> Callable:
    """Return a function that computes `func` and its gradient: `(gradient, value)`.

    With `has_aux` it returns `(gradient, (value, aux))`. Otherwise it is like `grad`.

    >>> import opwright as ow
    >>> ow.func.grad_and_value(lambda x: (x * x).sum())(ow.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        gradient, value, aux = _differentiate(
            "grad_and_value(f)(*args)", func, argnums, has_aux, args, kwargs
        )
        return (gradient, (value, aux)) if has_aux else (gradient, value)

    return run


value_and_grad = grad_and_value


def vjp(func: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """Compute `func(*primals)` and a function from cotangents of its output to gradients.

    The pull-back takes cotangents with the structure of the output and returns a tuple with one
    gradient for each primal. It may be called several times, also inside other transforms. Its
    options `retain_graph` and `create_graph` are torch's and change nothing. With `has_aux` the
    result is `(output, pull_back, aux)`.

    >>> import opwright as ow
    >>> output, pull_back = ow.func.vjp(ow.sin, ow.tensor([0.0, 1.0]))
    >>> pull_back(ow.tensor([2.0, 0.0]))
    (tensor([2., 0.]),)
    """
    places = tuple(range(len(primals)))
    call = Differentiated("vjp(f, *primals)", func, primals, {}, places, has_aux, is_reverse=True)
    outputs, pull, aux = _C.vjp(call, call.inputs)

    def pull_back(
        cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None
    ) -> Any:
        # Both options say what always holds here.
        return call.as_inputs(pull(call.flatten_like_outputs(cotangents, "cotangents")))

    output = call.as_outputs(outputs)
    return (output, pull_back, call.as_aux(aux)) if has_aux else (output, pull_back)
