"""The recorded line is the user's own, however the code is run."""

import threading

import opwright as ow
from opwright import ShapeEnv


def asked_at(question) -> str:
    env = ShapeEnv()
    n = env.make_size(8, "x.size(0)")
    question(n)
    return env.guards[0].line


def test_a_function_of_the_package_is_not_the_users(here):
    assert asked_at(lambda n: ow.guard_or_false(n > 4)) == here("through")  # through


def test_code_that_was_compiled_on_the_spot_has_its_name():
    scope = {}
    exec(compile("def question(n):\n    return bool(n > 4)\n", "<made>", "exec"), scope)

    assert asked_at(scope["question"]) == "<made>:2"


def test_functions_that_die_leave_no_wrong_line():
    for number in range(50):
        scope = {}
        lines = "\n" * number
        exec(compile(f"{lines}question = lambda n: bool(n > 4)", f"<{number}>", "exec"), scope)
        assert asked_at(scope["question"]) == f"<{number}>:{number + 1}"


def test_a_long_function_has_all_its_lines():
    body = "".join(f"    seen.append(bool(n > {bound + 10}))\n" for bound in range(1500))
    scope = {}
    exec(compile(f"def ask(n, seen):\n{body}", "<long>", "exec"), scope)
    env = ShapeEnv()
    n = env.make_backed(100_000, min=0, source="n")

    scope["ask"](n, [])

    assert [guard.line for guard in env.guards] == [f"<long>:{line}" for line in range(2, 1502)]


def test_a_thread_has_its_own_line(here):
    seen = []

    def work():
        seen.append(asked_at(lambda n: n > 4 and None))  # on a thread

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert seen == [here("on a thread")]
