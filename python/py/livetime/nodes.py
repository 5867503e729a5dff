"""The nodes that come with Livetime, each with its parameters: `livetime.nodes.SimDetector(gain=2)`.

The classes are made from what the nodes declare: `help(livetime.nodes.Statistics)` says what `livetime nodes statistics` says.
"""

from __future__ import annotations

import functools
import inspect
import json
from typing import Any

from . import _livetime


class NodeUse:
    """A node of Rust with values of its parameters, to be added to a graph."""

    type: str = ""
    """Name of its type in pipeline files."""

    def __init__(self, **params: Any) -> None:
        known = [p["name"] for p in _described()[self.type]["params"] if not p["readback"]]
        unknown = [name for name in params if name not in known]
        if unknown:
            raise TypeError(f"{type(self).__name__}: wanted parameters of {', '.join(known)}, found `{unknown[0]}`")
        self.params = params

    def __repr__(self) -> str:
        return f"nodes.{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.params.items())})"


@functools.cache
def _described() -> dict[str, Any]:
    return {node["name"]: node for node in json.loads(_livetime.describe())}


@functools.cache
def _class_names() -> dict[str, str]:
    return {"".join(part.capitalize() for part in name.split("_")): name for name in _described()}


@functools.cache
def _made(class_name: str, name: str) -> type[NodeUse]:
    node = _described()[name]
    writable = [p for p in node["params"] if not p["readback"]]
    lines = [node["summary"], ""] + [_line(p) for p in node["params"]]
    made = type(class_name, (NodeUse,), {"type": name, "__doc__": "\n".join(lines), "__module__": __name__})
    made.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(p["name"], inspect.Parameter.KEYWORD_ONLY, default=p["default"]) for p in writable]
    )
    return made


def _line(param: dict[str, Any]) -> str:
    what = param["type"] + (f" in {param['unit']}" if param["unit"] else "")
    if param["choices"]:
        what = "one of " + ", ".join(choice["name"] for choice in param["choices"])
    low, high = param["min"], param["max"]
    bounds = "".join(
        f", at {word} {value:g}" for word, value in (("least", low), ("most", high)) if value is not None
    )
    default = " (readback)" if param["readback"] else f" = {param['default']!r}"
    return f"{param['name']}: {what}{bounds}{default}\n    {param['doc']}"


def __getattr__(name: str) -> Any:
    known = _class_names()
    if name in known:
        return _made(name, known[name])
    raise AttributeError(f"livetime.nodes: wanted one of {', '.join(sorted(known))}, found `{name}`")


def __dir__() -> list[str]:
    return sorted(_class_names())
