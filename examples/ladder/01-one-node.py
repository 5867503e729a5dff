"""One node: a simulated detector, alone."""

import livetime as lt

graph = lt.Graph()
graph.add("detector", lt.nodes.SimDetector())
print(graph.run(max_frames=100))
