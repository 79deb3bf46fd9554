"""Runs programs that print `name value` lines in turn, so that a busy machine slows all of them."""

import statistics
import subprocess


def interleave(programs, rounds):
    """Run each program once per round; return the median of every figure it prints.

    `programs` maps a name to a command, or to None if the program is not available.
    """
    figures = {name: {} for name in programs}
    for _ in range(rounds):
        for name, command in programs.items():
            if command is None:
                continue
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            for line in text.splitlines():
                key, value = line.split()
                figures[name].setdefault(key, []).append(float(value))
    return {
        name: {key: statistics.median(values) for key, values in by_key.items()}
        for name, by_key in figures.items()
    }
