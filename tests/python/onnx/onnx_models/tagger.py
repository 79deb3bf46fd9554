"""An LSTM of two layers in both directions over sequences of any length; its scores are limited."""

from types import ModuleType
from typing import Any

from tests.python.export.models.limited_net import soft_clip_of

HIDDEN = 5


def make(package: ModuleType, vocabulary: int = 11, width: int = 6) -> Any:
    nn = package.nn
    soft_clip = soft_clip_of(package)

    class Tagger(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(vocabulary, width)
            self.lstm = nn.LSTM(width, HIDDEN, num_layers=2, batch_first=True, bidirectional=True)
            self.tag = nn.Linear(2 * HIDDEN, 3)

        def forward(self, tokens: Any) -> tuple[Any, Any]:
            outputs, (_, cells) = self.lstm(self.embedding(tokens))
            return soft_clip(self.tag(outputs), 2.0), cells

    return Tagger()
