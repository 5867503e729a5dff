"""Parameters: set before the run, and while it runs. A change acts from the next frame."""

import livetime as lt

graph = lt.Graph()
graph.add("detector", lt.nodes.SimDetector(max_size_x=256, max_size_y=256, offset=100, acquire_period="2 ms"))
graph.add("stats", lt.nodes.Statistics(), from_="detector")
run = graph.start()
run["detector"].offset = 20
print(run["detector"].offset)
print(run.stop())
