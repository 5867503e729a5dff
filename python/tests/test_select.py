"""Selected events and corrected pictures: as numpy, as the command line, in processes."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

import livetime as lt
from livetime.testing import OPAL, images, write_run
from reducers import FloatSum

CODES = [[40] + [140] * (number % 2 == 0) + [41] * (number % 3 == 0) for number in range(25)]


@pytest.fixture
def run(tmp_path):
    # The last five events have no codes.
    return lt.open(write_run(tmp_path, images(30), codes=CODES))


def test_events_are_selected_and_the_others_counted(run):
    chosen = run.select("evr(140) and not evr(41)")
    wanted = [number for number, codes in enumerate(CODES) if 140 in codes and 41 not in codes]
    assert list(chosen) == wanted and len(chosen) == len(wanted)
    assert chosen.without_value == 5 and chosen.refused == 25 - len(wanted) and chosen.unreadable == 0
    assert chosen.verdict(27) == "without value" and 2 in chosen and 0 not in chosen
    assert [event.number for event in run.events(OPAL, select=chosen)] == wanted
    assert [event.number for event in run.events(OPAL, select="evr(140)", start=3, stop=9)] == [4, 6, 8]
    assert run.account.frames == 3 and run.selection is not None
    assert [event.number for event in run.events(OPAL, select="evr(140)", stop=6, step=-1)] == [4, 2, 0]


def test_names_and_texts_that_are_wrong_are_exceptions(run):
    with pytest.raises(lt.RecordingError, match="evr"):
        run.select("ebeam.charge > 1")
    for text in ["evr(140", "evr(140) + 1", "__import__(\"os\")", "", "(" * 10_000]:
        with pytest.raises(lt.RecordingError, match="wanted"):
            run.select(text)
    with pytest.raises(lt.RecordingError, match="wanted"):
        lt.analyze(run, OPAL, "mean", select="evr")
    with pytest.raises(ValueError, match="follow"):
        run.events(OPAL, select="evr(140)", follow=True)


def test_an_analysis_of_selected_and_corrected_pictures_is_that_of_numpy(run, tmp_path):
    pictures = np.stack(images(30)).astype(np.float32)
    pedestal, gain = pictures.mean(0), np.linspace(0.5, 2, pictures[0].size, dtype=np.float32).reshape(60, 80)
    mask = np.ones((60, 80), np.uint8)
    mask[3, 5:20] = 0
    np.savetxt(tmp_path / "gain.data", gain)
    correct = lt.Corrections(pedestal=pedestal, gain=tmp_path / "gain.data", mask=mask, common_mode="column,least=1")
    differences = np.where(mask == 1, pictures - pedestal, np.nan)
    common = np.nanmedian(differences, axis=1, keepdims=True)
    wanted = np.nan_to_num((differences - common) * np.loadtxt(tmp_path / "gain.data").astype(np.float32))
    assert np.allclose(correct(images(30)[4]), wanted[4], rtol=1e-5, atol=1e-3)
    lit = [number for number, codes in enumerate(CODES) if 140 in codes]
    found = lt.analyze(run, OPAL, {"mean": lt.Mean(), "total": FloatSum()}, select="evr(140)", corrections=correct)
    assert np.allclose(found["mean"], wanted[lit].mean(0), rtol=1e-5, atol=1e-3)
    assert np.allclose(found["total"], wanted[lit].sum(0), rtol=1e-5, atol=1e-2)
    account = found.account
    assert (account.used, account.refused, account.without_value, account.lost) == (len(lit), 25 - len(lit), 5, 0)


def test_no_event_is_selected(run):
    for select in ["evr(250)", run.select("evr(250)")]:
        found = lt.analyze(run, OPAL, "mean", select=select)
        assert (found.account.used, found.account.refused, found.account.without_value) == (0, 25, 5)


def test_the_same_bits_by_threads_and_processes(run):
    correct = lt.Corrections(pedestal=images(1)[0], common_mode=["bank=4", "row,most=50"])
    reducers = {"mean": lt.Mean(), "std": lt.Std(), "total": FloatSum()}
    options = {"select": "evr(140) or evr(41)", "corrections": correct, "block_bytes": 20_000}
    one = lt.analyze(run, OPAL, reducers, workers=1, **options)
    for more in [{"workers": 3}, {"workers": "processes", "processes": 2}]:
        other = lt.analyze(run, OPAL, reducers, **more, **options)
        assert all(one[name].tobytes() == other[name].tobytes() for name in reducers)
        assert one.account == other.account


def test_the_command_line_finds_the_same_bytes(run, tmp_path, program):
    dark = lt.analyze(run, OPAL, "mean,std")
    np.save(tmp_path / "pedestal.npy", dark["mean"])
    np.save(tmp_path / "mask.npy", (dark["std"] < 40).astype(np.uint8))
    files = {"pedestal": tmp_path / "pedestal.npy", "mask": tmp_path / "mask.npy"}
    found = lt.analyze(
        run, OPAL, "mean,max", select="evr(140)", corrections=lt.Corrections(**files, common_mode=["row", "column"])
    )
    given = ["--select", "evr(140)", "--common-mode", "row", "--common-mode", "column", "--with", "mean,max"]
    for name, path in files.items():
        given += [f"--{name}", str(path)]
    out = tmp_path / "out"
    ended = subprocess.run([program, "analyze", run.files[0], "--json", "-o", str(out), *given], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    for name in ["mean", "max"]:
        assert np.load(out / f"{name}.npy").tobytes() == found[name].tobytes()
    told = json.loads(ended.stdout)
    assert told["select"]["left_out"] == {"refused": found.account.refused, "without_value": 5, "unreadable": 0}
    assert told["used"] == found.account.used


def test_constants_that_do_not_fit_are_exceptions(run, tmp_path):
    with pytest.raises(lt.AnalysisError, match="4800 values of `gain`"):
        lt.analyze(run, OPAL, "mean", corrections=lt.Corrections(gain=np.ones(7)))
    with pytest.raises(ValueError, match="common mode"):
        lt.Corrections(common_mode="rows")
    (tmp_path / "text").write_text("1 2 x")
    with pytest.raises(lt.AnalysisError, match="line 1"):
        lt.Corrections(pedestal=tmp_path / "text")
    with pytest.raises(lt.AnalysisError):
        lt.Corrections(pedestal=tmp_path / "none")


def test_a_selection_of_nothing_is_none_of_all(run):
    chosen = run.select("evr(99)")
    assert len(chosen) == 0 and list(run.events(OPAL, select=chosen)) == []
    for select in (chosen, "evr(99)"):
        found = lt.analyze(run, OPAL, "mean", select=select)
        assert (found.account.used, found.account.refused, found.account.without_value) == (0, 25, 5)
