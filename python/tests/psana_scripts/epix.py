import sys

from psana import DataSource

scratch = sys.argv[2]

run = next(DataSource(files=f"{scratch}/epix.xtc2", skip_calib_load="all").runs())
det = run.Detector("epixquad")
for evt in run.events():
    raw = det.raw.raw(evt)
    print(">", evt.timestamp, evt.datetime(), raw.shape, raw.dtype, raw.sum(axis=(1, 2)))
    for seg, found in sorted(det.raw._segments(evt).items()):
        print(">", seg, found.aux.shape, found.aux.sum(), det.raw._seg_configs()[seg].config.trbit.tolist())
