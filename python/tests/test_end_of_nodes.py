"""Nodes that do not return: how runs with one end, from Python and from the command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import livetime as lt

from test_command import ENVIRONMENT, called, told
from test_end import ended

# How a node may hang: asleep, busy, deaf to exceptions, and in code of C's that holds the interpreter.
HANGS = {
    "asleep": "time.sleep(1000)",
    "busy": "while True: pass",
    "deaf": "\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass",
    "holding the interpreter": "ctypes.PyDLL(None).sleep(1000)",
}

MODULE = """
import ctypes, time
import numpy as np
import livetime as lt

@lt.node
def hangs(image: lt.Array):
    open("hangs", "w").close()
    HANG

class Starting(lt.Node):
    def start(self):
        print("begun", flush=True)
        time.sleep(1000)
    def frame(self, image: lt.Array):
        return image
"""

PIPELINE = """
nodes:
  cam: {type: sim_detector, params: {acquire_period: 5 ms}}
  same: {type: "stuck:TYPE", from: cam, queue: 5}
"""


def start(folder: Path, kind: str, hang: str, *arguments: str) -> subprocess.Popen[str]:
    (folder / "stuck.py").write_text(MODULE.replace("HANG", hang))
    (folder / "stuck.yaml").write_text(PIPELINE.replace("TYPE", kind))
    command = [*called(""), "stuck.yaml", "--no-pva", *arguments]
    return subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("how", HANGS)
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_a_run_with_a_node_that_does_not_return(tmp_path, how, which):
    with start(tmp_path, "hangs", HANGS[how], "--web", "0", "--json") as process:
        told(process, "the page of this run: (.*)")
        while not (tmp_path / "hangs").exists():
            time.sleep(0.05)
        process.send_signal(which)
        told(process, "(again to abort)")
        process.send_signal(which)
        out, err = process.communicate(timeout=600)
    assert process.returncode == 1, (out, err)
    # A busy machine may not come to its report.
    if not out:
        assert "`same` does not return" in err
        return
    report = json.loads(out)
    assert "node `same` does not return" in report["failure"] and not report["finished"] and report["imbalances"] == []


def test_a_second_signal_ends_a_run_that_does_not_start(tmp_path):
    with start(tmp_path, "Starting", "pass", "--no-web") as process:
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
        # Two signals at once are one for the system; a third one changes nothing.
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
        _, err = process.communicate(timeout=600)
    assert process.returncode == 1 and "node `same` does not come back from its start" in err


SCRIPT = """
import ctypes
@lt.source
def forever():
    while True:
        yield np.zeros((64, 64), np.uint16)
@lt.node
def same(image: lt.Array):
    HANG
graph = lt.Graph()
graph.add("forever", forever)
graph.add("same", same, from_="forever", when_full="latest")
run = graph.start()
while run.report().nodes["same"]["received"] == 0:
    time.sleep(0.01)
READY
try:
    run.stop(0.1)
except lt.NodeFailed as error:
    print(error)
print(run.report().is_closed)
"""


@pytest.mark.parametrize("how", [how for how in HANGS if how != "holding the interpreter"])
def test_stop_names_the_node_and_the_interpreter_ends(how):
    done = ended(SCRIPT.replace("HANG", HANGS[how]).replace("READY", ""))
    wanted = "node `same` does not return from a call, and what was under way there is left behind\nTrue\n"
    assert (done.returncode, done.stdout) == (0, wanted), done.stderr


STARTING = """
class Hangs(lt.Node):
    def start(self):
        print("begun", flush=True)
        HANG
    def frame(self, image: lt.Array):
        return image
graph = lt.Graph()
graph.add("cam", "sim_detector")
graph.add("same", Hangs, from_="cam")
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    graph.start(epics=False)
except KeyboardInterrupt as error:
    print(error.__notes__)
"""


@pytest.mark.parametrize("how", [how for how in HANGS if how != "holding the interpreter"])
def test_ctrl_c_ends_a_start_that_hangs_and_names_the_node(how):
    done = ended(STARTING.replace("HANG", HANGS[how].replace("\n", "\n    ")))
    wanted = "begun\n['node `same` does not come back from its start, and is left behind']\n"
    assert (done.returncode, done.stdout) == (0, wanted), done.stderr


@pytest.mark.parametrize("seconds", [0.0, 100.0])
def test_ctrl_c_ends_a_stop(seconds):
    script = SCRIPT.replace("HANG", "time.sleep(1000)").replace("run.stop(0.1)", "run.stop(100)" if seconds else "run.wait()")
    script = script.replace("except lt.NodeFailed", "except KeyboardInterrupt").replace("print(error)", "print('interrupted')")
    timer = "signal.signal(signal.SIGINT, signal.default_int_handler)\nthreading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
    done = ended(script.replace("READY\ntry:", "try:\n    " + timer.replace("\n", "\n    ")))
    assert (done.returncode, done.stdout) == (0, "interrupted\nTrue\n"), done.stderr


FORK = """
from livetime.testing import images, write_run
path = write_run(tempfile.mkdtemp(), images(40))
run = lt.open(path)
loop = run.events(ahead=2)
event = next(loop)
def child(work):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException as error:
            print(type(error).__name__, error)
        sys.stdout.flush()
        WAY
    status = os.waitpid(pid, 0)[1]
    assert status == 0, status
def again():
    print(sum(1 for _ in run.events(ahead=2)), run[3].number, event.array.shape, event.small is not None)
    run.refresh()
    print(int(lt.analyze(run, reducers="sum", workers=2)["sum"].sum()))
def go_on():
    next(loop)
def with_processes():
    import multiprocessing
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(count, [run] * 4))
def count(run):
    return sum(1 for _ in run.events(ahead=1))
child(again)
child(go_on)
with_processes()
print(1 + sum(1 for _ in loop))
"""


@pytest.mark.parametrize("way", ["os._exit(0)", "sys.exit(0)"])
def test_a_fork_in_a_loop_works_anew_or_says_why(way):
    total = int(np.sum(lt.testing.images(40)))
    for _ in range(3):
        done = ended(FORK.replace("WAY", way))
        lines = done.stdout.splitlines()
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert lines[:2] == ["40 3 (60, 80) True", str(total)]
        assert lines[2].startswith("RecordingError wanted a loop of this process") and lines[3:] == ["[40, 40, 40, 40]", "40"]


def test_a_fork_with_a_running_graph_says_why():
    script = """
graph = lt.Graph()
graph.add("cam", "sim_detector", acquire_period="1 ms")
run = graph.start()
frames = run.frames("cam", when_full="latest")
pid = os.fork()
if pid == 0:
    for use in (run.report, lambda: run["cam"].gain, lambda: next(frames), run.stop):
        try:
            use()
        except lt.GraphError as error:
            print(error, flush=True)
    del run, frames
    print(graph.run(max_frames=3).nodes["cam"]["emitted"], flush=True)
    sys.exit(0)
assert os.waitpid(pid, 0)[1] == 0
run.stop()
if os.fork() == 0:
    os._exit(0)
"""
    done = ended(script)
    assert done.returncode == 0 and done.stderr.count("was forked") == 1, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 5 and all("of the process that this one was forked from" in line for line in lines[:4]) and lines[4] == "3"
