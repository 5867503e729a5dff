"""Runs as arrays of Dask."""

from __future__ import annotations

import numpy as np
import pytest

import livetime as lt
from livetime.testing import OPAL, images, write_run

da = pytest.importorskip("dask.array")


def test_all_events_are_one_array(tmp_path):
    pictures = images(20)
    array = lt.open(write_run(tmp_path, pictures)).to_dask(OPAL, chunk_events=6)
    assert (array.shape, array.dtype) == ((20, 60, 80), np.uint16) and array.chunks[0] == (6, 6, 6, 2)
    assert np.array_equal(array.compute(scheduler="threads"), pictures)
    assert np.array_equal(array[7].compute(), pictures[7])
    assert array.mean().compute(scheduler="processes", num_workers=2) == np.mean(pictures)


def test_events_without_a_whole_picture_are_filled_or_an_error(tmp_path):
    pictures = list(images(8))
    pictures[3] = None
    run = lt.open(write_run(tmp_path, pictures, damaged=[5]))
    with pytest.raises(lt.RecordingError, match="event 3: wanted a whole picture"):
        run.to_dask().compute(scheduler="synchronous")
    found = run.to_dask(fill=7).compute(scheduler="synchronous")
    assert (found[3] == 7).all() and (found[5] == 7).all() and np.array_equal(found[6], pictures[6])
    with pytest.raises(ValueError, match="at least 1"):
        run.to_dask(chunk_events=0)
