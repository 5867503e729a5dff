"""Scripts that differ by their import line alone say the same under psana and under livetime.psana; and geometries are those of psana."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import xtc2_files
from conftest import REPOSITORY, data, skip

# The first one makes the environment, from PyPI.
pytestmark = pytest.mark.timeout(3600)
SCRIPTS = sorted((Path(__file__).parent / "psana_scripts").glob("*.py"))
GEOMETRY = """
import glob, os, sys
import numpy as np
import psana
from psana.pscalib.geometry.GeometryAccess import GeometryAccess
from livetime import geometry
from livetime.errors import RecordingError

compared = set()
for path in sorted(glob.glob(os.path.join(os.path.dirname(psana.__file__), "pscalib/geometry/data/geometry-def-*.data"))):
    try:
        ours = geometry.load(path)
    except RecordingError:
        continue
    if "cspad2x2" in path or "16M" in path:
        # The arrays of one have the segments as their last axis, those of Livetime as the first. The other is large.
        continue
    theirs = GeometryAccess(path)
    name = os.path.basename(path)
    for found, wanted in zip(ours.coordinates(), theirs.get_pixel_coords()):
        assert abs(found.ravel() - wanted.ravel()).max() < 1e-6, name
    compared.add(name)
print(">", *sorted(compared))
"""


@pytest.fixture(scope="session")
def peer() -> str:
    """The interpreter of the environment with psana."""
    made = subprocess.run(["bash", str(REPOSITORY / "tools/peers.sh"), "psana"], capture_output=True, text=True)
    if made.returncode != 0:
        skip("peer/psana", f"tools/peers.sh psana fails: {made.stderr.strip().splitlines()[-1:]}")
    return made.stdout.strip()


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The samples, and files that are made or unpacked."""
    samples, scratch = data("xtc2/lcls2"), tmp_path_factory.mktemp("psana")
    packed = {"dgramedit-test": "dgramedit-test", "test_jungfrau05M_calib": "jungfrau", "test_epix_calib": "epix"}
    for name, to in packed.items():
        unpack(f"{samples}/{name}.xtc2.zst", scratch / f"{to}.xtc2")
    xtc2_files.digitiser(scratch / "made-hsd.xtc2")
    xtc2_files.two_runs(scratch / "two-runs.xtc2")
    xtc2_files.beam_line(scratch / "beam-line.xtc2")
    return samples, scratch


def unpack(path: str, to: Path) -> None:
    from numcodecs.zstd import Zstd

    to.write_bytes(Zstd().decode(Path(path).read_bytes()))


def said(command: list[str], folders: tuple[str, Path]) -> list[str]:
    # The package is on `PYTHONPATH`.
    done = subprocess.run([*command, folders[0], str(folders[1])], capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith(">")]
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    return lines


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_says_the_same_under_both(script, peer, folders, tmp_path):
    text = script.read_text()
    assert text.count("from psana import DataSource") == 1
    ours = tmp_path / script.name
    ours.write_text(text.replace("from psana import DataSource", "from livetime.psana import DataSource"))
    wanted = said([peer, str(Path(__file__).parent / "psana_peer.py"), str(script)], folders)
    found = said([peer, str(ours)], folders)
    assert len(wanted) > 1 and found == wanted


def test_pixels_are_where_psana_has_them(peer, folders, tmp_path):
    script = tmp_path / "geometry.py"
    script.write_text(GEOMETRY)
    (compared,) = said([peer, str(script)], folders)
    for name in ("jungfrau4M", "jungfrau05M", "epix10kaquad", "cspad"):
        assert f"geometry-def-{name}.data" in compared
