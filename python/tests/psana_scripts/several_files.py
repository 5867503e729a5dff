import sys

from psana import DataSource

data = sys.argv[1]

names = [f"{data}/fakesteps/xpptut15-r0014-s00{stream}-c000.xtc2" for stream in (0, 1)]
for run in DataSource(files=names, skip_calib_load="all").runs():
    (name,) = run.detnames
    det = run.Detector(name)
    print(">", name, [(evt.timestamp, det.raw.calib(evt).shape, det.raw.calib(evt).sum()) for evt in run.events()])
