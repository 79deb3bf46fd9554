"""The pages that benchmarks write to docs/results."""

from benchmarks.harness.page import describe_run, markdown_table, write_page
from benchmarks.harness.rows import Row

RUN = {"date": "2026-11-16", "command": "`benchmarks/x.py`", "machine": "2 cores", "versions": "-"}


def test_a_page_has_the_title_the_text_the_run_and_the_rows(tmp_path):
    path = tmp_path / "x.md"
    row = Row.at_most("call", ours=4.0, limit=15, unit="ns")

    write_page(path, "Calls compared.\n\nTimes are medians.\n", RUN, [row.cells()])

    assert path.read_text() == (
        "# Calls compared\n"
        "\n"
        "Times are medians.\n"
        "\n"
        "| date | command | machine | versions |\n"
        "|---|---|---|---|\n"
        "| 2026-11-16 | `benchmarks/x.py` | 2 cores | - |\n"
        "\n"
        "| | ours | peer | peer / ours | target | |\n"
        "|---|--:|--:|--:|---|---|\n"
        "| call | 4 ns | - | - | <= 15 ns | ok |\n"
    )


def test_an_indented_row_continues_the_one_above():
    row = Row.times_better("  vs torch", ours=2.0, peer=1.0, times=4, unit="us")

    line = markdown_table([row.cells()])[-1]

    assert line == "| ... vs torch | 2 us | 1 us | 0.50x | >= 4x | short |"


def test_a_run_has_its_date_and_command():
    run = describe_run("benchmarks/x.py --quick")

    assert run["date"].count("-") == 2
    assert run["command"] == "`benchmarks/x.py --quick --write`"
