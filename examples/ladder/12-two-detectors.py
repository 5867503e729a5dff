"""A joined graph: the pipeline file of this step, and the program's own look at the frames of one node."""

from pathlib import Path

import livetime as lt

graph = lt.Graph(str(Path(__file__).with_suffix(".yaml")))
run = graph.start(max_frames=100, hold=True, epics=False)
frames = run.frames("spot", when_full="block", every=10)
run.release()
print(sum(1 for _ in frames), "frames of the spot")
report = run.wait()
print(report)
assert report.is_closed
