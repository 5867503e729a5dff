"""What the other scripts share: a RunEngine whose documents are validated, and the detector.

Where the server is: EPICS_PVA_ADDR_LIST or EPICS_PVA_NAME_SERVERS, as for every client of EPICS. Channel Access is not used, so
names begin with pva://.
"""

import argparse
import collections
import pathlib
import time

from bluesky import RunEngine
from event_model import DocumentNames, schema_validators
from ophyd_async.core import StaticPathProvider, UUIDFilenameProvider, init_devices
from ophyd_async.epics import adcore
from ophyd_async.epics.adsimdetector import SimDetector

WRITERS = {
    "hdf": adcore.ADWriterFactory.hdf,
    "tiff": adcore.ADWriterFactory.tiff,
    "jpeg": adcore.ADWriterFactory.jpeg,
}


def arguments(description, events=10):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--prefix", default="13SIM1:")
    parser.add_argument("--writer", choices=WRITERS, default="tiff")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="for the files; created if need be")
    parser.add_argument("--events", type=int, default=events)
    return parser


def paths(folder):
    """Files with names that no other file has, in a folder that the server creates."""
    return StaticPathProvider(UUIDFilenameProvider(), folder.resolve(), create_dir_depth=-5)


class Documents:
    """Validates each document, keeps it, and the time of the events."""

    def __init__(self):
        self.by_name = collections.defaultdict(list)
        self.event_times = []

    def __call__(self, name, doc):
        schema_validators[DocumentNames[name]].validate(doc)
        self.by_name[name].append(doc)
        if name == "event":
            self.event_times.append(time.monotonic())

    def ms_per_event(self):
        """Median of the time between events."""
        steps = sorted(b - a for a, b in zip(self.event_times, self.event_times[1:]))
        return 1000 * steps[len(steps) // 2] if steps else float("nan")

    def frames(self, data_key):
        """How many frames of a stream the documents promise; each index once."""
        resources = {r["uid"] for r in self.by_name["stream_resource"] if r["data_key"] == data_key}
        datums = [d for d in self.by_name["stream_datum"] if d["stream_resource"] in resources]
        indices = [i for d in datums for i in range(d["indices"]["start"], d["indices"]["stop"])]
        assert len(indices) == len(set(indices)), "an index is promised twice"
        return len(indices)


def engine():
    """A RunEngine and what it said."""
    documents = Documents()
    run_engine = RunEngine()
    run_engine.subscribe(documents)
    return run_engine, documents


def detector(args, **more):
    """SimDetector as ophyd-async has it, with the writer that was chosen."""
    root = f"pva://{args.prefix}"
    with init_devices():
        det = SimDetector(
            root,
            WRITERS[args.writer](paths(args.folder)),
            plugins={"stats": adcore.NDStatsIO(f"{root}Stats1:")},
            name="det",
            **more,
        )
    return det


def writer_of(det, args):
    """The device of the writer."""
    return getattr(det, {"hdf": "hdf", "tiff": "tiff", "jpeg": "jpeg"}[args.writer])


def files(documents):
    """The files that the documents name, as paths, in the order of the frames."""
    found = []
    for resource in documents.by_name["stream_resource"]:
        path = pathlib.Path("/" + resource["uri"].split("://", 1)[1].split("/", 1)[1])
        template = resource["parameters"].get("template")
        if template is None:
            found.append(path)
            continue
        datums = [d for d in documents.by_name["stream_datum"] if d["stream_resource"] == resource["uid"]]
        found += [path / template.format(i) for d in datums for i in range(d["indices"]["start"], d["indices"]["stop"])]
    return found


def shape_of(path):
    """Shape and type of the pictures in a file, read with what a scientist would take."""
    if path.suffix == ".h5":
        import h5py
        import hdf5plugin  # noqa: F401

        with h5py.File(path, "r", swmr=True, libver="latest") as file:
            data = file["/entry/data/data"]
            return data.shape, data.dtype
    if path.suffix == ".tiff":
        import tifffile

        picture = tifffile.imread(path)
    else:
        import numpy
        from PIL import Image

        picture = numpy.asarray(Image.open(path))
    return (1, *picture.shape), picture.dtype
