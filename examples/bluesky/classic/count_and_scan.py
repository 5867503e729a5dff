"""bp.count and bp.scan with classic ophyd: files of HDF5 and TIFF, a plugin's number in each event, and every file read.

Where the server is: EPICS_CA_ADDR_LIST or EPICS_CA_NAME_SERVERS, as for every client of Channel Access.
"""

import argparse
import collections
import pathlib

import bluesky.plans as bp
from bluesky import RunEngine
from event_model import DocumentNames, schema_validators
from ophyd import Component, Device, EpicsSignal
from ophyd.areadetector import DetectorBase, SimDetectorCam, SingleTrigger
from ophyd.areadetector.filestore_mixins import FileStoreHDF5IterativeWrite, FileStoreTIFFIterativeWrite
from ophyd.areadetector.plugins import HDF5Plugin_V34, StatsPlugin_V34, TIFFPlugin_V34

# The plugin, what makes a file store of it, and the name of its PVs.
WRITERS = {
    "hdf": (HDF5Plugin_V34, FileStoreHDF5IterativeWrite, "HDF1:"),
    "tiff": (TIFFPlugin_V34, FileStoreTIFFIterativeWrite, "TIFF1:"),
}


def detector(args):
    """SimDetector as a beam line declares it."""
    plugin, store, suffix = WRITERS[args.writer]
    writer = type("Writer", (plugin, store), {})

    class Detector(SingleTrigger, DetectorBase):
        cam = Component(SimDetectorCam, "cam1:")
        stats = Component(StatsPlugin_V34, "Stats1:")
        files = Component(writer, suffix, write_path_template=f"{args.folder.resolve()}/")

    det = Detector(args.prefix, name="det")
    det.wait_for_connection(timeout=60)
    det.read_attrs = ["stats", "files"]
    det.stats.read_attrs = ["total"]
    det.stats.total.kind = "hinted"
    det.files.read_attrs = []
    det.stage_sigs["cam.num_images"] = args.images
    return det


class Motor(Device):
    """A number of the detector that a scan moves: the height of the picture's ramp."""

    gain = Component(EpicsSignal, "cam1:Gain_RBV", write_pv="cam1:Gain", put_complete=True)


class Documents:
    """Validates each document and keeps it."""

    def __init__(self):
        self.by_name = collections.defaultdict(list)

    def __call__(self, name, doc):
        schema_validators[DocumentNames[name]].validate(doc)
        self.by_name[name].append(doc)


def pictures(documents):
    """The pictures of each event, out of the files that the documents name."""
    resources = {resource["uid"]: resource for resource in documents.by_name["resource"]}
    datums = {datum["datum_id"]: datum for page in documents.by_name["datum_page"] for datum in of_page(page)}
    datums |= {datum["datum_id"]: datum for datum in documents.by_name["datum"]}
    for event in documents.by_name["event"]:
        datum = datums[event["data"]["det_image"]]
        resource = resources[datum["resource"]]
        path = pathlib.Path(resource["root"]) / resource["resource_path"]
        yield event, read(path, resource, datum["datum_kwargs"]["point_number"])


def of_page(page):
    for number, datum_id in enumerate(page["datum_id"]):
        kwargs = {key: values[number] for key, values in page["datum_kwargs"].items()}
        yield {"datum_id": datum_id, "resource": page["resource"], "datum_kwargs": kwargs}


def read(path, resource, point):
    """As databroker's handlers read: frames of an event follow one another, in a file or as files."""
    kwargs = resource["resource_kwargs"]
    frames = range(point * kwargs["frame_per_point"], (point + 1) * kwargs["frame_per_point"])
    if resource["spec"] == "AD_HDF5":
        import h5py

        with h5py.File(path, "r") as file:
            return file["/entry/data/data"][frames.start : frames.stop]
    import numpy
    import tifffile

    names = [kwargs["template"] % (f"{path}/", kwargs["filename"], frame) for frame in frames]
    return numpy.stack([tifffile.imread(name) for name in names])


def check(documents, args):
    """Each event has its own pictures, and the number that the plugin made of the last of them."""
    events = list(pictures(documents))
    assert len(events) == args.events, events
    for event, frames in events:
        assert len(frames) == args.images, frames.shape
        total = float(frames[-1].astype("float64").sum())
        assert event["data"]["det_stats_total"] == total, (event["data"], total)
    return sum(len(frames) for _, frames in events)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prefix", default="13SIM1:")
    parser.add_argument("--writer", choices=WRITERS, default="hdf")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="for the files; created if need be")
    parser.add_argument("--events", type=int, default=5)
    parser.add_argument("--images", type=int, default=1, help="of an event")
    args = parser.parse_args()
    # Classic ophyd wants the folder before it writes the number of folders that may be created.
    args.folder.mkdir(parents=True, exist_ok=True)
    det, motor = detector(args), Motor(args.prefix, name="motor")
    documents = Documents()
    run_engine = RunEngine({})
    run_engine.subscribe(documents)
    if args.writer == "hdf":
        # The class wants to know the size of a picture, so one is taken without a file.
        det.files.warmup()
    scan = bp.scan([det], motor.gain, 1, args.events, num=args.events)
    for name, plan in {"count": bp.count([det], args.events), "scan": scan}.items():
        documents.by_name.clear()
        run_engine(plan)
        print(f"{name}: {check(documents, args)} pictures in the files of {args.events} events")
    assert det.files.capture.get() == 0 and det.files.blocking_callbacks.get() == "No", "unstaged"
    print("classic ophyd is content")


main()
