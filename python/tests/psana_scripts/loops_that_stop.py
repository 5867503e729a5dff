import sys

from psana import DataSource

data, scratch = sys.argv[1:]

common = dict(exp="xpptut15", run=14, dir=f"{data}/fakesteps", skip_calib_load="all")
run = next(DataSource(**common).runs())
first = next(run.events())
hsd = run.Detector("hsd")
print(">", first.timestamp, hsd.raw.calib(first).sum(), next(run.events()).timestamp)
for evt in run.events():
    print(">", evt.timestamp)
    break
for step in run.steps():
    print(">", step.evt.timestamp, step.evt.service(), [evt.timestamp for evt in step.events()])
print(">", [evt.timestamp for evt in run.events()])
run = next(DataSource(**common, max_events=4).runs())
print(">", next(run.events()).timestamp, [evt.timestamp for evt in run.events()])
run = next(DataSource(**common).runs())
for step in run.steps():
    for evt in step.events():
        print(">", step.evt.timestamp, evt.timestamp)
        break
run = next(DataSource(**common).runs())
steps = list(run.steps())
print(">", [step.evt.timestamp for step in steps], [[evt.timestamp for evt in step.events()] for step in steps])
for run in DataSource(files=f"{scratch}/two-runs.xtc2", skip_calib_load="all").runs():
    print(">", run.runnum, next(run.events()).timestamp)
    print(">", [evt.timestamp for evt in run.events()])
