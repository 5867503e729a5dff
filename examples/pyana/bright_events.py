"""Passes events with a bright picture on, and notes all of them in a histogram and a table."""

from livetime.pyana import Skip


class bright_events:
    def __init__(self, source, threshold="100"):
        self.source = source
        self.threshold = float(threshold)

    def beginjob(self, evt, env):
        self.brightness = env.hmgr().h1d("brightness", "mean of a picture", 100, 900.0, 1200.0)
        self.table = env.mkfile("brightness.txt")

    def begincalibcycle(self, evt, env):
        if env.subprocess() <= 0:
            print("a calib cycle begins at", evt.getTime())

    def event(self, evt, env):
        frame = evt.getFrameValue(self.source)
        if frame is None:
            return Skip
        mean = frame.data().mean()
        self.brightness.fill(mean)
        print(evt.number, evt.getTime(), f"{mean:.2f}", file=self.table)
        evt.put(mean, "brightness")
        if mean < self.threshold:
            return Skip
