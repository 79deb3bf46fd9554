"""Chooses jobs, runs them and returns what they found."""

import random
import sys
import time
from fnmatch import fnmatch

import torch

from . import handwritten, reach, recorder
from .replayer import FORMS, Outcome, Replayer
from .workers import run_jobs

HANDWRITTEN = ("handwritten", "")


def choose_jobs(options) -> list[tuple[str, str]]:
    """Return (entry, dtype) pairs in the seed's order; "errors" means the bad inputs."""
    names = list(recorder.entries())
    if options.entries:
        names = [name for name in names if any(fnmatch(name, each) for each in options.entries)]
    elif options.op and not options.all:
        reaching = reach.entries_reaching(options.op)
        names = names if reaching is None else [name for name in names if name in reaching]
    jobs = [
        (name, dtype)
        for name in names
        for dtype in (*options.dtypes, "errors")
        if recorder.supports(recorder.entries()[name], dtype)
    ]
    random.Random(options.seed).shuffle(jobs)
    jobs = jobs[: max(1, round(len(jobs) * options.share))] if options.share < 1 else jobs
    return [HANDWRITTEN, *jobs]


def replay(options, make: type[Replayer] = Replayer) -> Outcome:
    torch.set_num_threads(1)
    jobs = choose_jobs(options)
    limit = options.samples
    # A share is for tests, in minutes: then only the plain replay calls the other forms too.
    has_forms = options.share == 1 or (make is Replayer and not options.mutations)

    def run_job(replayer: Replayer, job: tuple[str, str]) -> None:
        replayer.mutations = options.mutations
        replayer.forms = FORMS if has_forms else 0
        replayer.rng = random.Random(f"{options.seed} {job}")
        if job == HANDWRITTEN:
            handwritten.run_handwritten(replayer, limit)
        else:
            recorder.run_entry(replayer, *job, options.seed, limit)

    def wanted(overload: str) -> bool:
        return not options.op or reach.matches(overload, options.op)

    began = time.monotonic()

    def progress(done: int, count: int) -> None:
        if sys.stderr.isatty() or done % 200 == 0:
            passed = time.monotonic() - began
            print(f"{done} of {count} jobs, {passed:.0f} s", file=sys.stderr)

    return run_jobs(jobs, run_job, wanted, options.workers, progress, make)
