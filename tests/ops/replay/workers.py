"""Runs jobs in forked processes, so that one that dies names its call and the rest goes on.

The parent imports torch's database once. Worker k runs jobs k, k + count, ... in order, so which
calls are replayed depends only on the seed and the number of workers, not on their speed.
"""

import faulthandler
import mmap
import os
import pickle
import select
import signal
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field

from .replayer import TORCHS, Failure, Outcome, Replayer

HANG_SECONDS = 150
JOURNAL_BYTES = 1 << 16


@dataclass
class Worker:
    """One process and what the parent knows about its jobs."""

    jobs: list
    seen: Counter = field(default_factory=Counter)
    crashed: set = field(default_factory=set)
    done: int = 0
    pid: int = 0
    pipe: int = -1
    buffer: bytearray = field(default_factory=bytearray)
    heard: float = 0.0

    def __post_init__(self):
        self.journal = mmap.mmap(-1, JOURNAL_BYTES)

    def start(self, run_job, wanted, make=Replayer) -> None:
        reading, writing = os.pipe()
        self.journal[:8] = b"\0" * 8
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            try:
                self.work(writing, run_job, wanted, make)
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        os.close(writing)
        self.pipe, self.buffer, self.heard = reading, bytearray(), time.monotonic()

    def work(self, pipe: int, run_job, wanted, make) -> None:
        faulthandler.disable()
        for job in self.jobs[self.done :]:
            replayer = make(wanted, self.seen, self.crashed, self.announce)
            run_job(replayer, job)
            data = pickle.dumps(replayer.outcome)
            send(pipe, len(data).to_bytes(8, "little") + data)

    def announce(self, overload: str, key: str, text: str) -> None:
        data = pickle.dumps((overload, key, text[:2000]))
        if len(data) < JOURNAL_BYTES - 8:
            self.journal[8 : 8 + len(data)] = data
            self.journal[:8] = len(data).to_bytes(8, "little")

    def last_call(self) -> tuple[str, str, str] | None:
        size = int.from_bytes(self.journal[:8], "little")
        return pickle.loads(self.journal[8 : 8 + size]) if size else None

    def read(self) -> list[Outcome] | None:
        """Return the outcomes received; None at the end of the process."""
        data = os.read(self.pipe, 1 << 20)
        if not data:
            return None
        self.heard = time.monotonic()
        self.buffer += data
        outcomes = []
        while len(self.buffer) >= 8:
            size = int.from_bytes(self.buffer[:8], "little")
            if len(self.buffer) < 8 + size:
                break
            outcomes.append(pickle.loads(bytes(self.buffer[8 : 8 + size])))
            del self.buffer[: 8 + size]
        return outcomes


def send(pipe: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(pipe, view) :]


def run_jobs(jobs: list, run_job, wanted, count: int = 2, progress=None, make=Replayer) -> Outcome:
    """Run `run_job(replayer, job)` for all jobs and merge their outcomes."""
    total = Outcome()
    workers = [Worker(jobs[index::count]) for index in range(count)]
    for worker in workers:
        worker.start(run_job, wanted, make)
    live = {worker.pipe: worker for worker in workers}
    while live:
        ready, _, _ = select.select(list(live), [], [], 5)
        for worker in list(live.values()):
            if time.monotonic() - worker.heard > HANG_SECONDS:
                os.kill(worker.pid, signal.SIGKILL)
        for pipe in ready:
            worker = live[pipe]
            outcomes = worker.read()
            for outcome in outcomes or ():
                worker.done += 1
                worker.seen.update(outcome.seen)
                total.merge(outcome)
                if progress:
                    progress(sum(each.done for each in workers), len(jobs))
            if outcomes is None:
                del live[pipe]
                os.close(pipe)
                _, status = os.waitpid(worker.pid, 0)
                if worker.done < len(worker.jobs):
                    blame(worker, total, status)
                    worker.start(run_job, wanted, make)
                    live[worker.pipe] = worker
    return total


def blame(worker: Worker, total: Outcome, status: int) -> None:
    """Count a worker's death as a failure of its last call; drop the job if the replay failed."""
    call = worker.last_call()
    job = worker.jobs[worker.done]
    how = signal.strsignal(os.WTERMSIG(status)) if os.WIFSIGNALED(status) else f"exit {status}"
    if call is None or call[1] in worker.crashed or not os.WIFSIGNALED(status):
        total.faults.append(f"{job}: {how}")
        worker.done += 1
        return
    overload, key, text = call
    worker.crashed.add(key)
    if overload.startswith(TORCHS):
        worker.crashed.add(TORCHS + key)
        total.left_out["torch crashed"] += 1
        return
    total.counts[overload].update({"calls": 1, "crash": 1})
    total.failures[overload].append(Failure("crash", text, str(how), str(job), None))
