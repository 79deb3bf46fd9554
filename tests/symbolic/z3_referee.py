"""Sends the same queries to a ShapeEnv, through the program shape_env, and to Z3."""

import ast
import operator
import os
import subprocess
from pathlib import Path

import pytest

z3 = pytest.importorskip("z3", reason="z3-solver is not installed: no claim was refereed")

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
TIMEOUT_MS = 300
COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class Session:
    """A ShapeEnv in another process: one line in, one line out."""

    def __init__(self):
        self.process = subprocess.Popen(
            [BUILD / "shape_env"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, line: str) -> str:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"the program ended at: {line}"
        return answer.rstrip("\n")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Translation:
    """An expression's text as a Z3 term, with the conditions that make its divisions defined."""

    def __init__(self):
        self.defined = []

    def translate(self, text: str):
        return self.visit(ast.parse(text.strip(), mode="eval").body)

    def number(self, node):
        term = self.visit(node)
        return z3.If(term, 1, 0) if z3.is_bool(term) else term

    def condition(self, node):
        term = self.visit(node)
        return term if z3.is_bool(term) else term != 0

    def visit(self, node):
        match node:
            case ast.Constant(value=value):
                return z3.IntVal(value)
            case ast.Name(id=name):
                return z3.Int(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.number(operand)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return z3.Not(self.condition(operand))
            case ast.BoolOp(op=op, values=values):
                parts = [self.condition(value) for value in values]
                return z3.And(parts) if isinstance(op, ast.And) else z3.Or(parts)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return COMPARISONS[type(op)](self.number(left), self.number(right))
            case ast.Call(func=ast.Name(id=name), args=args):
                return self.extreme(name, [self.number(arg) for arg in args])
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(op, self.number(left), self.number(right))
        raise ValueError(ast.dump(node))

    def extreme(self, name, terms):
        result = terms[0]
        for term in terms[1:]:
            first = result >= term if name == "max" else result <= term
            result = z3.If(first, result, term)
        return result

    def binary(self, op, a, b):
        match op:
            case ast.Add():
                return a + b
            case ast.Sub():
                return a - b
            case ast.Mult():
                return a * b
        if z3.is_int_value(b) and b.as_long() > 0:
            quotient = a / b
        else:
            self.defined.append(b != 0)
            quotient = z3.If(b > 0, a / b, (-a) / (-b))
        return quotient if isinstance(op, ast.FloorDiv) else a - b * quotient


class Referee:
    """Facts about the symbols, and what follows from them."""

    def __init__(self):
        self.solver = z3.Solver()
        self.solver.set("timeout", TIMEOUT_MS)

    def assume(self, text: str):
        translation = Translation()
        term = translation.translate(text)
        self.solver.add(*translation.defined, term if z3.is_bool(term) else term != 0)

    def bound(self, name: str, least: str, greatest: str):
        if least != "-inf":
            self.solver.add(z3.Int(name) >= int(least))
        if greatest != "inf":
            self.solver.add(z3.Int(name) <= int(greatest))

    def proves(self, text: str) -> bool | None:
        """Whether it always holds; None: Z3 cannot tell."""
        translation = Translation()
        term = translation.translate(text)
        if not z3.is_bool(term):
            term = term != 0
        self.solver.push()
        self.solver.add(*translation.defined, z3.Not(term))
        answer = self.solver.check()
        self.solver.pop()
        return None if answer == z3.unknown else answer == z3.unsat

    def decide(self, text: str) -> str:
        """true, false, unknown (it depends), or timeout."""
        holds = self.proves(text)
        if holds:
            return "true"
        fails = self.proves(f"not ({text})")
        if fails:
            return "false"
        return "timeout" if holds is None or fails is None else "unknown"


def value_of(text: str, values: dict[str, int]) -> int:
    """Python's own value."""
    names = {"max": max, "min": min, "__builtins__": {}}
    return int(eval(text, names, dict(values)))


SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}


def postfix(text: str) -> str:
    """The operations of an expression without conditions, operands first."""

    def visit(node) -> list[str]:
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                return [*visit(left), *visit(right), SIGNS[type(op)]]
            case ast.Call(func=ast.Name(id=name), args=[left, right]):
                return [*visit(left), *visit(right), name]
        return [ast.unparse(node)]

    return " ".join(visit(ast.parse(text.strip(), mode="eval").body))
