import sys

from psana import DataSource

data = sys.argv[1]


def callback(values):
    print(">", sorted(values.items()))


ds = DataSource(exp="xpptut15", run=14, dir=f"{data}/fakesteps", skip_calib_load="all")
smd = ds.smalldata(batch_size=1, callbacks=[callback])
for run in ds.runs():
    for number, evt in enumerate(run.events()):
        smd.event(evt, number=number, square=number**2.0)
        smd.event(evt, {"in": {"group": number}}, align_group="other") if number % 2 else None
smd.done()
