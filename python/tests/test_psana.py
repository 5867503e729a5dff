"""Scripts in psana's words."""

from __future__ import annotations

import re

import numpy as np
import pytest
from conftest import data

import livetime as lt
from livetime.bench_peers import write_lcls2
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


def test_steps_of_a_scan_and_what_holds_in_them():
    run = next(DataSource(files=data("xtc2/lcls2/fakesteps/xpptut15-r0014-s000-c000.xtc2")).runs())
    assert (run.expt, run.runnum) == ("xpptut15", 1)
    assert run.detinfo == {("andor", "raw"): ["calib"], ("hsd", "raw"): ["calib"]}
    assert run.scaninfo == {("motor1", "raw"): "raw", ("motor2", "raw"): "raw"}
    hsd, motor1 = run.Detector("hsd"), run.Detector("motor1")
    steps = [(motor1(step), [hsd.raw.calib(evt).shape for evt in step.events()]) for step in run.steps()]
    # As psana 4.3 has it.
    assert [value for value, _ in steps] == [42.0, 42.0] and [len(shapes) for _, shapes in steps] == [5, 5]
    few = next(DataSource(files=run.run.files[0], max_events=7).runs())
    assert [len(list(step.events())) for step in few.steps()] == [5, 2]
    exact = next(DataSource(files=run.run.files[0], max_events=5).runs())
    assert [len(list(step.events())) for step in exact.steps()] == [5]


def test_a_run_without_steps_is_one_step(tmp_path):
    write_run(tmp_path, images(6))
    run = next(DataSource(exp="x", run=1, dir=str(tmp_path)).runs())
    assert [len(list(step.events())) for step in run.steps()] == [6]


PEDESTAL = np.full((2, 3), 1000.0)
# Two pixels of a row of the picture for each: the segment as it is.
GEOMETRY = "CAM 0 MTRX:2:3:100:100 0  0 0 0  0 0 0  0 0 0\n"


def recorded(folder, kind):
    """Six pictures of 2 x 3 pixels, of LCLS-I or LCLS-II, and a function that makes the detector of a run."""
    pictures = [picture[:2, :3] for picture in images(6)]
    if kind == "xtc1":
        return write_run(folder, pictures), pictures, OPAL
    write_lcls2(path := str(folder / "x-r0001-s000-c000.xtc2"), pictures, 2, 3)
    return path, pictures, "jungfrau"


@pytest.mark.parametrize("kind", ["xtc1", "xtc2"])
def test_corrected_and_assembled_pictures(tmp_path, kind):
    path, pictures, name = recorded(tmp_path, kind)
    (tmp_path / "0-end.data").write_text(GEOMETRY)
    correct = lt.Corrections(pedestal=PEDESTAL)
    ds = DataSource(files=path, constants={name: correct}, geometry={name: tmp_path / "0-end.data"})
    run = next(ds.runs())
    det = run.Detector(name)
    of = det if kind == "xtc1" else det.raw
    count = 0
    for evt, picture in zip(run.events(), pictures, strict=True):
        calib = of.calib(evt)
        assert np.array_equal(calib.reshape(2, 3), picture.astype(np.float32) - 1000)
        assert np.array_equal(of.raw(evt).reshape(2, 3), picture)
        placed = lt.geometry.load(tmp_path / "0-end.data")
        assert np.array_equal(of.image(evt), placed.assemble(calib))
        assert np.array_equal(of.image(evt, nda=calib * 2), placed.assemble(calib * 2))
        count += 1
    assert count == 6


@pytest.mark.parametrize("kind", ["xtc1", "xtc2"])
def test_constants_that_were_not_given_are_asked_for(tmp_path, kind):
    path, _, name = recorded(tmp_path, kind)
    run = next(DataSource(files=path).runs())
    det = run.Detector(name)
    evt = next(run.events())
    of = det if kind == "xtc1" else det.raw
    with pytest.raises(lt.RecordingError, match=f"wanted constants of `{re.escape(name)}`, found none: DataSource"):
        of.calib(evt)
    with pytest.raises(lt.RecordingError, match="wanted geometry of"):
        of.image(evt)
    with pytest.raises(lt.RecordingError, match="found a call of the algorithm|found `fex`"):
        det.fex(evt)
    with pytest.raises(lt.RecordingError, match="none.data"):
        DataSource(files=path, geometry={name: "none.data"})


def test_a_real_picture_of_an_epix_is_corrected(tmp_path):
    from numcodecs.zstd import Zstd

    packed = open(data("xtc2/lcls2/test_epix_calib.xtc2.zst"), "rb").read()
    path = tmp_path / "epix-r0001-s000-c000.xtc2"
    path.write_bytes(Zstd().decode(packed))
    name = next(iter(next(DataSource(files=str(path)).runs()).detnames))
    correct = lt.Corrections(pedestal=np.full((4, 352, 384), 5.0))
    run = next(DataSource(files=str(path), constants={name: correct}).runs())
    det = run.Detector(name)
    found = [(det.raw.raw(evt), det.raw.calib(evt)) for evt in run.events()]
    assert len(found) == 2 and found[0][0].shape == (4, 352, 384)
    for raw, calib in found:
        assert calib.dtype == np.float32 and np.array_equal(calib, raw.astype(np.float32) - 5)


def test_events_that_are_named_by_their_time(tmp_path):
    path = write_run(tmp_path, images(8), steps=[0, 4])
    stamps = [evt.timestamp for evt in next(DataSource(files=path).runs()).events()]
    np.save(tmp_path / "stamps.npy", np.array(stamps[3:5], np.uint64))
    for given in ([stamps[4], stamps[3], 7], str(tmp_path / "stamps.npy")):
        run = next(DataSource(files=path, timestamps=given).runs())
        assert [evt.timestamp for evt in run.events()] == stamps[3:5]
        assert [[evt.timestamp for evt in step.events()] for step in run.steps()] == [stamps[3:4], stamps[4:5]]


def test_the_folder_of_an_experiment(tmp_path, monkeypatch):
    folder = tmp_path / "xpp" / "xpptut15" / "xtc"
    folder.mkdir(parents=True)
    for number in (3, 14):
        write_lcls2(str(folder / f"xpptut15-r{number:04}-s000-c000.xtc2"), [p[:2, :3] for p in images(2)], 2, 3)
    with pytest.raises(TypeError, match="found neither dir= nor SIT_PSDM_DATA"):
        monkeypatch.delenv("SIT_PSDM_DATA", raising=False)
        DataSource(exp="xpptut15", run=3)
    monkeypatch.setenv("SIT_PSDM_DATA", str(tmp_path))
    assert [len(run.run) for run in DataSource(exp="xpptut15", run=3).runs()] == [2]
    assert len(list(DataSource(exp="xpptut15").runs())) == 2
    with pytest.raises(lt.RecordingError, match="found none"):
        DataSource(exp="xpptut15", dir=str(tmp_path))
