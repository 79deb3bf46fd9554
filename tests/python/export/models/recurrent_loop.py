"""An LSTM cell in a loop inside the graph: sequences of any length, one after the other.

In torch it is a loop of Python.
"""

from types import ModuleType
from typing import Any

HIDDEN = 5


def make(package: ModuleType, vocabulary: int = 11, width: int = 6) -> Any:
    nn = package.nn

    def loop(is_going_on: Any, step: Any, carried: tuple[Any, ...]) -> tuple[Any, ...]:
        if package.__name__ != "torch":
            return package.while_loop(is_going_on, step, carried)
        while is_going_on(*carried):
            carried = step(*carried)
        return carried

    class RecurrentLoop(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(vocabulary, width)
            self.cell = nn.LSTMCell(width, HIDDEN)
            self.classify = nn.Linear(HIDDEN, 3)

        def forward(self, tokens: Any) -> Any:
            x = self.embedding(tokens)
            batch, length, _ = x.shape

            def is_going_on(place: Any, *_: Any) -> Any:
                return place[0] < length

            def step(place: Any, h: Any, c: Any) -> tuple[Any, ...]:
                token = x.index_select(1, place).squeeze(1)
                return (place + 1, *self.cell(token, (h, c)))

            first = package.zeros(1, dtype=package.int64)
            empty = x.new_zeros((batch, HIDDEN))
            _, h, _ = loop(is_going_on, step, (first, empty, empty.clone()))
            return self.classify(h)

    return RecurrentLoop()
