"""Tables to files: by the same writers as the command line, and read back by pyarrow."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import REPOSITORY, skip

import livetime as lt
from livetime.testing import images, write_frames, write_run

READ = """
import json, sys
import pyarrow.parquet as parquet
read = parquet.read_table(sys.argv[1])
print(json.dumps([[field.name, str(field.type), read[field.name].to_pylist()] for field in read.schema]))
"""


def by_pyarrow(path: Path) -> list[tuple[str, str, list[Any]]]:
    """Names, types and values of the columns of a file."""
    made = subprocess.run([REPOSITORY / "tools/peers.sh", "parquet"], capture_output=True, text=True, timeout=600)
    if made.returncode:
        skip("peers/parquet", f"tools/peers.sh parquet: {made.stderr.strip()}")
    done = subprocess.run([made.stdout.strip(), "-c", READ, path], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return [tuple(column) for column in json.loads(done.stdout)]


def peaked(folder: Path) -> str:
    pictures = images(12)
    for number, picture in enumerate(pictures):
        picture[10 + number, 20] += 3000
        picture[40, 5 + 3 * number] += 2000
    return write_run(folder, pictures)


def test_peaks_are_written_as_by_the_command_line(tmp_path, program):
    file = peaked(tmp_path)
    found = lt.analyze(lt.open(file), "Opal1000", lt.Peaks(2500, low=1500))
    by_program = ["analyze", file, "--with", "peaks", "--peaks", "low=1500,high=2500", "--tables", "npy,csv,parquet"]
    subprocess.run([program, *by_program, "-o", tmp_path / "out"], check=True, capture_output=True, timeout=600)
    (tmp_path / "own").mkdir()
    for name in ("peaks", "peak-events"):
        for ending in ("npy", "csv", "parquet"):
            own = tmp_path / "own" / f"{name}.{ending}"
            lt.write_table(own, found[name])
            assert own.read_bytes() == (tmp_path / "out" / own.name).read_bytes(), own.name
    assert len(found["peaks"]["event"]) == 24
    columns = by_pyarrow(tmp_path / "own/peaks.parquet")
    assert columns[0][:2] == ("event", "uint64")
    for (name, kind, values), (wanted, cells) in zip(columns, found["peaks"].items(), strict=True):
        assert kind in ("uint64", "int64", "double") and values == cells.tolist(), (name, wanted)
    structured = np.load(tmp_path / "own/peaks.npy")
    assert list(structured.dtype.names) == list(found["peaks"])
    assert all(np.array_equal(structured[name], cells) for name, cells in found["peaks"].items())


HITS = """
memory: 64 MiB
nodes:
  wires: {type: wib_file, params: {file: PATH}}
  hits: {type: hit_finder, from: {node: wires, when_full: block}}
  disk: {type: hits_parquet, from: {node: hits, when_full: block}, params: {path: FOLDER}}
"""


def test_hits_are_those_of_the_sink(tmp_path):
    samples = np.random.default_rng(3).normal(900, 5, (256, 16384)).astype(np.uint16)
    for channel in range(0, 256, 5):
        samples[channel, 12000 + channel : 12012 + channel] += 300
    path = write_frames(tmp_path, samples)
    run = lt.Graph(HITS.replace("PATH", path).replace("FOLDER", str(tmp_path))).start(hold=True)
    frames = run.frames("hits", when_full="block")
    run.release()
    tables = [frame.table for frame in frames]
    run.wait()
    written = tmp_path / "own.parquet"
    lt.write_table(written, tables)
    (sink,) = tmp_path.glob("hits_*.parquet")
    own, others = by_pyarrow(written), by_pyarrow(sink)
    assert [(name, values) for name, _, values in own] == [(name, values) for name, _, values in others]
    assert len(own[0][2]) >= 50
    lt.write_table(tmp_path / "own.csv", tables)
    lines = (tmp_path / "own.csv").read_text().splitlines()
    assert lines[0].split(",") == [name for name, _, _ in own] and len(lines) == len(own[0][2]) + 1


def test_small_data_are_columns(tmp_path):
    samples = np.random.default_rng(1).normal(900, 8, (256, 3000)).astype(np.uint16)
    run = lt.open(write_frames(tmp_path, samples, missing=[1500]))
    table = run.table("frames", "timestamp")
    assert list(table) == ["event", "time_ns", "frames", "timestamp"]
    assert table["frames"].tolist() == [1024, 1023, 952] and table["frames"].dtype == np.int64
    assert table["timestamp"].tolist() == [run.small(number)["timestamp"] for number in range(3)]
    assert table["time_ns"].tolist() == [int(run.time(number).astype(np.int64)) for number in range(3)]
    assert run.table("frames", start=1, select="window.begin > 0")["event"].tolist() == [1, 2]
    assert run.table(step=2)["frames"].tolist() == [1024, 952]
    lt.write_table(tmp_path / "small.parquet", table)
    assert {name: values for name, _, values in by_pyarrow(tmp_path / "small.parquet")} == {
        name: cells.tolist() for name, cells in table.items()
    }
    with pytest.raises(lt.RecordingError, match="none called `framse`; the first one has begin"):
        run.table("framse")


def test_what_an_event_lacks_is_nan(tmp_path):
    run = lt.open(write_run(tmp_path, images(4), codes=[[40], [40, 140]]))
    with pytest.raises(ValueError, match=r"column `event codes`: wanted a number at each event, found \(40, 140\)"):
        run.table("event codes")
    codes = run.table("event codes", stop=1)["event codes"]
    assert codes.tolist() == [40]
    lacking = run.table("event codes", step=2)["event codes"]
    assert lacking.dtype == np.float64 and lacking[0] == 40 and np.isnan(lacking[1])


def test_what_is_no_table_is_refused(tmp_path):
    good = {"a": np.arange(3), "b c": np.array([0.5, np.nan, -1], np.float32)}
    lt.write_table(tmp_path / "t.csv", [good, {"a": [7], "b c": [True]}])
    assert (tmp_path / "t.csv").read_text() == "a,b c\n0,0.5\n1,NaN\n2,-1\n7,1\n"
    wrong = [
        ("t.txt", good, "wanted a name that ends with .parquet, .csv, .npy"),
        ("t.csv", {}, "wanted a table with columns, found none"),
        ("t.csv", [good, {"a": [1]}], "wanted tables with the columns"),
        ("t.csv", {"a": [1, 2], "b": [1]}, "wanted columns of one length"),
        ("t.csv", {"a": ["x"]}, "column `a`: wanted numbers with one axis"),
        ("t.csv", {"a": np.zeros((2, 2))}, "column `a`: wanted numbers with one axis"),
    ]
    for name, table, message in wrong:
        with pytest.raises(ValueError, match=message):
            lt.write_table(tmp_path / name, table)
    with pytest.raises(OSError, match="cannot write"):
        lt.write_table(tmp_path / "none" / "t.csv", good)
