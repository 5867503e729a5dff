"""A value of a plugin as part of each event: the sum of the picture, exact because acquisitions wait for the plugins."""

import bluesky.plans as bp
from beamline import arguments, detector, engine
from ophyd_async.epics import adcore

args = arguments(__doc__).parse_args()
run_engine, documents = engine()
det = detector(args)
det.add_detector_logics(adcore.PluginSignalDataLogic(det.driver, det.get_plugin("stats", adcore.NDStatsIO).total))

run_engine(bp.count([det], args.events))
events = documents.by_name["event"]
assert len(events) == args.events
# The ramp of the simulation grows by one from frame to frame.
sums = [event["data"]["det-stats-total"] for event in events]
assert len(set(sums)) == args.events, sums
assert documents.frames("det") == args.events
print("signals read")
