"""Pipelines with nodes of Python, from the command line; runs that are served over pvAccess."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import livetime as lt
from livetime.testing import images, write_run

MODULE = """
import numpy as np
import livetime as lt

@lt.source
def ramp(*, count: int = 20):
    for number in range(count):
        yield np.full((4, 4), number, np.uint16)

@lt.node
def cut(image: lt.Array, *, level: lt.Param[float, "counts", lt.AtLeast(0)] = 10.0):
    '''Pixels below `level` become 0.'''
    return np.where(image < level, image.dtype.type(0), image)

@lt.node
def failing(image: lt.Array):
    return 1 / int(image[0, 0] - 3)
"""

PIPELINE = """
nodes:
  ramp: {type: "beamline:ramp", params: {count: 6}, when_exhausted: wait}
  cut: {type: "beamline:cut", from: {node: ramp, when_full: block}, params: {level: 4}}
  stats: {type: statistics, from: {node: cut, when_full: block}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "beamline.py").write_text(MODULE)
    (tmp_path / "p.yaml").write_text(PIPELINE)
    sys.modules.pop("beamline", None)
    return tmp_path


ENVIRONMENT = {**os.environ, "LIVETIME_PYTHON": sys.executable}


def called(program: str) -> list[str]:
    return [program, "run", "--python"] if program else [sys.executable, "-m", "livetime", "run"]


def command(*arguments: str, program: str = "") -> subprocess.CompletedProcess[str]:
    # The page of each would take a port.
    arguments = (*arguments, "--no-web")
    return subprocess.run([*called(program), *arguments], capture_output=True, text=True, env=ENVIRONMENT, timeout=600)


def test_a_file_names_nodes_of_modules(folder):
    graph = lt.Graph("p.yaml", imports=True, set={"cut.level": 5})
    assert graph.nodes == {"ramp": "beamline:ramp", "cut": "beamline:cut", "stats": "statistics"}
    run = graph.start(hold=True)
    frames = run.frames("cut", when_full="block")
    run.release()
    assert [int(frame.array[0, 0]) for frame in frames] == [0, 0, 0, 0, 0, 5]
    assert run.wait().is_closed


def test_modules_are_imported_only_if_that_is_said(folder):
    with pytest.raises(lt.GraphError, match="unknown node type `beamline:ramp`"):
        lt.Graph("p.yaml")
    assert "beamline" not in sys.modules
    with pytest.raises(lt.GraphError, match="wanted a node of beamline .ramp, cut, failing."):
        lt.Graph("nodes:\n  x: {type: 'beamline:cutt'}\n", imports=True)
    with pytest.raises(lt.GraphError, match="wanted a module `nobody`"):
        lt.Graph("nodes:\n  x: {type: 'nobody:cut'}\n", imports=True)


@pytest.mark.parametrize("how", ["module", "program"])
def test_a_pipeline_is_run_from_the_command_line(folder, how, request):
    program = request.getfixturevalue("program") if how == "program" else ""
    done = command("p.yaml", "--set", "cut.level=2", "--json", program=program)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["exit_code"] == 0 and report["pipeline"] == "p.yaml"
    nodes = {node["name"]: node for node in report["nodes"]}
    assert nodes["stats"]["completed"] == 6 and nodes["cut"]["type"] == "beamline:cut"
    done = command("p.yaml", "--frames", "3", program=program)
    assert done.returncode == 0 and "ledger closed" in done.stdout


def test_what_fails_is_told_with_its_traceback(folder):
    (folder / "bad.yaml").write_text(PIPELINE.replace("beamline:cut\"", "beamline:failing\", on_error: stop").replace(", params: {level: 4}", ""))
    done = command("bad.yaml")
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr and "in node `cut`, frame 4" in done.stderr
    done = command("no.yaml")
    assert done.returncode == 2 and "no.yaml" in done.stderr


ENDLESS = """
nodes:
  cam: {type: sim_detector, params: {acquire_period: 2 ms}}
  cut: {type: "beamline:cut", from: {node: cam, when_full: block}, params: {level: 4}}
"""


def told(process: subprocess.Popen[str], *patterns: str) -> list[str]:
    """What the log of a run says in place of the group of each pattern."""
    assert process.stderr is not None
    found: dict[str, str] = {}
    text = ""
    for line in process.stderr:
        text += line
        found |= {pattern: match[1] for pattern in patterns if (match := re.search(pattern, line))}
        if len(found) == len(patterns):
            return [found[pattern] for pattern in patterns]
    raise AssertionError(f"wanted {patterns}, found {text}")


def get(url: str, **headers: str) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=600) as answer:
        return bytes(answer.read())


@pytest.mark.parametrize("how", ["module", "program"])
def test_page_metrics_and_trace_are_those_of_the_program(folder, how, request):
    (folder / "endless.yaml").write_text(ENDLESS)
    program = request.getfixturevalue("program") if how == "program" else ""
    beside = ["endless.yaml", "--json", "--web", "0", "--metrics", "0", "--trace", "t.json", "--trace-every", "1"]
    beside += ["--web-token-file", "token"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*called(program), *beside], env=ENVIRONMENT, **pipes) as process:
        url, metrics = told(process, r"the page of this run: (\S+)", r"serving metrics at (\S+)")
        token = (folder / "token").read_text().strip()
        assert b"<html" in get(url).lower()
        until = time.monotonic() + 600
        while b'node="cut"' not in get(metrics) and time.monotonic() < until:
            time.sleep(0.05)
        assert b'livetime_frames_completed_total{node="cut"' in get(metrics)
        run = json.loads(get(url + "api/v1/describe", Authorization=f"Bearer {token}"))
        assert "cut" in json.dumps(run)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    report = json.loads(out)
    assert (report["ended_by"], report["ledger_closed"]) == ("interrupted", True)
    spans = [event["name"] for event in json.loads((folder / "t.json").read_text())["traceEvents"] if event["ph"] == "X"]
    assert spans.count("cut") > 0 and "trace: t.json" in err


SCRIPT = Path(__file__).parents[1] / "data" / "scripts" / "livetime"


def script(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """The program that the wheel brings."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, *options.pop("python", ()), str(SCRIPT), *arguments], **pipes, **options)


def test_the_wheels_program_is_the_program(folder, program):
    environment = {name: value for name, value in os.environ.items() if name != "LIVETIME_PYTHON"}
    for arguments in (["--help"], ["nodes", "statistics"], ["run", "--framse", "1"], ["inspect", "none.xtc"], []):
        ours, other = script(*arguments), subprocess.run([program, *arguments], capture_output=True, text=True)
        out, err = ours.communicate(timeout=600)
        assert (ours.returncode, out, err) == (other.returncode, other.stdout, other.stderr), arguments
    # A node of Python finds this interpreter, of which the environment says nothing.
    ours = script("run", "--python", "p.yaml", "--frames", "6", "--no-web", "--json", env=environment)
    out, err = ours.communicate(timeout=600)
    assert ours.returncode == 0 and json.loads(out)["unintended_losses"] == 0, err


def test_the_wheels_program_starts_without_numpy(folder):
    _, err = (started := script("--version", python=("-X", "importtime"))).communicate(timeout=600)
    assert started.returncode == 0 and "importlib.util" in err and "numpy" not in err


def test_the_wheels_program_ends_its_run_when_interrupted(folder):
    run = script("run", "--web", "0", "--no-pva", "--json")
    told(run, "the page of this run: (.*)")
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=600)
    # On a busy machine its plugins lose frames, which the exit code says.
    report = json.loads(out)
    assert (report["ended_by"], report["ledger_closed"]) == ("interrupted", True)
    assert run.returncode == (3 if report["unintended_losses"] else 0), err


def test_a_second_interrupt_aborts_nodes_that_hang(folder):
    (folder / "slow.py").write_text(
        "import time\nimport livetime as lt\n\n@lt.node\ndef slow(image: lt.Array):\n"
        "    open('seen', 'a').write('.')\n    time.sleep(0.5)\n    return image\n"
    )
    (folder / "slow.yaml").write_text(ENDLESS.replace("beamline:cut", "slow:slow").replace(", params: {level: 4}", ", queue: 100"))
    with subprocess.Popen(called("") + ["slow.yaml", "--web", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        # At the third frame others wait behind it.
        while not (folder / "seen").exists() or (folder / "seen").stat().st_size < 3:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        told(process, "(again to abort)")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    assert process.returncode != 0 and "aborted" in out, (out, err)


@pytest.mark.parametrize("text", [PIPELINE.replace("from: {node: cut", "from: {node: cot"), PIPELINE.replace("beamline:cut", "nobody:cut")])
def test_a_file_is_refused_as_by_the_program(folder, text, program):
    (folder / "wrong.yaml").write_text(text)
    done = command("wrong.yaml", "--json")
    assert done.returncode == 2 and json.loads(done.stdout)["exit_reason"] == "refused"
    assert command("wrong.yaml", "--framse", "3").returncode == 2
    plain = subprocess.run([program, "run", "no.yaml", "--json"], capture_output=True, text=True)
    own = command("no.yaml", "--json")
    assert (own.returncode, own.stdout) == (plain.returncode, plain.stdout)


SERVED = lt.Epics("LTPY:", interfaces=["local"], port=0, search_port=0)


def test_a_run_is_served_while_it_runs():
    from p4p.client.thread import Context


    @lt.node
    def level(image: lt.Array, *, level: lt.Param[float, "counts", lt.AtLeast(0)] = 10.0):
        return image + np.uint8(level)

    graph = lt.Graph()
    graph.add("cam", "sim_detector", acquire_period="5 ms")
    graph.add("level", level, from_="cam", when_full="latest")
    graph.add("picture", "pva_image", from_="level", when_full="latest")
    run = graph.start(epics=SERVED)
    assert run.epics is not None and run.epics.prefix == "LTPY:" and run.epics.pvs > 100
    conf = {"EPICS_PVA_NAME_SERVERS": run.epics.address, "EPICS_PVA_AUTO_ADDR_LIST": "NO", "EPICS_PVA_ADDR_LIST": ""}
    with Context("pva", conf=conf, useenv=False) as client:
        # PVs show the run as it was at the last moment, and nothing before the first.
        seen(client, "LTPY:cam1:AcquirePeriod_RBV", lambda period: period == 0.005)
        client.put("LTPY:Level1:Level", 25.0, timeout=600)
        assert run["level"].level == 25.0
        seen(client, "LTPY:Level1:Level_RBV", lambda level: level == 25.0)
        seen(client, "LTPY:Pva1:Image", lambda image: image.ndim >= 2)
    report = run.stop()
    assert report.is_closed and run.epics is None


def seen(client, name: str, is_wanted) -> None:
    until = time.monotonic() + 600
    while not is_wanted(found := client.get(name, timeout=600)):
        assert time.monotonic() < until, f"{name}: {found}"
        time.sleep(0.05)


def test_whether_a_run_is_served():
    graph = lt.Graph("nodes:\n  cam: {type: sim_detector}\n  null: {type: 'null', from: cam}\npvaccess: {prefix: 'LTF:', port: 0, search_port: 0}\n")
    with graph.start() as run:
        assert run.epics is not None and run.epics.prefix == "LTF:"
    with graph.start(epics=False) as run:
        assert run.epics is None
    with graph.start(epics="LTG:") as run:
        assert run.epics is not None and run.epics.prefix == "LTG:"
    for wrong in (lt.Epics("a b:"), lt.Epics(interfaces=["everywhere"]), lt.Epics(writers=["?"])):
        with pytest.raises(lt.GraphError, match="wanted"):
            graph.start(epics=wrong)


@pytest.mark.parametrize("arguments", [["check"], ["pvs"], ["bench", "graph"], ["bench", "node"]])
def test_commands_about_a_file_know_nodes_of_python(folder, program, arguments):
    (folder / "endless.yaml").write_text(ENDLESS)
    more = ["endless.yaml", *(["cut"] if arguments[-1] == "node" else []), *(["--quick"] if arguments[0] == "bench" else [])]
    plain = subprocess.run([program, *arguments, *more], capture_output=True, text=True)
    assert plain.returncode == 2 and "unknown node type `beamline:cut`: `--python`" in plain.stderr
    done = subprocess.run([program, *arguments, *more, "--python"], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode in (0, 3), done.stderr
    assert "cut" in done.stdout.lower()


NUMBERED = """
import itertools
import livetime as lt

numbers = itertools.count()

@lt.node
def numbered(image: lt.Array):
    # All nodes of this process count together: what one sends depends on which is first.
    return image * 0 + next(numbers) % 200

@lt.node
def cut(image: lt.Array):
    return image // 2
"""


def test_verify_knows_nodes_of_python_and_says_which_depends_on_the_schedule(tmp_path, program):
    (tmp_path / "counting.py").write_text(NUMBERED)
    pipeline = """nodes:
  cam: {type: sim_detector, params: {size_x: 8, size_y: 8, acquire_period: 0 ms}}
  one: {type: "counting:NODE", from: cam}
  other: {type: "counting:NODE", from: cam}
  end: {type: "null", from: one}
  end2: {type: "null", from: other}
"""
    for node, code in [("numbered", 1), ("cut", 0)]:
        (tmp_path / "p.yaml").write_text(pipeline.replace("NODE", node))
        command = [program, "verify", "p.yaml", "--frames", "100", "--runs", "5", "--json", "--python"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=ENVIRONMENT)
        assert done.returncode == code, (done.stdout, done.stderr)
        verdict = json.loads(done.stdout)
        assert verdict["same"] == (code == 0), verdict
        assert code == 0 or verdict["difference"]["node"] in ("one", "other"), verdict


def test_analyze_takes_nodes_of_python(tmp_path, program):
    run = write_run(tmp_path, images(6))
    (tmp_path / "counting.py").write_text(NUMBERED)
    (tmp_path / "p.yaml").write_text('nodes:\n  cam: {type: sim_detector}\n  half: {type: "counting:cut", from: cam}\n  end: {type: "null", from: half}\n')
    command = [program, "analyze", str(run), "--pipeline", "p.yaml", "--json"]
    plain = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert plain.returncode == 2 and "unknown node type `counting:cut`: `--python`" in plain.stdout + plain.stderr
    done = subprocess.run([*command, "--python"], cwd=tmp_path, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run"]["nodes"][1]["completed"] == 6


@pytest.mark.parametrize("arguments", [["run", "--python", "p.yaml"], ["check", "--python", "p.yaml"], ["pyana", "-m", "x", "y.xtc"], ["bench", "python"]])
def test_an_interpreter_without_the_package_is_said_with_what_to_install(folder, program, arguments):
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "PYTHONPATH"}
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and f"{sys.executable} -m pip install" in done.stderr and "Traceback" not in done.stderr
