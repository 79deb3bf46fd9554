"""Operators of Opwright as functions of JAX arrays, on the CPU; they work under `jax.jit`.

>>> import jax.numpy as jnp
>>> import opwright as ow
>>> @ow.library.custom_op("docs::jax_gain", mutates_args=())
... def jax_gain(x: ow.Tensor, factor: float = 2.0) -> ow.Tensor:
...     return x * factor
>>> _ = jax_gain.register_fake(lambda x, factor=2.0: ow.empty_like(x))
>>> gain = ow.jax.register(jax_gain)
>>> gain(jnp.ones(2, dtype="float32"), factor=3.0)
Array([3., 3.], dtype=float32)

`load` loads all operators of a binary; `ops` has them by namespace and name. JAX gets the shapes of
results from the fake kernel when it traces the call; the kernel runs when XLA runs it.
"""

import functools
import os
from typing import Any

from . import _C

try:
    import jax as _jax
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "opwright.jax needs JAX 0.5 or newer, which is not installed\n  pip install jax",
        name="jax",
    ) from None

from ._bridge.jax_arguments import BoundCall, bind_call
from ._bridge.library import BridgeLibrary, open_bridge
from ._library.registrations import operator_name

__all__ = ["JaxOperator", "load", "ops", "register"]

_TARGET = "opwright"


def load(path: str | os.PathLike[str]) -> list[str]:
    """Load an operator binary, make its operators callable from JAX, and return their names.

    They are then under `opwright.jax.ops`, and in Opwright itself under `opwright.ops`. Operators
    that XLA cannot call (one that returns a number, or takes a Generator) are skipped.

    >>> import opwright as ow
    >>> ow.jax.load("libnot_there.so")
    Traceback (most recent call last):
        ...
    OSError: ...
    """
    names = _bridge().collect("load", os.fsencode(path))
    for name in names:
        _registered[name] = JaxOperator(_C.require_operator(name))
    return names


def register(op: "str | _C.Operator | _C.OperatorPacket") -> "JaxOperator":
    """Make one operator of Opwright, wherever it was defined, callable from JAX.

    An operator without a function from a binary runs in Opwright, on copies of its arguments.

    >>> import jax.numpy as jnp
    >>> import opwright as ow
    >>> sine = ow.jax.register("aten::sin")
    >>> sine(jnp.zeros(2, dtype="float32"))
    Array([0., 0.], dtype=float32)
    """
    operator = _C.require_operator(operator_name(op))
    _bridge().call("register", operator.name.encode())
    _registered[operator.name] = JaxOperator(operator)
    return _registered[operator.name]


class JaxOperator:
    """A function of JAX arrays that runs one operator of Opwright.

    Tensors are arrays; everything else is a Python value that is known when the call is traced. The
    result of an operator that writes includes the new value of each written argument: where the
    schema lists it as a result, otherwise after the results.

    >>> import opwright as ow
    >>> ow.jax.register("aten::sin")
    <opwright.jax operator aten::sin(Tensor self) -> Tensor>
    """

    def __init__(self, operator: _C.Operator) -> None:
        self.operator = operator
        self.__name__ = operator.base
        self.__qualname__ = str(operator.name)
        self.__doc__ = str(operator.schema)
        self.__signature__ = operator.__signature__

    def __repr__(self) -> str:
        return f"<opwright.jax operator {self.operator.schema}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it: `op(x, factor=3.0)`.

        >>> import jax.numpy as jnp
        >>> import opwright as ow
        >>> ow.jax.register("aten::sum")(jnp.ones(3, dtype="float32"))
        Array(3., dtype=float32)
        """
        call = bind_call(self.operator, args, kwargs)
        if call.is_differentiable:
            return call.unflatten(_make_differentiable(call)(*call.tensors))
        return call.unflatten(_run(call, *call.tensors))


class _Namespace:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> JaxOperator:
        whole = f"{self._name}::{name}"
        if whole not in _registered:
            raise AttributeError(
                f"jax has no operator '{whole}' of Opwright; call opwright.jax.load with its "
                f"binary, or opwright.jax.register('{whole}'), which says if it cannot be called"
            )
        return _registered[whole]

    def __dir__(self) -> list[str]:
        prefix = f"{self._name}::"
        return sorted(name.removeprefix(prefix) for name in _registered if name.startswith(prefix))


class _Namespaces:
    def __getattr__(self, name: str) -> _Namespace:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Namespace(name)

    def __dir__(self) -> list[str]:
        return sorted({name.split("::")[0] for name in _registered})


ops = _Namespaces()
_registered: dict[str, JaxOperator] = {}


# ---- Calls ----


def _run(call: BoundCall, *tensors: Any) -> tuple[Any, ...]:
    foreign = _jax.ffi.ffi_call(
        _TARGET,
        call.results,
        vmap_method=call.vmap_method,
        input_output_aliases=call.aliases,
    )
    return tuple(foreign(*tensors, **call.attributes))


def _pull_back(call: BoundCall, tensors: tuple[Any, ...], gradients: tuple[Any, ...]) -> Any:
    given = [
        gradient
        for gradient, result in zip(gradients, call.results, strict=True)
        if _is_floating(result)
    ]
    floating = [tensor for tensor in tensors if _is_floating(tensor)]
    shapes = tuple(_jax.ShapeDtypeStruct(each.shape, each.dtype) for each in floating)
    foreign = _jax.ffi.ffi_call(_TARGET, shapes, vmap_method="sequential")
    computed = iter(foreign(*tensors, *given, **call.attributes, _pullback=True))
    return tuple(next(computed) if _is_floating(each) else None for each in tensors)


def _is_floating(tensor: Any) -> bool:
    dtype = tensor.dtype
    if _jax.numpy.issubdtype(dtype, _jax.numpy.complexfloating):
        raise NotImplementedError(
            "opwright.jax: gradients of operators on complex arrays are not supported yet"
        )
    return bool(_jax.numpy.issubdtype(dtype, _jax.numpy.floating))


def _make_differentiable(call: BoundCall) -> Any:
    function = _jax.custom_vjp(functools.partial(_run, call))
    function.defvjp(
        lambda *tensors: (_run(call, *tensors), tensors),
        lambda tensors, gradients: _pull_back(call, tensors, gradients),
    )
    return function


# ---- The bridge's library ----


@functools.cache
def _bridge() -> BridgeLibrary:
    bridge = open_bridge("jax")
    handler = _jax.ffi.pycapsule(bridge.function("handler"))
    _jax.ffi.register_ffi_target(_TARGET, handler, platform="cpu")
    return bridge
