"""What is kept by path, and what goes to other processes."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
import textwrap
from concurrent import futures
from pathlib import Path

import numpy as np
import pytest

import livetime as lt
from livetime import executors
from livetime.opened import opened
from livetime.testing import OPAL, images, write_run

MODULE = """
import numpy as np
import livetime as lt

@lt.node
def doubled(image: lt.Array, *, by: float = 2.0):
    return image * by

class Kept(lt.Node):
    def frame(self, image: lt.Array):
        return image
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "pickled_nodes.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("pickled_nodes", None)
    return __import__("pickled_nodes")


def grown(path: str, folder: Path, count: int) -> None:
    """The run has more events now, in the same file."""
    (folder / "other").mkdir(exist_ok=True)
    whole = Path(write_run(folder / "other", images(count))).read_bytes()
    with open(path, "ab") as file:
        file.write(whole[os.path.getsize(path) :])


def brighter(path: str, by: int, count: int = 20) -> None:
    """The run is written anew with other pictures, in the same file and with the same size and times of events."""
    write_run(os.path.dirname(path), [image + np.uint16(by) for image in images(count)], name=os.path.basename(path))


# ---- Caches ----


@pytest.mark.parametrize("change", ["grows", "is written anew", "is replaced"])
def test_a_run_that_is_kept_by_path_is_the_one_that_is_there(tmp_path, change):
    path = write_run(tmp_path, images(20))
    before = opened((path,))
    assert opened((path,)) is before and len(before) == 20
    if change == "grows":
        grown(path, tmp_path, 30)
    elif change == "is written anew":
        brighter(path, 50)
    else:
        (tmp_path / "new").mkdir()
        os.replace(write_run(tmp_path / "new", images(25)), path)
    now = opened((path,))
    assert now is not before
    assert np.array_equal([e.array for e in now.events(OPAL)], [e.array for e in lt.open(path).events(OPAL)])


def test_a_new_file_of_the_run_is_seen(tmp_path):
    path = write_run(tmp_path, images(5))
    assert len(opened((path,)).files) == 1
    write_run(tmp_path, images(5), name="e1-r0001-s01-c00.xtc")
    assert len(opened((path,)).files) == 2


@pytest.mark.parametrize("scheduler", ["threads", "client"])
def test_arrays_of_dask_are_of_the_run_as_it_is(tmp_path, request, scheduler):
    pytest.importorskip("dask.array")
    how = {"scheduler": request.getfixturevalue("client")} if scheduler == "client" else {"scheduler": scheduler}
    path = write_run(tmp_path, images(20))
    first = lt.open(path).to_dask(OPAL, fill=0)
    assert first.mean().compute(**how) == np.mean(images(20))
    grown(path, tmp_path, 40)
    second = lt.open(path).to_dask(OPAL, fill=0)
    assert second.mean().compute(**how) == np.mean(images(40))
    brighter(path, 500, 40)
    third = lt.open(path).to_dask(OPAL, fill=0)
    assert third.name != second.name and third.mean().compute(**how) == np.mean(images(40)) + 500
    # What was made before is no array of what is there now, and says so.
    with pytest.raises(lt.RecordingError, match="written since"):
        second.mean().compute(**how)


def test_small_events_are_several_chunks(tmp_path):
    pytest.importorskip("dask.array")
    pictures = [np.full((2, 2), number, np.uint16) for number in range(2000)]
    array = lt.open(write_run(tmp_path, pictures)).to_dask()
    assert 16 <= array.numblocks[0] <= 64
    assert np.array_equal(array[:, 0, 0].compute(scheduler="threads"), np.arange(2000))


# ---- Dask ----


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as found:
            yield found


def test_the_same_analysis_over_and_over_on_a_cluster(tmp_path, client):
    run = lt.open(write_run(tmp_path, images(12)))
    wanted = lt.analyze(run, OPAL, "sum")["sum"]
    for _ in range(60):
        assert np.array_equal(lt.analyze(run, OPAL, "sum", workers=client, parts=2)["sum"], wanted)


# ---- any executor ----


@pytest.fixture(params=["threads", "processes", "dask", "executorlib"])
def executor(request):
    """An executor of `concurrent.futures`, as a site has it."""
    if request.param == "threads":
        with futures.ThreadPoolExecutor(2) as pool:
            yield pool
    elif request.param == "processes":
        with futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
            yield pool
    elif request.param == "dask":
        yield request.getfixturevalue("client").get_executor()
    else:
        with pytest.importorskip("executorlib").SingleNodeExecutor(max_workers=2) as pool:
            yield pool


def test_any_executor_finds_the_same_bits(tmp_path, executor):
    run = lt.open(write_run(tmp_path, list(images(40))))
    reducers = {"sum": lt.Sum(), "std": lt.Std(), "max": lt.Max()}
    one = lt.analyze(run, OPAL, reducers, block_bytes=30_000, workers=1)
    counted = []
    for parts in [1, 2, 7, None]:
        found = lt.analyze(
            run, OPAL, reducers, block_bytes=30_000, executor=executor, parts=parts, progress=lambda *done: counted.append(done)
        )
        assert all(found[name].tobytes() == one[name].tobytes() for name in reducers)
        assert found.account == one.account
        assert counted[-1] == (40, 40, 0)


def test_exceptions_pass_through_an_executor(tmp_path):
    run = lt.open(write_run(tmp_path, images(12)))
    with futures.ThreadPoolExecutor(2) as pool:
        with pytest.raises(LookupError, match="no calibration"):
            lt.analyze(run, OPAL, Failing(), workers=pool)
        with pytest.raises(TypeError, match="`workers` or `executor`"):
            lt.analyze(run, OPAL, "sum", workers=2, executor=pool)


def test_neighbours_are_merged_while_others_are_reduced(tmp_path, monkeypatch):
    run = lt.open(write_run(tmp_path, list(images(40))))
    most, put = [0], executors._Parts._put

    def counting(self, *what):
        put(self, *what)
        most[0] = max(most[0], len(os.listdir(self._folder.name)))

    monkeypatch.setattr(executors._Parts, "_put", counting)
    with futures.ThreadPoolExecutor(1) as pool:
        found = lt.analyze(run, OPAL, "std", block_bytes=30_000, workers=pool, parts=16)
    assert found["std"].tobytes() == lt.analyze(run, OPAL, "std", block_bytes=30_000, workers=1)["std"].tobytes()
    # One for each level of the tree, and three while two are merged into one.
    assert most[0] <= 4 + 3


class Failing(lt.Reducer):
    def partial(self, layout):
        return 0

    def map(self, partial, event):
        raise LookupError("no calibration")

    def merge(self, partial, later): ...


@pytest.mark.parametrize("workers", ["client", "processes"])
def test_corrections_that_are_arrays_reach_other_processes(tmp_path, request, workers):
    run = lt.open(write_run(tmp_path, images(12)))
    dark = np.mean(images(12), axis=0)
    correct = lt.Corrections(pedestal=dark, mask=dark > 0, common_mode="row")
    wanted = lt.analyze(run, OPAL, "mean", corrections=correct)["mean"]
    how = {"workers": request.getfixturevalue(workers)} if workers == "client" else {"workers": workers, "processes": 2}
    assert lt.analyze(run, OPAL, "mean", corrections=correct, **how)["mean"].tobytes() == wanted.tobytes()
    # They need nothing of the process that made them.
    sent = pickle.dumps(correct)
    shown = repr(correct)
    del correct
    again = pickle.loads(sent)
    assert repr(again) == shown == "Corrections(pedestal=an array, mask=an array, common_mode=['row'])"
    assert np.array_equal(lt.analyze(run, OPAL, "mean", corrections=again)["mean"], wanted)


# ---- Pickled ----


def test_runs_detectors_events_and_selections_are_pickled_by_path(tmp_path, monkeypatch):
    codes = [[40, 140] if number % 3 == 0 else [40] for number in range(9)]
    write_run(tmp_path, images(9), codes=codes)
    monkeypatch.chdir(tmp_path)
    run = lt.open("e1-r0001-s00-c00.xtc")
    sent = pickle.dumps((run, run.detector(OPAL), run[4], run.select("evr(140)", stop=-2)))
    monkeypatch.chdir("/")
    found, detector, event, selection = pickle.loads(sent)
    assert len(found) == 9 and detector.shape == (60, 80) and len(detector.run) == 9
    assert event.number == 4 and np.array_equal(event.array, images(9)[4]) and event.small.event_codes == (40,)
    assert list(selection) == [0, 3, 6] and list(pickle.loads(pickle.dumps(found[2:4].__next__()))["Opal"].shape) == [60, 80]


def test_nodes_are_pickled_by_name_or_with_their_code(module):
    cloudpickle = pytest.importorskip("cloudpickle")
    assert pickle.loads(pickle.dumps(module.doubled)) is module.doubled
    assert pickle.loads(pickle.dumps(module.Kept)) is module.Kept
    use = pickle.loads(pickle.dumps(module.doubled(by=3.0)))
    assert use.params == {"by": 3.0} and repr(use) == repr(module.doubled(by=3.0))

    @lt.node
    def here(image: lt.Array, *, level: float = 1.0):
        return image + level

    _ = here.declaration.node_type
    again = cloudpickle.loads(cloudpickle.dumps(here))
    assert again(np.array([1.0]), level=2.0) == 3.0 and again.declaration.params[0].name == "level"
    graph = lt.Graph()
    graph.add("cam", "sim_detector")
    graph.add("here", again, from_="cam", when_full="block")
    assert graph.run(max_frames=3).nodes["here"]["completed"] == 3


def test_what_cannot_be_pickled_says_why(recorded):
    run = lt.open(recorded)
    graph = lt.Graph()
    graph.add("cam", "sim_detector", acquire_period="1 ms")
    with graph.start() as live:
        frames = live.frames("cam", when_full="latest")
        for what in (run.events(), run[0].frame, graph, live, frames, live["cam"]):
            with pytest.raises(TypeError, match="cannot be pickled: .*(send|process)"):
                pickle.dumps(what)


# ---- Opened and closed ----


def test_a_run_is_closed(recorded):
    with lt.open(recorded) as run:
        loop = run.events(ahead=2)
        event = next(loop)
    assert list(loop) == [] and run.account.frames >= 1 and "closed" in repr(run)
    assert event.array.shape == (60, 80) and event.small is not None
    for use in (lambda: len(run), lambda: run.events(), lambda: run.detector(), lambda: run.files):
        with pytest.raises(lt.RecordingError, match="was closed"):
            use()
    run.close()


def test_closed_runs_leave_no_file_open(recorded):
    def count() -> int:
        return sum(os.path.samefile(f"/proc/self/fd/{fd}", recorded) for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}"))

    before = count()
    for _ in range(5):
        with lt.open(recorded) as run:
            next(run.events(ahead=2))
    assert count() == before


TYPED = textwrap.dedent('''
    import numpy as np
    import livetime as lt

    @lt.node
    def threshold(image: lt.Array, *, level: lt.Param[float, "counts", lt.AtLeast(0)] = 10.0) -> lt.Array:
        return np.where(image < level, image.dtype.type(0), image)

    @lt.node(name="other", parallel=True)
    def other(image: lt.Frame, *, mode: lt.Param[str, lt.Doc("How.")] = "a") -> None: ...

    class Drift(lt.Node):
        weight: float = lt.param(0.1, min=0, max=1, doc="Weight of the newest frame.")
        def start(self) -> None: ...
        def frame(self, picture: lt.Array) -> None:
            self.emit(picture, attributes={"Mean": self.weight})
        def changed(self, which: str) -> None: ...

    class HitMap(lt.Reducer):
        any_order = True
        def __init__(self, threshold: float) -> None:
            self.threshold = threshold
        def partial(self, shape: lt.Layout) -> lt.Array:
            return np.zeros(shape.shape, np.uint32)
        def map(self, hits: lt.Array, event: lt.ReducerEvent) -> None:
            hits += event.array > self.threshold
        def merge(self, hits: lt.Array, later: lt.Array) -> None:
            hits += later

    def main(path: str) -> float:
        level: lt.Param[int, "px", lt.AtMost(3)] = 3
        graph = lt.Graph()
        graph.add("cut", threshold(level=20), from_="cam")
        graph.add("drift", Drift(weight=0.5), from_="cut")
        with lt.open(path) as run:
            for event in run.events("Opal", ahead=2):
                print(event.array.mean(), level)
            found = lt.analyze(run, reducers={"hits": HitMap(3)})
        return float(found["hits"].sum())
''')


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_the_documented_forms_pass_type_checkers(tmp_path, checker):
    import subprocess

    pytest.importorskip(checker)
    file = tmp_path / "typed.py"
    file.write_text(TYPED)
    options = ["--strict"] if checker == "mypy" else ["--pythonpath", sys.executable]
    environment = {**os.environ, "MYPYPATH": ""}
    done = subprocess.run(
        [sys.executable, "-m", checker, *options, str(file)], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    if checker == "pyright" and "error" in done.stderr and not done.stdout:
        from conftest import skip

        skip("pypi/pyright", f"pyright has no node or cannot be had: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stdout + done.stderr
