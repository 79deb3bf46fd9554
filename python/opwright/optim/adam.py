"""Adam."""

from collections.abc import Iterable
from typing import Any

from .. import _C
from .._C import Tensor
from .optimizer import Group, Optimizer, as_real, zeros_like
from .settings import check_adam_settings

_raise_steps = _C.ops.aten._foreach_add_.Scalar
_step = _C.ops.aten._fused_adam_.default
_decoupled_step = _C.ops.aten._fused_adamw_.default


class Adam(Optimizer):
    """Adam: moves each element by its mean gradient over the root mean square of its gradients.

    The means decay by `betas` and are corrected for starting at zero. `eps` is added to the root.
    With `amsgrad` the largest mean square so far is used. `weight_decay` is added to the gradient
    or, with `decoupled_weight_decay`, subtracted from the parameter itself (AdamW). Complex numbers
    are updated as pairs of real ones.

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.tensor([1.0, -1.0]))
    >>> optimizer = ow.optim.Adam([weight], lr=0.1)
    >>> weight.grad = ow.tensor([5.0, 0.2])
    >>> optimizer.step()
    >>> weight
    Parameter containing:
    tensor([ 0.9000, -1.1000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Group],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ):
        settings = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject negative numbers, and betas outside [0, 1)."""
        check_adam_settings(self._name, group)

    def update(self, group: Group) -> None:
        """Update one group."""
        amsgrad = group["amsgrad"]
        params, grads, means, squares, most, steps = [], [], [], [], [], []
        for parameter in group["params"]:
            grad = parameter.grad
            if grad is None:
                continue
            own = self.state.get(parameter) or self._start(parameter)
            params.append(as_real(parameter))
            grads.append(as_real(grad))
            means.append(as_real(own["exp_avg"]))
            squares.append(as_real(own["exp_avg_sq"]))
            steps.append(own["step"])
            if amsgrad:
                if "max_exp_avg_sq" not in own:
                    own["max_exp_avg_sq"] = zeros_like(parameter)
                most.append(as_real(own["max_exp_avg_sq"]))
        if not params:
            return
        beta1, beta2 = group["betas"]
        _raise_steps(steps, 1)
        step = _decoupled_step if group["decoupled_weight_decay"] else _step
        step(
            params,
            grads,
            means,
            squares,
            most,
            steps,
            lr=group["lr"],
            beta1=beta1,
            beta2=beta2,
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            amsgrad=amsgrad,
            maximize=group["maximize"],
        )

    def _start(self, parameter: Tensor) -> dict[str, Any]:
        state = {
            "step": _C.tensor(0.0),
            "exp_avg": zeros_like(parameter),
            "exp_avg_sq": zeros_like(parameter),
        }
        self.state[parameter] = state
        return state
