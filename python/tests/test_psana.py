"""Scripts in psana's words."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
import xtc2_files
from conftest import data

import livetime as lt
from livetime.bench_peers import write_lcls2
from livetime.psana import DataSource
from livetime.testing import BEGIN_RUN, CONFIGURE, EVENT, OPAL, datagram, images, write_run


def test_the_loop_of_the_tutorial(xtc2, tmp_path):
    ds = DataSource(exp="xpptut15", run=14, dir=str(Path(xtc2).parent))
    run = next(ds.runs())
    assert "xpphsd" in run.detnames
    det = run.Detector("xpphsd")
    smd = ds.smalldata(filename=str(tmp_path / "out.npz"), batch_size=5)
    sums = []
    for evt in run.events():
        raw = det.raw.array0Pgp(evt)
        sums.append(float(raw.sum()))
        smd.event(evt, total=raw.sum(), number=det.raw.intPgp(evt))
    smd.save_summary({"all": smd.sum(sum(sums))})
    smd.done()
    found = np.load(tmp_path / "out.npz")
    # Of several segments psana's functions give the first.
    again = [float(e.array[0].sum()) for e in lt.open(xtc2).events("xpphsd.raw.array0Pgp")]
    assert sums == again and found["total"].tolist() == sums and len(sums) == 15
    assert (np.diff(found["timestamp"].astype(np.int64)) > 0).all() and found["number"].dtype.kind == "i"
    with pytest.raises(AttributeError, match="as array0Pgp, array1Pgp, config, floatPgp, intPgp, found `nothing`"):
        det.raw.nothing(evt)


def test_files_are_read_alone_and_an_experiment_whole(xtc2):
    alone = next(DataSource(files=xtc2).runs())
    assert len(list(alone.events())) == 10
    names = [data(f"xtc2/lcls2/fakesteps/xpptut15-r0014-s00{stream}-c000.xtc2") for stream in (0, 1)]
    assert [run.detnames for run in DataSource(files=names).runs()] == [{"hsd"}, {"andor"}]


def test_all_events_come_also_those_without_the_detector(tmp_path):
    folder = str(Path(data("xtc2/lcls2/intg_det/xpptut15-r0014-s000-c000.xtc2")).parent)
    run = next(DataSource(exp="xpptut15", run=14, dir=folder, intg_det="andor").runs())
    andor = run.Detector("andor")
    found = [(evt._nanoseconds, andor.raw.calib(evt) is not None, evt.EndOfBatch()) for evt in run.events()]
    assert [ns for ns, _, _ in found] == list(range(4, 21))
    assert [ns for ns, has, _ in found if has] == [ns for ns, _, ends in found if ends == ["andor"]] == [7, 10, 13, 16, 19]


def test_an_event_that_was_kept_still_has_its_arrays(tmp_path):
    pictures = images(5)
    run = next(DataSource(files=write_run(tmp_path, pictures)).runs())
    camera = run.Detector(OPAL)
    # The array of the first one is read alone, and those of the others ahead.
    kept = [(evt, camera(evt)) for evt in run.events()]
    for (evt, first), picture in zip(kept, pictures, strict=True):
        assert np.array_equal(first, picture) and np.array_equal(camera(evt), picture)


@pytest.mark.parametrize("uses_arrays", [True, False])
def test_a_file_that_breaks_off_is_an_exception_behind_the_last_event(tmp_path, uses_arrays):
    write_lcls2(path := str(tmp_path / "x-r0001-s000-c000.xtc2"), [p[:2, :3] for p in images(6)], 2, 3)
    Path(path).write_bytes(Path(path).read_bytes()[:-150])
    run = next(DataSource(files=path).runs())
    det, numbers = run.Detector("jungfrau"), []
    with pytest.raises(lt.RecordingError, match="x-r0001-s000-c000.xtc2"):
        for evt in run.events():
            numbers.append((evt.number, det.raw.raw(evt).shape if uses_arrays else None))
    assert len(numbers) == 5


def test_several_runs_in_one_file_are_several_runs(tmp_path):
    xtc2_files.two_runs(path := tmp_path / "two-r0001-s000-c000.xtc2")
    found = {}
    for run in DataSource(files=path).runs():
        motor = run.Detector("motor")
        found[run.runnum] = [(motor(step), [motor(evt) for evt in step.events() if evt.run() is run]) for step in run.steps()]
    assert found == {7: [(7.0, [7.0] * 2), (7.5, [7.5] * 2)], 8: [(8.0, [8.0] * 3), (8.5, [8.5] * 3)]}


def test_a_process_variable_has_no_value_before_its_first_update():
    folder = str(Path(data("xtc2/lcls2/mixed_rate/xpptut15-r0014-s000-c000.xtc2")).parent)
    run = next(DataSource(exp="xpptut15", run=14, dir=folder).runs())
    gauge = run.Detector("HX2:DVD:GCC:01:PMON")
    found = [gauge(evt) for evt in run.events()]
    assert found == [None] * 25 + [41.0] * 75 and gauge.dtype is float
    again = next(DataSource(exp="xpptut15", run=14, dir=folder).runs())
    assert again.Detector("HX2:DVD:GCC:01:PMON,hello1")(next(again.events())) is None
    with pytest.raises(KeyError, match="HX2:DVD:GCC:01:PMON.*found `nothing`"):
        run.Detector("nothing")
    missing = run.Detector("nothing", accept_missing=True)
    assert missing.raw.raw(None) is None and list(missing) == []
    plain = lt.open(run.run.files[0])
    assert "HX2:DVD:GCC:01:PMON" not in plain.configuration(0) and plain.configuration(60)["HX2:DVD:GCC:01:PMON"] == 41.0
    assert plain.configuration(0)["definition of HX2:DVD:GCC:01:PMON"].endswith(",hello1")


def test_options_of_psana(tmp_path):
    path = write_run(tmp_path, images(2))
    DataSource(files=path, batch_size=3, live=False, intg_det="", skip_calib_load="all", dbsuffix="x", log_level="INFO", monitor=False)
    for refused in ({"shmem": "tmo"}, {"psmon_publish": print}, {"drp": 1}, {"monitor": True}):
        with pytest.raises(NotImplementedError, match=f"found {next(iter(refused))}="):
            DataSource(files=path, **refused)
    with pytest.raises(TypeError, match="found batch_sise="):
        DataSource(files=path, batch_sise=3)
    kept = {evt.number for evt in next(DataSource(files=path, smd_callback=lambda run: (e for e in run.events() if e.number)).runs()).events()}
    assert kept == {1}
    with pytest.raises(NotImplementedError, match="live=True"):
        next(next(DataSource(files=path, live=True, smd_callback=lambda run: run.events()).runs()).events())


def test_a_run_that_is_being_written_is_followed(tmp_path):
    xtc2_files.two_runs(whole := tmp_path / "whole.xtc2")
    bytes = whole.read_bytes()
    growing = tmp_path / "grow-r0001-s000-c000.xtc2.inprogress"
    # Up to the middle of the second run.
    growing.write_bytes(bytes[:-400])
    run = list(DataSource(files=growing, live=True).runs())[-1]
    numbers = []
    for evt in run.events():
        numbers.append(evt.number)
        if len(numbers) == 1:
            growing.write_bytes(bytes)
            growing.rename(growing.with_suffix(""))
    assert numbers == list(range(4, 10)), len(bytes)


def grows(path: Path, whole: bytes, first: int) -> Thread:
    """A recorder that writes datagram by datagram, from that one on while others read, and gives the file its name."""
    parts = xtc2_files.datagrams(whole)
    path.write_bytes(b"".join(parts[:first]))

    def write() -> None:
        for part in parts[first:]:
            with open(path, "ab") as file:
                # A reader may see half of it.
                file.write(part[: len(part) // 2])
                file.flush()
                file.write(part[len(part) // 2 :])
        path.rename(path.with_suffix(""))

    return Thread(target=write)


@pytest.mark.parametrize("first", range(2, 18, 3))
def test_steps_of_a_run_that_is_being_written_are_followed(tmp_path, first):
    xtc2_files.two_runs(whole := tmp_path / "whole.xtc2")
    recorder = grows(tmp_path / "grow-r0001-s000-c000.xtc2.inprogress", whole.read_bytes(), first)
    # Where `first` is 2, no run has begun.
    runs = DataSource(files=tmp_path / "grow-r0001-s000-c000.xtc2.inprogress", live=True).runs()
    found = {}
    recorder.start()
    for run in runs:
        motor, hsd = run.Detector("motor"), run.Detector("hsd")
        steps = []
        for step in run.steps():
            # What a scan changes is known when its step has begun.
            steps.append((motor(step), [(motor(evt), hsd.raw.calib(evt)[0]) for evt in step.events()]))
        found[run.runnum] = steps
    recorder.join()
    wanted = {run: [(run + step / 2, [(run + step / 2, float(n)) for n in range(run - 5)]) for step in (0, 1)] for run in (7, 8)}
    assert found == wanted


def test_a_step_is_given_before_its_events_are_recorded(tmp_path):
    xtc2_files.two_runs(whole := tmp_path / "whole.xtc2")
    parts = xtc2_files.datagrams(whole.read_bytes())[:15]
    growing = tmp_path / "grow-r0001-s000-c000.xtc2.inprogress"
    # Configure, BeginRun, BeginStep, Enable; events and ends come in the loops. The last datagram of a growing file is seen with the next.
    growing.write_bytes(b"".join(parts[:4]))

    def record(count: int) -> None:
        path = growing if growing.exists() else growing.with_suffix("")
        written = len(xtc2_files.datagrams(path.read_bytes()))
        with open(path, "ab") as file:
            file.write(b"".join(parts[written : written + count]))
        if path == growing and written + count >= len(parts):
            growing.rename(growing.with_suffix(""))

    run = next(DataSource(files=growing, live=True).runs())
    seen = []
    for step in run.steps():
        seen.append(step.evt.timestamp)
        # Two events; or, of the second step, all up to EndRun.
        record(2 if len(seen) == 1 else len(parts))
        for evt in step.events():
            seen.append(evt.timestamp)
            # Disable, EndStep, BeginStep, Enable: the step ends before an event of the next one is there.
            record(4)
    times = [xtc2_files.stamp(part) for part in parts]
    assert seen == [times[n] for n in (2, 4, 5, 8, 10, 11)]


def test_events_of_a_growing_run_that_are_named_by_their_time(tmp_path):
    xtc2_files.two_runs(whole := tmp_path / "whole.xtc2")
    times = [xtc2_files.stamp(part) for part in xtc2_files.datagrams(whole.read_bytes())]
    recorder = grows(path := tmp_path / "grow-r0001-s000-c000.xtc2.inprogress", whole.read_bytes(), 5)
    run = next(DataSource(files=path, live=True, timestamps=[times[5], times[11]]).runs())
    recorder.start()
    assert [evt.timestamp for evt in run.events()] == [times[5], times[11]]
    recorder.join()


def test_times_are_those_of_psana(tmp_path):
    from numcodecs.zstd import Zstd

    packed = Path(data("xtc2/lcls2/test_jungfrau05M_calib.xtc2.zst")).read_bytes()
    (path := tmp_path / "mfx-r0007-s000-c000.xtc2").write_bytes(Zstd().decode(packed))
    run = next(DataSource(files=path).runs())
    evt = next(run.events())
    # What psana 4.3.4 says.
    assert (evt.timestamp, run.timestamp) == (4776162079372773723, 4776162078881255856)
    assert str(evt.datetime()) == "2025-03-28 19:08:11.582257"
    assert str(lt.open(path).time(0)) == "2025-03-28T19:08:11.582256987"
    det = run.Detector("jungfrau")
    assert (det.raw.hot_pixel_thresh(evt), det.raw.num_hot_pixels(evt), det.raw.raw(evt).shape) == (15000, 258, (1, 512, 1024))


def test_times_of_lcls_1_are_as_recorded(tmp_path):
    run = next(DataSource(files=write_run(tmp_path, images(2), steps=[0])).runs())
    evt = next(run.events())
    assert str(evt.datetime()) == "2020-09-13 12:26:40" and evt.timestamp >> 32 == 1_600_000_000 - 631_152_000
    again = next(DataSource(files=run.run.files[0]).runs())
    assert [step.evt.datetime().year for step in again.steps()] == [2020]


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
    folder = str(Path(data("xtc2/lcls2/fakesteps/xpptut15-r0014-s000-c000.xtc2")).parent)
    run = next(DataSource(exp="xpptut15", run=14, dir=folder).runs())
    assert (run.expt, run.runnum) == ("xpptut15", 1)
    assert run.detinfo == {("andor", "raw"): ["calib", "config"], ("hsd", "raw"): ["calib", "config"]}
    assert run.scaninfo == {("motor1", "raw"): "raw", ("motor2", "raw"): "raw"}
    hsd, motor1 = run.Detector("hsd"), run.Detector("motor1")
    steps = [(motor1(step), [hsd.raw.calib(evt).shape for evt in step.events()]) for step in run.steps()]
    # As psana 4.3 has it.
    assert [value for value, _ in steps] == [42.0, 42.0] and [len(shapes) for _, shapes in steps] == [5, 5]
    few = next(DataSource(files=run.run.files[0], max_events=7).runs())
    assert [len(list(step.events())) for step in few.steps()] == [5, 2]
    exact = next(DataSource(files=run.run.files[0], max_events=5).runs())
    assert [len(list(step.events())) for step in exact.steps()] == [5]


def test_loops_go_on_where_the_one_before_has_stopped(tmp_path):
    path = write_run(tmp_path, images(8), steps=[0, 3, 6])
    run = next(DataSource(files=path, max_events=7).runs())
    assert [next(run.events()).number, next(run.events()).number] == [0, 1]
    # The first step has begun, and is over for `steps`.
    steps = run.steps()
    assert [next(next(steps).events()).number for _ in range(2)] == [3, 6]
    assert [evt.number for evt in run.events()] == [7] and list(steps) == [] and list(run.events()) == []
    few = next(DataSource(files=path, max_events=2).runs())
    assert next(few.events()).number == 0 and [evt.number for evt in few.events()] == [1] and list(few.steps()) == []


def test_events_are_found_by_their_times(tmp_path):
    run = next(DataSource(files=write_run(tmp_path, images(4))).runs())
    with pytest.raises(RuntimeError, match="build_table"):
        run.event(7)
    with run.build_table() as has_events:
        assert has_events
        stamps = [evt.timestamp for evt in run.events()]
        camera = run.Detector(OPAL)
        assert [run.event(stamp).number for stamp in reversed(stamps)] == [3, 2, 1, 0]
        assert np.array_equal(camera(run.event(stamps[2])), images(4)[2])
        with pytest.raises(ValueError, match="found 7"):
            run.event(7)


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


def leaf(device: int, kind: int, payload: bytes) -> bytes:
    """A leaf of LCLS-I, version 1, of the device 0 of `CxiEndstation`."""
    return struct.pack("<5I", 0, 1 << 24, 24 << 24 | device << 8, kind | 1 << 16, 20 + len(payload)) + payload


def write_leaves(path: Path, configuration: list[bytes], events: list[bytes]) -> Path:
    at = 1_600_000_000 * 10**9
    parts = [datagram(CONFIGURE, at, 0, configuration), datagram(BEGIN_RUN, at + 1, 0, [])]
    parts += [datagram(EVENT, at + 2 + number, number, [event]) for number, event in enumerate(events)]
    path.write_bytes(b"".join(parts))
    return path


PAIR = """CSPAD2X2:V1 0 SENS2X1:V1 0  1000 2000 0  0 0 0  0 0 0
CSPAD2X2:V1 0 SENS2X1:V1 1  -1000 40000 5  90 0 0  0 0 0
IP 0 CSPAD2X2:V1 0  0 0 -9  180 0 0  0 0 0
"""


def test_the_last_axis_of_a_cspad_2x2_is_the_segment(tmp_path):
    (tmp_path / "pair.data").write_text(PAIR)
    (tmp_path / "apart.data").write_text(PAIR.replace("CSPAD2X2:V1", "PAIR"))
    pixels = np.arange(185 * 388 * 2, dtype=np.uint32).astype(np.uint16).reshape(185, 388, 2)
    path = write_leaves(tmp_path / "e1-r0001-s00-c00.xtc", [], [leaf(13, 41, bytes(32) + pixels.tobytes() + bytes(4))])
    name = "CxiEndstation-0|Cspad2x2-0"
    dark = lt.Corrections(pedestal=np.full(pixels.shape, 3.0))
    run = next(DataSource(files=path, constants={name: dark}, geometry={name: tmp_path / "pair.data"}).runs())
    det, evt = run.Detector("CxiEndstation.0:Cspad2x2.0"), next(run.events())
    assert np.array_equal(det.raw(evt), pixels)
    calib = pixels.astype(np.float32) - 3
    assert np.array_equal(det.calib(evt), calib)
    apart, pair = lt.geometry.load(tmp_path / "apart.data"), lt.geometry.load(tmp_path / "pair.data")
    assert (apart.shape, pair.shape) == ((2, 185, 388), (185, 388, 2))
    assert np.array_equal(det.image(evt), apart.assemble(np.moveaxis(calib, -1, 0)))
    for one, other in zip(apart.coordinates(), pair.coordinates()):
        assert np.array_equal(np.moveaxis(one, 0, -1), other)


def test_waveforms_of_an_acqiris_are_refused_by_name(tmp_path):
    path = write_leaves(tmp_path / "e1-r0001-s00-c00.xtc", [leaf(2, 4, bytes(500))], [leaf(2, 3, bytes(64))] * 2)
    run = next(DataSource(files=path).runs())
    for name in ("CxiEndstation-0|Acqiris-0", "CxiEndstation.0:Acqiris.0"):
        for accept in (False, True):
            with pytest.raises(NotImplementedError, match=f"found `{re.escape(name)}`, which is configured by AcqConfig_v1"):
                run.Detector(name, accept_missing=accept)
    with pytest.raises(KeyError, match="Acqiris.1"):
        run.Detector("CxiEndstation.0:Acqiris.1")


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
    with pytest.raises((lt.RecordingError, AttributeError), match="found `fex`"):
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
        run = next(DataSource(files=path, timestamps=given).runs())
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


# ---- Small data ----


class Evt:
    def __init__(self, timestamp):
        self.timestamp = timestamp


def test_several_calls_for_one_event_are_one_row_and_callbacks_see_it():
    seen = []
    smd = DataSource(files=[]).smalldata(callbacks=[seen.append], batch_size=1)
    for stamp in (5, 6):
        smd.event(Evt(stamp), {"in": {"two": np.arange(2)}}, number=stamp)
        smd.event(stamp, half=stamp / 2) if stamp == 6 else None
    smd.done()
    assert [sorted(row) for row in seen] == [["in/two", "number", "timestamp"], ["half", "in/two", "number", "timestamp"]]
    columns = smd.columns()
    assert columns["timestamp"].tolist() == [5, 6] and columns["in/two"].tolist() == [[0, 1], [0, 1]]
    assert np.isnan(columns["half"][0]) and columns["half"][1] == 3.0 and smd.summary


def test_what_no_column_can_have_is_refused_at_the_event():
    smd = DataSource(files=[]).smalldata()
    for values, error in (
        ({"text": "a"}, TypeError),
        ({"list": [1, 2]}, TypeError),
        ({"var_x": 3}, TypeError),
        ({"none": None}, TypeError),
        ({"var_x_len": 3}, KeyError),
        ({"empty": np.zeros(0)}, ValueError),
    ):
        with pytest.raises(error, match=next(iter(values))):
            smd.event(Evt(1), **values)
    smd.event(Evt(7), x=1)
    with pytest.warns(UserWarning, match="left out: values of 3"):
        smd.event(Evt(3), x=1)
    assert smd.columns()["x"].tolist() == [1]


def test_arrays_of_several_lengths(tmp_path):
    smd = DataSource(files=[]).smalldata(filename=tmp_path / "a.npz")
    for stamp, hits in enumerate(([], [1.5, 2.5], [], [3.5])):
        smd.event(Evt(stamp), var_hits=hits)
    smd.event(Evt(9), align_group="slow", sum=1)
    smd.done()
    found = np.load(tmp_path / "a.npz")
    assert found["var_hits"].tolist() == [1.5, 2.5, 3.5] and found["var_hits_len"].tolist() == [0, 2, 0, 1]
    assert found["slow/sum"].tolist() == [1] and found["slow/timestamp"].tolist() == [9]
