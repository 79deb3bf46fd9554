"""python -m opwright check: opcheck from the command line."""

import pytest
from opwright.__main__ import main

SOURCE = """\
import opwright as ow


@ow.library.custom_op("cli_check::crop", mutates_args=())
def crop(pic: ow.Tensor, box: list[int]) -> ow.Tensor:
    return pic[:, box[0]:box[2], box[1]:box[3]]


@ow.library.custom_op("cli_check::crop_copy", mutates_args=())
def crop_copy(pic: ow.Tensor, box: list[int]) -> ow.Tensor:
    return pic[:, box[0]:box[2], box[1]:box[3]].clone()
"""
EXAMPLE = "randn(3, 64, 64), [0, 0, 10, 10]"


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "cli_check_operators.py"
    path.write_text(SOURCE)
    return str(path)


def test_a_fault_is_shown_and_is_the_exit_code(module, capsys):
    arguments = ["check", "cli_check::crop", "--load", module, "--checks", "results"]

    assert main([*arguments, "--example", EXAMPLE]) == 1

    out = capsys.readouterr().out
    assert "results  FAILED" in out
    assert "results/wrong-results: cli_check::crop: result 1 shares memory" in out
    assert "smallest input:" in out


def test_a_sound_operator_gives_zero(module, capsys):
    arguments = ["check", "cli_check::crop_copy", "--load", module, "--checks", "schema"]

    assert main([*arguments, "--example", EXAMPLE, "--examples", "5"]) == 0

    assert "schema  ok" in capsys.readouterr().out


def test_an_example_has_keywords_and_several_may_be_given(capsys):
    arguments = ["check", "aten::sum.dim_IntList", "--checks", "schema", "--examples", "0"]

    assert main([*arguments, "--example", "ones(2, 3), dim=[1]", "--example", "ones(3), [0]"]) == 0

    assert capsys.readouterr().out.count("opcheck of aten::sum.dim_IntList") == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["aten::sni", "--example", "ones(3)"], "did you mean 'sin'?"),
        (["aten::sin", "--example", "ones(3"], "'(' was never closed in \"ones(3\""),
        (["aten::sin", "--example", "onez(3)"], "name 'onez' is not defined"),
        (["sin", "--example", "ones(3)"], "'sin' is not the name of an operator"),
        (["aten::mm", "--example", "ones(3), ones(3)"], "the operator rejects the example"),
        (["aten::sin", "--example", "ones(3)", "--load", "nowhere.py"], "there is no file nowhere"),
        (["aten::sin", "--example", "ones(3)", "--checks", "shema"], "did you mean 'schema'?"),
    ],
)
def test_what_cannot_be_checked_is_told_and_gives_one(arguments, words, capsys):
    assert main(["check", *arguments]) == 1

    assert words in capsys.readouterr().err
