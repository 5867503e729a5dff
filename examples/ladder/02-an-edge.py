"""An edge: statistics of each picture. The readbacks of the node are in the report."""

import livetime as lt

graph = lt.Graph()
graph.add("detector", lt.nodes.SimDetector(max_size_x=256, max_size_y=256))
graph.add("stats", lt.nodes.Statistics(compute_statistics=True), from_="detector")
report = graph.run(max_frames=100)
print(report, report.nodes["stats"]["readbacks"])
