"""A live view of a run for notebooks: picture, rates, losses. Needs the extra `notebook` (anywidget).

The view is driven by the event loop of the notebook's kernel, so it stands still while a cell computes, and it never holds up the run:
its picture comes by an edge of its own that keeps only the newest frame and is in the ledger as an intended loss.
"""

from __future__ import annotations

import asyncio
import time
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _livetime, html
from .errors import FrameError

if TYPE_CHECKING:
    from .graph import LiveRun

MISSING = "a live view needs anywidget, which is not installed: pip install 'livetime[notebook]'"
"""The message where anywidget is not installed."""

_DARK, _BRIGHT = 0.5, 99.8
# A sample of so many pixels gives the percentiles closely enough, several times a second.
_MOST_LOOKED_AT = 1 << 16

_MODULE = """
const text = (tag, words) => { const e = document.createElement(tag); e.textContent = words; return e; };
function table(head, rows) {
  const found = document.createElement("table");
  const line = (tag, cells) => {
    const row = document.createElement("tr");
    cells.forEach(cell => row.append(text(tag, cell)));
    found.append(row);
  };
  line("th", head);
  rows.forEach(row => line("td", row));
  return found;
}
function draw(canvas, shape, view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const [rows, columns, colors] = shape;
  const context = canvas.getContext("2d");
  if (rows === 1) {
    canvas.width = columns; canvas.height = 256;
    context.strokeStyle = "#1f77b4";
    context.beginPath();
    bytes.forEach((level, x) => context.lineTo(x, 255 - level));
    context.stroke();
    return;
  }
  canvas.width = columns; canvas.height = rows;
  const image = context.createImageData(columns, rows);
  for (let i = 0; i < rows * columns; i++) {
    for (let c = 0; c < 3; c++) image.data[4 * i + c] = bytes[colors * i + Math.min(c, colors - 1)];
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}
function render({ model, el }) {
  const canvas = document.createElement("canvas"), note = document.createElement("div");
  const numbers = document.createElement("div");
  el.classList.add("livetime-view");
  el.append(canvas, note, numbers);
  const show = () => {
    const state = model.get("state"), picture = model.get("picture");
    if (!state.nodes) return;
    if (picture && picture.byteLength) draw(canvas, state.shape, picture);
    note.textContent = state.note;
    numbers.replaceChildren(
      table(["node", "frames", "frames/s"], state.nodes),
      table(["edge", "offered", "delivered", "queued", "lost", "left out"], state.edges),
      text("p", state.summary));
  };
  model.on("change:state", show);
  show();
}
export default { render };
"""

_STYLE = """
.livetime-view canvas { max-width: 512px; image-rendering: pixelated; background: #222; }
.livetime-view table { display: inline-table; vertical-align: top; margin-right: 2em; font-variant-numeric: tabular-nums; }
.livetime-view td, .livetime-view th { text-align: right; padding: 0 0.6em; }
.livetime-view td:first-child, .livetime-view th:first-child { text-align: left; }
"""


def fitted(array: NDArray[Any], most: int = 512) -> NDArray[np.uint8]:
    """A picture of an array as (rows, columns, 1 or 3 colours) of 8 bits, at most `most` rows and columns, its contrast fitted.

    Colours are an axis of three, the last or the first one. Of more than two axes the others lie below each other; one axis alone is
    one row. Values that are not finite are black.

    >>> fitted(np.arange(12, dtype=np.uint16).reshape(3, 4)).shape
    (3, 4, 1)
    """
    if array.ndim == 3 and array.shape[0] == 3 and array.shape[2] != 3:
        array = np.moveaxis(array, 0, 2)
    colors = 3 if array.ndim == 3 and array.shape[2] == 3 else 1
    array = array.reshape(-1, array.shape[-2] if colors == 3 else array.shape[-1] if array.ndim else 1, colors)
    # Every n-th pixel is kept: a mean would hide the single bright pixels that people search for.
    steps = [max(1, -(-size // most)) for size in array.shape[:2]]
    small = array[:: steps[0], :: steps[1]].astype(np.float32)
    sample = small.ravel()[:: max(1, small.size // _MOST_LOOKED_AT)]
    sample = sample[np.isfinite(sample)]
    dark, bright = np.percentile(sample, (_DARK, _BRIGHT)) if sample.size else (0.0, 1.0)
    scale = 255.0 / (bright - dark) if bright > dark else 1.0
    levels = np.nan_to_num((small - dark) * scale, posinf=255.0, neginf=0.0)
    return np.clip(levels.round(), 0, 255).astype(np.uint8)


class Watch:
    """The content of a view, without the notebook: `update` takes the newest."""

    def __init__(self, run: LiveRun, output: str | None, rate: float) -> None:
        """`output`: the node, or `node.output`, whose pictures are shown; `None`: numbers only. `rate`: pictures a second at most."""
        self.run = run
        self.output = output
        self.picture: NDArray[np.uint8] | None = None
        self.note = ""
        self.pictures = 0
        """How many pictures were taken."""
        self._frames = run.frames(output, when_full="latest", queue=1, max_rate=rate) if output else None
        self._before: tuple[float, dict[str, int]] | None = None

    def update(self) -> dict[str, Any]:
        """Takes the newest picture, and returns the texts to be shown and the shape of the picture."""
        self._take()
        report = self.run.report()
        now, counts = time.monotonic(), {name: _count(node) for name, node in report.nodes.items()}
        before, old = self._before or (now, counts)
        self._before = (now, counts)
        passed = max(now - before, 1e-9)
        return {
            "nodes": [[n, str(c), f"{(c - old.get(n, 0)) / passed:.1f}"] for n, c in counts.items()],
            "edges": [
                [f"{e['from']} → {e['to']}", *(str(e[k]) for k in ("offered", "delivered", "queued", "unintended", "intended"))]
                for e in report["edges"]
            ],
            "shape": [] if self.picture is None else list(self.picture.shape),
            "note": self.note,
            "summary": f"{report.losses} lost; ledger {'closed' if report.is_closed else 'OPEN'}",
        }

    def html(self, state: dict[str, Any]) -> str:
        """The view where no widget is shown: pages that were exported, and editors without widgets."""
        picture = "" if self.picture is None else html.image(self.picture)
        nodes = html.table(["node", "frames", "frames/s"], state["nodes"])
        edges = html.table(["edge", "offered", "delivered", "queued", "lost", "left out"], state["edges"])
        return f"{picture}<p>{escape(state['note'])}</p>{nodes}{edges}<p>{escape(state['summary'])}</p>"

    def _take(self) -> None:
        try:
            frame = self._frames.get(0.0) if self._frames else None
        except StopIteration:
            self._frames = None
            return
        if frame is None:
            return
        try:
            self.picture, self.note = fitted(frame.array), f"{self.output}: frame {frame.sequence}, {_shape(frame)}"
            self.pictures += 1
        except FrameError as error:
            self.note = f"{self.output}: {error}"

    def close(self) -> None:
        """Takes the edge out of the graph."""
        if self._frames is not None:
            self._frames.close()
            self._frames = None


def _count(node: dict[str, Any]) -> int:
    return int(node["completed"] or node["emitted"])


def _shape(frame: _livetime.Frame) -> str:
    array = frame.array
    return f"{' × '.join(map(str, array.shape))} {array.dtype}"


def view(run: LiveRun, output: str | None = None, rate: float = 4.0) -> Any:
    """`LiveRun.view`."""
    if rate <= 0:
        raise ValueError(f"rate: wanted a number above 0, found {rate}")
    widget = _class()
    return widget(Watch(run, output, rate), 1.0 / rate)


@cache
def _class() -> Any:
    """The widget. Its class needs anywidget, and so is made on demand."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError(MISSING) from error

    class LiveView(anywidget.AnyWidget):  # type: ignore[misc]
        """A live view; `close` ends it, as does the end of the run."""

        _esm = _MODULE
        _css = _STYLE
        state = traitlets.Dict().tag(sync=True)
        picture = traitlets.Bytes(b"").tag(sync=True)

        def __init__(self, watch: Watch, period: float) -> None:
            super().__init__()
            self.watch = watch
            self._task: asyncio.Task[None] | None = None
            self.update()
            try:
                self._task = asyncio.get_running_loop().create_task(self._drive(period))
            except RuntimeError:
                # No event loop: the view's maker calls `update`.
                pass

        def update(self) -> None:
            """Shows how the run stands now."""
            before = self.watch.pictures
            state = self.watch.update()
            with self.hold_sync():
                if self.watch.pictures != before and self.watch.picture is not None:
                    self.picture = self.watch.picture.tobytes()
                self.state = state

        def _repr_html_(self) -> str:
            return self.watch.html(self.state)

        def _repr_mimebundle_(self, **how: Any) -> Any:
            found = super()._repr_mimebundle_(**how)
            content = found[0] if isinstance(found, tuple) else found
            if content is not None:
                content["text/html"] = self._repr_html_()
            return found

        async def _drive(self, period: float) -> None:
            while not self.watch.run.is_finished:
                await asyncio.sleep(period)
                self.update()
            self.update()
            self.watch.close()

        def close(self) -> None:
            """Ends it, and takes its edge out of the graph."""
            if self._task is not None:
                self._task.cancel()
                self._task = None
            self.watch.close()
            super().close()

    return LiveView
