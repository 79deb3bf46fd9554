"""Models that torch exported: how long it takes to load them."""

import importlib.util
import json
import statistics
import subprocess
import sys
from pathlib import Path

from harness import is_smoke
from tracing.timing import Case

# What a load may take, in milliseconds: of the archive, and of the .opw file made of it.
LIMITS = {"llama": (200, 30), "resnet50": (150, 30)}
TITLES = {"llama": "a Llama of 32 tiny layers", "resnet50": "ResNet-50"}


def torch_archives(folder):
    """Return milliseconds of torch's load by name; the archives are then in the folder.

    None without torch. A smoke run writes a decoder of two layers and does not load with torch.
    """
    if importlib.util.find_spec("torch") is None:
        return None
    script = Path(__file__).with_name("write_archives.py")
    layers, rounds = (2, 0) if is_smoke() else (32, 1)
    command = [sys.executable, script, folder, str(layers), str(rounds)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    seconds = json.loads(done.stdout.splitlines()[-1])
    return {name: 1000 * each for name, each in seconds.items()}


def load_times(opwright, folder, rounds):
    """Return median milliseconds by name and ending of the archives in the folder."""
    cases = {}
    for name in LIMITS:
        for ending in ("pt2", "opw"):
            path = folder / f"{name}.{ending}"
            if ending == "opw":
                opwright.export.save(opwright.export.load(folder / f"{name}.pt2"), path)
            cases[name, ending] = Case(lambda path=path: opwright.export.load(path), parts=1000)
    samples = {key: [] for key in cases}
    for _ in range(rounds + 1):  # the first warms up
        for key, case in cases.items():
            samples[key].append(case.measure())
    return {key: statistics.median(times[1:]) for key, times in samples.items()}
