"""Where data are, and a record of what a test left out."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from livetime.testing import images, write_run

REPOSITORY = Path(__file__).resolve().parents[2]


def data(name: str) -> str:
    """A file of the recorded data, which are not part of the repository; without it the test is skipped, on record."""
    folder = Path(os.environ.get("LIVETIME_DATA", REPOSITORY / "../shared/data"))
    path = folder / name
    if not path.exists():
        skip(f"data/{name}", f"no {name} in {folder}; LIVETIME_DATA names the folder with recorded data")
    return str(path)


def skip(needed: str, reason: str) -> None:
    """Skips the test that runs, with a line for `cargo xtask judge`."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0]
    if record := os.environ.get("LIVETIME_SKIPPED"):
        with open(record, "a", encoding="utf-8") as file:
            file.write(f"python\t{test}\t{needed}\t{reason}\n")
    pytest.skip(reason)


@pytest.fixture
def xtc1() -> str:
    return data("xtc1/container/e236-r0003-s04-c00.xtc")


@pytest.fixture
def xtc2() -> str:
    return data("xtc2/lcls2/chunking/xpptut15-r0014-s000-c000.xtc2")


@pytest.fixture(scope="session")
def program() -> str:
    """The program `livetime`, as the workspace builds it."""
    if (given := os.environ.get("LIVETIME_PROGRAM")) and Path(given).exists():
        return given
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    built = [path for profile in ("release", "debug") if (path := target / profile / "livetime").exists()]
    if built:
        return str(max(built, key=lambda path: path.stat().st_mtime))
    found = shutil.which("livetime")
    if found and b"livetime" in subprocess.run([found, "--version"], capture_output=True).stdout:
        return found
    skip("program/livetime", f"no program `livetime` in {target}")
    raise AssertionError


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    return write_run(tmp_path, images(40))
