"""Attributes of frames, asked for by the plan: a parameter of the detector and the sum that a plugin computes.

With --writer hdf each becomes a stream of its own beside the pictures; the files of other writers carry them as tags.
"""

import bluesky.plans as bp
from beamline import arguments, detector, engine, files, writer_of
from ophyd_async.epics import adcore

args = arguments(__doc__).parse_args()
run_engine, documents = engine()
det = detector(args)

gain = adcore.NDAttributeParam("det-gain", "GAIN", adcore.NDAttributeDataType.DOUBLE, description="Gain of the camera")
run_engine(adcore.setup_ndattributes(det.driver, [gain]))
run_engine(adcore.setup_ndstats_sum(det))

# Only what passes the plugin gets its attribute: the writer takes its frames from there.
source = writer_of(det, args).nd_array_port


def plan():
    import bluesky.plan_stubs as bps

    before = yield from bps.rd(source)
    yield from bps.mv(source, (yield from bps.rd(det.stats.port_name)))
    yield from bp.count([det], args.events)
    yield from bps.mv(source, before)


run_engine(plan())
written = files(documents)
if args.writer == "hdf":
    import h5py
    import hdf5plugin  # noqa: F401

    assert {r["data_key"] for r in documents.by_name["stream_resource"]} >= {"det", "det-gain", "det-sum"}
    for path in written[:1]:
        with h5py.File(path, "r", swmr=True, libver="latest") as file:
            sums = file["/entry/instrument/NDAttributes/det-sum"][:]
            wanted = file["/entry/data/data"][:].sum(axis=(1, 2))
            assert (sums == wanted).all(), (sums, wanted)
            assert (file["/entry/instrument/NDAttributes/det-gain"][:] == 1).all()
    assert documents.frames("det-sum") == args.events
elif args.writer == "tiff":
    import tifffile

    for path in written:
        with tifffile.TiffFile(path) as file:
            texts = [tag.value for tag in file.pages[0].tags if tag.code >= 65010]
            assert f"det-sum:{file.asarray().sum()}" in texts, texts
            assert "det-gain:1" in texts, texts
assert len(written) == (1 if args.writer == "hdf" else args.events) or args.writer == "hdf"
run_engine(adcore.setup_ndattributes(det.driver, []))
run_engine(adcore.setup_ndattributes(det.stats, []))
print("attributes read")
