"""How often each fault is found, over 20 seeds of the inputs that opcheck makes.

A seeded share of the zoo in the ordinary run, with OPWRIGHT_ALL=1 all of it; the table is printed.
"""

import os
import random

import opwright as ow

from .host import Host
from .shown import check, findings_of
from .zoo import FAULTS, Fault
from .zoo.fault import NAMESPACE

SEEDS = 20
SHARE = 3  # faults in the ordinary run


def chosen() -> list[Fault]:
    faults = list(FAULTS.values())
    return (
        faults if os.environ.get("OPWRIGHT_ALL") == "1" else random.Random(9).sample(faults, SHARE)
    )


def count_found(fault: Fault) -> int:
    checks = sorted({kind.partition("/")[0] for kind in fault.kinds})
    found = 0
    for seed in range(SEEDS):
        with Host(ow, NAMESPACE) as host:
            report = check(fault.define(host), test_utils=checks, seed=seed)
            found += bool(findings_of(fault, report))
    return found


def test_it_is_found_with_every_seed(capsys):
    counts = {fault.name: count_found(fault) for fault in chosen()}

    with capsys.disabled():
        print("\n| fault | found with |\n|---|---|")
        for name, count in counts.items():
            print(f"| {name} | {count} of {SEEDS} seeds |")
    assert {name: count for name, count in counts.items() if count < SEEDS} == {}
