"""opwright run --profile: the table, and the trace for chrome://tracing."""

import json
import re

import numpy as np
import pytest


@pytest.fixture
def profiled(opwright, programs, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((4, 3), np.float32))
    words = ("--input", "x.npy", "--repeat", "5", "--profile", "trace.json")
    done = opwright("run", programs / "linear.opw", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((tmp_path / "trace.json").read_text())


def test_the_table_has_a_line_for_each_node_and_shares_that_add_up(profiled):
    text, _ = profiled
    rows = re.findall(r"^ +(\d+) +([\d.]+) +([\d.]+)% +(\S.*?)$", text, re.MULTILINE)

    assert sorted(row[3].split()[0] for row in rows) == [
        "(between",
        "aten::add.Tensor",
        "aten::mm",
        "aten::relu",
    ]
    assert {row[0] for row in rows} == {"5"}
    assert sum(float(row[2]) for row in rows) == pytest.approx(100, abs=0.5)


def test_the_table_is_sorted_by_time(profiled):
    text, _ = profiled
    times = [
        float(time) for time in re.findall(r"^ +5 +([\d.]+) +[\d.]+% +aten", text, re.MULTILINE)
    ]

    assert len(times) == 3
    assert times == sorted(times, reverse=True)


def test_the_trace_has_every_call_inside_of_its_run(profiled):
    _, trace = profiled
    runs = [event for event in trace["traceEvents"] if event["name"] == "run"]
    calls = [event for event in trace["traceEvents"] if event["name"] != "run"]

    assert len(runs) == 5
    assert [event["name"] for event in calls] == ["aten::mm", "aten::add.Tensor", "aten::relu"] * 5
    assert all(event["ph"] == "X" for event in trace["traceEvents"])
    for place, call in enumerate(calls):
        run = runs[place // 3]
        assert run["ts"] <= call["ts"]
        assert call["ts"] + call["dur"] <= run["ts"] + run["dur"] + 0.01


def test_the_trace_tells_sizes(profiled):
    _, trace = profiled
    (first, *_) = (event for event in trace["traceEvents"] if event["name"] == "aten::mm")

    assert first["args"]["%mm"] == "float32[batch, 2]"


def test_without_a_file_only_the_table_is_made(opwright, programs, tmp_path):
    words = ("--random", "--profile")
    done = opwright("run", programs / "linear.opw", *words, cwd=tmp_path)

    assert "aten::mm" in done.stdout
    assert "trace" not in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_trace_that_cannot_be_written_is_an_error(opwright, programs, tmp_path):
    words = ("--random", "--profile", tmp_path / "no" / "trace.json")
    done = opwright("run", programs / "linear.opw", *words)

    assert done.returncode == 1
    assert done.stderr == (
        f"opwright run: cannot write {tmp_path}/no/trace.json: No such file or directory\n"
    )
