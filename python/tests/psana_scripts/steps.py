import sys

from psana import DataSource

data = sys.argv[1]

run = next(DataSource(exp="xpptut15", run=14, dir=f"{data}/fakesteps", skip_calib_load="all").runs())
motor1, motor2 = run.Detector("motor1"), run.Detector("motor2")
hsd, andor = run.Detector("hsd"), run.Detector("andor")
for nstep, step in enumerate(run.steps()):
    print(">", nstep, step.evt.timestamp, motor1(step), motor2(step))
    for evt in step.events():
        fast, slow = hsd.raw.calib(evt), andor.raw.calib(evt)
        print(">", evt.timestamp, motor1(evt), motor2(evt), fast.sum(), slow if slow is None else slow.sum())
