"""The live view of a run, and the page of one."""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request

import numpy as np
import pytest

import livetime as lt
from livetime.notebook import Watch, fitted


def graph() -> lt.Graph:
    graph = lt.Graph()
    graph.add("cam", "sim_detector", size_x=80, size_y=60, acquire_period="5 ms")
    graph.add("stats", "statistics", from_="cam", when_full="block")
    return graph


def test_a_picture_is_fitted():
    picture = np.full((600, 1000), 100, np.uint16)
    picture[:, 500:] = 200
    small = fitted(picture)
    assert small.shape == (300, 500, 1) and small.dtype == np.uint8
    assert small[0, 0, 0] == 0 and small[0, -1, 0] == 255
    assert fitted(np.zeros((3, 20, 30), np.uint8)).shape == (20, 30, 3)
    assert fitted(np.zeros((20, 30, 3), np.uint8)).shape == (20, 30, 3)
    assert fitted(np.zeros((4, 20, 30), np.int32)).shape == (80, 30, 1)
    assert fitted(np.arange(10.0)).shape == (1, 10, 1)
    odd = np.array([[np.nan, 1.0], [np.inf, 2.0]])
    assert fitted(odd)[0, 0, 0] == 0 and fitted(odd)[1, 1, 0] == 255
    assert fitted(np.full((2, 2), np.nan)).max() == 0


def test_what_is_watched_is_in_the_ledger_and_loses_nothing():
    run = graph().start()
    watch = Watch(run, "cam", 50.0)
    while watch.pictures < 3:
        shown = watch.update()
    assert shown["shape"] == [60, 80, 1] and "60 × 80 uint8" in shown["note"]
    assert [row[0] for row in shown["nodes"]] == ["cam", "stats"]
    report = run.stop()
    assert report.is_closed and report.losses == 0
    edges = list(zip(report.ledger["from"], report.ledger["intended"], strict=True))
    assert len(edges) == 2, "the view has an edge of its own"
    assert watch.update()["summary"] == "0 lost; ledger closed"


def test_a_table_has_no_picture_but_a_note():
    watch = Watch(graph().start(), "stats", 10.0)
    watch.close()
    watch.close()
    watch.run.stop()
    assert watch.update()["shape"] == []


def test_without_anywidget_it_says_what_to_install(monkeypatch):
    from livetime import notebook

    notebook._class.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)
    run = graph().start()
    with pytest.raises(ImportError, match=r"pip install 'livetime\[notebook\]'"):
        run.view("cam")
    report = run.stop()
    assert len(report["edges"]) == 1, "nothing was connected"
    notebook._class.cache_clear()


def test_a_view_is_driven_by_the_event_loop_and_ends_with_the_run():
    pytest.importorskip("anywidget")

    async def watched() -> None:
        run = graph().start()
        with pytest.raises(ValueError, match="above 0"):
            run.view("cam", rate=0)
        view = run.view("cam", rate=50.0)
        while view.watch.pictures < 3:
            await asyncio.sleep(0.01)
        assert len(view.picture) == 80 * 60 and view.state["shape"] == [60, 80, 1]
        shown = view._repr_mimebundle_()
        shown = shown[0] if isinstance(shown, tuple) else shown
        assert "application/vnd.jupyter.widget-view+json" in shown
        assert "data:image/png" in shown["text/html"] and "<td>cam</td>" in shown["text/html"]
        report = await asyncio.to_thread(run.stop)
        assert report.is_closed and report.losses == 0
        await view._task
        assert view.state["summary"] == "0 lost; ledger closed"
        view.close()

    asyncio.run(watched())


def test_a_view_that_is_closed_leaves_the_run_alone():
    pytest.importorskip("anywidget")
    run = graph().start()
    view = run.view("cam")
    view.update()
    view.close()
    report = run.stop()
    assert report.is_closed and report.losses == 0


def test_a_run_has_a_page_and_numbers_for_prometheus():
    with graph().start(web=lt.Web(address="0", token="0123456789abcdef")) as run:
        page = run.web
        assert page.link == page.url + "#t=0123456789abcdef" and page.url in page._repr_html_()
        with urllib.request.urlopen(page.url + "api/v1/nodes/cam", timeout=600) as answer:
            assert json.load(answer)["name"] == "cam"
        with urllib.request.urlopen(page.url + "metrics", timeout=600) as answer:
            assert b"livetime_" in answer.read()
        with urllib.request.urlopen(page.url, timeout=600) as answer:
            assert b"<html" in answer.read().lower()
        assert run.epics is None
    assert run.web is None, "the page ends with the run"


def test_how_a_page_is_served_is_checked_before_the_run():
    for wrong, why in (("nowhere", "wanted PORT"), (lt.Web(token="short"), "16 letters")):
        with pytest.raises(lt.GraphError, match=why):
            graph().start(web=wrong)
    run = graph().start(web=0)
    assert run.web is not None and run.web.url.startswith("http://127.0.0.1:")
    run.stop()
    assert graph().start().web is None
