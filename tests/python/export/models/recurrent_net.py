"""A tagger: an embedding, an LSTM of two layers in both directions, a linear layer.

It takes the initial state and returns the last one.
"""

from types import ModuleType
from typing import Any

LAYERS, DIRECTIONS, HIDDEN = 2, 2, 5


def make(package: ModuleType, vocabulary: int = 11, width: int = 6) -> Any:
    nn = package.nn

    class RecurrentNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(vocabulary, width)
            self.lstm = nn.LSTM(
                width, HIDDEN, num_layers=LAYERS, batch_first=True, bidirectional=True
            )
            self.tag = nn.Linear(DIRECTIONS * HIDDEN, 3)

        def forward(self, tokens: Any, state: tuple[Any, Any]) -> tuple[Any, tuple[Any, Any]]:
            outputs, last = self.lstm(self.embedding(tokens), state)
            return self.tag(outputs), last

    return RecurrentNet()
