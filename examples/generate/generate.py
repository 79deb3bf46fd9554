"""Generate text with an exported decoder, token by token.

    python decoder.py decoder.pt2
    python generate.py decoder.pt2 --temperature 0.8 --top-k 40 --top-p 0.95

It prints the first sequence as it grows, then the others, and the tokens per second.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import opwright as ow
from opwright.export import ExportedProgram, load

HERE = Path(__file__).resolve().parent


def load_operators(binary: str | None) -> None:
    """Register `opwright.ops.generate` from a binary, or from its source."""
    if binary:
        ow.load_library(binary)
    else:
        sources = [str(HERE / "sampling.cpp")]
        ow.cpp_extension.load("sampling", sources, is_python_module=False)


def generate(
    program: ExportedProgram, prompt: bytes, batch: int, count: int, **settings: float
) -> Iterator[list[int]]:
    """Yield the next token of each sequence, `count` times.

    The first call of the program takes the whole prompt, each later one a single token.
    """
    tokens = ow.tensor([list(prompt)] * batch)
    positions = ow.arange(len(prompt))
    for _ in range(count):
        scores = program(tokens, positions)
        chosen = ow.ops.generate.sample(scores, ow.rand(batch), **settings)
        yield chosen.tolist()
        tokens = chosen.unsqueeze(1)
        positions = positions[-1:] + 1


def printable(token: int) -> str:
    return chr(token) if 32 <= token < 127 else "."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", default="decoder.pt2")
    parser.add_argument("--operators", help="libsampling.so; else sampling.cpp is compiled")
    parser.add_argument("--prompt", default="Once upon a time")
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--batch", type=int, default=2, help="as the decoder was exported")
    parser.add_argument("--temperature", type=float, default=1.0, help="0: the best token")
    parser.add_argument("--top-k", type=int, default=0, help="0: all tokens")
    parser.add_argument("--top-p", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()

    load_operators(given.operators)
    ow.manual_seed(given.seed)
    program = load(given.path)
    settings = {
        "temperature": given.temperature, "top_k": given.top_k, "top_p": given.top_p
    }  # fmt: skip
    texts = [given.prompt] * given.batch
    sys.stdout.write(given.prompt)
    start = time.perf_counter()
    with ow.no_grad():
        prompt = given.prompt.encode()
        for tokens in generate(program, prompt, given.batch, given.tokens, **settings):
            texts = [text + printable(token) for text, token in zip(texts, tokens, strict=True)]
            sys.stdout.write(printable(tokens[0]))
            sys.stdout.flush()
    seconds = time.perf_counter() - start
    sys.stdout.write("\n" + "".join(text + "\n" for text in texts[1:]))
    sys.stderr.write(f"{given.batch * given.tokens / seconds:.0f} tokens per second\n")


if __name__ == "__main__":
    main()
