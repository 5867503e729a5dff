"""The recording of the step before: through a graph, as a loop over events, and reduced on all cores."""

import livetime as lt

run = lt.open("out/ladder/run_001.h5")
print(run, max(int(event.array.max()) for event in run.events()))
print(lt.analyze(run, run.detectors[0], "mean,std"))

graph = lt.Graph()
graph.add("run", lt.nodes.Recording(file="out/ladder/run_001.h5"))
graph.add("stats", lt.nodes.Statistics(), from_="run", when_full="block")
report = graph.run()
print(report)
assert report.losses == 0
