"""Derivatives of functions by autograd: products with vectors, Jacobians, Hessians.

`opwright.func` has the newer form of these functions.

>>> import opwright as ow
>>> ow.autograd.functional.jacobian(lambda x: x * x, ow.tensor([1.0, 2.0]))
tensor([[2., 0.],
        [0., 4.]])
"""

from collections.abc import Callable, Sequence
from typing import Any

import opwright as ow

from .. import _C

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = _C.Tensor | tuple[_C.Tensor, ...]
Some = Sequence[_C.Tensor | None]


# ---- Arguments and results ----


def _as_tuple(given: Any, what: str, name: str) -> tuple[bool, tuple[_C.Tensor, ...]]:
    """Return whether it is a tuple, and it as one."""
    is_tuple = isinstance(given, tuple)
    values = given if is_tuple else (given,)
    for place, value in enumerate(values):
        if not isinstance(value, _C.Tensor):
            which = f"value at index {place}" if is_tuple else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but "
                f"the {which} has type {type(value).__name__}"
            )
    return is_tuple, values


def _call(function: Callable, inputs: Sequence[_C.Tensor], name: str) -> tuple[bool, Any]:
    return _as_tuple(function(*inputs), "outputs of the user-provided function", name)


def _fresh(tensors: Sequence[_C.Tensor], create_graph: bool, needs_grad: bool) -> tuple:
    """Return other tensor objects, so that the function's captured tensors are not the inputs."""
    return tuple(
        tensor.view_as(tensor)
        if create_graph and tensor.requires_grad
        else tensor.detach().requires_grad_(needs_grad)
        for tensor in tensors
    )


def _result(values: Any, create_graph: bool) -> Any:
    if create_graph:
        return values
    if isinstance(values, _C.Tensor):
        return values.detach()
    return tuple(_result(value, create_graph) for value in values)


def _unpack(values: tuple, is_tuple: bool) -> Any:
    return values if is_tuple else values[0]


def _unpack_rows(rows: Sequence, outputs_are_tuple: bool, inputs_are_tuple: bool) -> Any:
    return _unpack(tuple(_unpack(tuple(row), inputs_are_tuple) for row in rows), outputs_are_tuple)


def _read_vector(
    v: Tensors | None, like: Sequence[_C.Tensor], is_tuple: bool, create_graph: bool, name: str
) -> tuple | None:
    """Return v, which must have the sizes of `like`; None: 1, for one tensor of one element."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            what = "input to" if name in ("jvp", "hvp", "vhp") else "output of"
            raise RuntimeError(
                f"The vector v can only be None if the {what} the user-provided function is a "
                "single Tensor with a single element."
            )
        return None
    _, vectors = _as_tuple(v, "v", name)
    if len(vectors) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}."
            if is_tuple
            else "The given v should contain a single Tensor."
        )
    for place, (vector, other) in enumerate(zip(vectors, like, strict=True)):
        if vector.shape != other.shape:
            where = f"Entry {place} in " if is_tuple else ""
            raise RuntimeError(
                f"{where}v has invalid size: should be {list(other.shape)} but got "
                f"{list(vector.shape)}."
            )
    return _fresh(vectors, create_graph, False)


# ---- Gradients ----


def _grads(
    outputs: Some,
    inputs: Sequence[_C.Tensor],
    weights: Some | None,
    create_graph: bool,
    retain_graph: bool | None = None,
) -> tuple[_C.Tensor | None, ...]:
    """Return the gradients of the outputs that require grad; None where nothing arrives."""
    given = weights if weights is not None else [None] * len(outputs)
    pairs = [
        (output, weight)
        for output, weight in zip(outputs, given, strict=True)
        if output is not None and output.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    return _C._grad(
        [pair[0] for pair in pairs],
        inputs,
        [pair[1] for pair in pairs],
        retain_graph,
        create_graph,
        True,
        False,
    )


def _require_outputs(outputs: Sequence[_C.Tensor], strict: bool) -> None:
    for place, output in enumerate(outputs):
        if strict and not output.requires_grad:
            raise RuntimeError(
                f"Output {place} of the user-provided function does not require gradients. The "
                "outputs must be computed in a differentiable manner from the input when running "
                "in strict mode."
            )


def _require_gradients(gradients: Some, strict: bool, is_jacobian: bool) -> None:
    """Refuse, if strict, gradients that do not depend on the inputs."""
    for place, gradient in enumerate(gradients if strict else ()):
        if gradient is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {place}. This "
                "is not allowed in strict mode."
            )
        if not gradient.requires_grad:
            raise RuntimeError(
                "While computing the hessian, found that the jacobian of the user-provided "
                f"function with respect to input {place} is independent of the input. This is not "
                "allowed in strict mode."
                if is_jacobian
                else f"The gradient with respect to input {place} is independent of the inputs of "
                "the user-provided function. This is not allowed in strict mode."
            )


# What is independent of what, if strict and no gradient arrives.
_NOTHING_ARRIVES = {
    "back": "The output of the user-provided function is independent of input {}. This is not "
    "allowed in strict mode.",
    "back_trick": "The gradient with respect to the input is independent of entry {} in the "
    "grad_outputs when using the double backward trick to compute forward mode gradients. This is "
    "not allowed in strict mode.",
    "double_back": "The jacobian of the user-provided function is independent of input {}. This "
    "is not allowed in strict mode.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in "
    "the grad_jacobian. This is not allowed in strict mode as it prevents from using the double "
    "backward trick to replace forward mode AD.",
}


def _with_zeros(
    gradients: Some, like: Sequence[_C.Tensor], strict: bool, create_graph: bool, stage: str
) -> tuple[_C.Tensor, ...]:
    """Return the gradients with zeros for those that are missing; if strict, refuse them."""
    all_gradients = []
    for place, (gradient, other) in enumerate(zip(gradients, like, strict=True)):
        if gradient is None and strict:
            raise RuntimeError(_NOTHING_ARRIVES[stage].format(place))
        if gradient is not None and strict and create_graph and not gradient.requires_grad:
            what = "hessian" if stage.startswith("double") else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {place}. This "
                "is not allowed in strict mode when create_graph=True."
            )
        all_gradients.append(ow.zeros_like(other) if gradient is None else gradient)
    return tuple(all_gradients)


def _grad_mode(create_graph: bool) -> Any:
    return _C.set_grad_enabled(create_graph or _C.is_grad_enabled())


# ---- Products of a vector and the Jacobian ----


def vjp(
    func: Callable,
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the outputs of `func`, and the product of `v` with its Jacobian, for each input.

    `v` has the sizes of the outputs; it may be omitted for one output with one element. With
    `create_graph` both can be differentiated. With `strict` an output that does not depend on an
    input is an error, instead of zeros.

    >>> import opwright as ow
    >>> vjp(lambda x: (x * x).sum(), ow.tensor([1.0, 2.0]))
    (tensor(5.), tensor([2., 4.]))
    """
    with _C.enable_grad():
        inputs_are_tuple, given = _as_tuple(inputs, "inputs", "vjp")
        own = _fresh(given, create_graph, True)
        outputs_are_tuple, outputs = _call(func, own, "vjp")
        _require_outputs(outputs, strict)
        vector = _read_vector(v, outputs, outputs_are_tuple, create_graph, "vjp")
    with _grad_mode(create_graph):
        found = _grads(outputs, own, vector, create_graph)
        product = _with_zeros(found, own, strict, create_graph, "back")
    return (
        _unpack(_result(outputs, create_graph), outputs_are_tuple),
        _unpack(_result(product, create_graph), inputs_are_tuple),
    )


def jvp(
    func: Callable,
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the outputs of `func`, and the product of its Jacobian with `v`, for each output.

    `v` has the sizes of the inputs; it may be omitted for one input with one element. Runs two
    backwards; `opwright.func.jvp` needs none.

    >>> import opwright as ow
    >>> jvp(lambda x: x * x, ow.tensor([1.0, 2.0]), ow.tensor([1.0, 0.0]))
    (tensor([1., 4.]), tensor([2., 0.]))
    """
    with _C.enable_grad():
        inputs_are_tuple, given = _as_tuple(inputs, "inputs", "jvp")
        own = _fresh(given, create_graph, True)
        vector = _read_vector(v, own, inputs_are_tuple, create_graph, "jvp")
        outputs_are_tuple, outputs = _call(func, own, "jvp")
        _require_outputs(outputs, strict)
        # The backward is linear in the weights, so their values do not matter.
        weights = tuple(ow.zeros_like(output, requires_grad=True) for output in outputs)
        pulled = _grads(outputs, own, weights, True)
        _require_gradients(pulled, strict, is_jacobian=False)
    with _grad_mode(create_graph):
        found = _grads(pulled, weights, vector, create_graph)
        product = _with_zeros(found, outputs, strict, create_graph, "back_trick")
    return (
        _unpack(_result(outputs, create_graph), outputs_are_tuple),
        _unpack(_result(product, create_graph), outputs_are_tuple),
    )


# ---- Jacobian ----


def jacobian(
    func: Callable,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the derivatives of each output with respect to each input.

    A derivative has the sizes of the output followed by those of the input. If the outputs or the
    inputs are a tuple, the result is a tuple; if both are, it has a tuple for each output. With
    `vectorize` one batched pass replaces one pass for each element. The strategy "forward-mode"
    needs `vectorize`.

    >>> import opwright as ow
    >>> jacobian(lambda x, y: x * y, (ow.tensor([1.0, 2.0]), ow.tensor([3.0, 4.0])))[0]
    tensor([[3., 0.],
            [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            'function has more outputs than inputs, "forward-mode" tends to be more performant. '
            'Otherwise, prefer to use "reverse-mode".'
        )
    if vectorize and strict:
        raise RuntimeError(
            "autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported "
            "together. Please either set `strict=False` or `vectorize=False`."
        )
    if strategy == "forward-mode":
        return _forward_jacobian(func, inputs, create_graph, strict, vectorize)
    with _C.enable_grad():
        inputs_are_tuple, given = _as_tuple(inputs, "inputs", "jacobian")
        own = _fresh(given, create_graph, True)
        outputs_are_tuple, outputs = _call(func, own, "jacobian")
        _require_outputs(outputs, strict)
        if vectorize:
            rows = [_batched_rows(output, own, create_graph) for output in outputs]
        else:
            rows = [_rows(output, own, create_graph, strict) for output in outputs]
        return _unpack_rows(_result(rows, create_graph), outputs_are_tuple, inputs_are_tuple)


def _rows(
    output: _C.Tensor, inputs: Sequence[_C.Tensor], create_graph: bool, strict: bool
) -> list[_C.Tensor]:
    """Return the derivatives of one output, one backward for each element."""
    flat = output.reshape(-1)
    rows = [
        _with_zeros(
            _grads([flat[place]], inputs, None, create_graph, retain_graph=True),
            inputs,
            strict,
            create_graph,
            "back",
        )
        for place in range(flat.numel())
    ]
    if not rows:
        return [ow.zeros_like(each).reshape(each.shape)[None][:0] for each in inputs]
    return [
        ow.stack(list(column)).reshape([*output.shape, *each.shape])
        for column, each in zip(zip(*rows, strict=True), inputs, strict=True)
    ]


def _batched_rows(
    output: _C.Tensor, inputs: Sequence[_C.Tensor], create_graph: bool
) -> list[_C.Tensor]:
    """Return the derivatives of one output, by one batched backward."""
    from . import grad

    count = output.numel()
    found: tuple[_C.Tensor | None, ...] = (None,) * len(inputs)
    if output.requires_grad:
        basis = ow.eye(count, dtype=output.dtype, device=output.device)
        found = grad(
            [output.reshape(-1)],
            inputs,
            [basis],
            retain_graph=True,
            create_graph=create_graph,
            allow_unused=True,
            is_grads_batched=True,
        )
    return [
        ow.zeros_like(each).expand([*output.shape, *each.shape])
        if column is None
        else column.reshape([*output.shape, *each.shape])
        for column, each in zip(found, inputs, strict=True)
    ]


def _forward_jacobian(
    function: Callable, inputs: Tensors, create_graph: bool, strict: bool, vectorize: bool
) -> Any:
    if create_graph:
        raise NotImplementedError(
            'autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are '
            "not supported together. Please either set `create_graph=False` or "
            '`strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            'autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not '
            'supported together. Please either set `strict=False` or `strategy="reverse-mode"`.'
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only "
            "implemented for `vectorize=True`."
        )
    inputs_are_tuple, given = _as_tuple(inputs, "inputs", "jacobian")
    outputs_are_tuple = [False]

    def run(*args: _C.Tensor) -> Any:
        outputs_are_tuple[0], outputs = _call(function, args, "jacobian")
        return outputs

    detached = [each.detach() for each in given]
    rows = ow.func.jacfwd(run, argnums=tuple(range(len(given))))(*detached)
    return _unpack_rows(_result(rows, False), outputs_are_tuple[0], inputs_are_tuple)


# ---- Hessian ----


def _check_scalar(outputs: Sequence[_C.Tensor], is_tuple: bool, name: str) -> None:
    if is_tuple or not isinstance(outputs[0], _C.Tensor):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )


def hessian(
    func: Callable,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the second derivatives of a function with one element as its output.

    >>> import opwright as ow
    >>> hessian(lambda x: (x * x * x).sum(), ow.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    inputs_are_tuple, given = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def checked(*args: _C.Tensor) -> _C.Tensor:
        is_tuple, outputs = _call(func, args, "hessian")
        _require_outputs(outputs, strict)
        _check_scalar(outputs, is_tuple, "hessian")
        return outputs[0].squeeze()

    def first(*args: _C.Tensor) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            args = tuple(each.requires_grad_() for each in args)
        gradient = jacobian(checked, args, create_graph=True)
        if strict:
            _require_gradients(gradient, strict, is_jacobian=True)
        return gradient

    found = jacobian(
        first,
        given,
        create_graph=create_graph,
        strict=strict,
        vectorize=vectorize,
        strategy=outer_jacobian_strategy,
    )
    return _unpack_rows(found, inputs_are_tuple, inputs_are_tuple)


def _differentiate_scalar(
    func: Callable, inputs: Tensors, v: Tensors | None, create_graph: bool, strict: bool, who: str
) -> tuple[bool, Any, Any, Any, Any]:
    """Return whether inputs are a tuple, the inputs, `v`, the outputs and the first gradients."""
    inputs_are_tuple, given = _as_tuple(inputs, "inputs", who)
    own = _fresh(given, create_graph, True)
    vector = _read_vector(v, own, inputs_are_tuple, create_graph, who)
    is_tuple, outputs = _call(func, own, who)
    _require_outputs(outputs, strict)
    _check_scalar(outputs, is_tuple, who)
    first = _grads(outputs, own, None, True)
    _require_gradients(first, strict, is_jacobian=True)
    return inputs_are_tuple, own, vector, outputs, first


def vhp(
    func: Callable,
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the output of `func`, and the product of `v` with its Hessian, for each input.

    >>> import opwright as ow
    >>> vhp(lambda x: (x * x * x).sum(), ow.tensor([1.0, 2.0]), ow.tensor([1.0, 1.0]))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with _C.enable_grad():
        inputs_are_tuple, own, vector, outputs, first = _differentiate_scalar(
            func, inputs, v, create_graph, strict, "vhp"
        )
    with _grad_mode(create_graph):
        found = _grads(first, own, vector, create_graph)
        product = _with_zeros(found, own, strict, create_graph, "double_back")
    return (
        _result(outputs, create_graph)[0],
        _unpack(_result(product, create_graph), inputs_are_tuple),
    )


def hvp(
    func: Callable,
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the output of `func`, and the product of its Hessian with `v`, for each input.

    The Hessian is symmetric: `vhp` is the same and faster if all derivatives exist.

    >>> import opwright as ow
    >>> hvp(lambda x: (x * x * x).sum(), ow.tensor([1.0, 2.0]), ow.tensor([1.0, 1.0]))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with _C.enable_grad():
        inputs_are_tuple, own, vector, outputs, first = _differentiate_scalar(
            func, inputs, v, create_graph, strict, "hvp"
        )
        weights = tuple(ow.zeros_like(each, requires_grad=True) for each in own)
        second = _grads(first, own, weights, True)
        _require_gradients(second, strict, is_jacobian=False)
    with _grad_mode(create_graph):
        found = _grads(second, weights, vector, create_graph)
        product = _with_zeros(found, own, strict, create_graph, "double_back_trick")
    return (
        _result(outputs, create_graph)[0],
        _unpack(_result(product, create_graph), inputs_are_tuple),
    )
