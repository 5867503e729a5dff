"""The average of the pictures that come, over all workers."""

import numpy as np


class average:
    def __init__(self, source, output):
        self.source = source
        self.output = output
        self.total = None
        self.count = 0

    def event(self, evt, env):
        image = evt.get(self.source)
        if image is None:
            return
        if self.total is None:
            self.total = np.zeros(image.shape, np.int64)
        self.total += image
        self.count += 1

    def merge(self, later):
        """Takes in what another worker has summed. pyana had nothing like it; a module with it has `endjob` called once."""
        if self.total is None:
            self.total = later.total
        elif later.total is not None:
            self.total += later.total
        self.count += later.count

    def endjob(self, evt, env):
        print(env.jobName(), "averaged", self.count, "pictures")
        if self.count:
            np.save(self.output, self.total / self.count)
