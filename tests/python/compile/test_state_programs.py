"""Random functions over Python state give what they give uncompiled, whatever changes in between.

The long form (OPWRIGHT_ALL=1) tries many more programs. The last tests put old faults back, one
kind of guard at a time, and expect the programs to find each.
"""

import os

import opwright as ow
import pytest

from .state_programs import STATES, check_programs, make_program

COUNT = 40_000 if os.environ.get("OPWRIGHT_ALL") == "1" else 400


def test_no_answer_is_stale(capsys):
    tally = check_programs(range(COUNT))

    with capsys.disabled():
        print(f"\n{tally}")
    assert tally.stale == []
    assert tally.programs == COUNT
    assert tally.compiled > COUNT


def test_programs_use_every_kind_of_state_in_closures_and_globals():
    programs = [make_program(seed) for seed in range(400)]

    assert {kind for program in programs for kind in program.kinds} == set(STATES)
    assert {program.is_closure for program in programs} == {True, False}


@pytest.mark.parametrize(
    "kind",
    ["keys", "contents", "cells", "slots", "classes", "functions", "buffers", "calls", "changes"],
)
def test_a_missing_guard_is_found(kind):
    ow._C.ignore_reads([kind])
    try:
        tally = check_programs(range(1000), most_stale=1)
    finally:
        ow._C.ignore_reads([])

    assert tally.stale != []
