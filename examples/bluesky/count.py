"""bp.count with files: several runs in a row, each with a frame per event, the documents validated, the files read."""

import bluesky.plans as bp
from beamline import arguments, detector, engine, files, shape_of

args = arguments(__doc__).parse_args()
run_engine, documents = engine()
det = detector(args)

for run in range(2):
    documents.by_name.clear()
    documents.event_times.clear()
    run_engine(bp.count([det], args.events))
    assert len(documents.by_name["event"]) == args.events, documents.by_name["event"]
    assert documents.frames("det") == args.events
    written = files(documents)
    frames = sum(shape_of(path)[0][0] for path in written)
    assert frames == args.events, (frames, written)
    wanted = documents.by_name["descriptor"][0]["data_keys"]["det"]
    shape, dtype = shape_of(written[0])
    assert list(shape[1:]) == list(wanted["shape"][1:]) and dtype == wanted["dtype_numpy"], (shape, dtype, wanted)
    print(f"run {run}: {frames} frames in {len(written)} files, {documents.ms_per_event():.1f} ms per event")
print("counted")
