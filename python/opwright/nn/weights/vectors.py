"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

import opwright as ow

from ... import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def _check_devices(name: str, tensors: list[Tensor]) -> None:
    devices = sorted({str(each.device) for each in tensors})
    if len(devices) > 1:
        raise TypeError(f"{name}: parameters must be on one device, got {', '.join(devices)}")


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return the elements of all parameters as one vector.

    >>> from opwright.nn import weights
    >>> weights.parameters_to_vector([ow.ones(2, 1), ow.zeros(3)])
    tensor([1., 1., 0., 0., 0.])
    """
    given = list(parameters)
    _check_devices("parameters_to_vector", given)
    return ow.cat([each.reshape(-1) for each in given])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let the parameters be views of parts of a vector.

    >>> from opwright.nn import weights
    >>> layer = ow.nn.Linear(2, 1)
    >>> weights.vector_to_parameters(ow.arange(3.0), layer.parameters())
    >>> layer.weight.tolist(), layer.bias.tolist()
    ([[0.0, 1.0]], [2.0])
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"vector_to_parameters: vec must be a tensor, got {type(vec).__name__}")
    given = list(parameters)
    _check_devices("vector_to_parameters", [vec, *given])
    wanted = sum(each.numel() for each in given)
    if vec.ndim != 1 or vec.numel() < wanted:
        raise ValueError(
            f"vector_to_parameters: vec must be a vector of {wanted} elements, got sizes "
            f"{list(vec.shape)}"
        )
    start = 0
    for each in given:
        count = each.numel()
        each.data = vec[start : start + count].detach().view(each.shape)
        start += count
