"""The stops of the tour in one host: each shows a mode, and a table lists the outcomes."""

import sys
from collections.abc import Callable

import opwright as ow

TABLE = "audio::soft_clip, mode by mode:"  # heads the table; tour.cpp prints the same line


class Stops:
    """The stops in one host, in order. Each is called with a new result of `make_samples`."""

    def __init__(self, host: str, make_samples: Callable):
        self.host, self.make_samples = host, make_samples
        self.visits = []

    def stop(self, mode: str):
        """Decorate a function that shows `mode`."""

        def add(visit):
            self.visits.append((mode, visit))
            return visit

        return add

    def main(self) -> None:
        """Load the binary given on the command line, run every stop, print the table, exit."""
        ow.load_library(sys.argv[1])
        outcomes = [(self.run_stop(mode, visit), mode) for mode, visit in self.visits]
        print(TABLE)
        for outcome, mode in outcomes:
            print(f"{outcome:8}{mode}")
        sys.exit(any(outcome != "works" for outcome, _ in outcomes))

    def run_stop(self, mode: str, visit: Callable) -> str:
        print(f"--- {self.host}: {mode}", flush=True)
        try:
            visit(self.make_samples())
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
            return "FAILED"
        finally:
            print()
        return "works"
