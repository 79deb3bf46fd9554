"""Automatic differentiation: gradients, functions with their own backward, the tape.

>>> import opwright as ow
>>> x = ow.tensor([1.0, 2.0], requires_grad=True)
>>> ow.autograd.grad((x * x).sum(), x)
(tensor([2., 4.]),)
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import _C
from .._C import enable_grad, inference_mode, no_grad, set_grad_enabled
from . import forward_ad, functional, graph
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .checkpointing import checkpoint, checkpoint_sequential
from .function import Function
from .gradcheck import gradcheck, gradgradcheck
from .mixed_precision import custom_bwd, custom_fwd

__all__ = [
    "Function",
    "backward",
    "checkpoint",
    "checkpoint_sequential",
    "custom_bwd",
    "custom_fwd",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]

Tensors = _C.Tensor | graph.GradientEdge | Iterable[_C.Tensor | graph.GradientEdge]
Gradients = _C.Tensor | Sequence[_C.Tensor | None] | None


def backward(
    tensors: Tensors,
    grad_tensors: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Accumulate gradients of the tensors' weighted sum into the `grad` of each leaf.

    `grad_tensors` are the weights: a tensor of the same shape for each, or None for 1 where there
    is one element. `Tensor.backward` describes the other arguments.

    >>> import opwright as ow
    >>> x = ow.ones(2, requires_grad=True)
    >>> backward([x.sum(), x * 2], [None, ow.ones(2)])
    >>> x.grad
    tensor([3., 3.])
    """
    _C._backward(tensors, grad_tensors, retain_graph, bool(create_graph), inputs)


def grad(
    outputs: Tensors,
    inputs: Tensors | Mapping[Any, _C.Tensor],
    grad_outputs: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """Return the gradients of the outputs' weighted sum with respect to the inputs, as a tuple.

    Outputs and inputs are tensors or gradient edges (`autograd.graph.get_gradient_edge`). For a
    dict of inputs it returns a dict of gradients.

    An input that does not contribute to the outputs is an error, unless `allow_unused` (its
    gradient is None) or `materialize_grads` (zeros). With `is_grads_batched` the first dimension of
    each of `grad_outputs` is a batch dimension, and so is that of the gradients.

    >>> import opwright as ow
    >>> x = ow.tensor(3.0, requires_grad=True)
    >>> (first,) = grad(x**3, x, create_graph=True)
    >>> (second,) = grad(first, x)
    >>> first.item(), second.item()
    (27.0, 18.0)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "grad: materialize_grads gives zeros for unused inputs: allow_unused=False"
        )
    unused = bool(allow_unused) or materialize_grads
    if isinstance(inputs, Mapping):
        found = grad(
            outputs,
            tuple(inputs.values()),
            grad_outputs,
            retain_graph,
            create_graph,
            allow_unused,
            is_grads_batched,
            materialize_grads,
        )
        return dict(zip(inputs, found, strict=True))
    if is_grads_batched:
        return _batched_grad(
            outputs, inputs, grad_outputs, retain_graph, create_graph, unused, materialize_grads
        )
    return _C._grad(
        outputs,
        inputs,
        grad_outputs,
        retain_graph,
        bool(create_graph),
        unused,
        bool(materialize_grads),
    )


def _check_batch(place: int, output: Any, weight: Any) -> None:
    """Check that a batch of gradients has one of the shape of the output for each sample."""
    if not (isinstance(output, _C.Tensor) and isinstance(weight, _C.Tensor)):
        return
    if tuple(weight.shape[1:]) != tuple(output.shape):
        raise RuntimeError(
            "grad: If `is_grads_batched=True`, we interpret the first dimension of each "
            "grad_output as the batch dimension. The sizes of the remaining dimensions are "
            f"expected to match the shape of the output: grad_output[{place}] has a shape of "
            f"{tuple(weight.shape)} and output[{place}] has a shape of {tuple(output.shape)}"
        )


def _batched_grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Gradients,
    retain_graph: bool | None,
    create_graph: bool,
    unused: bool,
    materialize_grads: bool,
) -> tuple[_C.Tensor | None, ...]:
    from ..func import vmap

    single = isinstance(grad_outputs, _C.Tensor)
    batched = (grad_outputs,) if single else tuple(grad_outputs or ())
    inputs = (inputs,) if isinstance(inputs, _C.Tensor) else tuple(inputs)
    given = (outputs,) if isinstance(outputs, _C.Tensor) else outputs
    if isinstance(given, (tuple, list)) and len(given) == len(batched):
        for place, (output, weight) in enumerate(zip(given, batched, strict=True)):
            _check_batch(place, output, weight)
    places: list[int] = []

    def one(*weights: _C.Tensor) -> Any:
        found = _C._grad(
            outputs, inputs, weights, retain_graph, create_graph, unused, materialize_grads
        )
        places[:] = [index for index, each in enumerate(found) if each is not None]
        return tuple(found[index] for index in places)

    results = vmap(one)(*batched)
    mapped = dict(zip(places, results, strict=True))
    return tuple(mapped.get(index) for index in range(len(inputs)))
