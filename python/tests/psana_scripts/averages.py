import sys

import h5py
import numpy as np
from psana import DataSource

data, scratch = sys.argv[1:]

# The usual reduction: a sum per step and for the run, what a scan sets beside it, a threshold on an image.
ds = DataSource(exp="xpptut15", run=14, dir=f"{data}/fakesteps", skip_calib_load="all")
smd = ds.smalldata(filename=f"{scratch}/averages.h5", batch_size=5)
for run in ds.runs():
    hsd, andor, motor1 = run.Detector("hsd"), run.Detector("andor"), run.Detector("motor1")
    laser = run.Detector("laser", accept_missing=True)
    total, kept = None, 0
    for nstep, step in enumerate(run.steps()):
        in_step = np.zeros(1)
        for nevt, evt in enumerate(step.events()):
            wave, slow = hsd.raw.calib(evt), andor.raw.calib(evt)
            if wave is None:
                continue
            in_step = in_step + wave
            total = wave.astype(float) if total is None else total + wave
            values = {"wave": {"sum": wave.sum(), "above": int((wave > 2).sum())}, "step": nstep}
            if slow is not None:
                kept += 1
                values["slow"] = {"mean": slow.mean()}
            smd.event(evt, values, motor=motor1(step), laser=-1 if laser(evt) is None else 1)
        print(">", nstep, step.evt.timestamp, run.step(evt).timestamp, in_step)
    if smd.summary:
        smd.save_summary({"total": smd.sum(total), "count": smd.sum(kept)}, axis=np.arange(3))
smd.done()
with h5py.File(f"{scratch}/averages.h5") as file:
    names = []
    file.visititems(lambda name, found: names.append(name) if isinstance(found, h5py.Dataset) else None)
    for name in sorted(names):
        print(">", name, file[name].shape, file[name].dtype, file[name][()].tolist())
