"""Adam with decoupled weight decay."""

from collections.abc import Iterable

from .._C import Tensor
from .adam import Adam
from .optimizer import Group


class AdamW(Adam):
    """Adam with decoupled decay: parameter * (1 - lr * weight_decay) before the step.

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.tensor([1.0]))
    >>> optimizer = ow.optim.AdamW([weight], lr=0.1, weight_decay=0.5)
    >>> weight.grad = ow.tensor([0.0])
    >>> optimizer.step()
    >>> weight
    Parameter containing:
    tensor([0.9500], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Group],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ):
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            maximize=maximize,
            decoupled_weight_decay=True,
        )
