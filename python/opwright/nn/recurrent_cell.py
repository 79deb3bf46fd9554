"""Recurrent cells: one step of RNN, LSTM and GRU as a layer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import opwright as ow

from .. import Tensor
from . import init
from .module import Module
from .parameter import Parameter
from .types import DeviceLike

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


class RNNCellBase(Module):
    """The base class of recurrent cells: weights for `num_chunks` gates.

    >>> [name for name, _ in ow.nn.RNNCellBase(3, 4, True, num_chunks=1).named_parameters()]
    ['weight_ih', 'weight_hh', 'bias_ih', 'bias_hh']
    """

    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size

        def make(*sizes: int) -> Parameter:
            return Parameter(ow.empty(sizes, device=device, dtype=dtype))

        self.weight_ih = make(rows, input_size)
        self.weight_hh = make(rows, hidden_size)
        self.register_parameter("bias_ih", make(rows) if bias else None)
        self.register_parameter("bias_hh", make(rows) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0.0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _check_input(self, input: Tensor) -> None:
        if input.ndim not in (1, 2):
            raise ValueError(
                f"{type(self).__name__}: input must have 1 or 2 dimensions, "
                f"got sizes {list(input.shape)}"
            )

    def _weights(self) -> tuple[Tensor | None, ...]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _first(self, input: Tensor) -> Tensor:
        return input.new_zeros([*input.shape[:-1], self.hidden_size])

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        return text if self.bias else f"{text}, bias={self.bias}"


class RNNCell(RNNCellBase):
    """One step h = tanh(W x + U h + b).

    >>> ow.nn.RNNCell(3, 4)(ow.ones(2, 3)).shape
    (2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"RNNCell: nonlinearity must be 'tanh' or 'relu', got {nonlinearity!r}"
            )
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        self._check_input(input)
        step = ow.rnn_tanh_cell if self.nonlinearity == "tanh" else ow.rnn_relu_cell
        return step(input, self._first(input) if hx is None else hx, *self._weights())

    def extra_repr(self) -> str:
        text = super().extra_repr()
        return text if self.nonlinearity == "tanh" else f"{text}, nonlinearity={self.nonlinearity}"


class GRUCell(RNNCellBase):
    """One step of a GRU.

    >>> ow.nn.GRUCell(3, 4)(ow.ones(2, 3)).shape
    (2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        self._check_input(input)
        first = self._first(input) if hx is None else hx
        return ow.gru_cell(input, first, *self._weights())


class LSTMCell(RNNCellBase):
    """One step of an LSTM.

    >>> h, c = ow.nn.LSTMCell(3, 4)(ow.ones(2, 3))
    >>> h.shape, c.shape
    ((2, 4), (2, 4))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
        self._check_input(input)
        first = (self._first(input), self._first(input)) if hx is None else hx
        return ow.lstm_cell(input, first, *self._weights())
