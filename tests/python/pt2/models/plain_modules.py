"""Models of torch.nn alone."""

import torch
from torch import nn
from torch.export import Dim

from .specimen import Specimen, specimen


class Tagger(nn.Module):
    """Tags each token, with an LSTM in both directions."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(50, 8)
        self.lstm = nn.LSTM(8, 8, num_layers=2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(16, 7)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        hidden, _ = self.lstm(self.embedding(tokens))
        return self.head(hidden)


@specimen
def lstm_tagger() -> Specimen:
    calls = [((torch.randint(50, (batch, 6)),), {}) for batch in (2, 2, 3)]
    return Specimen(Tagger(), calls, {"tokens": {0: Dim("batch", min=2, max=16)}})


@specimen
def transformer_encoder() -> Specimen:
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    calls = [((torch.randn(*sizes, 16),), {}) for sizes in ((2, 5), (2, 5), (3, 9))]
    batch, length = Dim("batch", min=2, max=16), Dim("length", min=2, max=32)
    return Specimen(model, calls, ({0: batch, 1: length},))
