"""A region is a view: the new frame points into the pixels of the detector's frame."""

import livetime as lt

graph = lt.Graph()
graph.add("detector", lt.nodes.SimDetector(max_size_x=256, max_size_y=256, acquire_period="2 ms"))
graph.add("region", lt.nodes.Roi(min_x=64, min_y=64, size_x=128, size_y=32), from_="detector", when_full="block")
run = graph.start(max_frames=100, hold=True)
frames = run.frames("region", when_full="block")
run.release()
shapes = {frame.array.shape for frame in frames}
print(shapes, run.wait())
assert shapes == {(32, 128)}
