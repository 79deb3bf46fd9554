"""The marker `own_process`: tests that run in a fresh child process.

For tests that need a process in which no other test ran, or that leave behind what cannot be taken
back: loaded binaries, registered types, imported hosts. A marked function runs alone; the tests of
a marked class or module share one child. The child is a pytest of these tests; its reports, with
their output, become the reports here.
"""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

MARKER = "own_process"
# Where a child writes its reports; set in children alone.
REPORTS = "OPWRIGHT_OWN_PROCESS_REPORTS"
Reports = dict[str, list[pytest.TestReport]]  # by the id of the test
_DONE = pytest.StashKey[Reports]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if REPORTS in os.environ or item.get_closest_marker(MARKER) is None:
        return None
    done = item.session.stash.setdefault(_DONE, {})
    if item.nodeid not in done:
        done.update(run_in_child(companions_of(item)))
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in done.pop(item.nodeid):
        item.ihook.pytest_runtest_logreport(report=report)
    end_scopes(item, nextitem)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def end_scopes(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Tear down what the test before kept for the module of this one, if the next is elsewhere."""
    teardown = item.session._setupstate.teardown_exact
    call = pytest.CallInfo.from_call(lambda: teardown(nextitem), when="teardown")
    if call.excinfo is not None:
        report = item.ihook.pytest_runtest_makereport(item=item, call=call)
        item.ihook.pytest_runtest_logreport(report=report)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if path := os.environ.get(REPORTS):
        with open(path, "ab") as file:
            pickle.dump(report._to_json(), file)


def companions_of(item: pytest.Item) -> list[pytest.Item]:
    """Give the tests that share the child of this one, itself among them."""
    marked, _ = next(iter(item.iter_markers_with_node(MARKER)))
    return [each for each in item.session.items if marked in each.listchain()]


def run_in_child(items: list[pytest.Item]) -> Reports:
    """Run the tests in one child. A test that did not reach its end fails with the reason."""
    config = items[0].config
    folder: Path = config._tmp_path_factory.mktemp(MARKER)
    file = folder / "reports"
    command = [sys.executable, "-m", "pytest", f"--rootdir={config.rootpath}", "-q"]
    command += ["-n", "0", "-p", "no:randomly", "-p", "no:cacheprovider"]
    command += [f"--basetemp={folder / 'temporary'}", *(item.nodeid for item in items)]
    child = subprocess.run(
        command,
        cwd=config.rootpath,
        env={**os.environ, REPORTS: str(file)},
        capture_output=True,
        text=True,
        check=False,
    )
    reports: Reports = {item.nodeid: [] for item in items}
    for report in read_reports(file):
        reports[report.nodeid].append(report)
    for item in items:
        if "teardown" not in (report.when for report in reports[item.nodeid]):
            reports[item.nodeid].append(death_of(item, child))
    return reports


def read_reports(path: Path) -> Iterator[pytest.TestReport]:
    if not path.exists():
        return
    with path.open("rb") as file, contextlib.suppress(EOFError):
        while True:
            yield pytest.TestReport._from_json(pickle.load(file))


def death_of(item: pytest.Item, child: subprocess.CompletedProcess) -> pytest.TestReport:
    code = child.returncode
    how = signal.strsignal(-code) if code < 0 else f"exit status {code}"
    return pytest.TestReport(
        nodeid=item.nodeid,
        location=item.location,
        keywords={},
        outcome="failed",
        longrepr=f"the child process ended early: {how}\n{child.stdout}{child.stderr}",
        when="call",
    )
