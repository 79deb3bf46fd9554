"""The README shows what works, and stays a front door."""

import re
import sys

from .document_blocks import BUILD, README, ROOT, block_with, run

# An expression at the start of a line, and the comment that shows its value.
SHOWN = re.compile(r"^(\S.*?)  # (.*)$", re.MULTILINE)


def test_the_readme_stays_a_front_door():
    assert len(README.read_text().splitlines()) <= 200


def test_the_cpp_example_builds_and_gives_what_it_says(tmp_path):
    source = tmp_path / "soft_clip.cpp"
    source.write_text(block_with(README, "OPWRIGHT_LIBRARY", "cpp"))
    binary = tmp_path / "libsoft_clip.so"
    includes = [f"-I{ROOT / 'include'}", f"-I{BUILD / 'generated'}"]
    flags = ["-std=c++20", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    run(["g++", *flags, *includes, source, "-o", binary], tmp_path)

    program = block_with(README, "load_library").replace('"libsoft_clip.so"', repr(str(binary)))
    ((expression, text),) = SHOWN.findall(program)
    shown = run([sys.executable, "-c", f"{program}\nprint(repr({expression}))"], tmp_path)

    assert shown.strip() == text


def test_the_python_example_gives_what_it_says():
    source = block_with(README, "custom_op")
    names = {}
    exec(source, names)

    shown = SHOWN.findall(source)
    assert len(shown) == 2
    for expression, text in shown:
        assert repr(eval(expression, names)) == text.removesuffix(", without memory")
