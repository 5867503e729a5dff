"""Nodes of a graph that are Python functions and classes.

A function becomes a node with `@livetime.node`: its first argument is the array (or, annotated with `livetime.Frame`, the
frame), keyword-only arguments are parameters, and what it returns is sent on. A class that remembers something derives from
`Node`. A generator with `@livetime.source` is a source.
"""

from __future__ import annotations

import functools
import inspect
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args, get_origin, overload

# A parameter with its unit and bounds: `Param[float, "counts", AtLeast(0), Doc("Pixels below it become 0.")]`. Type
# checkers understand this name as `Annotated`.
from typing import Annotated as Param

import numpy as np
from numpy.typing import NDArray

from . import _livetime
from ._livetime import Frame

Array = NDArray[Any]
"""The array of a frame, read-only."""


@dataclass(frozen=True)
class AtLeast:
    """The smallest value of a parameter."""

    value: float


@dataclass(frozen=True)
class AtMost:
    """The largest value of a parameter."""

    value: float


@dataclass(frozen=True)
class Doc:
    """The meaning of a parameter."""

    text: str


@dataclass
class ParamDeclaration:
    """A parameter as the engine declares it."""

    name: str
    kind: str
    """`"bool"`, `"int"`, `"float"`, `"text"`, `"enum"` or `"list"`."""
    default: Any
    doc: str = ""
    unit: str | None = None
    min: float | None = None
    max: float | None = None
    choices: list[str] = None  # type: ignore[assignment]
    readback: bool = False

    def __post_init__(self) -> None:
        self.choices = self.choices or []


class Declaration:
    """The engine's description of a type of node, and the function that makes its objects."""

    def __init__(
        self,
        name: str,
        kind: str,
        summary: str,
        params: list[ParamDeclaration],
        build: Callable[[dict[str, Any]], Any],
        takes_frame: bool = False,
        parallel: bool = False,
    ) -> None:
        self.name, self.kind, self.summary = name, kind, summary
        self.params, self.build = params, build
        self.takes_frame, self.parallel = takes_frame, parallel

    def named(self, name: str) -> Declaration:
        """The declaration under another name."""
        return Declaration(name, self.kind, self.summary, self.params, self.build, self.takes_frame, self.parallel)

    @functools.cached_property
    def node_type(self) -> _livetime.NodeType:
        """The type for the engine."""
        return _livetime.NodeType(self)


class Use:
    """A node with values of its parameters, to be added to a graph."""

    def __init__(self, of: FunctionNode | type[Node], params: Mapping[str, Any]) -> None:
        self._of = of
        self.declaration = of.declaration
        self.params = dict(params)

    def __reduce__(self) -> tuple[Any, ...]:
        return Use, (self._of, self.params)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"<node {self.declaration.name}({given})>"


# ---- Functions ----


class FunctionNode:
    """A function that is a node. Called with an array it is the function; called with parameters alone, a node to be added."""

    def __init__(self, function: Callable[..., Any], declaration: Declaration, again: tuple[Any, ...]) -> None:
        functools.update_wrapper(self, function)
        self._again = again
        self.function = function
        self.declaration = declaration

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs) if args else Use(self, kwargs)

    def __repr__(self) -> str:
        return f"<node type {self.declaration.name}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """By its name in its module if it has one there, else (with cloudpickle, of a notebook) with its code."""
        whole: str = getattr(self, "__qualname__", "")
        found: Any = sys.modules.get(self.__module__) if self.__module__ != "__main__" else None
        for name in whole.split("."):
            found = getattr(found, name, None)
        return whole if found is self else self._again


@overload
def node(function: Callable[..., Any], /) -> FunctionNode: ...
@overload
def node(*, name: str | None = None, parallel: bool = False) -> Callable[[Callable[..., Any]], FunctionNode]: ...
def node(
    function: Callable[..., Any] | None = None, /, *, name: str | None = None, parallel: bool = False
) -> FunctionNode | Callable[[Callable[..., Any]], FunctionNode]:
    """Makes a node of a function.

    The first argument is the array of each frame, read-only and without a copy. Keyword-only arguments are parameters with
    their defaults. What is returned is sent on: an array (copied once, under the header of the frame that came), the very
    array that came (not copied), a frame, several in a list or a generator, or `None` for nothing. `parallel` says that it
    remembers nothing, so that it may be placed in a pool.

    >>> @node
    ... def threshold(image: Array, *, level: Param[float, "counts", AtLeast(0)] = 10.0):
    ...     '''Pixels below `level` become 0.'''
    ...     return np.where(image < level, image.dtype.type(0), image)
    >>> threshold(np.array([5, 15]), level=8.0)
    array([ 0, 15])
    >>> threshold(level=20)
    <node threshold(level=20)>
    """
    if function is None:
        return lambda found: _node(found, name, parallel)
    return _node(function, name, parallel)


def _node(function: Callable[..., Any], name: str | None, parallel: bool) -> FunctionNode:
    positional, params = _signature(function)
    if len(positional) != 1:
        raise TypeError(f"{function.__name__}: wanted one argument for the array, and parameters behind a `*`, found {len(positional)}")
    build = functools.partial(_FunctionObject, function)
    takes_frame = _hints(function).get(positional[0]) is Frame
    kind = name or function.__name__
    declaration = Declaration(kind, "process", _summary(function, kind), params, build, takes_frame, parallel)
    return FunctionNode(function, declaration, (_node, (function, name, parallel)))


@overload
def source(function: Callable[..., Iterator[Any]], /) -> FunctionNode: ...
@overload
def source(
    *, name: str | None = None, period: float | None = None
) -> Callable[[Callable[..., Iterator[Any]]], FunctionNode]: ...
def source(
    function: Callable[..., Iterator[Any]] | None = None, /, *, name: str | None = None, period: float | None = None
) -> FunctionNode | Callable[[Callable[..., Iterator[Any]]], FunctionNode]:
    """Makes a source of a generator function: each array that it yields is a frame; at its end the source ends.

    `period`: seconds between two frames; without it as fast as the graph takes them. Parameters are keyword-only arguments,
    and are those of the start.
    """
    if function is None:
        return lambda found: _source(found, name, period)
    return _source(function, name, period)


def _source(function: Callable[..., Iterator[Any]], name: str | None, period: float | None) -> FunctionNode:
    positional, params = _signature(function)
    if positional:
        raise TypeError(f"{function.__name__}: wanted parameters behind a `*` only, found `{positional[0]}`")
    kind = name or function.__name__
    build = functools.partial(_SourceObject, function, period)
    declaration = Declaration(kind, "source", _summary(function, kind), params, build)
    return FunctionNode(function, declaration, (_source, (function, name, period)))


class _FunctionObject:
    """The engine's side of a function."""

    emitted = told = readbacks = None
    period: float | None = None

    def __init__(self, function: Callable[..., Any], params: dict[str, Any]) -> None:
        self._function, self._params = function, params
        self.call = functools.partial(function, **params) if params else function

    def changed(self, name: str, value: Any) -> None:
        self._params[name] = value
        self.call = functools.partial(self._function, **self._params)

    def start(self) -> None: ...

    timer = drain = stop = start


class _SourceObject(_FunctionObject):
    """The engine's side of a generator."""

    def __init__(self, function: Callable[..., Iterator[Any]], period: float | None, params: dict[str, Any]) -> None:
        self._function, self._params, self.period = function, params, period
        self._items: Iterator[Any] = iter(())
        self.call = self._next

    def start(self) -> None:
        self._items = iter(self._function(**self._params))

    def changed(self, name: str, value: Any) -> None:
        self._params[name] = value

    def _next(self) -> Any:
        return next(self._items, None)

    def stop(self) -> None:
        close = getattr(self._items, "close", None)
        if close:
            close()


# ---- Classes ----


class _Declared:
    """A parameter or readback of a class: the value is the node's own."""

    def __init__(self, default: Any, doc: str, unit: str | None, min: float | None, max: float | None, readback: bool) -> None:
        self.default, self.doc, self.unit = default, doc, unit
        self.min, self.max, self.readback = min, max, readback
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else instance._values[self.name]

    def __set__(self, instance: Any, value: Any) -> None:
        instance._values[self.name] = value
        if self.readback:
            instance._written[self.name] = value


def param(
    default: Any, *, min: float | None = None, max: float | None = None, unit: str | None = None, doc: str = ""
) -> Any:
    """A parameter of a class: others write it, the node reads it. A new value acts from the next frame."""
    return _Declared(default, doc, unit, min, max, False)


def readback(default: Any = 0.0, *, unit: str | None = None, doc: str = "") -> Any:
    """A readback of a class: the node writes it, others read it."""
    return _Declared(default, doc, unit, None, None, True)


class Node:
    """A node that remembers something. `frame` is called for each frame; all other hooks may be left out.

    >>> class Count(Node):
    ...     '''Counts frames.'''
    ...     seen: int = readback(0, doc="Frames so far.")
    ...     def frame(self, image: Array):
    ...         self.seen += 1
    ...         return image
    """

    period: float | None = None
    """Seconds between two calls of `timer`; `None`: it is not called."""
    parallel: bool = False
    """Whether it remembers nothing, so that it may be placed in a pool."""
    declaration: Declaration

    _values: dict[str, Any]
    _written: dict[str, Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.declaration = _declare(cls)

    def __new__(cls, *args: Any, **params: Any) -> Any:
        if args:
            raise TypeError(f"{cls.__name__}: wanted parameters by name, found {args[0]!r}")
        return Use(cls, params)

    # ---- Hooks ----

    def start(self) -> Any:
        """Called before the first frame, and again after a restart."""

    def frame(self, image: Any, /) -> Any:
        """Called for each frame, with its array (or, annotated with `livetime.Frame`, the frame). Its result is sent
        on,
        as of a function."""
        raise NotImplementedError(f"wanted {type(self).__name__}.frame, found none")

    def changed(self, name: str, /) -> Any:
        """Called when a parameter was written, before the next frame."""

    def timer(self) -> Any:
        """Called every `period` seconds."""

    def drain(self) -> Any:
        """Called after the last frame: frames that were held back are emitted here."""

    def stop(self) -> None:
        """Called at the end."""

    # ---- Functions for hooks ----

    def emit(self, what: Any, attributes: Mapping[str, float | str] | None = None) -> None:
        """Sends an array or a frame on when the hook returns, with attributes. A frame's pixels are not copied for that."""
        self._emitted.append((what, dict(attributes) if attributes else None))

    def tell(self, text: str) -> None:
        """Adds an event to the log and the report of the run."""
        self._told.append(text)

    _emitted: list[Any]
    _told: list[str]


def _make(cls: type[Node], values: dict[str, Any]) -> _NodeObject:
    made = object.__new__(cls)
    made._values = {**{p.name: p.default for p in cls.declaration.params}, **values}
    made._written, made._emitted, made._told = {}, [], []
    return _NodeObject(made)


class _NodeObject:
    """The engine's side of a class."""

    def __init__(self, made: Node) -> None:
        self._node = made
        self.call = made.frame
        self.emitted, self.told, self.readbacks = made._emitted, made._told, made._written
        self.period = made.period
        self.start, self.timer, self.drain, self.stop = made.start, made.timer, made.drain, made.stop

    def changed(self, name: str, value: Any) -> Any:
        self._node._values[name] = value
        return self._node.changed(name)


def _declare(cls: type[Node]) -> Declaration:
    hints = _hints(cls)
    params = []
    for name in dict.fromkeys(name for base in reversed(cls.__mro__) for name in vars(base)):
        found = inspect.getattr_static(cls, name)
        if isinstance(found, _Declared):
            kind, choices, _ = _kind(hints.get(name, type(found.default)), found.default, f"{cls.__name__}.{name}")
            params.append(
                ParamDeclaration(name, kind, found.default, found.doc, found.unit, found.min, found.max, choices, found.readback)
            )
    arguments = list(inspect.signature(cls.frame).parameters)
    takes_frame = len(arguments) > 1 and _hints(cls.frame).get(arguments[1]) is Frame
    name = _snake(cls.__name__)
    return Declaration(name, "process", _summary(cls, name), params, functools.partial(_make, cls), takes_frame, cls.parallel)


# ---- Annotations ----


def _signature(function: Callable[..., Any]) -> tuple[list[str], list[ParamDeclaration]]:
    """Names of positional arguments, and parameters."""
    positional, params = [], []
    hints = _hints(function)
    for argument in inspect.signature(function).parameters.values():
        where = f"{function.__name__}: `{argument.name}`"
        if argument.kind is inspect.Parameter.KEYWORD_ONLY:
            if argument.default is inspect.Parameter.empty:
                raise TypeError(f"{where}: wanted a parameter with a default value, found one without")
            hint = hints.get(argument.name, type(argument.default))
            kind, choices, more = _kind(hint, argument.default, where)
            params.append(ParamDeclaration(argument.name, kind, argument.default, choices=choices, **more))
        elif argument.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise TypeError(f"{where}: wanted arguments with names, found `*`")
        else:
            positional.append(argument.name)
    return positional, params


def _hints(of: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(of, include_extras=True)
    except NameError:
        # A name that only type checkers know: the default values say enough.
        return {}


_KINDS: dict[Any, str] = {bool: "bool", int: "int", float: "float", str: "text", list: "list"}


def _kind(hint: Any, default: Any, where: str) -> tuple[str, list[str], dict[str, Any]]:
    """The engine's type of an annotation, its choices, and its other properties."""
    more: dict[str, Any] = {}
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        for note in notes:
            if isinstance(note, str):
                more["unit"] = note
            elif isinstance(note, (AtLeast, AtMost)):
                more["min" if isinstance(note, AtLeast) else "max"] = note.value
            elif isinstance(note, Doc):
                more["doc"] = note.text
    if get_origin(hint) is Literal:
        return "enum", [str(choice) for choice in get_args(hint)], more
    plain = get_origin(hint) or hint
    if plain not in _KINDS:
        plain = type(default)
    if plain not in _KINDS:
        raise TypeError(f"{where}: wanted bool, int, float, str, list[float] or Literal[...], found {hint!r}")
    return _KINDS[plain], [], more


def _summary(of: Any, name: str) -> str:
    text = inspect.getdoc(of) or f"The Python node `{name}`."
    return " ".join(text.split("\n\n")[0].split())


def _snake(name: str) -> str:
    text = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return text.lstrip("_")
