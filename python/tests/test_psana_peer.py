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
OF_PSANA = Path(__file__).parent / "psana_geometry.py"


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
    xtc2_files.cameras(scratch / "cameras.xtc2")
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


@pytest.mark.parametrize("part", ["segments", "detectors", "pictures"])
def test_pixels_are_where_psana_has_them(part, peer, folders, tmp_path):
    compared = said([peer, str(OF_PSANA), part], (str(tmp_path), folders[1]))
    wanted = {
        "segments": ["EPIX100:V1", "EPIXHR1X4:V1", "EPIXUHR3X2:V1", "JUNGFRAU:V1", "ARCHON:V2", "MTRXANY:V1", "SENS2X1:V1"],
        "detectors": ["cspad2x2", "epix100a", "epixm320", "epixuhr", "archon", "axis", "pnccd", "jungfrau4M", "cspad"],
        "pictures": ["cspad2x2", "epix10kaquad", "jungfrau05M"],
    }
    assert {f"> {name}" for name in wanted[part]} <= set(compared)
