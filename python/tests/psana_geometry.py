"""Compares geometries with those of psana, whose interpreter runs this: PART SCRATCH ...; prints what was compared."""

from __future__ import annotations

import glob
import os
import re
import sys
from typing import Any

import numpy as np
import psana
from psana.detector.calibconstants import CalibConstants
from psana.pscalib.geometry import SegGeometryJungfrauV1
from psana.pscalib.geometry.GeometryAccess import GeometryAccess
from psana.pscalib.geometry.SegGeometryStore import sgs

from livetime import geometry
from livetime.psana.images import Assembler

part, scratch = sys.argv[1:3]
SHAPES = {"ARCHON": (6, 4800), "MTRXANY": (5, 7)}
SEGMENTS = (
    "SENS2X1:V1 EPIX100:V1 EPIX10KA:V1 EPIXHR2X2:V1 EPIXHR1X4:V1 EPIXUHR3X2:V1 EPIXMASIC:V1 EPIXUHRASIC:V1 JUNGFRAU:V1 JUNGFRAU:V2"
    " PNCCD:V1 ARCHON:V1 ARCHON:V2 MTRXANY:V1 MTRX:V2:5:7:20:30 MTRX:5:7:20:30 MTRX:7:5:40.5:30.25"
)
UNBONDED = {0: "stay", 4: "alone", 16: "and-eight"}


class Numpy:
    """psana 4.3.4 takes `np.dtype` for the type of a mask, which NumPy does not."""

    dtype = np.uint8

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


SegGeometryJungfrauV1.np = Numpy()


class Detector:
    """Says the shape of segments whose size no file has."""

    def __init__(self, text: str) -> None:
        self.shape = next((shape for name, shape in SHAPES.items() if name in text), None)
        self._shape, self._calibconst = self.shape, None


def both(path: str) -> tuple[Any, Any]:
    """The geometries of a file."""
    with open(path) as file:
        text = file.read()
    detector = Detector(text)
    if "MTRXANY" in text:
        segment = sgs.Create(segname="MTRXANY:V1", detector=detector)
        segment.init_matrix_parameters(shape=detector.shape, pix_size_rcsd_um=(75, 75, 75, 400))
    return geometry.load(path, shape=detector.shape), GeometryAccess(path, detector=detector)


def compare(name: str, ours: Any, theirs: Any) -> None:
    """Coordinates, places and areas to the bit; masks."""
    wanted = theirs.get_pixel_coords()
    for found, axis in zip(ours.coordinates(), wanted):
        assert np.array_equal(found.ravel(), axis.ravel(), equal_nan=True), name
    assert ours.pixel_um == theirs.get_pixel_scale_size(), name
    has_all = not np.isnan(wanted[0]).any()
    for found, axis in zip(ours.places(), theirs.get_pixel_coord_indexes()) if has_all else ():
        assert np.array_equal(found.ravel(), axis.ravel()), name
    counts = [(0, 0, 0, 0), (2, 3, 1, 2), (1, 0, 0, 1)] if has_all else [(0, 0, 0, 0)]
    for edge_rows, edge_columns, center_rows, center_columns in counts:
        for bits, unbonded in UNBONDED.items():
            psanas = theirs.get_pixel_mask(
                mbits=bits, width=0, wcenter=0, edge_rows=edge_rows, edge_cols=edge_columns,
                center_rows=center_rows, center_cols=center_columns,
            )
            found = ours.mask(edge_rows, edge_columns, center_rows, center_columns, unbonded)
            assert np.array_equal(found.ravel(), psanas.ravel()), (name, bits)


def compare_sizes(name: str, ours: Any, segment: Any) -> None:
    """Sizes in the segment's frame, but for two slips of psana 4.3.4: those of one count up, and of the other columns are missing."""
    x, y, z = (found[0] for found in ours.sizes())
    if name == "JUNGFRAU:V2":
        assert segment.pixel_size_array("X")[0, 1023] == 1023 * 75 and x[0, 1023] == 75
    elif name == "ARCHON:V2":
        assert segment.pixel_size_array("X").shape == (6, 4260) and x.shape == (6, 4800)
    else:
        for found, axis in zip((x, y, z), segment.pixel_size_array()):
            assert np.array_equal(found, axis, equal_nan=True), name
        assert np.allclose(ours.areas()[0], segment.pixel_area_array(), equal_nan=True), name


def segments() -> None:
    """Each type of segment, straight and turned about all axes."""
    for name in SEGMENTS.split():
        for turns in ("0 0 0  0 0 0", "90 0 0  -0.1 0.02 0.3", "33 1 -2  0 0 0"):
            path = os.path.join(scratch, "segment.data")
            with open(path, "w") as file:
                file.write(f"CAM 0 {name} 0  12.5 -3000 7  {turns}\nIP 0 CAM 0  1000 2 -100000  270 0 0  0.5 0 0\n")
            ours, theirs = both(path)
            compare(name, ours, theirs)
            compare_sizes(name, ours, theirs.get_seg_geo().algo)
        print(">", name)


def files() -> dict[str, str]:
    """psana's own geometries by name; that of 16 million pixels is large."""
    folder = os.path.join(os.path.dirname(psana.__file__), "pscalib/geometry/data")
    names = {re.sub("geometry-def-(.*).data", r"\1", os.path.basename(path)): path for path in glob.glob(f"{folder}/*.data")}
    return {name: path for name, path in sorted(names.items()) if name != "jungfrau16M"}


def detectors() -> None:
    """All of psana's own geometries."""
    for name, path in files().items():
        compare(name, *both(path))
        print(">", name)


def pictures() -> None:
    """Assembled pictures, of all segments and of some."""
    for name, path in files().items():
        if name not in ("cspad2x2", "epix10kaquad", "jungfrau05M", "pnccd", "epixhr2x2"):
            continue
        ours, theirs = both(path)
        constants = CalibConstants({}, name)
        constants._geo = theirs
        count = ours.shape[0]
        for chosen in [list(range(count))] + ([[0, 2]] if name in ("epix10kaquad", "pnccd") else []):
            shape = (len(chosen), *ours.shape[1:])
            pixels = np.random.default_rng(3).normal(100, 20, shape).astype(np.float32)
            constants._pix_rc = None, None
            wanted = constants.image(pixels, segnums=chosen, vbase=-3)
            found = Assembler(ours, chosen).picture(pixels, vbase=-3)
            assert found.dtype == wanted.dtype and np.array_equal(found, wanted), (name, chosen)
        print(">", name)


{"segments": segments, "detectors": detectors, "pictures": pictures}[part]()
