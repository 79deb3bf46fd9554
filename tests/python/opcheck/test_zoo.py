"""Each fault of the zoo is found from one ordinary example, and reported by its own message."""

from collections.abc import Iterator
from dataclasses import dataclass

import opwright as ow
import pytest

from .host import Host
from .shown import check, findings_of, read_code
from .zoo import FAULTS, Fault
from .zoo.fault import NAMESPACE


@dataclass
class Caught:
    fault: Fault
    report: ow.testing.CheckReport

    @property
    def findings(self) -> list[ow.testing.CheckFinding]:
        return findings_of(self.fault, self.report)


@pytest.fixture(scope="module", params=FAULTS)
def caught(request: pytest.FixtureRequest) -> Iterator[Caught]:
    """One opcheck for both tests; the operator is there until they ended."""
    fault = FAULTS[request.param]
    with Host(ow, NAMESPACE) as host:
        yield Caught(fault, check(fault.define(host)))


def test_there_are_many():
    assert len(FAULTS) >= 45


def test_it_is_found_and_told(caught):
    assert caught.findings, caught.report.table()


# Racing threads may arrive in the same order, on a busy machine above all.
ATTEMPTS = 10


def test_the_code_that_is_printed_shows_it_again(caught):
    found = caught.findings[0]

    reports = (
        check(read_code(found.code), test_utils=found.check, examples=0) for _ in range(ATTEMPTS)
    )

    assert any(found.kind == each.kind for report in reports for each in report.findings), (
        found.code
    )
