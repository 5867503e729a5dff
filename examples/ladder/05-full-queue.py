"""A full queue: each edge has a policy, and every lost frame a place and a reason."""

import livetime as lt

graph = lt.Graph()
graph.add("detector", lt.nodes.SimDetector(max_size_x=256, max_size_y=256, acquire_period="2 ms"))
graph.add("all", "null", from_="detector", when_full="block", queue=5)
graph.add("newest", "null", from_="detector", when_full="latest")
graph.add("tenth", "null", from_="detector", every=10)
report = graph.run(max_frames=100)
print(report.ledger)
assert report.is_closed and report.ledger["intended"][2] == 90
