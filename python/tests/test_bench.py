"""The measurements run, and say on what machine and beside what."""

from __future__ import annotations

import json

import pytest

from livetime import bench


def measured(capsys, *arguments):
    assert bench.main(["--quick", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_measurement_gives_a_row(capsys):
    found = measured(capsys)
    assert found["machine"]["cores"] and found["quick"] is True
    names = [row["name"] for row in found["rows"]]
    assert len(set(names)) == len(names) >= 24
    assert all(row["median"] > 0 for row in found["rows"])
    pairs = [row for row in found["rows"] if "peer" in row]
    assert len(pairs) >= 7 and all(row["ratio"] > 0 and row["peer"]["median"] > 0 for row in pairs)


def test_rows_are_chosen_by_name_and_printed_as_a_table(capsys):
    found = measured(capsys, "--filter", "array of a frame")
    assert [row["name"] for row in found["rows"]] == ["array of a frame"]
    bench.main(["--quick", "--filter", "loop with"])
    lines = capsys.readouterr().out.splitlines()
    assert "events/s  x " in lines[0] and lines[0].endswith("of numpy.fromfile")


def test_wrong_usage_is_told(capsys):
    with pytest.raises(SystemExit) as ended:
        bench.main(["--quik"])
    assert ended.value.code == 2 and "--quik" in capsys.readouterr().err
