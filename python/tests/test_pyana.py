"""pyana's user modules: the order of their methods, options, workers, what is merged, the example."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import REPOSITORY

from livetime import pyana
from livetime.testing import images, write_run

EXAMPLE = REPOSITORY / "examples/pyana"

RECORDER = """
from livetime.pyana import Normal, Skip, Stop, Terminate
class recorder:
    def __init__(self, says="", at="-1", hook="event"):
        self.says, self.at, self.hook, self.calls = says, int(at), hook, []
    def _called(self, hook, evt):
        self.calls.append(hook if evt.number is None else evt.number)
        found = {"skip": Skip, "stop": Stop, "terminate": Terminate}.get(self.says, Normal)
        return found if hook == self.hook and self.at in (-1, evt.number) else None
    def beginjob(self, evt, env): return self._called("beginjob", evt)
    def beginrun(self, evt, env): return self._called("beginrun", evt)
    def begincalibcycle(self, evt, env): return self._called("begincalibcycle", evt)
    def event(self, evt, env): return self._called("event", evt)
    def endcalibcycle(self, evt, env): return self._called("endcalibcycle", evt)
    def endrun(self, env): self.calls.append("endrun")
    def endjob(self, evt, env):
        self.calls.append("endjob")
        seen.append(self.calls)
seen = []
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, where user modules are found."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "recorder.py").write_text(RECORDER)
    sys.modules.pop("recorder", None)
    return tmp_path


def calls(*modules: str, sections: dict | None = None, **options) -> list[list]:
    import recorder

    recorder.seen.clear()
    pyana.run(pyana.Options(modules=list(modules), sections=sections or {}, **options))
    return recorder.seen


def test_methods_are_called_in_the_order_of_what_was_recorded(folder):
    path = write_run(folder, images(6), steps=[0, 4])
    [found] = calls("recorder", files=[path])
    assert found == [
        "beginjob", "beginrun", "begincalibcycle", 0, 1, 2, 3, "endcalibcycle",
        "begincalibcycle", 4, 5, "endcalibcycle", "endrun", "endjob",
    ]  # fmt: skip
    [found] = calls("recorder", files=[path], skip_events=3, num_events=2)
    assert [call for call in found if isinstance(call, int)] == [3, 4] and found[-2:] == ["endrun", "endjob"]


def test_a_run_without_transitions_begins_and_ends_all_the_same(folder):
    [found] = calls("recorder", files=[write_run(folder, images(2))])
    assert found == ["beginjob", "beginrun", 0, 1, "endrun", "endjob"]


def test_skip_stop_and_terminate(folder):
    path = write_run(folder, images(4), steps=[0])
    two = ("recorder:first", "recorder:second")
    first, second = calls(*two, files=[path], sections={"recorder:first": {"says": "skip", "at": "2"}})
    assert [c for c in first if isinstance(c, int)] == [0, 1, 2, 3] and [c for c in second if isinstance(c, int)] == [0, 1, 3]
    first, second = calls(*two, files=[path], sections={"recorder:first": {"says": "stop", "at": "1"}})
    assert first == second and first[-5:] == [0, 1, "endcalibcycle", "endrun", "endjob"]
    assert calls(*two, files=[path], sections={"recorder": {"says": "terminate", "at": "1"}}) == []
    options = pyana.Options([path], ["recorder"], {"recorder": {"says": "terminate", "at": "1"}})
    assert pyana.run(options).is_terminated


def test_data_of_an_event(folder):
    (folder / "data.py").write_text("""
import numpy as np
from livetime.pyana import xtc
class data:
    def event(self, evt, env):
        camera = evt.get("Opal1000")
        if evt.number == 3:
            assert camera is None and evt.getFrameValue("Opal1000") is None
            return
        assert np.shares_memory(camera, evt.get(xtc.TypeId.Type.Id_Frame, "CxiEndstation-0|Opal1000-1").data())
        frame = evt.getFrameValue("Opal1000")
        assert (frame.height(), frame.width(), frame.depth()) == camera.shape + (16,)
        assert evt.getTime().seconds() == 1600000000 and evt.get("nobody") is None
        evt.put(7, "key")
        assert evt.get("key") == 7 and "key" in evt.keys() and evt.get(xtc.TypeId.Type.Id_EBeam) is None
        assert env.epicsStore().value("X") is None and env.getConfig("X") == {}
        sums.append(int(camera.sum(dtype=np.uint64)))
sums = []
""")
    pictures = list(images(8))
    pictures[3] = None
    found = pyana.run(pyana.Options([write_run(folder, pictures)], ["data"]))
    assert sys.modules["data"].sums == [int(p.sum()) for p in pictures if p is not None]
    [account] = found.accounts.values()
    assert (found.events, account.frames, account.missing, found.lost) == (8, 7, 1, 0)
    del sys.modules["data"]


def test_the_example_gives_the_same_with_any_number_of_workers(folder, program):
    for name in ("pyana.cfg", "bright_events.py", "average.py"):
        shutil.copy(EXAMPLE / name, folder)
    pictures = images(40)
    path = write_run(folder, pictures, steps=[0, 20])
    results = []
    for workers, called in ((1, [sys.executable, "-m", "livetime.pyana"]), (3, [program, "pyana"])):
        command = [*called, "-p", str(workers), path]
        environment = {**os.environ, "LIVETIME_PYTHON": sys.executable}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        assert "a calib cycle begins at 1599999999.999999" in done.stdout and "pyana: 40 events" in done.stderr
        bright = [p for p in pictures if p.mean() >= 1050]
        assert f"tutorial averaged {len(bright)} pictures" in done.stdout
        assert np.array_equal(np.load("average.npy"), np.sum(bright, axis=0, dtype=np.int64) / len(bright))
        saved = np.load("tutorial.npz")
        assert saved["brightness"].sum() == 40 and len(saved["brightness:edges"]) == 101
        results.append(((folder / "brightness.txt").read_text(), saved["brightness"].tolist()))
    assert results[0] == results[1]
    assert [int(line.split()[0]) for line in results[0][0].splitlines()] == list(range(40))


def test_what_is_wrong_is_said(folder, capsys):
    path = write_run(folder, images(2))
    (folder / "p.cfg").write_text("[pyana]\nmodules = recorder\n[pyana.other]\nmodules = nobody\n[recorder]\nsay = skip\n")
    assert pyana.main(["-c", "p.cfg", path]) == 2 and "`recorder`: wanted options" in capsys.readouterr().err
    assert pyana.main(["-c", "p.cfg", "-C", "other", path]) == 2 and "wanted the user module `nobody`" in capsys.readouterr().err
    assert pyana.main(["-m", "recorder"]) == 2 and "wanted the file of a run" in capsys.readouterr().err
    assert pyana.main(["-m", "recorder", "no.xtc"]) == 1 and "no.xtc" in capsys.readouterr().err
    (folder / "failing.py").write_text("class failing:\n    def event(self, evt, env): return 1 / 0\n")
    for workers in (1, 2):
        with pytest.raises(ZeroDivisionError) as caught:
            pyana.run(pyana.Options([path], ["failing"], processes=workers))
        assert "in pyana module `failing`, event(), <Event " in caught.value.__notes__[0]


def test_stop_in_a_worker_ends_the_others(folder):
    path = write_run(folder, images(2000, (4, 4)))
    (folder / "stopping.py").write_text("""
import os, time
from livetime.pyana import Stop
class stopping:
    def event(self, evt, env):
        if env.subprocess() == 1:
            open("stopped", "w").close()
            return Stop
        while not os.path.exists("stopped"):
            time.sleep(0.01)
        time.sleep(0.02)
""")
    found = pyana.run(pyana.Options([path], ["stopping"], processes=2))
    assert found.events < 1000 and found.workers == 2


def test_histograms_count_as_numpy_does():
    values = np.random.default_rng(1).normal(0, 1, 1000)
    hist = pyana.HistoMgr().h1i("h", "", 20, -2, 2)
    hist.fill(values)
    hist.Fill(0.5, 3)
    wanted, edges = np.histogram(np.append(values, [0.5] * 3), 20, (-2, 2))
    assert np.array_equal(hist.values, wanted) and np.allclose(hist.edges[0], edges)
    assert hist.entries.sum() == 1003 and hist.entries[0] == (values < -2).sum()
    two = pyana.HistoMgr().h2d("h2", "", 4, 0, 1, 5, 0, 2)
    two.fill([0.1, 0.9, np.nan], [1.9, 0.1, 0.0])
    assert two.values[0, 4] == two.values[3, 0] == 1 and two.values.sum() == 2
    profile = pyana.HistoMgr().prof("p", "", 2, 0, 2)
    profile.fill([0.5, 0.5, 1.5], [1.0, 3.0, 5.0])
    assert profile.means.tolist() == [2.0, 5.0] and profile.spreads.tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match="same bins"):
        hist.merge(pyana.HistoMgr().h1i("h", "", 10, -2, 2))


OLD = """
import pyana
from pypdsdata import xtc
from pypdsdata.xtc import TypeId, BldInfo
from pypdsdata import camera as cam
class old(object):
    def __init__(self, source): self.source, self.seen = source, []
    def event(self, evt, env):
        frame = evt.get(xtc.TypeId.Type.Id_Frame, self.source)
        codes = evt.get(TypeId.Type.Id_EvrData, "NoDetector-0|Evr-0")
        found = [code.EventCode for code in codes.fifoEvents()] if codes else None
        self.seen.append((int(frame.data().sum()), frame.width(), frame.height(), frame.depth(), found))
        return pyana.Normal
    def endjob(self, evt, env):
        seen.append(self.seen)
        try: evt.get(TypeId.Type.Id_AcqWaveform, "Acqiris")
        except NotImplementedError as error: seen.append(str(error))
        try: cam.FrameFexConfigV1
        except NotImplementedError as error: seen.append(str(error))
seen = []
"""


def test_modules_that_name_pypdsdata_run(folder):
    (folder / "old.py").write_text(OLD)
    for name in [name for name in sys.modules if name == "old" or name.split(".")[0] in ("pypdsdata",)]:
        del sys.modules[name]
    pictures = images(3)
    path = write_run(folder, pictures, codes=[[40], [40, 140], [40]])
    pyana.run(pyana.Options(modules=["old"], sections={"old": {"source": "Opal1000"}}, files=[path]))
    import old

    found, no_type, no_name = old.seen
    height, width = pictures[0].shape
    assert found == [(int(p.sum()), width, height, 16, codes) for p, codes in zip(pictures, [[40], [40, 140], [40]])]
    assert "found Id_AcqWaveform" in no_type and "found `FrameFexConfigV1`" in no_name
