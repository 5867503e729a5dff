"""Detectors: algorithms as attributes, or values that hold for a time, or detectors of LCLS-I and other formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import RecordingError
from .event import Event, Step
from .interfaces import interface, needed

if TYPE_CHECKING:
    from .run import Run


class Detector:
    """A detector of LCLS-II, with its algorithms as attributes: `det.raw`, `det.fex`."""

    def __init__(self, run: Run, name: str) -> None:
        self._det_name = name
        abouts = [about for about in run._about.detectors if about.detector == name]
        # As psana has it: of several segments the last one's.
        last = [about for about in run._about.descriptions if about.detector == name][-1]
        self._dettype, self._detid = last.kind, last.serial
        self._algorithms = [about.algorithm for about in abouts]
        for about in abouts:
            setattr(self, about.algorithm, interface(run, about))

    def __getattr__(self, name: str) -> Any:
        if name == "calibconst":
            raise RecordingError(f"wanted the constants of `{self._det_name}`, which are those that DataSource(constants=...) was given")
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"wanted an algorithm of `{self._det_name}`, as {', '.join(self._algorithms)}, found `{name}`")


class Variable:
    """A process variable, or a variable of a scan: `det(evt)` or `det(step)` is its value there; `None` before its
    first one."""

    def __init__(self, run: Run, store: str, name: str) -> None:
        self._run, self._store, self._var_name, self._det_name = run, store, name, store

    def __call__(self, at: Event | Step | list[Event]) -> Any:
        if isinstance(at, list):
            return [self(event) for event in at]
        if isinstance(at, Step):
            return self._run._about.value(self._store, self._var_name, at.evt.change)
        if not isinstance(at, Event):
            raise TypeError(f"wanted an event or a step, found {type(at).__name__}")
        return self._run._about.value(self._store, self._var_name, self._run._about.before(at.number))

    @property
    def dtype(self) -> type | None:
        """The type of its values; `None` for arrays."""
        return self._run._about.type_of(self._store, self._var_name)


class MissingDet:
    """Stands for a detector that is not in the run: everything of it is nothing."""

    def __getattr__(self, name: str) -> MissingDet:
        if name.startswith("__"):
            raise AttributeError(name)
        return MissingDet()

    def __iter__(self) -> MissingDet:
        return self

    def __next__(self) -> Any:
        raise StopIteration

    def __call__(self, *_: Any, **__: Any) -> None:
        return None


class Plain:
    """A detector of LCLS-I or of another format: `det(evt)`, `det.raw(evt)`, `det.calib(evt)`, `det.image(evt)`; or a small value."""

    def __init__(self, run: Run, name: str) -> None:
        self._run, self._det_name = run, name
        self._has_array = name in run._arrays

    def __call__(self, at: Event | Step) -> Any:
        """The array, else the value of this name; `None` if there is none. At a step: the value that holds in it."""
        if isinstance(at, Step):
            return at.configuration.get(self._det_name)
        if self._has_array:
            return at._array(self._det_name)
        found = at.small
        return found[self._det_name] if self._det_name in found else self._run._configured(at.number).get(self._det_name)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        functions = {"raw": self._raw, "calib": self._calib, "image": self._image}
        if name not in functions or not self._has_array:
            raise RecordingError(f"wanted `raw`, `calib` or `image` of a detector with arrays, found `{name}` of `{self._det_name}`")
        return functions[name]

    def _raw(self, evt: Event) -> Any:
        return evt._array(self._det_name)

    def _calib(self, evt: Event) -> Any:
        correct = self._run._given("constants", self._det_name)
        raw = self._raw(evt)
        return None if raw is None else correct(raw)

    def _image(self, evt: Event, nda: Any = None) -> Any:
        geometry = self._run._given("geometry", self._det_name)
        if nda is None:
            nda = (self._calib if self._det_name in self._run._settings.constants else self._raw)(evt)
        return None if nda is None else geometry.assemble(nda)


def detector(run: Run, name: str, accept_missing: bool) -> Detector | Variable | Plain | MissingDet:
    """The object that a name means in a run."""
    if run.run.format != "xtc2":
        return _plain(run, name, accept_missing)
    if any(about.detector == name for about in run._about.detectors):
        return Detector(run, name)
    # A variable may also be meant by the text of its definition.
    defined = {text: variable for variable, text in run._about.definitions.items()}
    for known in (name, defined.get(name)):
        for store in ("epics", "scan"):
            if known is not None and known in run._about.variables(store):
                return Variable(run, store, known)
    return _missing(run, name, accept_missing, run.detnames | {name for name, _ in (*run.epicsinfo, *run.scaninfo)})


def _plain(run: Run, name: str, accept_missing: bool) -> Plain | MissingDet:
    # The spelling of LCLS-I's psana: `CxiEndstation.0:Opal1000.1`.
    address = name.replace(".", "-").replace(":", "|")
    if name in run._arrays or not len(run.run):
        return Plain(run, name)
    if address in run._arrays:
        return Plain(run, address)
    configured = run._configured(run._events_of.start).all
    known = {value.name for value in (*run.run.small(run._events_of.start).all, *configured)}
    if name in known or any(name in run.run.small(number) for number in run._events_of[:1000]):
        return Plain(run, name)
    if unread := [value.name for value in configured if value.source in (name, address) and not value.values]:
        raise NotImplementedError(f"wanted a detector that livetime.psana reads, found `{name}`, which is configured by {', '.join(unread)}")
    return _missing(run, name, accept_missing, run._arrays | known)


def _missing(run: Run, name: str, accept_missing: bool, known: set[str]) -> MissingDet:
    if accept_missing:
        return MissingDet()
    raise KeyError(f"wanted a detector of the run, as {', '.join(sorted(known)) or 'none'}, found `{name}`")


__all__ = ["Detector", "MissingDet", "Plain", "Variable", "detector", "needed"]
