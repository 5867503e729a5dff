import sys

from psana import DataSource

data = sys.argv[1]

run = next(DataSource(exp="xpptut15", run=14, dir=f"{data}/mixed_rate", skip_calib_load="all").runs())
names = ["HX2:DVD:GCC:01:PMON", "HX2:DVD:GPI:01:PMON", "HX2:DVD:GCC:01:PMON,hello1", "motor1", "motor2"]
dets = [run.Detector(name) for name in names]
print(">", [det.dtype for det in dets])
for evt in run.events():
    print(">", evt.timestamp, [det(evt) for det in dets], dets[0]([evt]))
run = next(DataSource(exp="xpptut15", run=14, dir=f"{data}/multi-seg-epics", skip_calib_load="all").runs())
first, background = run.Detector("epicsvar1"), run.Detector("background")
for evt in run.events():
    found = background(evt)
    print(">", evt.timestamp, first(evt), found if found is None else (found.shape, found.sum()))
