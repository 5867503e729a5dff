"""Analyses: reducers of Rust and Python, the same bits for any workers, exceptions, Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np
import pytest

import livetime as lt
from livetime.testing import OPAL, images, write_run
from reducers import FloatSum, HitMap, Killer


def test_reducers_of_rust_find_what_numpy_finds(tmp_path):
    pictures = np.stack(images(30))
    run = lt.open(write_run(tmp_path, list(pictures)))
    found = lt.analyze(run, OPAL, "mean,std,min,max,sum,projection,histogram")
    assert np.allclose(found["mean"], pictures.mean(0)) and np.allclose(found["std"], pictures.std(0))
    assert np.array_equal(found["min"], pictures.min(0)) and np.array_equal(found["max"], pictures.max(0))
    assert np.array_equal(found["sum"], pictures.sum(0)) and found["min"].dtype == np.uint16
    assert found["histogram"]["count"].sum() + found.get("histogram-below", 0) + found.get("histogram-above", 0) == pictures.size
    assert found.account.used == found.account.events == 30 and found.account.lost == 0
    hits = lt.analyze(run, OPAL, {"hot": lt.Hits(1100)})
    assert np.array_equal(hits["hot"], (pictures >= 1100).sum(0)) and len(hits["events"]) == 3


@pytest.mark.parametrize("workers", [1, "processes"])
def test_an_analysis_takes_no_more_memory_than_is_said(tmp_path, workers):
    run = lt.open(write_run(tmp_path, images(6)))
    more = {"processes": 1} if workers == "processes" else {}
    with pytest.raises(lt.AnalysisError, match="memory"):
        lt.analyze(run, OPAL, "mean", workers=workers, memory="1 KiB", **more)
    assert lt.analyze(run, OPAL, "mean", workers=workers, memory="1 GiB", **more).account.used == 6


def test_a_run_is_judged_as_the_commands_do(tmp_path):
    path = write_run(tmp_path, images(6))
    assert lt.open(path).judgement(OPAL) == lt.Judgement(0, "6 usable; nothing is lost")
    with open(path, "r+b") as file:
        file.truncate(file.seek(0, 2) - 10)
    assert lt.open(path).judgement().code == 3


def test_reducers_of_python_beside_those_of_rust(tmp_path):
    pictures = np.stack(images(30))
    run = lt.open(write_run(tmp_path, list(pictures)))
    found = lt.analyze(run, OPAL, {"hits": HitMap(1050), "mean": lt.Mean(), "total": FloatSum()}, workers=2)
    assert np.array_equal(found["hits"], (pictures > 1050).sum(0))
    assert np.allclose(found["mean"], pictures.mean(0)) and np.allclose(found["total"], pictures.sum(0))
    total = lt.reduce(run, OPAL, lambda image: image.sum(dtype=np.uint64), np.add)
    assert total == pictures.sum(dtype=np.uint64)


def test_the_same_bits_for_any_number_of_workers(tmp_path):
    run = lt.open(write_run(tmp_path, list(images(40))))
    reducers = {"sum": FloatSum(), "hits": HitMap(1050), "std": lt.Std()}
    options = dict(block_bytes=30_000)

    def bits(**how):
        found = lt.analyze(run, OPAL, reducers, **options, **how)
        assert found.account.used == 40
        return [found[name].tobytes() for name in ("sum", "hits", "std")]

    one = bits(workers=1)
    assert bits(workers=2) == one and bits(workers=7) == one
    assert bits(workers="processes", processes=2, parts=5) == one


def test_the_same_bits_on_dask(tmp_path):
    distributed = pytest.importorskip("distributed")
    run = lt.open(write_run(tmp_path, list(images(40))))
    reducers = {"sum": FloatSum(), "std": lt.Std()}
    one = lt.analyze(run, OPAL, reducers, block_bytes=30_000, workers=1)
    with (
        distributed.LocalCluster(n_workers=2, processes=True, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = lt.analyze(run, OPAL, reducers, block_bytes=30_000, workers=client, parts=5)
    assert all(found[name].tobytes() == one[name].tobytes() for name in reducers)
    assert found.account == one.account


def test_a_process_that_is_killed_costs_its_part_only(tmp_path):
    run = lt.open(write_run(tmp_path, list(images(40))))
    reducer = Killer(str(tmp_path / "killed"))
    found = lt.analyze(run, OPAL, {"sum": reducer}, block_bytes=30_000, workers="processes", processes=2, parts=4)
    assert (tmp_path / "killed").exists()
    assert np.allclose(found["sum"], np.stack(images(40)).sum(0))


class Failing(lt.Reducer):
    def partial(self, layout):
        return 0

    def map(self, partial, event):
        if event.number == 17:
            raise LookupError("no calibration")

    def merge(self, partial, later): ...


@pytest.mark.parametrize("workers", [1, 2, "processes"])
def test_exceptions_are_raised_as_they_were(tmp_path, workers):
    run = lt.open(write_run(tmp_path, list(images(20))))
    more = {"processes": 1} if workers == "processes" else {}
    with pytest.raises(LookupError, match="no calibration") as caught:
        lt.analyze(run, OPAL, Failing(), workers=workers, **more)
    assert "in reducer `failing`, event 17" in caught.value.__notes__
    if workers != "processes":
        assert caught.traceback[-1].name == "map"


def test_arrays_may_be_kept_by_a_reducer(tmp_path):
    pictures = images(20)

    class Keep(lt.Reducer):
        def partial(self, layout):
            return []

        def map(self, kept, event):
            kept.append((event.number, event.array[::2]))

        def merge(self, kept, later):
            kept += later

    kept = lt.analyze(lt.open(write_run(tmp_path, list(pictures))), OPAL, {"kept": Keep()}, workers=2)["kept"]
    assert [number for number, _ in kept] == list(range(20))
    assert all(np.array_equal(array, pictures[number][::2]) for number, array in kept)


def test_broken_events_are_in_the_account(tmp_path):
    pictures = list(images(10))
    pictures[3] = None
    run = lt.open(write_run(tmp_path, pictures, damaged=(5,)))
    account = lt.analyze(run, OPAL, {"n": HitMap(0)}).account
    assert (account.used, account.missing, account.damaged, account.lost) == (8, 1, 1, 1)
    assert [fault.event for fault in account.faults if fault.kind == "damaged"] == [5]


def test_progress_is_told(tmp_path):
    told = []
    run = lt.open(write_run(tmp_path, list(images(20))))
    lt.analyze(run, OPAL, "mean", progress=lambda *how: told.append(how), block_bytes=20_000)
    assert told[-1][:2] == (20, 20)
    with pytest.raises(ZeroDivisionError):
        lt.analyze(run, OPAL, "mean", progress=lambda *how: 1 / 0)


def test_what_is_wanted_and_found(tmp_path):
    run = lt.open(write_run(tmp_path, list(images(3))))
    with pytest.raises(lt.AnalysisError, match="wanted names"):
        lt.analyze(run, OPAL, "median")
    with pytest.raises(TypeError, match="workers"):
        lt.analyze(run, OPAL, "mean", workers="cloud")
    with pytest.raises(TypeError, match="livetime.Reducer"):
        lt.analyze(run, OPAL, {"x": len})
    with pytest.raises(lt.AnalysisError, match="several"):
        lt.analyze(run, OPAL, {"a": lt.Hits(1), "b": lt.Hits(2)})


def test_the_same_results_as_the_command_line(tmp_path, program):
    path = write_run(tmp_path, list(images(30)))
    out = tmp_path / "found"
    command = [program, "analyze", path, "--with", "mean,std,min,max,histogram", "-o", str(out), "--json"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    found = lt.analyze(lt.open(path), OPAL, "mean,std,min,max,histogram")
    for name in ("mean", "std", "min", "max"):
        assert np.load(out / f"{name}.npy").tobytes() == found[name].tobytes(), name


# What is started in the background ignores Ctrl-C, unless it says otherwise.
INTERRUPTED = """
import signal, sys, livetime as lt
signal.signal(signal.SIGINT, signal.default_int_handler)
class Slow(lt.Reducer):
    def partial(self, layout): return 0
    def map(self, partial, event):
        if event.number == 0: print("begun", flush=True)
        if event.number: sum(range(10_000_000))
    def merge(self, partial, later): return 0
try:
    lt.analyze(lt.open(sys.argv[1]), "Opal1000", Slow(), workers=2)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_an_analysis(tmp_path):
    path = write_run(tmp_path, list(images(400, (4, 4))))
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED, path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=600)
    assert rest == "interrupted\n" and process.returncode == 0
