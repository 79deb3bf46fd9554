"""Random size expressions, and problems that operators pose: facts and queries as text."""

import random
from dataclasses import dataclass, field


@dataclass
class Problem:
    """Lines that make symbols, facts that hold for the hints, and conditions to query."""

    symbols: list[str] = field(default_factory=list)  # "backed 5 0 inf"
    facts: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)  # expressions to simplify


def random_expression(rng: random.Random, names: list[str], depth: int) -> str:
    if depth <= 0 or rng.random() < 0.15:
        return rng.choice([*names, *names, str(rng.randint(0, 6))])
    a = random_expression(rng, names, depth - 1)
    b = random_expression(rng, names, depth - 1)
    number = rng.randint(1, 6)
    return rng.choice(
        [
            f"({a} + {b})",
            f"({a} - {b})",
            f"({a} + {number})",
            f"{number}*({a})",
            f"({a})*({b})",
            f"({a})//{number}",
            f"({a}) % {number}",
            f"max({a}, {b})",
            f"min({a}, {b})",
            f"max({a}, {number})",
            f"({a})//max({b}, {number})",
            f"({a}) % max({b}, {number})",
            f"({a})//({b})" if b != "0" else a,
            f"({a}) % ({b})" if b != "0" else a,
        ]
    )


def random_condition(rng: random.Random, names: list[str], depth: int) -> str:
    a = random_expression(rng, names, depth)
    b = random_expression(rng, names, depth - 1)
    sign = rng.choice(["==", "!=", "<", "<=", ">", ">=", "<=", ">="])
    condition = f"{a} {sign} {b}"
    if rng.random() < 0.1:
        other = random_condition(rng, names, depth - 1)
        return f"({condition}) {rng.choice(['and', 'or'])} ({other})"
    return condition


def random_linear(rng: random.Random, names: list[str]) -> str:
    chosen = rng.sample(names, min(len(names), rng.randint(1, 3)))
    text = " + ".join(f"{rng.choice([1, 1, 1, -1, 2, -2, 3])}*{name}" for name in chosen)
    return f"{text} + {rng.randint(-6, 6)}"


def random_linear_condition(rng: random.Random, names: list[str]) -> str:
    sign = rng.choice(["<=", ">=", "<", ">", "==", "!=", "<="])
    return f"{random_linear(rng, names)} {sign} {random_linear(rng, names)}"


def generic(rng: random.Random) -> Problem:
    """Random facts and queries."""
    count = rng.randint(1, 4)
    problem = Problem(symbols=[some_symbol(rng) for _ in range(count)])
    names = [f"s{i}" for i in range(count)]
    problem.facts = [random_linear_condition(rng, names) for _ in range(rng.randint(0, 4))]
    problem.facts += [random_condition(rng, names, 2) for _ in range(rng.randint(0, 2))]
    problem.questions = [random_linear_condition(rng, names) for _ in range(6)]
    problem.questions += [random_condition(rng, names, 2) for _ in range(6)]
    problem.values = [random_expression(rng, names, 3) for _ in range(4)]
    return problem


def some_symbol(rng: random.Random) -> str:
    hint = rng.randint(2, 40)
    least = rng.choice([0, 0, 1, 2, 2, -5])
    greatest = rng.choice(["inf", "inf", "inf", hint + rng.randint(0, 20), 64])
    return f"backed {hint} {least} {greatest if greatest == 'inf' or greatest >= hint else hint}"


def window(
    size: str, kernel: int, stride: int, padding: int, dilation: int, rounds_up: bool
) -> str:
    span = f"{size} + {2 * padding} - {dilation * (kernel - 1)} - 1"
    if rounds_up:
        return f"(({span} + {stride - 1})//{stride} + 1)"
    return f"(({span})//{stride} + 1)"


def convolution(rng: random.Random) -> Problem:
    kernel, stride = rng.randint(1, 5), rng.randint(1, 3)
    padding, dilation = rng.randint(0, 2), rng.randint(1, 2)
    rounds_up = rng.random() < 0.3
    out = window("s0", kernel, stride, padding, dilation, rounds_up)
    other = window("s1", kernel, stride, padding, dilation, rounds_up)
    twice = window(out, kernel, stride, padding, dilation, False)
    span = dilation * (kernel - 1) + 1 - 2 * padding
    return Problem(
        symbols=["backed 30 2 inf", "backed 40 2 inf"],
        facts=[f"s0 >= {span}", "s0 <= s1", f"{twice} >= 1"][: rng.randint(1, 3)],
        questions=[
            f"{out} >= 1",
            f"{out} >= 0",
            f"{out} == 1",
            f"{out} <= s0 + {2 * padding}",
            f"{out} <= s0",
            f"{out} <= {other}",
            f"{twice} >= 1",
            f"{twice} <= {out} + {2 * padding}",
            f"({out} - 1)*{stride} + {span} <= s0 + {stride}",
            f"max({out}, 1) == {out}",
            f"{out}*s1 >= s1",
            f"{out} == {out} + 0*s1",
            "s1 - s0 >= 0",
            f"{other} - {out} <= s1 - s0",
        ],
        values=[out, twice, f"max({out}, 1)", f"({out})*4//2", f"({out} - 1) * {stride}"],
    )


def reshape(rng: random.Random) -> Problem:
    parts = rng.randint(2, 6)
    numel = "s0*s1*s2"
    return Problem(
        symbols=[f"backed {4 * parts} 2 inf", "backed 6 2 inf", "backed 5 2 inf"],
        facts=rng.sample(
            [
                f"s0 % {parts} == 0",
                f"({numel}) % (s1*{parts}) == 0",
                f"s0 == {4 * parts}*1",
                "s1 <= s0",
                f"s0*s1 == {24 * parts}",
            ],
            rng.randint(1, 3),
        ),
        questions=[
            f"({numel}) % (s0*s1) == 0",
            f"({numel})//(s0*s1) == s2",
            f"({numel})//(s1*s2) >= 2",
            f"(s0//{parts})*{parts} == s0",
            f"(s0//{parts})*{parts}*s1 == s0*s1",
            f"s0 % {parts} == 0",
            f"(s0*s1) % {parts} == 0",
            f"(s0 + {parts}) % {parts} == 0",
            "s0*s1 >= s0",
            "s0*s1 >= s0 + s1",
            f"{numel} >= s0*s2",
            f"{numel} == s2*s1*s0",
            f"{numel} == 0",
            f"{numel} > 7",
            f"s0//{parts} >= 1",
            f"s0//{parts} <= s0",
            f"s1*s2 <= {numel}",
            f"({numel})//{parts} <= {numel}",
        ],
        values=[
            f"({numel})//(s0*s1)",
            f"(s0//{parts})*{parts}",
            f"({numel})//(s1*{parts})*{parts}",
            f"(s0*s1)//{parts}",
        ],
    )


def joined(rng: random.Random) -> Problem:
    step = rng.randint(1, 4)
    start = rng.randint(0, 3)
    length = f"max((min(s2, s0 + s1) - {start} + {step - 1})//{step}, 0)"
    return Problem(
        symbols=["backed 9 0 inf", "backed 12 0 inf", "backed 15 0 inf", "unbacked 0 inf"],
        facts=rng.sample(
            ["s2 <= s0 + s1", "s0 >= 2", f"s2 >= {start}", "u0 <= s0", "u0 >= 1", "s0 <= s1"],
            rng.randint(2, 5),
        ),
        questions=[
            f"{length} >= 0",
            f"{length} <= s0 + s1",
            f"{length} <= s2",
            f"{length}*{step} <= s2 + {step}",
            "s0 + s1 >= s0",
            "s0 + s1 >= s2",
            "min(s2, s0 + s1) == s2",
            "max(s0 + s1, s0) == s0 + s1",
            "max(u0, 1) == u0",
            "u0 <= s0 + s1",
            "u0 <= s1",
            "u0*s1 <= s0*s1",
            "max(u0, 1)*s1 >= s1",
            "max(u0, 1)*max(s1, 1) >= 1",
            "min(u0, s0) == u0",
            "s0 - u0 >= 0",
            "u0 == 0",
            "u0 - s0 - s1 <= 0",
        ],
        values=[length, "max(u0, 1)*s1", "min(u0, s0)", "max(u0, s0, s1)"],
    )


def broadcast(rng: random.Random) -> Problem:
    return Problem(
        symbols=["backed 8 0 inf", "backed 8 0 inf", "backed 3 1 inf", "unbacked 0 100"],
        facts=rng.sample(
            ["s0 == s1", "s1 == 1 or s1 == s0", "u0 == s2", "s0 != 1", "u0 != 0", "s1 >= 2*s2"],
            rng.randint(1, 4),
        ),
        questions=[
            "s0 == s1",
            "s1 == 1",
            "s0 == 1",
            "s1 == s0 or s1 == 1",
            "u0 == 0",
            "u0 >= 1",
            "u0*s2 >= u0",
            "u0 <= 100",
            "s2 <= 100",
            "s0*s2 == s1*s2",
            "s0*s2 == s2*s0",
            "max(s0, s1) == s0",
            "max(s0, s1) >= s1",
            "s1 + s0 == 2*s0",
            "s0 + 1 == s1",
            "s1 >= s2",
            "s1 - s2 >= s2",
            "s0//2 <= s1",
        ],
        values=["max(s0, s1)", "s0*s2 - s1*s2", "u0*s2", "(s0 + s1)//2"],
    )


def strided(rng: random.Random) -> Problem:
    heads = rng.choice([2, 4, 8])
    return Problem(
        symbols=["backed 4 2 inf", "backed 32 2 inf", "backed 16 2 inf"],
        facts=rng.sample(
            [
                f"s1 % {heads} == 0",
                f"s1 == {heads}*s2//{rng.choice([1, 2])}",
                "s1 == 2*s2",
                "s2 <= s1",
                f"s2 % {heads // 2 or 1} == 0",
            ],
            rng.randint(1, 3),
        ),
        questions=[
            f"s1//{heads}*{heads} == s1",
            "(s0*s1)//s1 == s0",
            f"(s0*s1)//{heads} == s0*(s1//{heads})",
            "(s0*s1) % s1 == 0",
            f"s0*s1 % {heads} == 0",
            f"s1//{heads} >= 1",
            f"s1 - s1//{heads}*{heads} == 0",
            "s1 >= s2",
            "s1//2 == s2",
            "s1 % 2 == 0",
            "s0*s1 == 2*s0*s2",
            "s0*s1*s2 >= s1*s2",
            "(s0 - 1)*s1 + s1 == s0*s1",
            "(s0 - 1)*s1 + s2 <= s0*s1",
            "(s0 - 1)*s1 + (s1 - 1) < s0*s1",
            "s1//2 <= s1 - 1",
            f"s1//{heads} <= s1//2",
            f"(s1 + {heads - 1})//{heads} >= s1//{heads}",
            f"(s1 + {heads - 1})//{heads} <= s1//{heads} + 1",
            f"(s1 + {heads - 1})//{heads} == s1//{heads}",
        ],
        values=[f"s1//{heads}*{heads}", f"(s0*s1)//{heads}", "s1//2", "(s0 - 1)*s1 + s1"],
    )


def size_of_result(rng: random.Random) -> str:
    """A size as some operator computes it from those of its inputs."""
    a, b = rng.choice(["s0", "s1", "s2", "u0"]), rng.choice(["s0", "s1", "s2"])
    number = rng.randint(1, 4)
    return rng.choice(
        [
            a,
            b,
            f"{a}*{b}",
            f"{a} + {b}",
            f"{a} + {number}",
            f"{number}*{a}",
            f"{a}//{number}",
            f"({a} + {number - 1})//{number}",
            f"{a} - {a}//{number}",
            f"{a} % {number}",
            f"max({a}, {number})",
            f"min({a}, {b})",
            f"max({a} - {number}, 0)",
            f"{a}*max({b}, 1)",
            f"({a}*{b})//{number}",
            f"({number}*{a}*{b})//{b}",
            f"max({a}, {b})*{number}",
            f"(min({a}, {b}) + {number - 1})//{number}",
            window(
                a, rng.randint(1, 3), rng.randint(1, 2), rng.randint(0, 1), 1, rng.random() < 0.2
            ),
        ]
    )


def mixed(rng: random.Random) -> Problem:
    """Sizes of results compared with each other."""

    def condition() -> str:
        sign = rng.choice(["==", "!=", "<", "<=", ">=", ">=", "<="])
        return (
            f"{size_of_result(rng)} {sign} {rng.choice([size_of_result(rng), rng.randint(0, 9)])}"
        )

    return Problem(
        symbols=["backed 12 2 inf", "backed 24 2 inf", "backed 6 0 inf", "unbacked 0 inf"],
        facts=[condition() for _ in range(rng.randint(0, 4))],
        questions=[condition() for _ in range(16)],
        values=[size_of_result(rng) for _ in range(4)],
    )


FAMILIES = [generic, mixed, convolution, reshape, joined, broadcast, strided]
