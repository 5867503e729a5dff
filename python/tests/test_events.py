"""Recorded runs: detectors, loops, arrays, damage, small data, Ctrl-C."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import livetime as lt
from livetime.testing import END_RUN, OPAL, datagram, images, write_run


def test_a_run_says_what_is_in_it(xtc1):
    run = lt.open(xtc1)
    assert run.format == "xtc1" and len(run) > 1 and run.problems == []
    assert run.files == [xtc1] or len(run.files) > 1
    detector = run.detectors[0]
    assert detector.shape and detector.dtype is not None
    assert detector.name in repr(run) and detector.name in run._repr_html_()
    assert run.detector(detector.name) == detector


def test_a_loop_gives_every_event_in_order(xtc1):
    run = lt.open(xtc1)
    for ahead in (0, 1, 2):
        events = list(run.events(run.detectors[0], ahead=ahead))
        numbers = [event.number for event in events]
        assert numbers == sorted(set(numbers)) and len(numbers) == run.account.frames
        times = [event.time_ns for event in events]
        assert times == sorted(times) and events[0].time == np.datetime64(times[0], "ns")
        account = run.account
        assert sum((account.whole, account.partial, account.damaged, account.missing, account.lost)) == len(run)


def test_arrays_are_read_only_views_that_may_be_kept(xtc1):
    run = lt.open(xtc1)
    kept = [event.array for event in run.events(run.detectors[0])]
    again = [event.array.copy() for event in run.events(run.detectors[0], ahead=0)]
    gc.collect()
    assert all(np.array_equal(a, b) for a, b in zip(kept, again, strict=True))
    first = kept[0]
    assert not first.flags.writeable and first.flags.aligned and not first.flags.owndata
    with pytest.raises(ValueError):
        first.flags.writeable = True
    with pytest.raises(ValueError):
        first[...] = 0
    part = first[..., ::2]
    del first, kept
    gc.collect()
    assert np.array_equal(part, again[0][..., ::2])
    assert run.copied == 0


def test_arrays_that_are_kept_beyond_the_bound_are_copied_and_counted(recorded):
    run = lt.open(recorded)
    detector = run.detectors[0]
    wanted = [event.array.copy() for event in run.events(detector)]
    bytes_ = max(array.nbytes for array in wanted)
    with pytest.warns(lt.KeptArraysWarning, match="copied") as told:
        kept = [event.array for event in run.events(detector, memory=6 * (bytes_ + 65536), ahead=1)]
    assert len(told) == 1 and 0 < run.copied < len(kept)
    assert all(np.array_equal(a, b) for a, b in zip(kept, wanted, strict=True))
    assert all(not array.flags.writeable for array in kept)
    # Whoever lets go of arrays never gets copies.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for event in run.events(detector, memory=6 * (bytes_ + 65536), ahead=1):
            event.array.sum()
    assert run.copied == 0


def test_slices_pick_events(xtc1):
    run = lt.open(xtc1)
    all_ = {event.number: event.array.copy() for event in run}
    for which in (slice(1, 6, 2), slice(None, None, -1), slice(4, 1, -2), slice(-3, None), slice(2, 2)):
        wanted = [number for number in range(len(run))[which] if number in all_]
        found = list(run[which])
        assert [event.number for event in found] == wanted, which
        assert all(np.array_equal(event.array, all_[event.number]) for event in found)
    number = next(iter(all_))
    assert np.array_equal(run[number].array, all_[number])
    with pytest.raises(IndexError):
        run[len(run)]


def test_several_detectors_side_by_side(xtc2):
    run = lt.open(xtc2)
    names = [detector.name for detector in run.detectors]
    assert len(names) > 1
    alone = {name: [e.number for e in run.events(name)] for name in names}
    both = list(run.events(*names))
    assert [e.number for e in both] == sorted(set().union(*alone.values()))
    for position, name in enumerate(names):
        assert [e.number for e in both if name in e] == alone[name]
        assert run.account_of(position).frames == len(alone[name])
    event = both[0]
    there = next(name for name in names if name in event)
    assert np.array_equal(event[there], event[run.detector(there)])
    with pytest.raises(KeyError):
        event["nothing"]


def test_the_same_arrays_as_an_own_reader_finds(xtc2):
    """Sums of all elements by the program's own analysis, which reads without Python."""
    run = lt.open(xtc2)
    detector = run.detector("xpphsd.raw.array0Pgp")
    total = sum(int(event.array.sum(dtype=np.int64)) for event in run.events(detector))
    found = lt.analyze(run, detector, "sum")
    assert total == int(found["sum"].sum())


def test_small_data_and_configuration(xtc1, xtc2):
    for path in (xtc1, xtc2):
        run = lt.open(path)
        found = [event.small for event in run.events(run.detectors[0])]
        assert len(found) and all(item.source and item.name for small in found for item in small.all)
        for small in found:
            for name in small:
                assert name in small and small[name] is not ...
        assert isinstance(run.configuration(0), lt.SmallData)
        assert all(isinstance(value.values, tuple) for value in run.configuration(0).all)


def test_a_file_that_breaks_off_is_an_exception_behind_the_last_event(recorded):
    whole = len(lt.open(recorded))
    with open(recorded, "r+b") as file:
        file.truncate(os.path.getsize(recorded) * 2 // 3)
    run = lt.open(recorded)
    assert run.problems
    seen = []
    with pytest.raises(lt.RecordingError, match="wanted .* found"):
        for event in run.events("Opal1000"):
            seen.append(event.number)
    assert 0 < len(seen) < whole and run.account.faults
    assert len(list(run.events("Opal1000", faults="count"))) == len(seen)
    script = f"import livetime as lt\nrun = lt.open({recorded!r})\nfor e in run: pass"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.returncode == 1 and "RecordingError" in ended.stderr


def test_damage_and_missing_pictures_are_marked_and_counted(tmp_path):
    pictures = list(images(6))
    pictures[2] = None
    run = lt.open(write_run(tmp_path, pictures, damaged=(4,)))
    events = list(run.events(OPAL))
    assert [e.number for e in events] == [0, 1, 3, 4, 5]
    assert [e.is_damaged for e in events] == [False, False, False, True, False]
    assert events[3].damage == 1 << 14 and events[1].fiducial == 3
    assert run.account == lt.Account(frames=5, whole=4, damaged=1, missing=1)
    assert [e.number for e in run.events(OPAL, on_damage="skip", ahead=2)] == [0, 1, 3, 5]
    assert run.account.skipped == 1
    with pytest.raises(lt.RecordingError, match="damage"):
        list(run.events(OPAL, on_damage="stop"))
    # The same words for events that are picked.
    assert [e.is_damaged for e in run.events(OPAL, step=2)] == [False, True]
    assert [e.number for e in run.events(OPAL, step=-1, on_damage="skip")] == [5, 3, 1, 0]
    assert run.judge(OPAL).damaged == 1 and "damaged 1" in str(run.judge(OPAL))


def test_pictures_are_those_that_were_written(tmp_path):
    pictures = images(5)
    run = lt.open(write_run(tmp_path, list(pictures)))
    assert all(np.array_equal(e.array, wanted) for e, wanted in zip(run, pictures, strict=True))


def test_hostile_files_are_exceptions(tmp_path, xtc1):
    with open(xtc1, "rb") as file:
        head = bytearray(file.read(20000))
    rng = np.random.default_rng(3)
    for number in range(60):
        bad = bytearray(head)
        for place in rng.integers(0, len(bad), 20):
            bad[place] = int(rng.integers(0, 256))
        path = tmp_path / f"bad{number}-r0001-s00-c00.xtc"
        path.write_bytes(bad)
        try:
            run = lt.open(path)
            for detector in run.detectors:
                list(run.events(detector, faults="count"))
        except lt.Bug:
            raise
        except lt.Error as error:
            assert "wanted" in str(error)


def test_what_there_is_not_is_named(xtc1, tmp_path):
    run = lt.open(xtc1)
    with pytest.raises(lt.RecordingError, match="wanted"):
        run.detector("Nonsense")
    with pytest.raises(lt.RecordingError) as caught:
        lt.open(tmp_path / "no-r0001-s00-c00.xtc")
    assert isinstance(caught.value, OSError)
    with pytest.raises(lt.RecordingError, match="on_damage"):
        run.events(run.detectors[0], on_damage="mend")
    with pytest.raises(TypeError):
        lt.open()


def test_a_growing_run_is_followed(recorded, tmp_path):
    wanted = [event.number for event in lt.open(recorded)]
    with open(recorded, "rb") as file:
        whole = file.read() + datagram(END_RUN, 1_700_000_000 * 10**9, 0, [])
    os.remove(recorded)
    path = recorded + ".inprogress"
    with open(path, "wb") as file:
        file.write(whole[: len(whole) // 2])

    def rest() -> None:
        with open(path, "ab") as file:
            file.write(whole[len(whole) // 2 :])
        os.rename(path, recorded)

    loop = lt.open(path).events(OPAL, follow=True)
    first = next(loop).number
    thread = threading.Thread(target=rest)
    thread.start()
    assert [first, *(event.number for event in loop)] == wanted
    thread.join()


# What is started in the background ignores Ctrl-C, unless it says otherwise.
INTERRUPTED = """
import livetime as lt, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    for event in lt.open(sys.argv[1]).events(follow=True):
        print(event.number, flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_a_loop_that_waits(recorded):
    os.rename(recorded, recorded + ".inprogress")
    command = [sys.executable, "-c", INTERRUPTED, recorded + ".inprogress"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        # Behind the last event of a file that grows nobody knows yet what comes.
        assert "38\n" in iter(process.stdout.readline, "")
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=600)
    assert rest == "interrupted\n" and process.returncode == 0


def test_other_threads_run_while_a_loop_reads(xtc1):
    runs = [lt.open(xtc1) for _ in range(2)]
    counts: list[int] = []
    threads = [threading.Thread(target=lambda r=r: counts.append(sum(1 for _ in r))) for r in runs]
    [thread.start() for thread in threads]
    [thread.join(60) for thread in threads]
    assert counts == [sum(1 for _ in runs[0])] * 2


def test_frames_of_arrays_keep_every_type():
    for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        array = np.arange(24).astype(dtype).reshape(2, 3, 4)
        frame = lt.Frame.of(array, {"Gain": 2, "Name": "x"})
        assert frame.array.dtype == array.dtype and np.array_equal(frame.array, array)
        assert np.array_equal(lt.Frame.of(array[:, ::2, ::-1]).array, array[:, ::2, ::-1])
        assert frame.attributes == {"Gain": 2, "Name": "x"} and frame.kind == "array"
        assert frame.bytes.tobytes() == array.tobytes()
    with pytest.raises(lt.FrameError, match="wanted an array of"):
        lt.Frame.of(np.zeros(3, dtype=complex))
    swapped = np.arange(3).astype(">u2")
    assert lt.Frame.of(swapped).array.dtype == np.uint16 and np.array_equal(lt.Frame.of(swapped).array, swapped)
    with pytest.raises(lt.FrameError):
        lt.Frame.of(np.zeros((1,) * 9))
    with pytest.raises(lt.FrameError):
        lt.Frame.of(np.zeros(3)).table


def test_importing_is_quick_and_needs_numpy_only():
    script = "import sys, numpy; import livetime; print([m for m in ('dask', 'zarr', 'pandas', 'numcodecs') if m in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


def test_frames_are_arrays_for_other_libraries_without_a_copy(recorded):
    event = next(iter(lt.open(recorded).events("")))
    array = event.array
    for found in (np.asarray(event.frame), np.from_dlpack(event.frame)):
        assert np.shares_memory(found, array) and not found.flags.writeable
        assert np.array_equal(found, array) and found.dtype == array.dtype
    assert event.frame.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        event.frame.__dlpack__()
    copied = np.array(event.frame, copy=True)
    assert copied.flags.writeable and not np.shares_memory(copied, array)
    assert np.asarray(event.frame, np.float64).dtype == np.float64
    del event, array
    gc.collect()
    assert np.array_equal(found, copied), "what was exported keeps its memory"


@pytest.mark.filterwarnings("error")
def test_small_pictures_are_the_same_however_they_are_read(tmp_path):
    """Threads hand over many small ones at once, as many as there is memory for."""
    pictures = [picture if number % 50 else None for number, picture in enumerate(images(400, (20, 20)))]
    pictures[111] = pictures[111][:10]
    run = lt.open(write_run(tmp_path, pictures, damaged=[70, 80]))
    for ahead in (0, 1, 3):
        for memory in ("64 KiB", "64 MiB"):
            seen = []
            for event in run.events("", ahead=ahead, memory=memory):
                assert np.array_equal(event.array, pictures[event.number])
                seen.append((event.number, event.is_damaged))
            wanted = [number for number, picture in enumerate(pictures) if picture is not None]
            assert seen == [(number, number in (70, 80)) for number in wanted]


def test_large_pictures_are_the_same_however_they_are_read(tmp_path):
    """Pixels of 32 KiB and more go straight into their frame, as long as events are alike."""
    pictures = [picture if number % 5 else None for number, picture in enumerate(images(30, (128, 160)))]
    pictures[11] = pictures[11][:100]
    run = lt.open(write_run(tmp_path, pictures, damaged=[7, 8]))
    for ahead in (0, 1, 2):
        found = {event.number: (event.array, event.is_damaged) for event in run.events("", ahead=ahead)}
        assert sorted(found) == [number for number, picture in enumerate(pictures) if picture is not None]
        assert all(np.array_equal(array, pictures[number]) for number, (array, _) in found.items())
        assert [number for number, (_, damaged) in found.items() if damaged] == [7, 8]
    assert np.array_equal(run[11].array, pictures[11])


def test_a_followed_run_ends_when_its_file_gets_its_name(tmp_path):
    # A writer that ends without a datagram for the end of the run.
    path = write_run(tmp_path, images(6), name="e1-r0001-s00-c00.xtc.inprogress")
    loop = lt.open(path).events(OPAL, follow=True)
    # Something of the last one may still come.
    assert [next(loop).number for _ in range(5)] == list(range(5))
    os.rename(path, path.removesuffix(".inprogress"))
    assert [event.number for event in loop] == [5]


def test_numbers_of_events_are_as_in_a_slice(tmp_path):
    run = lt.open(write_run(tmp_path, images(10)))
    for start, stop in ((-3, None), (0, -8), (-4, -2), (-100, 2), (8, 10**20), (10**20, None), (3, -100)):
        wanted = list(range(10))[start:stop]
        assert [event.number for event in run.events(start=start, stop=stop)] == wanted
        assert lt.analyze(run, start=start, stop=stop).account.events == len(wanted) if wanted else True
    assert [event.number for event in run.events(start=-6, step=-2)] == [9, 7, 5]
    assert run.time(-1) == run.time(9)
    for beyond in (10, 99, -11):
        for ask in (run.time, run.small, run.configuration, run.__getitem__):
            with pytest.raises(IndexError, match="wanted an event from 0 to 9"):
                ask(beyond)


@pytest.mark.parametrize("ahead", [257, 10**6, 10**12, -1])
def test_as_many_threads_as_nobody_has_are_refused(recorded, ahead):
    with pytest.raises(ValueError, match="ahead"):
        lt.open(recorded).events(ahead=ahead)


def test_a_wrong_detector_is_named(recorded):
    for ask in (lambda run: run.detector("Jungfrou"), lambda run: run.events("Jungfrou"), lambda run: lt.analyze(run, "Jungfrou")):
        with pytest.raises(lt.RecordingError, match="called `Jungfrou`, found `CxiEndstation-0.Opal1000-1`"):
            ask(lt.open(recorded))


def test_an_event_is_an_array_and_is_shown(recorded):
    run = lt.open(recorded)
    event = run[3]
    array = np.asarray(event)
    assert array.shape == (60, 80) and np.shares_memory(array, event.array)
    assert np.array(event, dtype=np.float32).dtype == np.float32
    shown = event._repr_html_()
    assert "Event 3" in shown and "Opal1000" in shown and "data:image/png" in shown
    found = lt.analyze(run, reducers={"mean": lt.Mean(), "histogram": lt.Histogram(), "peaks": lt.Peaks(1180)})
    shown = found._repr_html_()
    assert "40 of 40 events used" in shown and "data:image/png" in shown and "float64 (60, 80)" in shown and "table of" in shown
