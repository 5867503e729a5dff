"""Events out of a stream that never stops: the detector takes frames all the time, and each event records the next one.

ophyd-async's ContAcqDetector switches on the capture of the circular buffer CB1, whose expression triggers at once; the
writer HDF2 gets the frames that the buffer sends.
"""

import bluesky.plan_stubs as bps
import bluesky.plans as bp
import bluesky.preprocessors as bpp
import h5py
import hdf5plugin  # noqa: F401
from beamline import arguments, engine, files, paths
from ophyd_async.core import init_devices
from ophyd_async.epics import adcore

args = arguments(__doc__, events=20).parse_args()
run_engine, documents = engine()
with init_devices():
    det = adcore.ContAcqDetector(
        f"pva://{args.prefix}", adcore.ADWriterFactory.hdf(paths(args.folder), "HDF2:"), name="det"
    )


def begin():
    yield from bps.mv(det.driver.image_mode, adcore.ADImageMode.CONTINUOUS)
    # It goes on for as long as it is let.
    yield from bps.abs_set(det.driver.acquire, True, timeout=None, group="acquisition")


def end():
    yield from bps.abs_set(det.driver.acquire, False)
    # What switched it on ends with it.
    yield from bps.wait("acquisition")


def check():
    assert len(documents.by_name["event"]) == args.events
    assert documents.frames("det") == args.events
    (path,) = files(documents)
    with h5py.File(path, "r", swmr=True, libver="latest") as file:
        assert len(file["/entry/data/data"]) == args.events
        numbers = file["/entry/instrument/NDAttributes/NDArrayUniqueId"][:]
        assert (numbers[1:] > numbers[:-1]).all(), numbers
    print(f"{args.events} of {numbers[-1] - numbers[0] + 1} frames, {documents.ms_per_event():.1f} ms per event")


def plan():
    yield from begin()
    for _ in range(3):
        documents.by_name.clear()
        documents.event_times.clear()
        yield from bp.count([det], args.events)
        check()


run_engine(bpp.finalize_wrapper(plan(), end()))
print("continued")
