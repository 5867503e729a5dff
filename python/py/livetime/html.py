"""Events, results and pictures as notebooks show them."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._livetime import Event
    from .analysis import Found

_MOST_ROWS = 100


def table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A table of texts."""
    return f"<table>{_row('th', head)}{''.join(_row('td', row) for row in rows)}</table>"


def _row(tag: str, cells: Iterable[object]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"


def png(picture: NDArray[np.uint8]) -> bytes:
    """A picture of (rows, columns, 1 or 3 colours) as a file."""
    rows, columns, colors = picture.shape

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = struct.pack(">IIBBBBB", columns, rows, 8, 0 if colors == 1 else 2, 0, 0, 0)
    lines = np.zeros((rows, 1 + columns * colors), np.uint8)
    lines[:, 1:] = picture.reshape(rows, -1)
    content = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines.tobytes(), 1)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + content


def image(picture: NDArray[np.uint8]) -> str:
    """The picture as an element of a page."""
    content = base64.b64encode(png(picture)).decode()
    return f'<img style="max-width: 512px; image-rendering: pixelated" src="data:image/png;base64,{content}">'


def of_event(event: Event) -> str:
    """The arrays of each detector, and the first picture."""
    from .notebook import fitted

    frames = [(name, event.get(name)) for name in event._names]
    rows = [(name, "" if a is None else a.dtype, "none" if a is None else a.shape) for name, a in frames]
    first = next((array for _, array in frames if array is not None and array.ndim > 1 and array.size), None)
    damaged = ", damaged" if event.is_damaged else ""
    text = f"<p><b>Event {event.number}</b>, {escape(str(event.time))}{damaged}</p>{table(('detector', 'dtype', 'shape'), rows)}"
    return text if first is None else text + image(fitted(first))


def of_found(found: Found) -> str:
    """The results, pictures among them, and the counts of the events."""
    from .notebook import fitted

    rows, pictures = [], ""
    for name, value in found.items():
        rows.append((name, _described(value)))
        if isinstance(value, np.ndarray) and value.ndim > 1 and value.size and value.dtype.kind in "biuf":
            pictures += f"<figure><figcaption>{escape(name)}</figcaption>{image(fitted(value))}</figure>"
    account = found.account
    lost = f", {account.lost} lost" if account.lost else ""
    head = f"<p><b>{account.used} of {account.events} events used</b>{lost}, {found.seconds:.2f} s</p>"
    return head + table(("result", ""), rows[:_MOST_ROWS]) + pictures


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}"
    if isinstance(value, dict):
        rows = len(next(iter(value.values()), ()))
        return f"table of {rows} rows: {', '.join(map(str, value))}"
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "…"
