"""Detectors: what they recorded, corrected pictures, assembled pictures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ..errors import RecordingError
from .event import Event, Step

if TYPE_CHECKING:
    from .run import Run


class Detector:
    """A detector, and its algorithms as attributes."""

    def __init__(self, run: Run, name: str) -> None:
        self._run, self._name = run, name
        # Of LCLS-I a detector has one picture. Of LCLS-II which array is meant is said by `det.raw.raw`.
        if name in run._arrays:
            run._names.append(name)

    def __getattr__(self, algorithm: str) -> Algorithm:
        if algorithm.startswith("_"):
            raise AttributeError(algorithm)
        # Kept, so that a loop does not look for it at each event.
        setattr(self, algorithm, found := Algorithm(self._run, self._name, algorithm))
        return found

    def __call__(self, at: Event | Step) -> Any:
        """The array of a detector of LCLS-I, else the value of this name; `None` if there is none. At a step: what holds in it."""
        if isinstance(at, Step):
            return at.configuration.get(self._name)
        found = _array(self._run, self._name, at) if self._name in self._run._names else None
        return at.event.small.get(self._name) if found is None else found


class Algorithm:
    """What an algorithm recorded: its arrays and values are functions of the event.

    `calib` and `image` are made of the array `raw`, unless the algorithm recorded them. Of LCLS-I `det.raw`, `det.calib` and
    `det.image` are functions of the event themselves.
    """

    def __init__(self, run: Run, detector: str, algorithm: str) -> None:
        self._run, self._detector, self._algorithm = run, detector, algorithm

    def __getattr__(self, field: str) -> Callable[..., Any]:
        if field.startswith("_"):
            raise AttributeError(field)
        setattr(self, field, found := self._function(field))
        return found

    def _function(self, field: str) -> Callable[..., Any]:
        run, source = self._run, f"{self._detector}.{self._algorithm}"
        if (whole := f"{source}.{field}") in run._arrays:
            return partial(_raw, run, self._detector, whole)
        if field in _MADE and f"{source}.raw" in run._arrays:
            return partial(_MADE[field], run, self._detector, f"{source}.raw")

        def value(evt: Event) -> Any:
            values = [item for item in evt.event.small.all if item.name == field and item.source == source]
            return values[0].value if values else None

        return value

    def __call__(self, evt: Event, *more: Any, **settings: Any) -> Any:
        """The picture of a detector of LCLS-I: `det.raw(evt)`, `det.calib(evt)`, `det.image(evt)`."""
        run, name = self._run, self._detector
        if name not in run._arrays:
            raise RecordingError(f"wanted an array of `{name}.{self._algorithm}`, as `det.raw.raw(evt)`, found a call of the algorithm")
        if self._algorithm not in _MADE:
            raise RecordingError(f"wanted `raw`, `calib` or `image` of `{name}`, found `{self._algorithm}`")
        return _MADE[self._algorithm](run, name, name, evt, *more, **settings)


def _calib(run: Run, detector: str, array: str, evt: Event) -> Any:
    """Corrected pixels."""
    correct = _given(run._settings.constants, detector, "constants", "livetime.Corrections(pedestal=...)")
    raw = _array(run, array, evt)
    return None if raw is None else correct(raw)


def _image(run: Run, detector: str, array: str, evt: Event, nda: Any = None) -> Any:
    """The assembled picture of `nda`, or else of corrected pixels, or of those that were recorded if there are no constants."""
    geometry = _given(run._settings.geometry, detector, "geometry", '"geometry/0-end.data"')
    if nda is None:
        nda = (_calib if detector in run._settings.constants else _raw)(run, detector, array, evt)
    return None if nda is None else geometry.assemble(nda)


def _raw(run: Run, detector: str, array: str, evt: Event) -> Any:
    """Pixels as they were recorded."""
    return _array(run, array, evt)


_MADE: dict[str, Callable[..., Any]] = {"raw": _raw, "calib": _calib, "image": _image}


def _given(found: dict[str, Any], detector: str, what: str, example: str) -> Any:
    if detector not in found:
        raise RecordingError(
            f"wanted {what} of `{detector}`, found none: DataSource(..., {what}={{\"{detector}\": {example}}}); SLAC's database is not asked"
        )
    return found[detector]


def _array(run: Run, name: str, evt: Event) -> NDArray[Any] | None:
    """From the event that the loop has read, or, if the loop began without the detector, by a read of its own."""
    event = evt.event
    try:
        return event.get(name)
    except KeyError:
        pass
    if name not in run._names:
        run._names.append(name)
    for again in run.run.events(name, start=event.number, stop=event.number + 1, ahead=0, faults="count"):
        return again.array
    return None
