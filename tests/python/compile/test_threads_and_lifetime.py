"""One compiled function called from several threads, after a fork, and released."""

import gc
import os
import subprocess
import sys
import threading
import weakref

import opwright as ow
import pytest

from .same_results import BACKENDS, assert_same


def function(x, y):
    return ow.softmax(ow.sin(x) * y, -1) + 1, (x * y).sum(-1)


def run_in_threads(count, work):
    errors = []

    def guarded(index):
        try:
            work(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_several_threads_call_one_compiled_function(backend):
    compiled = ow.compile(function, backend=backend)

    def work(index):
        for turn in range(30):
            x = ow.full((4 + turn % 3, 8), float(index))
            y = ow.full((8,), 0.5 + turn)
            assert_same(compiled(x, y), function(x, y))

    run_in_threads(4, work)


@pytest.mark.parametrize("backend", BACKENDS)
def test_several_threads_compile_at_the_same_time(backend):
    def work(index):
        def scaled(x):
            return ow.tanh(x * (index + 1)).sum(-1) + index

        x = ow.randn(5, 6)
        compiled = ow.compile(scaled, backend=backend)
        for _ in range(3):
            assert_same(compiled(x), scaled(x))

    run_in_threads(4, work)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_child_process_calls_what_its_parent_compiled(backend):
    script = f"""
import os
import opwright as ow
ow.set_num_threads(2)
compiled = ow.compile(lambda x: ow.softmax(ow.sin(x), -1) * 2, backend={backend!r})
plain = lambda x: ow.softmax(ow.sin(x), -1) * 2
x = ow.randn(512, 512)
compiled(x)
child = os.fork()
if child == 0:
    good = float((compiled(x) - plain(x)).abs().max()) < 1e-5
    other = ow.compile(lambda x: ow.cos(x) + 1, backend={backend!r})
    good = good and float((other(x) - (ow.cos(x) + 1)).abs().max()) < 1e-5
    os._exit(0 if good else 3)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
assert float((compiled(x) - plain(x)).abs().max()) < 1e-5
print("good")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )

    assert done.stdout.strip() == "good", done.stderr


class Holder:
    """Something a weak reference can watch."""

    factor = 2.0


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_compiled_function_and_what_it_closes_over_die_with_their_last_name(backend):
    def call_once():
        holder = Holder()
        weight = ow.ones(4)

        def scaled(x):
            return x * weight * holder.factor

        ow.compile(scaled, backend=backend)(ow.ones(3, 4))
        return [weakref.ref(holder), weakref.ref(weight), weakref.ref(scaled)]

    watched = call_once()
    gc.collect()

    assert [watch() for watch in watched] == [None, None, None]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_function_that_holds_its_own_compiled_form_is_collected(backend):
    def call_once():
        holder = Holder()

        def scaled(x):
            return x * holder.factor

        scaled.compiled = ow.compile(scaled, backend=backend)
        scaled.compiled(ow.ones(3))
        return weakref.ref(holder)

    watched = call_once()
    gc.collect()

    assert watched() is None


@pytest.mark.parametrize("backend", BACKENDS)
def test_arguments_are_not_kept(backend):
    compiled = ow.compile(lambda x: ow.sin(x) * 2, backend=backend)
    x = ow.ones(5)
    result = compiled(x)
    watched = [weakref.ref(x), weakref.ref(result)]

    del x, result
    gc.collect()

    assert [watch() for watch in watched] == [None, None]


@pytest.mark.parametrize("backend", BACKENDS[:2])
def test_calls_do_not_leak_memory(backend):
    compiled = ow.compile(lambda x: ow.softmax(ow.sin(x), -1) * 2, backend=backend)
    x = ow.randn(256, 256)
    for _ in range(20):
        compiled(x)
    before = resident_megabytes()
    for _ in range(300):
        compiled(x)

    assert resident_megabytes() - before < 20


@pytest.mark.parametrize("backend", BACKENDS[:2])
def test_functions_that_are_given_up_do_not_leak_memory(backend):
    x = ow.randn(64, 64)

    def compile_one():
        ow.compile(lambda x: ow.softmax(ow.sin(x), -1) * 2, backend=backend)(x)

    for _ in range(10):
        compile_one()
    gc.collect()
    before = resident_megabytes()
    for _ in range(60):
        compile_one()
    gc.collect()

    assert resident_megabytes() - before < 20


def resident_megabytes():
    with open(f"/proc/{os.getpid()}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
