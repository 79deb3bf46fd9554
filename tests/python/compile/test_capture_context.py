"""What a thread is in the middle of when a compiled function is called."""

import threading

import opwright as ow


def test_autocast_is_guarded():
    @ow.compile(fullgraph=True)
    def f(x):
        return x @ x

    x = ow.randn(3, 3)
    for _ in range(2):
        assert f(x).dtype is ow.float32
        with ow.autocast("cpu", dtype=ow.bfloat16):
            assert f(x).dtype is ow.bfloat16
            assert ow.equal(f(x), x @ x)
        with ow.autocast("cpu", dtype=ow.bfloat16, enabled=False):
            assert f(x).dtype is ow.float32

    assert f.num_compiles == 3
    assert f.recompile_reasons[0] == "autocast is on, it was off"


def test_inference_mode_is_guarded():
    @ow.compile
    def f(x):
        return x + 1

    x = ow.ones(1)
    assert not f(x).is_inference()
    with ow.inference_mode():
        assert f(x).is_inference()
    assert not f(x).is_inference()
    assert f.num_compiles == 2


def test_a_compiled_function_inside_another_is_part_of_its_graph():
    @ow.compile
    def inner(x):
        return x * 2

    @ow.compile(fullgraph=True)
    def outer(x):
        return inner(x) + 1

    assert outer(ow.ones(1)).item() == 3.0
    assert inner.num_compiles == 0


def test_threads_share_what_was_compiled():
    @ow.compile
    def f(x):
        return ow.sin(x) * 2

    expected = ow.sin(ow.ones(64)) * 2
    f(ow.ones(64))
    wrong = []

    def work():
        for _ in range(200):
            if not ow.allclose(f(ow.ones(64)), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong
    assert f.num_compiles == 1


def test_reset_forgets_all_functions():
    f = ow.compile(lambda x: x + 1)
    f(ow.ones(1))
    ow.compiler.reset()
    assert f.num_compiles == 0
    assert f(ow.ones(1)).item() == 2.0
