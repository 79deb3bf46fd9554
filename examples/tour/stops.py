"""The stops of the tour: what is shown in one host, and how it went."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    host: str
    mode: str
    outcome: str


class Stops:
    """The stops in one host, in order; each is called with what `make_samples` gives."""

    def __init__(self, host: str, make_samples: Callable):
        self.host, self.make_samples = host, make_samples
        self.visits = []

    def stop(self, mode: str):
        """Decorate a function that is to be visited."""

        def add(visit):
            self.visits.append((mode, visit))
            return visit

        return add

    def run(self) -> list[Row]:
        """Visit all; what a visit raises is its outcome."""
        rows = []
        for mode, visit in self.visits:
            print(f"\n--- {self.host}: {mode}")
            try:
                visit(self.make_samples())
                outcome = "works"
            except Exception as error:
                print(f"{type(error).__name__}: {error}")
                outcome = "FAILED"
            rows.append(Row(self.host, mode, outcome))
        return rows
