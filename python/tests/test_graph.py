"""Graphs with nodes of Python: data, parameters, exceptions, threads, the end of the interpreter."""

from __future__ import annotations

import threading
from typing import Literal

import numpy as np
import pytest

import livetime as lt


@lt.source
def ramp(*, count: int = 20, size: int = 8):
    for number in range(count):
        yield np.full((size, size), number, np.uint16)


@lt.node
def threshold(image: lt.Array, *, level: lt.Param[float, "counts", lt.AtLeast(0)] = 10.0):
    """Pixels below `level` become 0."""
    return np.where(image < level, image.dtype.type(0), image)


class Follow(lt.Node):
    """Follows the mean of the pictures."""

    weight: float = lt.param(0.5, min=0, max=1, doc="Weight of the newest frame.")
    mean: float = lt.readback(unit="counts", doc="Mean, smoothed.")

    def start(self):
        self.seen = 0

    def frame(self, image: lt.Array):
        self.seen += 1
        self.mean = (1 - self.weight) * self.mean + self.weight * float(image.mean())
        self.emit(image, attributes={"Mean": self.mean})

    def drain(self):
        self.tell(f"saw {self.seen} frames")


def frames_of(graph: lt.Graph, node: str) -> tuple[list[lt.Frame], lt.Report]:
    run = graph.start(hold=True)
    frames = run.frames(node, when_full="block")
    run.release()
    return list(frames), run.wait()


def test_a_turned_array_is_sent_as_it_looks():
    @lt.source
    def pictures():
        yield np.arange(12, dtype=np.uint16).reshape(3, 4)

    @lt.node
    def turned(image: lt.Array):
        return image.T

    graph = lt.Graph()
    graph.add("pictures", pictures())
    graph.add("turned", turned(), from_="pictures", when_full="block")
    frames, _ = frames_of(graph, "turned")
    assert np.array_equal(frames[0].array, np.arange(12).reshape(3, 4).T)


def test_a_function_is_a_node_and_still_a_function():
    assert np.array_equal(threshold(np.array([5, 15])), [0, 15])
    graph = lt.Graph()
    graph.add("ramp", ramp(count=20))
    graph.add("cut", threshold(level=10), from_="ramp", when_full="block")
    frames, report = frames_of(graph, "cut")
    assert [frame.array[0, 0] for frame in frames] == [0] * 10 + list(range(10, 20))
    assert [frame.sequence for frame in frames] == list(range(1, 21))
    assert report.is_closed and report.losses == 0
    report.raise_for_losses()
    assert sum(report.ledger["delivered"]) == 40


def test_what_a_function_may_return():
    @lt.node
    def nothing(image: lt.Array):
        return None if image[0, 0] % 2 else image

    @lt.node
    def twice(image: lt.Array):
        yield image
        yield image + 1

    @lt.node
    def number(image: lt.Array):
        return float(image[0, 0])

    @lt.node
    def whole(frame: lt.Frame):
        return frame

    for node, wanted in ((nothing, [0, 2]), (twice, [0, 1, 1, 2, 2, 3, 3, 4]), (number, [0, 1, 2, 3]), (whole, [0, 1, 2, 3])):
        graph = lt.Graph()
        graph.add("ramp", ramp(count=4))
        graph.add("node", node, from_="ramp", when_full="block")
        frames, report = frames_of(graph, "node")
        assert [frame.array.flat[0] for frame in frames] == wanted
        assert report.is_closed


def test_the_same_array_is_not_copied():
    @lt.node
    def same(image: lt.Array):
        return image

    graph = lt.Graph()
    graph.add("ramp", ramp(count=3))
    graph.add("same", same, from_="ramp", when_full="block")
    run = graph.start(hold=True)
    before, after = run.frames("ramp", when_full="block"), run.frames("same", when_full="block")
    run.release()
    for a, b in zip(before, after, strict=True):
        assert a.array.ctypes.data == b.array.ctypes.data
    run.wait()


def test_a_class_has_parameters_readbacks_and_attributes():
    graph = lt.Graph()
    graph.add("ramp", ramp(count=4))
    graph.add("follow", Follow(weight=1), from_="ramp", when_full="block")
    frames, report = frames_of(graph, "follow")
    assert [frame.attributes["Mean"] for frame in frames] == [0, 1, 2, 3]
    assert report.nodes["follow"]["readbacks"]["mean"] == 3.0
    assert any("saw 4 frames" in event["message"] for event in report["events"])


def test_parameters_are_attributes_of_a_run():
    graph = lt.Graph()
    graph.add("cam", "sim_detector", acquire_period="1 ms")
    graph.add("cut", threshold, from_="cam", when_full="latest")
    with graph.start() as run:
        assert run["cut"].level == 10.0
        run["cut"].level = 255
        assert run["cut"].params() == {"level": 255.0}
        frames = run.frames("cut", when_full="latest")
        for frame in frames:
            if not (frame.array[frame.array < 255] != 0).any():
                break
        with pytest.raises(lt.ParamError, match="at least 0") as refused:
            run["cut"].level = -1
        error = refused.value
        assert (error.parameter, error.code, error.found, error.hint) == ("level", "value", "-1", None)
        assert "at least 0" in error.wanted
        with pytest.raises(AttributeError, match="level"):
            run["cut"].levle
        with pytest.raises(lt.ParamError):
            run["nobody"]
        frames.close()


def test_parameters_are_declared_by_annotations():
    @lt.node
    def many(image: lt.Array, *, on: bool = True, n: int = 3, name: str = "x", how: Literal["a", "b"] = "a", at: list[float] = [1.0]):
        return None

    import json

    described = json.loads(many.declaration.node_type.describe())
    assert {p["name"]: p["type"] for p in described["params"]} == {
        "on": "bool", "n": "int", "name": "text", "how": "enum", "at": "list",
    }
    level = json.loads(threshold.declaration.node_type.describe())["params"][0]
    assert (level["unit"], level["min"], level["default"]) == ("counts", 0.0, 10.0)
    assert json.loads(threshold.declaration.node_type.describe())["summary"] == "Pixels below `level` become 0."
    with pytest.raises(TypeError, match="default"):
        lt.node(lambda image, *, level: image)
    with pytest.raises(TypeError, match="one argument"):
        lt.node(lambda: None)


def failing(image):
    if image[0, 0] == 3:
        raise LookupError("no dark frame")
    return image


def test_an_exception_of_a_node_is_raised_as_it_was():
    graph = lt.Graph()
    graph.add("ramp", ramp)
    graph.add("bad", lt.node(failing), from_="ramp", when_full="block")
    with pytest.raises(LookupError, match="no dark frame") as caught:
        graph.run()
    assert caught.traceback[-1].name == "failing"
    assert any("in node `bad`, frame 4, array 8x8 u16" in note for note in caught.value.__notes__)


def test_errors_that_are_skipped_are_losses_in_the_ledger():
    graph = lt.Graph()
    graph.add("ramp", ramp)
    graph.add("bad", lt.node(failing), from_="ramp", when_full="block", on_error="skip")
    report = graph.run()
    assert report.nodes["bad"]["lost"] and report.losses == 1 and report.is_closed
    with pytest.raises(lt.LossError):
        report.raise_for_losses()


def test_numbers_of_numpy_are_parameters():
    for value in (np.float32(5), np.int16(5), np.array([5.0]), 5, "5"):
        graph = lt.Graph()
        graph.add("ramp", ramp(count=6))
        graph.add("cut", threshold(level=value), from_="ramp", when_full="block")
        frames, _ = frames_of(graph, "cut")
        assert [int(frame.array[0, 0]) for frame in frames] == [0] * 5 + [5]
    for bad in (np.longdouble(5), object(), None, -1.0):
        with pytest.raises((lt.ParamError, OverflowError)):
            lt.Graph().add("cut", threshold(level=bad))


def test_python_nodes_in_a_pipeline_file(tmp_path):
    text = """
nodes:
  ramp: {type: ramp, params: {count: 6}, when_exhausted: wait}
  cut: {type: threshold, from: {node: ramp, when_full: block}, params: {level: 4}}
"""
    (tmp_path / "p.yaml").write_text(text)
    graph = lt.Graph(tmp_path / "p.yaml", nodes=[ramp, threshold], set={"cut.level": 5})
    frames, _ = frames_of(graph, "cut")
    assert [frame.array[0, 0] for frame in frames] == [0, 0, 0, 0, 0, 5]
    with pytest.raises(lt.GraphError) as caught:
        lt.Graph("nodes:\n  cut: {type: treshold}\n", nodes=[threshold])
    assert caught.value.problems[0].startswith("pipeline:2:") and "threshold" in caught.value.problems[0]


def test_all_nodes_are_classes_with_signatures():
    assert "SimDetector" in dir(lt.nodes) and "gain" in (lt.nodes.Statistics.__doc__ or "") + (lt.nodes.SimDetector.__doc__ or "")
    with pytest.raises(TypeError, match="wanted parameters"):
        lt.nodes.SimDetector(nonsense=1)
    graph = lt.Graph()
    graph.add("cam", lt.nodes.SimDetector(acquire_period="1 ms", gain=2))
    graph.add("null", lt.nodes.Null, from_="cam")
    assert graph.nodes == {"cam": "sim_detector", "null": "null"}
    graph.check()
    with pytest.raises(lt.GraphError, match="unknown node type"):
        graph.add("x", "sim_detectr")


def test_threads_keep_what_is_theirs():
    local = threading.local()

    @lt.node
    def count(image: lt.Array):
        local.seen = getattr(local, "seen", 0) + 1
        return np.array([local.seen])

    graph = lt.Graph()
    graph.add("ramp", ramp(count=5))
    graph.add("count", count, from_="ramp", when_full="block")
    frames, _ = frames_of(graph, "count")
    assert [int(frame.array[0]) for frame in frames] == [1, 2, 3, 4, 5]


def test_a_loop_in_python_and_a_node_in_python_do_not_wait_for_each_other():
    graph = lt.Graph(memory="16 MiB")
    graph.add("ramp", ramp(count=500, size=128))
    graph.add("cut", threshold, from_="ramp", when_full="block", queue=2)
    run = graph.start(hold=True)
    frames = run.frames("cut", when_full="block", queue=1)
    run.release()
    assert sum(1 for _ in frames) == 500
    assert run.wait().losses == 0


def test_hundreds_of_starts_and_stops():
    graph = lt.Graph()
    graph.add("ramp", ramp(count=1))
    graph.add("cut", threshold, from_="ramp", when_full="block")
    for _ in range(200):
        assert graph.run().nodes["cut"]["completed"] == 1


def test_a_timeout_is_no_end():
    graph = lt.Graph()
    graph.add("cam", "sim_detector", acquire_period="1 ms")
    graph.add("null", "null", from_="cam")
    run = graph.start()
    with pytest.raises(TimeoutError):
        run.wait(0.01)
    assert not run.is_finished and run.stop().is_closed and run.is_finished
    assert run["null"].params() is not None and "closed" in repr(run.report())


@pytest.mark.parametrize("of, wanted", [("bool", "uint8"), (">u2", "uint16"), ("float16", "float32"), (">f8", "float64"), (">f2", "float32")])
def test_nodes_return_what_numpy_makes(of, wanted):
    values = np.arange(6).reshape(2, 3)

    @lt.source
    def made():
        yield values.astype(of)
        yield values.astype(of)[:, ::-1]
        yield lt.Frame.of(values.astype(of))

    graph = lt.Graph()
    graph.add("made", made)
    run = graph.start(hold=True)
    frames = run.frames("made", when_full="block")
    run.release()
    found = [frame.array for frame in frames]
    run.stop()
    expected = values.astype(of).astype(wanted)
    assert [array.dtype for array in found] == [np.dtype(wanted)] * 3
    assert all(np.array_equal(a, b) for a, b in zip(found, (expected, expected[:, ::-1], expected), strict=True))


def test_what_frames_cannot_hold_is_refused_by_name():
    for of in ("complex64", "M8[ns]", "U3", "O"):
        with pytest.raises(lt.FrameError, match="bool, int8"):
            lt.Frame.of(np.zeros(2, of))


def test_a_refused_parameter_has_its_fields_where_it_is_declared():
    graph = lt.Graph()
    for name, value, parameter, code, found in (
        ("min_x", "wide", "min_x", "value", "wide"),
        ("min_xx", 1, "min_xx", "unknown_parameter", None),
        ("min_x", {}, "min_x", "value", "{}"),
        ("min_x", -(1 << 40), "min_x", "value", str(-(1 << 40))),
    ):
        with pytest.raises(lt.ParamError) as refused:
            graph.add("cam", "sim_detector", **{name: value})
        error = refused.value
        assert (error.parameter, error.code) == (parameter, code), str(error)
        assert (error.found is None) == (found is None) and (found is None or found in error.found)
        assert (error.wanted is None) == (code != "value") and (error.hint is None) == (code == "value")
        assert error.hint is None or error.hint.startswith("did you mean `min_x`")
    plain = lt.ParamError("of a program of its own")
    assert (plain.parameter, plain.code, plain.wanted, plain.found, plain.hint) == (None,) * 5
