import sys

import h5py
import numpy as np
from psana import DataSource

data, scratch = sys.argv[1:]

ds = DataSource(exp="xpptut15", run=14, dir=f"{data}/mixed_rate", skip_calib_load="all")
smd = ds.smalldata(filename=f"{scratch}/small.h5", batch_size=7)
run = next(ds.runs())
cspad, epics = run.Detector("xppcspad"), run.Detector("HX2:DVD:GCC:01:PMON")
total, last = 0, 0
for number, evt in enumerate(run.events()):
    raw = cspad.raw.raw(evt) if cspad.raw._segments(evt) else None
    smd.event(evt, {"in": {"two": np.arange(3) * number}}, number=number, half=number / 2)
    smd.event(evt, {"cspad": {"row": np.arange(4.0) + number, "max": np.int32(number)}}) if raw is not None else None
    total += number
if smd.summary:
    smd.save_summary({"run": {"total": smd.sum(total)}}, most=smd.max(number), array=smd.sum(np.ones(3)))
smd.done()
with h5py.File(f"{scratch}/small.h5") as file:
    names = []
    file.visititems(lambda name, found: names.append(name) if isinstance(found, h5py.Dataset) else None)
    for name in sorted(names):
        print(">", name, file[name].shape, file[name].dtype, file[name][()].tolist())
