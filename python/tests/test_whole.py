"""Files that cannot be written leave nothing half."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from livetime.whole import save_arrays, whole_file


def test_what_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "histograms.npz"
    save_arrays(tmp_path / "histograms", {"a": np.arange(3)})
    with pytest.raises(OSError, match="No space"), whole_file(path) as file:
        file.write(b"half")
        raise OSError("No space left on device")
    assert os.listdir(tmp_path) == ["histograms.npz"]
    with np.load(path) as saved:
        assert saved["a"].tolist() == [0, 1, 2]


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no device that is full")
    os.symlink("/dev/full", tmp_path / "a.npz.unproved")
    with pytest.raises(OSError):
        save_arrays(tmp_path / "a.npz", {"a": np.zeros(1 << 20)})
    assert os.listdir(tmp_path) == []
