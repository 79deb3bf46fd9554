"""Recurrent layers: RNN, LSTM and GRU over entire sequences."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import opwright as ow

from .. import Tensor
from . import init
from .module import Module
from .packed_sequence import PackedSequence, groups_of_one_length, with_outputs
from .parameter import Parameter
from .types import DeviceLike

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]

State = tuple[Tensor, ...]  # (h,), or (h, c) of an LSTM

_GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "GRU": 3, "LSTM": 4}


class RNNBase(Module):
    """The base class of recurrent layers: weights and states of all layers and directions.

    >>> layer = ow.nn.RNNBase("GRU", 3, 4)
    >>> layer.weight_ih_l0.shape
    (12, 3)

    `mode` is "RNN_TANH", "RNN_RELU", "GRU" or "LSTM".
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__()
        if mode not in _GATES:
            raise ValueError(f"RNNBase: mode must be one of {', '.join(_GATES)}, got {mode!r}")
        self.mode = mode
        self._check_arguments(hidden_size, num_layers, dropout, proj_size)
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._make_weights(device, dtype)
        self.reset_parameters()

    def _check_arguments(
        self, hidden_size: int, num_layers: int, dropout: float, proj_size: int
    ) -> None:
        name = type(self).__name__
        if not isinstance(dropout, int | float) or isinstance(dropout, bool):
            raise ValueError(f"{name}: dropout must be a number, got {dropout!r}")
        if not 0 <= dropout <= 1:
            raise ValueError(f"{name}: dropout must be between 0 and 1, got {dropout}")
        if not isinstance(hidden_size, int):
            raise TypeError(f"{name}: hidden_size must be an int, got {type(hidden_size).__name__}")
        if hidden_size <= 0 or num_layers <= 0:
            raise ValueError(
                f"{name}: hidden_size and num_layers must be positive, got {hidden_size} and "
                f"{num_layers}"
            )
        if not 0 <= proj_size < hidden_size:
            raise ValueError(
                f"{name}: proj_size must be at least 0 and below hidden_size, got {proj_size}"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                f"{name}: dropout is between layers, so {dropout} does nothing with one layer",
                stacklevel=4,
            )

    # ---- Weights ----

    def _suffixes(self) -> list[str]:
        directions = ["", "_reverse"] if self.bidirectional else [""]
        return [f"_l{layer}{end}" for layer in range(self.num_layers) for end in directions]

    def _output_size(self) -> int:
        return self.proj_size or self.hidden_size

    def _num_directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _make_weights(self, device: DeviceLike | None, dtype: ow.dtype | None) -> None:
        rows = _GATES[self.mode] * self.hidden_size
        for suffix in self._suffixes():
            is_first = suffix.startswith("_l0")
            columns = self.input_size if is_first else self._num_directions() * self._output_size()
            sizes: dict[str, tuple[int, ...]] = {
                "weight_ih": (rows, columns),
                "weight_hh": (rows, self._output_size()),
            }
            if self.bias:
                sizes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
            if self.proj_size:
                sizes["weight_hr"] = (self.proj_size, self.hidden_size)
            for name, size in sizes.items():
                values = ow.empty(size, device=device, dtype=dtype)
                self.register_parameter(name + suffix, Parameter(values))

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction; hooks may compute them from others."""
        kinds = ["weight_ih", "weight_hh"]
        if self.bias:
            kinds += ["bias_ih", "bias_hh"]
        if self.proj_size:
            kinds.append("weight_hr")
        return [[getattr(self, kind + end) for kind in kinds] for end in self._suffixes()]

    def flatten_parameters(self) -> None:
        """Do nothing; exists for compatibility with PyTorch."""

    # ---- The pass ----

    def _operator(self) -> Callable[..., tuple[Tensor, ...]]:
        raise NotImplementedError

    def _run(self, input: Tensor | PackedSequence, given: State | None) -> tuple[Any, State]:
        if isinstance(input, PackedSequence):
            return self._run_packed(input, given)
        self._check_input(input)
        is_batched = input.ndim == 3
        is_batch_first = self.batch_first and is_batched
        steps = input if is_batched else input.unsqueeze(1)
        if given is None:
            batch = steps.shape[0 if is_batch_first else 1]
            first = tuple(steps.new_zeros(size) for size in self._state_sizes(batch))
        else:
            first = self._read_state(given, is_batched)
        output, last = self._run_steps(steps, first, is_batch_first)
        if not is_batched:
            return output.squeeze(1), tuple(each.squeeze(1) for each in last)
        return output, last

    def _run_steps(self, steps: Tensor, first: State, is_batch_first: bool) -> tuple[Tensor, State]:
        output, *last = self._operator()(
            steps,
            first if len(first) > 1 else first[0],
            [weight for cell in self.all_weights for weight in cell],
            self.bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
            is_batch_first,
        )
        return output, tuple(last)

    def _run_packed(
        self, packed: PackedSequence, given: State | None
    ) -> tuple[PackedSequence, State]:
        """Run the sequences of each length together, without padding."""
        if packed.data.shape[-1] != self.input_size:
            raise RuntimeError(
                f"{type(self).__name__}: the last size of a packed input must be input_size "
                f"{self.input_size}, got {list(packed.data.shape)}"
            )
        groups = groups_of_one_length(packed)
        batch = sum(group.count for group in groups)
        if given is None:
            first = tuple(packed.data.new_zeros(size) for size in self._state_sizes(batch))
        else:
            first = self._read_state(given, is_batched=True)
            if packed.sorted_indices is not None:
                first = tuple(each.index_select(1, packed.sorted_indices) for each in first)
        outputs, lasts = [], []
        for group in groups:
            state = tuple(each.narrow(1, group.start, group.count) for each in first)
            output, last = self._run_steps(group.steps, state, is_batch_first=False)
            outputs.append(output)
            lasts.append(last)
        joined = tuple(ow.cat(each, 1) for each in zip(*lasts, strict=True))
        if packed.unsorted_indices is not None:
            joined = tuple(each.index_select(1, packed.unsorted_indices) for each in joined)
        return with_outputs(packed, groups, outputs), joined

    # ---- Checks ----

    def _state_sizes(self, batch: int) -> list[list[int]]:
        return [[self.num_layers * self._num_directions(), batch, self._output_size()]]

    def _check_input(self, input: Tensor) -> None:
        name = type(self).__name__
        if input.ndim not in (2, 3):
            raise ValueError(
                f"{name}: input must have 2 or 3 dimensions, got sizes {list(input.shape)}"
            )
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"{name}: the last size of input must be input_size {self.input_size}, "
                f"got {list(input.shape)}"
            )

    def _read_state(self, given: State, is_batched: bool) -> State:
        name = type(self).__name__
        wanted = 3 if is_batched else 2
        for each in given:
            if each.ndim != wanted:
                raise RuntimeError(
                    f"{name}: the first state must have {wanted} dimensions, as input has, "
                    f"got sizes {list(each.shape)}"
                )
        return given if is_batched else tuple(each.unsqueeze(1) for each in given)

    def extra_repr(self) -> str:
        shown: dict[str, tuple[Any, Any]] = {
            "proj_size": (self.proj_size, 0),
            "num_layers": (self.num_layers, 1),
            "bias": (self.bias, True),
            "batch_first": (self.batch_first, False),
            "dropout": (self.dropout, 0),
            "bidirectional": (self.bidirectional, False),
        }
        parts = [str(self.input_size), str(self.hidden_size)]
        parts += [f"{name}={value}" for name, (value, usual) in shown.items() if value != usual]
        return ", ".join(parts)


class RNN(RNNBase):
    """h = tanh(W x + U h + b) over a sequence (L, N, features).

    >>> output, h = ow.nn.RNN(3, 4)(ow.ones(5, 2, 3))
    >>> output.shape, h.shape
    ((5, 2, 4), (1, 2, 4))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNN: nonlinearity must be 'tanh' or 'relu', got {nonlinearity!r}")
        super().__init__(
            f"RNN_{nonlinearity.upper()}",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )
        self.nonlinearity = nonlinearity

    def _operator(self) -> Callable[..., tuple[Tensor, ...]]:
        return ow.rnn_tanh if self.nonlinearity == "tanh" else ow.rnn_relu

    def forward(
        self, input: Tensor | PackedSequence, hx: Tensor | None = None
    ) -> tuple[Any, Tensor]:
        output, last = self._run(input, None if hx is None else (hx,))
        return output, last[0]


class GRU(RNNBase):
    """Gated recurrent units over a sequence (L, N, features).

    >>> layer = ow.nn.GRU(3, 4, num_layers=2, batch_first=True)
    >>> layer
    GRU(3, 4, num_layers=2, batch_first=True)
    >>> output, h = layer(ow.ones(2, 5, 3))
    >>> output.shape, h.shape
    ((2, 5, 4), (2, 2, 4))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )

    def _operator(self) -> Callable[..., tuple[Tensor, ...]]:
        return ow.gru

    def forward(
        self, input: Tensor | PackedSequence, hx: Tensor | None = None
    ) -> tuple[Any, Tensor]:
        output, last = self._run(input, None if hx is None else (hx,))
        return output, last[0]


class LSTM(RNNBase):
    """Long short-term memory over a sequence (L, N, features).

    >>> layer = ow.nn.LSTM(3, 4, bidirectional=True)
    >>> layer
    LSTM(3, 4, bidirectional=True)
    >>> output, (h, c) = layer(ow.ones(5, 2, 3))
    >>> output.shape, h.shape, c.shape
    ((5, 2, 8), (2, 2, 4), (2, 2, 4))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )

    def _state_sizes(self, batch: int) -> list[list[int]]:
        count = self.num_layers * self._num_directions()
        return [[count, batch, self._output_size()], [count, batch, self.hidden_size]]

    def _operator(self) -> Callable[..., tuple[Tensor, ...]]:
        return ow.lstm

    def forward(
        self, input: Tensor | PackedSequence, hx: Sequence[Tensor] | None = None
    ) -> tuple[Any, tuple[Tensor, Tensor]]:
        output, last = self._run(input, None if hx is None else tuple(hx))
        return output, (last[0], last[1])
