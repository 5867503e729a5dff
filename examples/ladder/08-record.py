"""A recorder: frames become a file, which gets its name when it is whole."""

import livetime as lt

graph = lt.Graph()
graph.add("detector", lt.nodes.SimDetector(max_size_x=256, max_size_y=256, data_type="u16", noise=20, acquire_period="2 ms"))
file = lt.nodes.Hdf5Files(
    path="out/ladder", create_directory=-2, file_name="run", compression="bslz4", mode="stream", capture=True
)
graph.add("file", file, from_="detector", when_full="block")
print(graph.run(max_frames=100))
