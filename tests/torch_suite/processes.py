"""Runs the tests of a file in child processes; after a crash or a hang the rest goes on."""

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMPORT_LIMIT = 600  # seconds until the first report
GRACE = 30  # seconds over a test's limit until its process is killed


class ImportFailedError(Exception):
    """The test file could not be imported."""


@dataclass
class Request:
    """Which tests of which file to run."""

    side: str
    tests: Path
    file: str
    ids: list[str] | None  # None: all that the file has
    only: str | None
    limit: int
    jobs: int
    log: Path


def run_tests(request: Request) -> dict[str, dict]:
    """Return the record of every test by its id."""
    request.log.parent.mkdir(parents=True, exist_ok=True)
    request.log.write_text("")
    jobs = request.jobs if request.ids is None else max(1, min(request.jobs, len(request.ids)))
    with ThreadPoolExecutor(jobs) as pool:
        parts = list(pool.map(lambda index: run_share(request, index, jobs), range(jobs)))
    return {test_id: record for part in parts for test_id, record in part.items()}


def run_share(request: Request, index: int, count: int) -> dict[str, dict]:
    """Run one share of the tests, with a new child after each that ended early."""
    ids = request.ids
    if ids is not None:
        ids = ids[len(ids) * index // count : len(ids) * (index + 1) // count]
        if not ids:
            return {}
    records: dict[str, dict] = {}
    while True:
        ids, current, outcome = run_child(request, ids, [index, count], records)
        if current is None:
            return records
        records[current] = {"outcome": outcome}
        ids = [each for each in ids if each not in records]
        if not ids:
            return records


def run_child(
    request: Request, ids: list[str] | None, share: list[int], records: dict[str, dict]
) -> tuple[list[str], str | None, str]:
    """Run one child to its end. Return its tests, the one during which it ended, and how."""
    read_end, write_end = os.pipe()
    order = {
        "side": request.side,
        "tests": str(request.tests),
        "file": request.file,
        "ids": ids,
        "share": share,
        "only": request.only,
        "limit": request.limit,
        "reports": write_end,
    }
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    with open(request.log, "a") as log:
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.torch_suite.child", json.dumps(order)],
            pass_fds=[write_end],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )
    os.close(write_end)
    current, outcome, found = None, "crash", ids
    try:
        for entry in read_reports(read_end, request.limit):
            match entry["event"]:
                case "import failed":
                    raise ImportFailedError(entry["text"])
                case "tests":
                    found = entry["ids"]
                case "start":
                    current = entry["id"]
                case "end":
                    records[entry["id"]] = entry["record"]
                    current = None
    except TimeoutError:
        outcome = "hang"
        current = current or next((each for each in found or () if each not in records), None)
    finally:
        os.close(read_end)
        child.kill()
        child.wait()
    if found is None:
        raise ImportFailedError(f"the child ended before its first report; see {request.log}")
    return found, current, outcome


def read_reports(descriptor: int, limit: int) -> Iterator[dict]:
    """Iterate over the reports of a child until its end; raise TimeoutError if it is silent."""
    pending = b""
    wait = IMPORT_LIMIT
    while True:
        ready, _, _ = select.select([descriptor], [], [], wait)
        if not ready:
            raise TimeoutError
        block = os.read(descriptor, 1 << 16)
        if not block:
            return
        wait = limit + GRACE
        *lines, pending = (pending + block).split(b"\n")
        for line in lines:
            yield json.loads(line)
