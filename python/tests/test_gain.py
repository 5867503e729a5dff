"""Pixels that tell their gain stage: numpy is the judge."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import livetime as lt
from conftest import data
from livetime.testing import OPAL, write_run
from reducers import FloatSum

SHAPE = (61, 83)
JUNGFRAU = [0, 1, 3]


def words(events: int, codes: tuple[int, ...] = (0, 0, 0, 0, 0, 1, 3)) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    stage = rng.choice(np.array(codes, np.uint16), (events, *SHAPE))
    return list(stage << 14 | rng.normal(1500, 200, (events, *SHAPE)).astype(np.uint16))


def constants() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    pedestal = rng.normal([[[1400]], [[1700]], [[1650]]], 9, (3, *SHAPE)).astype(np.float32)
    gain = (rng.normal(1, 0.1, (3, *SHAPE)) * [[[1]], [[-30]], [[-400]]]).astype(np.float32)
    return pedestal, gain, (rng.random(SHAPE) > 0.05).astype(np.uint8)


def judge(word, pedestal, gain, mask, *, first=14, count=2, codes=JUNGFRAU, panel=False):
    """The corrected picture, and how many good pixels are in no stage."""
    code, value = word >> first & (1 << count) - 1, (word & (1 << first) - 1).astype(np.float32)
    known = np.isin(code, codes)
    stage = np.argmax(np.asarray(codes)[:, None, None] == code, axis=0)
    difference = value - np.take_along_axis(pedestal, stage[None], 0)[0]
    if panel:
        usable = known & (stage == 0) & (mask != 0)
        if usable.any():
            difference[usable] -= np.median(difference[usable])
    corrected = difference * np.take_along_axis(gain, stage[None], 0)[0]
    return np.where(known & (mask != 0), corrected, np.float32(0)), int((~known & (mask != 0)).sum())


@pytest.mark.parametrize("panel", [False, True])
@pytest.mark.parametrize("codes", [(0, 1, 3), (0, 1, 2, 3), (2,)])
def test_arrays_are_corrected_as_numpy_does(codes, panel):
    pedestal, gain, mask = constants()
    correct = lt.Corrections(
        pedestal=pedestal, gain=gain, mask=mask, gain_bits="jungfrau", common_mode="panel" if panel else ()
    )
    unknown = 0
    for word in words(4, codes):
        wanted, more = judge(word, pedestal, gain, mask, panel=panel)
        found = correct(word)
        assert found.dtype == wanted.dtype == np.float32
        assert np.array_equal(found, wanted)
        unknown += more
    assert correct.unknown_gain_codes == unknown
    assert (unknown > 0) == (2 in codes)


@pytest.mark.parametrize("text, first, count, codes", [
    ("14:2", 14, 2, [0, 1, 2, 3]), ("14:1", 14, 1, [0, 1]), ("12:3=6,1,0", 12, 3, [6, 1, 0]), ("15:1=1", 15, 1, [1]),
])
def test_bits_are_where_they_are_said_to_be(text, first, count, codes):
    rng = np.random.default_rng(5)
    shape = (len(codes), *SHAPE)
    pedestal, gain = rng.normal(500, 9, shape).astype(np.float32), rng.normal(1, 3, shape).astype(np.float32)
    word = rng.integers(0, 65536, SHAPE, np.uint16)
    wanted, unknown = judge(word, pedestal, gain, np.ones(SHAPE), first=first, count=count, codes=codes)
    correct = lt.Corrections(pedestal=pedestal, gain=gain, gain_bits=text)
    # Of any address, order and length.
    assert np.array_equal(correct(word), wanted) and correct.unknown_gain_codes == unknown
    assert np.array_equal(correct(np.asfortranarray(word)), wanted)


def test_an_analysis_is_that_of_numpy_on_threads_and_in_processes(tmp_path, program):
    pedestal, gain, mask = constants()
    raw = words(20, (0, 0, 0, 0, 1, 3, 2))
    run = lt.open(write_run(tmp_path, raw))
    files = {"pedestal": tmp_path / "pedestal.npy", "gain": tmp_path / "gain.npy", "mask": tmp_path / "mask.npy"}
    for file, values in zip(files.values(), (pedestal, gain, mask)):
        np.save(file, values)
    correct = lt.Corrections(**files, gain_bits="jungfrau")
    reducers = {"mean": lt.Mean(), "max": lt.Max(), "total": FloatSum()}
    one = lt.analyze(run, OPAL, reducers, corrections=correct, workers=1)
    judged = [judge(word, pedestal, gain, mask) for word in raw]
    pictures = np.stack([picture for picture, _ in judged])
    assert np.allclose(one["mean"], pictures.mean(0, dtype=np.float64), rtol=1e-12, atol=1e-9)
    assert np.array_equal(one["max"], pictures.max(0))
    assert one["unknown-gain-codes"] == sum(unknown for _, unknown in judged) > 0
    for more in [{"workers": 3}, {"workers": "processes", "processes": 2}]:
        other = lt.analyze(run, OPAL, reducers, corrections=correct, block_bytes=20_000, **more)
        assert np.array_equal(other["max"], one["max"])
        assert other["unknown-gain-codes"] == one["unknown-gain-codes"]
    out = tmp_path / "out"
    given = [argument for name, path in files.items() for argument in (f"--{name}", str(path))]
    ended = subprocess.run(
        [program, "analyze", run.files[0], "--json", "-o", str(out), *given, "--gain-bits", "jungfrau", "--with", "mean,max"],
        capture_output=True, text=True,
    )
    assert ended.returncode == 0, ended.stderr
    told = {result["name"]: result for result in json.loads(ended.stdout)["results"]}
    assert told["unknown-gain-codes"]["value"] == one["unknown-gain-codes"]
    assert np.load(out / "max.npy").tobytes() == one["max"].tobytes()


def test_a_graph_corrects_the_same(tmp_path):
    pedestal, gain, mask = constants()
    raw = words(5, (0, 0, 1, 2, 3))
    files = {}
    for name, values in (("pedestal", pedestal), ("gain", gain), ("mask", mask)):
        np.save(tmp_path / f"{name}.npy", values)
        files[name] = str(tmp_path / f"{name}.npy")
    graph = lt.Graph()
    graph.add("run", lt.nodes.Recording(file=write_run(tmp_path, raw)))
    correct = lt.nodes.Corrections(gain_bits="jungfrau", common_mode="panel", **files)
    graph.add("correct", correct, from_="run", when_full="block")
    run = graph.start(hold=True)
    frames = run.frames("correct", when_full="block")
    run.release()
    judged = [judge(word, pedestal, gain, mask, panel=True) for word in raw]
    for frame, (wanted, _) in zip(frames, judged, strict=True):
        assert np.array_equal(frame.array, wanted)
    assert run.wait().losses == 0
    assert run["correct"].params()["unknown_gain_codes"] == sum(unknown for _, unknown in judged)


def test_constants_without_the_stages_are_exceptions(tmp_path):
    pedestal, gain, _ = constants()
    with pytest.raises(lt.AnalysisError, match=r"pedestal, given as an array: wanted a first axis of 3 gain stages.*found the shape \[2, 61, 83\]"):
        lt.Corrections(pedestal=pedestal[:2], gain_bits="jungfrau")
    with pytest.raises(lt.AnalysisError, match="gain, given as an array: wanted finite numbers for each gain stage, found NaN at pixel 85 of stage 2"):
        gain[2, 1, 2] = np.nan
        lt.Corrections(gain=gain, gain_bits="jungfrau")
    with pytest.raises(ValueError, match="wanted gain bits as 14:2"):
        lt.Corrections(gain_bits="jungfrau4M")
    correct = lt.Corrections(pedestal=pedestal, gain_bits="jungfrau")
    with pytest.raises(lt.AnalysisError, match="wanted pixels of u16, whose gain bits are known, found i32"):
        correct(np.zeros(SHAPE, np.int32))
    with pytest.raises(lt.AnalysisError, match="30 values of `pedestal`, one for each of 3 gain stages of each pixel"):
        correct(np.zeros((2, 5), np.uint16))
    with pytest.raises(lt.AnalysisError, match="as of gain stages, without gain bits"):
        lt.Corrections(pedestal=pedestal)(np.zeros(SHAPE, np.uint16))
    assert "gain_bits='jungfrau'" in repr(correct)


def test_a_real_jungfrau_event_by_event(tmp_path):
    packed = Path(data("xtc2/lcls2/test_jungfrau05M_calib.xtc2.zst")).read_bytes()
    path = tmp_path / "test_jungfrau05M_calib.xtc2"
    path.write_bytes(lt.codecs.decode(packed, "zstd", np.uint8, 2_124_558).tobytes())
    run = lt.open(path)
    detector = run.detector("jungfrau")
    rng = np.random.default_rng(6)
    shape = (3, *detector.shape)
    pedestal, gain = rng.normal(2000, 30, shape).astype(np.float32), rng.normal(1, 9, shape).astype(np.float32)
    correct = lt.Corrections(pedestal=pedestal, gain=gain, gain_bits="jungfrau")
    for event in run.events(detector):
        word = np.array(event.array)
        flat = (word.reshape(512, 1024), pedestal.reshape(3, 512, 1024), gain.reshape(3, 512, 1024), np.ones((512, 1024)))
        wanted, unknown = judge(*flat)
        assert np.array_equal(correct(word).reshape(512, 1024), wanted) and unknown == 0
        assert np.unique(word >> 14).tolist() == JUNGFRAU
    assert correct.unknown_gain_codes == 0
