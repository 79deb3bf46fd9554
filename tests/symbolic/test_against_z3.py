"""Random facts and queries: Z3 refutes no claim, and most of what Z3 proves is decided."""

import os
import random
from collections import Counter

import pytest

from .random_sizes import FAMILIES, random_expression
from .z3_referee import Referee, Session, postfix, value_of

ROUNDS = 60 if os.environ.get("OPWRIGHT_ALL") == "1" else 6
SHARE_OF_WHAT_Z3_PROVES = 0.9


@pytest.fixture
def session():
    opened = Session()
    yield opened
    opened.close()


def start(session, problem):
    """A new environment with the symbols and those facts that it accepts."""
    referee = Referee()
    session.ask("new noduck nospecial")
    for line in problem.symbols:
        name = session.ask(line)
        referee.bound(name, *line.split()[-2:])
    for texts in (problem.facts, problem.questions, problem.values):
        texts[:] = [text for text in texts if has_a_value(session, text)]
    return referee


def has_a_value(session, text):
    """Whether it divides by something that is not always 0."""
    answer = session.ask(f"parse {text}")
    assert not answer.startswith("E ") or "zero" in answer, answer
    return not answer.startswith("E ")


def learn(session, referee, facts):
    for fact in facts:
        answer = session.ask(f"learn {fact}")
        if answer == "ok":
            referee.assume(fact)
        else:
            assert answer.startswith(("E ValueError:", "E ZeroDivisionError:")), f"{fact}: {answer}"


def problems(family, rounds):
    for seed in range(rounds):
        yield FAMILIES[family](random.Random(1000 * family + seed))


@pytest.mark.parametrize("family", range(len(FAMILIES)))
def test_no_decision_is_refuted_and_most_of_what_z3_proves_is_decided(session, family):
    counts = Counter()
    missed = []
    for problem in problems(family, ROUNDS):
        referee = start(session, problem)
        learn(session, referee, problem.facts)
        for question in problem.questions:
            claim = session.ask(f"decide {question}")
            truth = referee.decide(question)
            counts[truth] += 1
            if claim != "unknown":
                assert claim in ("true", "false"), f"{question}: {claim}"
                assert truth in (claim, "timeout"), (
                    f"{problem.facts}: {question} is {truth}, not {claim}"
                )
            elif truth in ("true", "false"):
                missed.append((problem.symbols, problem.facts, question, truth))
    provable = counts["true"] + counts["false"]
    share = 1 - len(missed) / provable
    print(f"{FAMILIES[family].__name__}: {share:.3f} of {provable} decided", dict(counts))
    for line in missed[:20]:
        print("  missed", *line)
    assert share >= SHARE_OF_WHAT_Z3_PROVES, missed


@pytest.mark.parametrize("family", range(len(FAMILIES)))
def test_simplified_expressions_and_ranges_are_not_refuted(session, family):
    for problem in problems(family, ROUNDS):
        referee = start(session, problem)
        learn(session, referee, problem.facts)
        for value in problem.values:
            simple = session.ask(f"simplify {value}")
            assert referee.proves(f"{value} == {simple}") is not False, (
                problem.facts,
                value,
                simple,
            )
            least, greatest = session.ask(f"range {value}").split()
            if least != "-inf":
                claim = f"{value} >= {least}"
                assert referee.proves(claim) is not False, (problem.facts, claim)
            if greatest != "inf":
                claim = f"{value} <= {greatest}"
                assert referee.proves(claim) is not False, (problem.facts, claim)


@pytest.mark.parametrize("family", range(len(FAMILIES)))
def test_guards_that_are_not_recorded_are_implied_and_solved_ones_mean_the_same(session, family):
    for problem in problems(family, ROUNDS):
        referee = start(session, problem)
        original = []
        recorded = 0
        for condition in [*problem.facts, *problem.questions]:
            answer = session.ask(f"guard {condition}")
            if answer.startswith("E "):
                assert "cannot decide" in answer or "ZeroDivisionError" in answer, answer
                continue
            held = condition if answer == "true" else f"not ({condition})"
            guards = session.ask("guards").split("; ")[:-1]
            if len(guards) == recorded:
                assert referee.proves(held) is not False, (guards, held)
            recorded = len(guards)
            referee.assume(held)
            original.append(held)
        check_solution(session, problem, original)


def check_solution(session, problem, original):
    symbols, _, rest = session.ask("solve").partition("; ;")
    solved = []
    for part in (text for text in symbols.split(";") if text.strip()):
        bounds, _, equals = part.partition("=")
        name, least, greatest = bounds.split()
        solved += [f"{name} >= {least}"] * (least != "-inf")
        solved += [f"{name} <= {greatest}"] * (greatest != "inf")
        solved += [f"{name} == {equals}"] * bool(equals)
    solved += [text.strip().removeprefix("rest ") for text in rest.split(";") if text.strip()]
    check_implies(session, problem, solved, original)
    check_implies(session, problem, original, solved)


def check_implies(session, problem, given, wanted):
    referee = start(session, problem)
    for condition in given:
        referee.assume(condition)
    for condition in wanted:
        assert referee.proves(condition) is not False, (given, condition)


def test_values_are_those_of_python(session):
    rng = random.Random(7)
    names = ["s0", "s1", "s2"]
    for _ in range(50 * ROUNDS):
        session.ask("new noduck nospecial")
        values = {name: rng.randint(-9, 30) for name in names}
        for name in names:
            session.ask(f"backed {values[name]} -10 40")
        text = random_expression(rng, names, 4)
        try:
            expected = value_of(text, values)
        except ZeroDivisionError:
            assert session.ask(f"apply {postfix(text)}").startswith("E ZeroDivisionError"), text
            continue
        given = " ".join(str(values[name]) for name in names)
        applied = session.ask(f"apply {postfix(text)}")
        assert value_of(applied, values) == expected, (text, applied)
        assert session.ask(f"parse {applied}") == applied
        assert session.ask(f"hint {text}") == str(expected)
        simple = session.ask(f"simplify {text}")
        assert value_of(simple, values) == expected, (text, simple)
        assert session.ask(f"run {given} : {text}") == str(expected), text
