"""Recordings that are cut, or have wrong bytes, at random places: Python and the program come to one judgement."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

import livetime as lt
from conftest import REPOSITORY
from livetime.testing import OPAL, images, write_run

GOLDEN = REPOSITORY / "testdata"
SEEDS = range(1, 25)


def broken(whole: bytes, seed: int) -> bytes:
    """What is done to a file, by a number."""
    chance, data = random.Random(seed), bytearray(whole)
    at = chance.randrange(len(data))
    match chance.randrange(5):
        case 0:
            del data[at:]
        case 1:
            data[at] ^= 1 << chance.randrange(8)
        case 2:
            for _ in range(1 + chance.randrange(8)):
                data[chance.randrange(len(data))] = chance.randrange(256)
        case 3:
            del data[at : at + 1 + chance.randrange(900)]
        case _:
            data[at:at] = bytes([chance.randrange(256)]) * (1 + chance.randrange(900))
    return bytes(data)


def told(program: str, *arguments: str) -> tuple[int, Any]:
    """Exit code and report of a command."""
    done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True, timeout=600)
    return done.returncode, json.loads(done.stdout)


def agree(program: str, path: Path) -> lt.Judgement | None:
    """The judgement, if the run has its detector."""
    code, (report,) = told(program, "inspect", str(path), "--pictures")
    try:
        run = lt.open(str(path))
        found = run.judgement()
    except lt.RecordingError as error:
        assert code != 0, f"{error}: {report}"
        return None
    (counts,) = report["pictures"]
    usable, failures = (
        sum(counts[name] for name in names) for names in (("whole", "partial", "damaged"), ("lost", "broken", "unreadable"))
    )
    problems = report["problems"]
    assert found.code == code, f"{found}: {report}"
    assert found.text.startswith(f"{usable} usable; "), f"{found}: {report}"
    assert (f"{failures} that should be there" in found.text) == (failures > 0), f"{found}: {report}"
    assert len(run.problems) == len(problems), f"{run.problems}: {report}"
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_of_broken_files_of_lcls1_python_says_what_the_program_says(tmp_path, program, seed):
    path = tmp_path / "e1-r0001-s00-c00.xtc"
    path.write_bytes(broken((GOLDEN / "xtc1/camera.hist16.xtc").read_bytes(), seed))
    agree(program, path)


@pytest.mark.parametrize("seed", SEEDS)
def test_of_broken_files_of_hdf5_python_says_what_the_program_says(tmp_path, program, seed):
    whole = tmp_path / "whole.h5"
    subprocess.run([program, "convert", write_run(tmp_path, images(8)), "-o", str(whole)], check=True, capture_output=True)
    path = tmp_path / "broken.h5"
    path.write_bytes(broken(whole.read_bytes(), seed))
    agree(program, path)


def test_what_the_recorder_marked_is_no_loss_in_either(tmp_path, program):
    path = Path(write_run(tmp_path, images(6), damaged=[2, 4]))
    assert agree(program, path) == lt.Judgement(0, "6 usable; nothing is lost")
    assert told(program, "analyze", str(path), "--detector", OPAL, "--with", "mean")[0] == 3
    found = lt.analyze(lt.open(str(path)), OPAL, "mean")
    assert (found.account.used, found.account.lost) == (4, 2)
