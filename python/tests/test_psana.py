"""Scripts in psana's words."""

from __future__ import annotations

import numpy as np
import pytest

import livetime as lt
from livetime.psana import DataSource
from livetime.testing import OPAL, images, write_run


def test_the_loop_of_the_tutorial(xtc2, tmp_path):
    ds = DataSource(files=xtc2)
    run = next(ds.runs())
    assert "xpphsd" in run.detnames
    det = run.Detector("xpphsd")
    smd = ds.smalldata(filename=str(tmp_path / "out.npz"), batch_size=5)
    sums = []
    for evt in run.events():
        raw = det.raw.array0Pgp(evt)
        if raw is None:
            continue
        sums.append(float(raw.sum()))
        smd.event(evt, total=raw.sum(), number=det.raw.intPgp(evt))
    smd.save_summary({"all": smd.sum(sum(sums))})
    smd.done()
    found = np.load(tmp_path / "out.npz")
    again = [float(e.array.sum()) for e in lt.open(xtc2).events("xpphsd.raw.array0Pgp")]
    assert sums == again and found["total"].tolist() == sums and len(sums) > 5
    assert (np.diff(found["timestamp"].astype(np.int64)) > 0).all() and found["number"].dtype.kind == "i"
    assert det.raw.nothing(evt) is None


def test_a_run_of_lcls_1_and_at_most_some_events(tmp_path):
    pictures = images(10)
    write_run(tmp_path, pictures)
    ds = DataSource(exp="x", run=1, dir=str(tmp_path), max_events=4)
    run = next(ds.runs())
    camera = run.Detector(OPAL)
    found = [camera(evt) for evt in run.events()]
    assert len(found) == 4 and all(np.array_equal(a, b) for a, b in zip(found, pictures))
    with pytest.raises(lt.RecordingError, match="found none"):
        DataSource(exp="x", run=2, dir=str(tmp_path))
