"""The end of the interpreter with threads of ours in it, Ctrl-C, forks."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest


def ended(script: str) -> subprocess.CompletedProcess[str]:
    head = "import livetime as lt, numpy as np, os, signal, sys, tempfile, threading, time\n"
    return subprocess.run([sys.executable, "-c", head + script], capture_output=True, text=True, timeout=600)


RUNNING = """
stuck = False
@lt.source
def forever():
    while True:
        yield np.zeros((64, 64), np.uint16)
@lt.node
def same(image: lt.Array):
    while stuck:
        wait()
    return image + 1
graph = lt.Graph()
graph.add("forever", forever)
graph.add("same", same, from_="forever", when_full="block")
run = graph.start()
frames = run.frames("same", when_full="block")
next(frames)
"""

# A thread of a run that nobody holds any more, several times over.
FORGOTTEN = "del run, frames\nfor _ in range(20):\n    run = graph.start()\ndel run\n"
MANY = "runs = [graph.start() for _ in range(10)]\n"
LOOPS = """
def loop():
    for frame in run.frames("same", when_full="latest"):
        frame.array.sum()
for _ in range(3):
    threading.Thread(target=loop, daemon=True).start()
"""

# Threads of an analysis call reducers while the main thread comes to its end.
ANALYSIS = """
from livetime.testing import images, write_run
begun = threading.Event()
class Total(lt.Reducer):
    def partial(self, layout): return 0
    def map(self, total, event):
        begun.set()
        return total + int(event.array.sum())
    def merge(self, total, later): return total + later
recorded = lt.open(write_run(tempfile.mkdtemp(), images(40)))
def work():
    while True:
        lt.analyze(recorded, "", Total(), workers=3)
threading.Thread(target=work, daemon=True).start()
begun.wait()
"""

WAYS = {
    "falls off": (RUNNING, 0),
    "forgotten": (RUNNING + "del run, frames\n", 0),
    "many forgotten": (RUNNING + FORGOTTEN, 0),
    "many": (RUNNING + MANY, 0),
    "loops": (RUNNING + LOOPS, 0),
    "sys.exit": (RUNNING + "sys.exit(3)\n", 3),
    "os._exit": (RUNNING + "os._exit(4)\n", 4),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_interpreter_ends_with_threads_of_ours(way: str):
    script, code = WAYS[way]
    # A race: the more often, the better.
    for _ in range(3):
        done = ended(script)
        assert (done.returncode, done.stderr) == (code, "")


def test_the_interpreter_ends_with_an_analysis():
    for _ in range(3):
        done = ended(ANALYSIS)
        # The thread that waits for the analysis may just have time to say that it has ended.
        assert done.returncode == 0 and "Fatal" not in done.stderr and "Bug" not in done.stderr


@pytest.mark.parametrize("wait", ["pass", "time.sleep(1000)"])
def test_the_interpreter_ends_with_a_node_that_does_not_return(wait: str):
    done = ended(RUNNING.replace("wait()", wait) + "stuck = True\nframes.close()\ntime.sleep(0.2)\n")
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_ends_the_interpreter_with_a_running_graph():
    script = RUNNING + "signal.signal(signal.SIGINT, signal.default_int_handler)\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n"
    for _ in range(3):
        done = ended(script)
        assert done.returncode == -signal.SIGINT and done.stderr.endswith("KeyboardInterrupt\n")


def test_ctrl_c_ends_a_wait():
    script = RUNNING + """
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
frames.close()
try:
    run.wait()
except KeyboardInterrupt:
    print("interrupted", run.is_finished)
"""
    done = ended(script)
    assert (done.returncode, done.stdout) == (0, "interrupted True\n"), done.stderr


def test_a_fork_with_a_running_graph_is_warned_of():
    done = ended(RUNNING + "pid = os.fork()\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)\n")
    assert done.returncode == 0 and "forked" in done.stderr
