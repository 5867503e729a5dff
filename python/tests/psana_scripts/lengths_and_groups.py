import sys

import h5py
import numpy as np
from psana import DataSource

data, scratch = sys.argv[1:]

ds = DataSource(exp="xpptut15", run=14, dir=f"{data}/fakesteps", skip_calib_load="all")
smd = ds.smalldata(filename=f"{scratch}/lengths.h5", batch_size=3)
run = next(ds.runs())
andor = run.Detector("andor")
for number, evt in enumerate(run.events()):
    smd.event(evt, var_hits=np.arange(number % 3 + 1) + 10 * number, number=number)
    smd.event(evt, {"fex": {"var_peaks": {"x": [1.0 * number] * (number % 2 + 1), "y": [2.0] * (number % 2 + 1)}}})
    if andor.raw.calib(evt) is not None:
        smd.event(evt, align_group="slow", sum=andor.raw.calib(evt).sum())
smd.done()
with h5py.File(f"{scratch}/lengths.h5") as file:
    names = []
    file.visititems(lambda name, found: names.append(name) if isinstance(found, h5py.Dataset) else None)
    for name in sorted(names):
        print(">", name, file[name].shape, file[name].dtype, file[name][()].tolist())
