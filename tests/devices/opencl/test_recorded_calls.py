"""Recorded calls of every operator: those that run on the device match the CPU."""

import os
from itertools import chain, islice

from tests.devices.recorded.handwritten import handwritten_samples
from tests.devices.recorded.replay import replay
from tests.devices.recorded.sample import read_samples
from tests.devices.recorded.table import summary

EVERY = 1 if os.environ.get("OPWRIGHT_ALL") == "1" else 16


def test_recorded_calls_give_what_the_cpu_gives(device):
    samples = islice(chain(handwritten_samples(), read_samples()), 0, None, EVERY)

    outcomes = replay("opencl", samples)

    print(summary(outcomes))
    failures = [text for outcome in outcomes.values() for text in outcome.failures]
    assert failures == []
    assert sum(outcome.counts["ok"] for outcome in outcomes.values()) > 3000 // EVERY
