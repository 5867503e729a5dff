"""Raw frames of the wire readout and trigger records as recorded runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import data

import livetime as lt
from livetime.testing import WIRE_START, write_frames, write_records

LINK = "det3_crate1_slot2_link0"


def noise(ticks: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(900, 8, (256, ticks)).astype(np.uint16)


def test_the_frames_of_protodune_are_a_run():
    run = lt.open(data("wib/wib1_frames.bin.zst"))
    assert (run.format, len(run), run.problems) == ("wire", 3, [])
    link = run.detector("fiber1")
    assert (link.name, link.shape, link.dtype) == ("crate5_slot2_fiber1", (256, 1024), np.uint16)
    first = np.fromfile(data("wib/wib1_adc16_first24.bin"), "<u2").reshape(24, 256)
    arrays = [event.array for event in run.events(link)]
    assert np.array_equal(arrays[0][:, :24], first.T) and len(arrays) == 3
    assert (run.account.whole, run.account.partial, run.account.faults) == (2, 1, ())
    assert run.time(0) == np.datetime64(80150024000000000 * 20, "ns")
    assert run.configuration()["format"] == "wib1" and run.configuration()["clock"] == 50_000_000
    last = run[2]
    assert last.is_damaged and not last.array[:, 952:].any() and last.small["frames"] == 952
    assert np.array_equal(run[-1].array, arrays[2]) and [e.number for e in run[::-2]] == [2, 0]
    assert last.small["crate5_slot2_fiber1/crate"] == 5


def test_samples_come_back(tmp_path):
    samples = noise(3 * 1024)
    run = lt.open(write_frames(tmp_path, samples))
    found = np.concatenate([event.array for event in run.events(ahead=2)], axis=1)
    assert np.array_equal(found, samples) and str(run.account) == "frames 3, whole 3"
    assert [event.small["timestamp"] for event in run.events()] == [WIRE_START + 32 * 1024 * n for n in range(3)]
    mean = lt.analyze(run, LINK, "mean,std,projection")
    assert mean["mean"].shape == (256, 1024) and np.allclose(mean["projection-y"], samples.mean(axis=1))
    rms = lt.reduce(run, LINK, lambda block: (block.astype(float) ** 2).sum(axis=1), np.add)
    assert np.allclose(np.sqrt(rms / 3072), np.sqrt((samples.astype(float) ** 2).mean(axis=1)))


def test_gaps_are_zero_and_told(tmp_path):
    samples = noise(2048)
    path = write_frames(tmp_path, samples, missing=[1500, 1501])
    run = lt.open(path)
    events = list(run.events(LINK))
    assert [event.is_damaged for event in events] == [False, True]
    assert not events[1].array[:, 1500 - 1024 : 1502 - 1024].any()
    assert np.array_equal(events[1].array[:, 1502 - 1024 :], samples[:, 1502:])
    assert [event.number for event in run.events(LINK, on_damage="skip")] == [0]
    assert [event.number for event in run.events(LINK, select=f"{LINK}.frames == 1024")] == [0]
    with open(path, "r+b") as file:
        file.truncate(472 * 1200 + 5)
    cut = lt.open(path)
    with pytest.raises(lt.RecordingError, match="found 5 bytes that belong to none"):
        list(cut.events(LINK))
    assert cut.account.frames == 2


def test_links_are_detectors_of_one_run(tmp_path):
    one, two = noise(1024, 1), noise(1024, 2)
    path = write_frames(tmp_path, one)
    write_frames(tmp_path, two, link=1)
    run = lt.open(path)
    assert [str(detector) for detector in run.detectors] == [LINK, LINK.replace("link0", "link1")]
    event = run[0]
    assert np.array_equal(event["link0"], one) and np.array_equal(event["link1"], two)


def test_trigger_records_are_a_run(tmp_path):
    records = [{3: noise(400, n), 4: noise(400, n + 10)} for n in range(3)] + [{3: noise(400, 99)}]
    path = write_records(tmp_path, records)
    run = lt.open(path)
    assert (run.format, len(run)) == ("records", 4)
    assert [detector.name for detector in run.detectors] == ["readout3", "readout4"]
    for event, record in zip(run.events("readout3", "readout4"), records, strict=True):
        assert np.array_equal(event["readout3"], record[3])
        assert ("readout4" in event) == (4 in record)
        assert event.small["trigger_number"] == event.number + 1 and event.small["trigger_type"] == 2
    assert run.account_of("readout4").missing == 1
    assert [event.number for event in run.events("readout3", select="record.trigger_number > 2")] == [2, 3]
    found = lt.analyze(run, "readout3", "mean", workers=2)
    assert np.allclose(found["mean"], np.mean([record[3] for record in records], axis=0))
    with open(path, "r+b") as file:
        file.truncate(file.seek(0, 2) - 1)
    with pytest.raises(lt.RecordingError, match="wanted a whole record"):
        list(lt.open(path).events("readout3"))


# Appends a file to another one, a millisecond of frames at a time; then it goes on without writing.
WRITER = """
import sys, time
whole = open(sys.argv[1], "rb").read()
with open(sys.argv[2], "ab", buffering=0) as file:
    for at in range(0, len(whole), 300_000):
        file.write(whole[at : at + 300_000])
        time.sleep(0.01)
time.sleep(1000)
"""

FOLLOWER = """
import livetime as lt, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    for event in lt.open(sys.argv[1]).events(follow=True):
        print(event.number, flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def recorded_by(kind: str, folder) -> str:
    if kind == "wib":
        return write_frames(folder, noise(5 * 1024 + 100))
    return write_records(folder, [{3: noise(400, number)} for number in range(6)])


@pytest.mark.parametrize("kind", ["wib", "records"])
def test_a_writer_that_is_killed_is_waited_for_until_it_is_quiet(tmp_path, kind):
    (tmp_path / "whole").mkdir()
    whole = recorded_by(kind, tmp_path / "whole")
    wanted = [event.array.copy() for event in lt.open(whole)]
    path = str(tmp_path / os.path.basename(whole)) + ".inprogress"
    with subprocess.Popen([sys.executable, "-c", WRITER, whole, path]) as writer:
        until = time.monotonic() + 600
        while not os.path.exists(path) or os.path.getsize(path) < 300_000:
            assert time.monotonic() < until
            time.sleep(0.01)
        run = lt.open(path)
        loop = run.events(follow=True, quiet=0.5)
        found = [next(loop).array]
        # On a busy machine the writer may be quiet for longer than that, so it is left time to write.
        while os.path.getsize(path) < os.path.getsize(whole):
            assert time.monotonic() < until
            time.sleep(0.01)
        while len(found) < len(wanted) - 1:
            found.append(next(loop).array)
        writer.kill()
    found += [event.array for event in loop]
    assert len(found) == len(wanted) and all(map(np.array_equal, found, wanted))
    assert run.account.faults == () and not run.may_grow


@pytest.mark.parametrize("kind", ["wib", "records"])
def test_ctrl_c_ends_a_loop_that_waits_for_frames(tmp_path, kind):
    path = recorded_by(kind, tmp_path)
    os.rename(path, path + ".inprogress")
    command = [sys.executable, "-c", FOLLOWER, path + ".inprogress"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert "4\n" in iter(process.stdout.readline, "")
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=600)
    assert rest.endswith("interrupted\n") and process.returncode == 0


def test_what_quiet_means_is_checked(recorded):
    run = lt.open(recorded)
    for wrong in ({"quiet": 1.0}, {"follow": True, "quiet": 0}, {"follow": True, "step": 2}):
        with pytest.raises(ValueError, match="wanted `follow`"):
            run.events(**wrong)
