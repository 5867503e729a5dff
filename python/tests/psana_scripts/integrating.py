import sys

import numpy as np
from psana import DataSource

data = sys.argv[1]

ds = DataSource(exp="xpptut15", run=14, dir=f"{data}/intg_det", intg_det="andor", batch_size=1, skip_calib_load="all")
run = next(ds.runs())
hsd, andor, epix = (run.Detector(name) for name in ("hsd", "andor", "epix"))
total = np.zeros(5)
for evt in run.events():
    fast, slow, slowest = hsd.raw.calib(evt), andor.raw.calib(evt), epix.raw.calib(evt)
    total = total + fast.sum()
    print(">", evt.timestamp, evt.EndOfBatch(), fast.shape, None if slow is None else slow.sum(), None if slowest is None else slowest.sum())
    if evt.EndOfBatch():
        print(">", total)
