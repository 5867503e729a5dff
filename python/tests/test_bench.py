"""The measurements run, and say on what machine and beside what."""

from __future__ import annotations

import json

import numpy as np
import pytest

import livetime as lt
from livetime import bench, bench_peers
from livetime.testing import images


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


def test_the_run_for_psana_has_the_pictures(tmp_path):
    pictures = images(30)
    path = str(tmp_path / "e3-r0001-s000-c000.xtc2")
    bench_peers.write_lcls2(path, pictures, 60, 80)
    run = lt.open(path)
    found = [event.array for event in run.events("jungfrau")]
    assert len(found) == 30 and run.account.whole == 30
    assert all(np.array_equal(array[0], picture) for array, picture in zip(found, pictures, strict=True))


def test_a_peer_that_is_not_there_is_named(capsys, monkeypatch):
    monkeypatch.setattr(bench, "find_spec", lambda name: None)
    found = measured(capsys, "--filter", "XTC2")
    assert found["rows"] == [] and "psana" in found["left_out"]
    bench.main(["--quick", "--filter", "XTC2"])
    assert "left out: psana is not installed" in capsys.readouterr().err
