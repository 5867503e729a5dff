"""A fly scan: frames are taken by the detector's own clock while their documents are collected, for several stages in a row."""

import bluesky.plan_stubs as bps
import bluesky.preprocessors as bpp
from beamline import arguments, detector, engine, files, shape_of
from ophyd_async.core import TriggerInfo

args = arguments(__doc__, events=50).parse_args()
run_engine, documents = engine()
det = detector(args)


@bpp.stage_decorator([det])
@bpp.run_decorator()
def fly(count):
    yield from bps.prepare(det, TriggerInfo(number_of_events=count, livetime=0.001, deadtime=0.001), wait=True)
    yield from bps.declare_stream(det, name="main", collect=True)
    yield from bps.kickoff(det, wait=True)
    yield from bps.collect_while_completing(flyers=[det], dets=[det], flush_period=0.1, stream_name="main")


for stage in range(3):
    documents.by_name.clear()
    run_engine(fly(args.events))
    written = files(documents)
    frames = sum(shape_of(path)[0][0] for path in written)
    assert documents.frames("det") == frames == args.events, (documents.frames("det"), frames)
    shape = documents.by_name["descriptor"][0]["data_keys"]["det"]["shape"]
    # ophyd-async describes RGB1 with the colours first; the file has them last.
    assert sorted(shape[1:]) == sorted(shape_of(written[0])[0][1:]), (shape, shape_of(written[0]))
    print(f"stage {stage}: {frames} frames of {shape[1:]} in {len(written)} files")
print("flown")
