"""The command line of opwright: help, versions, wrong words."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_help_tells_the_commands(opwright):
    done = opwright("--help")

    assert done.returncode == 0
    assert "opwright run PROGRAM.opw" in done.stdout
    assert "opwright show PROGRAM.opw" in done.stdout
    assert "opwright onnx PROGRAM.opw" in done.stdout
    assert "opwright convert PROGRAM.opw" in done.stdout


@pytest.mark.parametrize("command", ["run", "show", "onnx", "convert"])
def test_each_command_has_a_help_of_its_own(opwright, command):
    done = opwright(command, "--help")

    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: opwright {command} PROGRAM.opw")


def test_every_option_of_run_stands_in_its_help(opwright):
    source = (ROOT / "command/options.cpp").read_text()
    options = set(re.findall(r'name == "(--[a-z]+)"', source))
    told = set(re.findall(r"^  (--[a-z]+)", opwright("run", "--help").stdout, re.MULTILINE))

    assert len(options) == 11
    assert told == options


def test_every_option_of_onnx_stands_in_its_help(opwright):
    source = (ROOT / "command/options.cpp").read_text()
    options = set(re.findall(r'word == "(--[a-z]+)"', source))
    told = set(re.findall(r"^  (--[a-z]+)", opwright("onnx", "--help").stdout, re.MULTILINE))

    assert len(options) == 6
    assert told == options


def test_the_version_is_that_of_the_tree(opwright):
    (version,) = re.findall(
        r"project\(opwright VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()
    )

    assert opwright("--version").stdout == f"opwright {version}\n"


def test_without_words_it_tells_how_it_is_used(opwright):
    done = opwright()

    assert done.returncode == 2
    assert done.stderr.startswith("usage: opwright COMMAND")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["ran"], "opwright: unknown command 'ran'; the commands are run, show, onnx and convert"),
        (["run"], "opwright run: name a program: a file that export saved"),
        (["run", "a.opw", "b.opw"], "opwright run: one program at a time, got a.opw and b.opw"),
        (["run", "a.opw", "--inputs", "x"], "unknown option --inputs, did you mean --input?"),
        (["run", "a.opw", "--fast"], "opwright run: unknown option --fast"),
        (["run", "a.opw", "--repeat"], "opwright run: --repeat needs a value"),
        (["run", "a.opw", "--repeat", "x"], "--repeat must be a whole number, got 'x'"),
        (["run", "a.opw", "--repeat=0"], "--repeat must be from 1 to 10000000, got 0"),
        (["run", "a.opw", "--threads", "0"], "--threads must be from 1 to 4096, got 0"),
        (["run", "a.opw", "--random=yes"], "--random takes no value, got 'yes'"),
        (["onnx"], "opwright onnx: name a program: a file that export saved"),
        (["onnx", "a.opw", "--opset=11"], "--opset must be from 12 to 28, got 11"),
        (["onnx", "a.opw", "--opst=12"], "unknown option --opst, did you mean --opset?"),
        (["convert", "a.opw"], "opwright convert: name the file to write: NAME.pt2 or NAME.opw"),
        (["convert", "a", "b", "c"], "opwright convert: two files are expected, got also c"),
        (["show"], "opwright show: name a program: a file that export saved"),
        (["show", "a.opw", "--halp"], "unknown option --halp, did you mean --help?"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_code_two(opwright, words, error):
    done = opwright(*words)

    assert done.returncode == 2
    assert error in done.stderr
    assert done.stderr.endswith(" --help\n")
    assert done.stderr.count("\n") == 1


def test_words_after_two_dashes_are_no_options(opwright):
    done = opwright("show", "--", "--no-such-file")

    assert done.returncode == 1
    assert "--no-such-file" in done.stderr
