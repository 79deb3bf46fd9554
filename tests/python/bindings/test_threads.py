"""Calls from several threads during registrations, and calls that release the GIL."""

import os
import subprocess
import sys
import threading
import time

import opwright as ow
from opwright import _C


def run_threads(count, work):
    """Run work(number) on threads and raise what one of them raised."""
    errors = []

    def guarded(number):
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_eight_threads_call_while_one_registers(scope):
    op = scope.define("busy::add(Tensor x, Tensor y) -> Tensor")
    scope.implement("busy::add", "cpu", lambda x, y: x + y)
    stop = threading.Event()

    def register():
        while not stop.is_set():
            with _C.Scope() as short:
                short.implement("busy::add", "cpu", lambda x, y: y + x)
                short.define("busy::other(Tensor x) -> Tensor")
                time.sleep(0)

    registrar = threading.Thread(target=register)
    registrar.start()
    try:

        def work(number):
            x = ow.ones(4)
            for _ in range(2000):
                assert op(x, x).tolist() == [2.0] * 4

        run_threads(8, work)
    finally:
        stop.set()
        registrar.join()


def test_a_blocking_operator_lets_other_threads_run(probe):
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        before = len(ticks)
        probe.wait(ow.ones(1), 0.2)
        during = len(ticks) - before
    finally:
        done.set()
        ticker.join()
    assert during > 20


def test_handles_are_counted_right_by_threads_without_the_lock(probe):
    kept = [ow.ones(4)]

    def work(number):
        for _ in range(20):
            probe.churn(kept[0], 200)

    before = _C.live_counts()[0]
    run_threads(8, work)
    kept.clear()
    assert _C.live_counts()[0] == before - 1


def test_big_tensors_release_the_lock():
    x = ow.ones(1024, 1024)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # only the call releases the GIL
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            time.sleep(0)

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        deadline = time.monotonic() + 30
        while len(ticks) < 10 and time.monotonic() < deadline:
            x.mul_(1.0)
    finally:
        sys.setswitchinterval(interval)
        done.set()
        ticker.join()
    assert len(ticks) >= 10


FORK = """
import os, sys
import opwright as ow
x = ow.ones(1024, 1024)
(x * 2).sum()                          # workers are running
pid = os.fork()
if pid == 0:
    y = (x * 2).sum().item()           # the pool starts again
    scope = ow._C.Scope()
    op = scope.define("child::f(Tensor x) -> Tensor")
    scope.implement("child::f", "cpu", lambda x: x)
    ok = y == 2.0 * 1024 * 1024 and op(x) is x
    os._exit(0 if ok else 3)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def test_a_fork_can_call_and_register():
    assert subprocess.run([sys.executable, "-c", FORK], timeout=60, check=False).returncode == 0


EXIT = """
import threading, time
import opwright as ow
op = ow.library.custom_op("exit::f", lambda x: -x, mutates_args=(), schema="(Tensor x) -> Tensor")
kept = ow.ones(3); kept.name = "n"
x = ow.ones(512, 512)
def work():
    while True: op(x * 2)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
"""


def test_the_interpreter_ends_while_a_daemon_thread_is_calling():
    result = subprocess.run(
        [sys.executable, "-c", EXIT], timeout=60, check=False, capture_output=True, text=True
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_threads_are_taken_from_the_environment():
    code = "import opwright as ow; print(ow.num_threads())"
    env = {**os.environ, "OPWRIGHT_NUM_THREADS": "3"}
    result = subprocess.run(
        [sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True
    )
    assert result.stdout == "3\n"
