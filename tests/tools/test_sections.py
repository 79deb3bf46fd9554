"""The sections of the test commands and the table at their end."""

import json

from sections import Sections


def test_a_failing_section_stops_no_other_and_fails_the_command(capsys):
    sections = Sections()

    assert sections.run("first", lambda: False) is False
    assert sections.run("second", lambda: True) is True

    assert sections.close() == 1
    table = capsys.readouterr().out.split("section")[-1]
    assert [line.split()[0] for line in table.splitlines()[1:]] == ["first", "second", "total"]
    assert [line.endswith("FAILED") for line in table.splitlines()[1:]] == [True, False, True]


def test_times_are_written_where_the_environment_asks(tmp_path, monkeypatch):
    path = tmp_path / "sections.json"
    monkeypatch.setenv("OPWRIGHT_SECTIONS", str(path))
    sections = Sections()
    sections.run("quick", lambda: True)

    assert sections.close() == 0
    (written,) = json.loads(path.read_text())
    assert (written["title"], written["passed"]) == ("quick", True)
    assert written["wall_seconds"] >= 0
