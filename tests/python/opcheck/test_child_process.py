"""The calls that opcheck makes in a child process, where kernels are in Python."""

import ctypes
import threading

import opwright as ow

from .host import same_form

NAMESPACE = "child_process"


def kinds_of(op: object, *args: object, examples: int = 0) -> list[str]:
    report = ow.opcheck(op, args, test_utils="memory", examples=examples, raise_exception=False)
    return [each.kind for each in report.findings]


def test_a_kernel_may_end_it(host):
    def kernel(x):
        ctypes.string_at(0)
        return x.clone()

    op = host.define("ends(Tensor x) -> Tensor", kernel, fake=same_form)

    assert kinds_of(op, host.matrix()) == ["crash"]


def test_a_kernel_that_reads_past_its_argument_by_an_address_is_found(host):
    def kernel(x):
        return x + sum(ctypes.string_at(x.data_ptr(), x.numel() * 4 + 1)) * 0

    op = host.define("reads_past(Tensor x) -> Tensor", kernel, fake=same_form)

    assert kinds_of(op, host.matrix()) == ["reads-outside"]


def test_nothing_that_a_kernel_changes_there_is_seen(host):
    calls = []

    def kernel(x):
        calls.append(None)
        return x + x

    op = host.define("calls(Tensor x) -> Tensor", kernel, fake=same_form)
    before = len(calls)

    assert kinds_of(op, host.matrix()) == []
    assert len(calls) <= before + 1  # a plain call in this process


def test_other_threads_may_run_python_meanwhile(host):
    op = host.define("doubles(Tensor x) -> Tensor", lambda x: x + x, fake=same_form)
    ends = threading.Event()

    def count():
        while not ends.is_set():
            sum(range(1000))

    others = [threading.Thread(target=count) for _ in range(2)]
    for other in others:
        other.start()

    found = kinds_of(op, host.matrix(), examples=20)

    ends.set()
    for other in others:
        other.join()
    assert found == []


def test_it_can_be_made_from_any_thread(host):
    op = host.define("doubles(Tensor x) -> Tensor", lambda x: x + x, fake=same_form)
    found = []
    thread = threading.Thread(target=lambda: found.append(kinds_of(op, host.matrix())))

    thread.start()
    thread.join()

    assert found == [[]]
