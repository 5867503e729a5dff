import sys

from psana import DataSource

data = sys.argv[1]

ds = DataSource(files=f"{data}/chunking/xpptut15-r0014-s000-c000.xtc2", skip_calib_load="all", live=False)
run = next(ds.runs())
cspad = run.Detector("xppcspad")
for evt in run.events():
    image = cspad.raw.image(evt)
    print(">", evt.timestamp, cspad.raw.raw(evt).shape, image.shape, image.sum(), cspad.raw.calib(evt).sum())
