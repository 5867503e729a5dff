"""A node of one's own: a function. Keyword-only arguments are its parameters."""

import livetime as lt
import numpy as np


@lt.node
def threshold(image: lt.Array, *, level: lt.Param[int, "counts", lt.AtLeast(0)] = 10):
    """Pixels below `level` become 0."""
    return np.where(image < level, image.dtype.type(0), image)


graph = lt.Graph()
graph.add("detector", lt.nodes.SimDetector(max_size_x=256, max_size_y=256, acquire_period="2 ms"))
graph.add("cut", threshold(level=50), from_="detector", when_full="block")
graph.add("end", "null", from_="cut", when_full="block")
print(graph.run(max_frames=100))
