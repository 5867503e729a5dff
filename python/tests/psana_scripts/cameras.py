import sys

from psana import DataSource

scratch = sys.argv[2]

run = next(DataSource(files=f"{scratch}/cameras.xtc2", skip_calib_load="all").runs())
archon, axis, epixm = (run.Detector(name) for name in ("archon", "axis", "epixm"))
for evt in run.events():
    raw = archon.raw.raw(evt)
    image = archon.raw.image(evt, nda=raw)
    print(">", evt.timestamp, raw.shape, image.shape, image.sum(), image[1, 260:270].tolist())
    print(">", axis.raw.raw(evt).tolist(), axis.raw.image(evt).tolist())
    print(">", epixm.raw.raw(evt).shape, epixm.raw.raw(evt).sum(), epixm.raw._segment_numbers, epixm.raw._sorted_segment_inds)
