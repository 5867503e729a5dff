import sys

from psana import DataSource

scratch = sys.argv[2]

for run in DataSource(files=f"{scratch}/two-runs.xtc2", skip_calib_load="all").runs():
    print(">", run.expt, run.runnum, run.timestamp, sorted(run.detnames), sorted(run.scaninfo))
    motor = run.Detector("motor")
    for step in run.steps():
        print(">", motor(step), [(evt.timestamp, motor(evt), evt.run().runnum) for evt in step.events()])
