"""Split and join: two branches work on every other frame, and the node behind them restores the order."""

import livetime as lt

graph = lt.Graph()
graph.add("detector", lt.nodes.SimDetector(max_size_x=256, max_size_y=256, acquire_period="2 ms"))
graph.add("deal", "scatter", from_="detector", when_full="block")
for branch, output in [("left", "deal.out1"), ("right", "deal.out2")]:
    graph.add(branch, lt.nodes.Process(enable_offset_scale=True, scale=2.0), from_=output, when_full="block")
graph.add("joined", lt.nodes.Gather(sort_mode="sorted"), from_=["left", "right"], when_full="block")
graph.add("stats", lt.nodes.Statistics(), from_="joined", when_full="block")
print(graph.run(max_frames=100))
