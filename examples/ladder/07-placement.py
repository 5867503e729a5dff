"""Placement: which thread runs a node. Results do not depend on it."""

import livetime as lt

graph = lt.Graph()
graph.add("detector", lt.nodes.SimDetector(max_size_x=256, max_size_y=256, acquire_period="2 ms"))
graph.add("region", lt.nodes.Roi(size_x=128, size_y=128), from_="detector", placement="inline")
graph.add("packed", lt.nodes.Compress(compressor="bslz4"), from_="region", placement="pool:2")
graph.add("rate", "rate_monitor", from_="packed", placement="group:light")
graph.add("end", "null", from_="rate", placement="group:light")
print(graph.run(max_frames=100))
