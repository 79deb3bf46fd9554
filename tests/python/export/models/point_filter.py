"""A net with data-dependent sizes: it keeps the points whose score is positive.

The kept points are as many as a mask says; as many slots as a sum over the data gives are made
beside them.
"""

from types import ModuleType
from typing import Any

MOST_SLOTS = 64


def check_size(package: ModuleType, size: Any, most: int) -> None:
    """Demand 0 <= size <= most of a size that is not known."""
    if package.__name__ == "torch":
        package._check(size >= 0)
        package._check(size <= most)
    else:
        package.check_size(size, max=most)


def make(package: ModuleType, features: int = 4, width: int = 6) -> Any:
    nn = package.nn

    class PointFilter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.score = nn.Linear(features, 1)
            self.embed = nn.Linear(features, width)
            self.slots = nn.Parameter(package.randn(MOST_SLOTS, width))

        def forward(self, points: Any, counts: Any) -> dict[str, Any]:
            scores = self.score(points).squeeze(-1)
            is_kept = scores > 0
            kept = points[is_kept]
            embedded = nn.functional.relu(self.embed(kept))
            weights = package.softmax(package.masked_select(scores, is_kept), 0)
            num_slots = counts.sum().item()
            check_size(package, num_slots, MOST_SLOTS)
            slots = self.slots[:num_slots] * package.arange(num_slots).unsqueeze(-1)
            return {
                "places": package.nonzero(is_kept),
                "pooled": (weights.unsqueeze(-1) * embedded).sum(0),
                "embedded": embedded,
                "slots": slots,
            }

    return PointFilter()
