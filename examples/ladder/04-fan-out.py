"""Fan-out: three nodes get the same frame, by reference."""

import livetime as lt

graph = lt.Graph()
graph.add("detector", lt.nodes.SimDetector(max_size_x=256, max_size_y=256, acquire_period="2 ms"))
for name, node in [("stats", "statistics"), ("turned", "transform"), ("rate", "rate_monitor")]:
    graph.add(name, node, from_="detector")
print(graph.run(max_frames=100))
