"""Algorithms of detectors of LCLS-II, as `det.raw`: their records, and values derived from them, as functions of the
event."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import RecordingError
from . import hsd
from .about import Container, Description, contained
from .images import Assembler, of_segments

if TYPE_CHECKING:
    from .event import Event
    from .run import Run

Function = Callable[..., Any]


class Interface:
    """The records of an algorithm: each field is a function of the event. `None` where the event lacks the detector or
    a segment of it.

    Of a detector with several segments a field is that of the first, as in psana.
    """

    def __init__(self, run: Run, about: Description) -> None:
        self._run, self._about = run, about
        self._det_name, self._drp_class_name, self._dettype = about.detector, about.algorithm, about.kind
        self._fields = {name.partition(":")[0]: axes for name, kind, axes in about.fields if kind != "enum entry"}

    def config(self, evt: Event) -> dict[int, Container]:
        """The configuration of each segment: `det.raw.config(evt)[0].config.user.gain`."""
        return self._seg_configs()

    def _seg_configs(self) -> dict[int, Container]:
        return self._run._about.configurations(self._det_name, self._run._at)

    @cached_property
    def _sorted_segment_inds(self) -> list[int]:
        return self._run._about.segments(self._det_name)

    @property
    def _segment_numbers(self) -> list[int]:
        return self._sorted_segment_inds

    @property
    def _uniqueid(self) -> str:
        all = (about for about in self._run._about.descriptions if about.detector == self._det_name)
        serials = {about.segment: about.serial for about in all}
        return "_".join([self._dettype, *(serials[segment] for segment in sorted(serials))])

    def _segments(self, evt: Event) -> dict[int, Container] | None:
        """The records of all segments; `None` if one is missing."""
        if evt is None:
            return None
        found = evt._said(self._det_name).get((self._det_name, self._drp_class_name))
        if found is None or sorted(found) != self._sorted_segment_inds:
            return None
        return {segment: contained(found[segment]) for segment in sorted(found)}

    def _info(self, evt: Event) -> Container | None:
        """The record of the first segment."""
        segments = self._segments(evt)
        return None if segments is None else next(iter(segments.values()))

    def __getattr__(self, field: str) -> Function:
        if field.startswith("_"):
            raise AttributeError(field)
        if field not in self._fields:
            known = ", ".join(self._public)
            raise AttributeError(f"wanted a function of `{self._det_name}.{self._drp_class_name}`, as {known}, found `{field}`")

        def value(evt: Event) -> Any:
            info = self._info(evt)
            if info is not None and not hasattr(info, field):
                place = f"{self._det_name}.{self._drp_class_name}"
                raise RecordingError(f"wanted the field `{field}` of `{place}` at {evt.timestamp}, found a record that breaks off before it")
            return None if info is None else getattr(info, field)

        # Kept, so that a loop does not look for it at each event.
        setattr(self, field, value)
        return value

    @property
    def _public(self) -> list[str]:
        own = {name for name in dir(type(self)) if not name.startswith("_")}
        return sorted(own | set(self._listed()))

    def _listed(self) -> list[str]:
        return [field for field in self._fields if not field.startswith("_")]


class Camera(Interface):
    """A detector with pictures, in the field that its kind has them in."""

    _FIELDS = ("raw", "image", "arrayRaw", "array_raw", "value")

    @cached_property
    def _field(self) -> str:
        return next(field for field in self._FIELDS if field in self._fields)

    def raw(self, evt: Event, copy: bool = True) -> NDArray[Any] | None:
        """Recorded pixels: the array of one segment unchanged, several along a first axis."""
        if evt is None:
            return None
        found = evt._array(f"{self._det_name}.{self._drp_class_name}.{self._field}")
        count = len(self._sorted_segment_inds)
        if found is None or count == 1:
            return found
        # An event without a segment has none of the others for psana.
        if found.shape[0] != count:
            return None
        return found[0] if self._field in ("array_raw", "value") else found.reshape(-1, *found.shape[-2:])

    def calib(self, evt: Event, **options: Any) -> NDArray[Any] | None:
        """Corrected pixels, by the constants of `DataSource`, which say all that psana has options for."""
        refuse(options, "calib", "constants=")
        correct = self._run._given("constants", self._det_name)
        raw = self.raw(evt)
        return None if raw is None else correct(raw)

    def image(self, evt: Event, nda: NDArray[Any] | None = None, **options: Any) -> NDArray[Any] | None:
        """The assembled picture of `nda`, or else of corrected pixels, or of recorded ones if there are no constants.

        Options are those of psana: `mapmode`, `fillholes`, `vbase`.
        """
        assembler = self._assembler
        if nda is None:
            nda = self._best(evt)
        known = {name: options.pop(name) for name in ("mapmode", "fillholes", "vbase") if name in options}
        refuse(options, "image", "mapmode=, fillholes= and vbase=")
        return None if nda is None else assembler.picture(nda, **known)

    @cached_property
    def _assembler(self) -> Assembler:
        return Assembler(self._run._given("geometry", self._det_name), self._segment_numbers)

    def _best(self, evt: Event) -> NDArray[Any] | None:
        return self.calib(evt) if self._det_name in self._run._settings.constants else self.raw(evt)

    def _pixel_coords(self, cframe: int = 0, all_segs: bool = False, **options: Any) -> tuple[NDArray[np.float64], ...]:
        refuse(options, "_pixel_coords", "cframe= and all_segs=")
        x, y, z = self._of_segments(self._run._given("geometry", self._det_name).coordinates(), all_segs)
        return (-y, -x, -z) if cframe else (x, y, z)

    def _pixel_coord_indexes(self, all_segs: bool = False, **options: Any) -> tuple[NDArray[np.int64], ...]:
        refuse(options, "_pixel_coord_indexes", "all_segs=")
        return self._of_segments(self._run._given("geometry", self._det_name).places(), all_segs)

    def _of_segments(self, all: tuple[NDArray[Any], ...], all_segs: bool) -> tuple[NDArray[Any], ...]:
        return all if all_segs else tuple(of_segments(values, self._segment_numbers) for values in all)

    def _listed(self) -> list[str]:
        return []


class FlatCamera(Camera):
    """A detector whose picture is the recorded array, without a geometry."""

    def image(self, evt: Event, nda: NDArray[Any] | None = None, **options: Any) -> NDArray[Any] | None:
        """The picture of `nda`, or else of corrected pixels, or of recorded ones if there are no constants."""
        refuse(options, "image", "nda=")
        found = self._best(evt) if nda is None else nda
        return found if found is None or found.ndim < 3 else found.reshape(-1, found.shape[-1])


class TestCspad(FlatCamera):
    """The interface of psana's samples; its corrected pixels are the recorded ones."""

    def calib(self, evt: Event, **options: Any) -> NDArray[Any] | None:
        """Pixels as they were recorded."""
        refuse(options, "calib", "none")
        return self.raw(evt)


class Chips(Camera):
    """A camera of one segment, whose chips are segments for its geometry."""

    @property
    def _segment_numbers(self) -> list[int]:
        return [0, 1, 2, 3]


class Packed(Camera):
    """A camera with packed pixels, in an order that is unknown here."""

    def raw(self, evt: Event, copy: bool = True) -> NDArray[Any] | None:
        """Refused: psana unpacks the bytes that were recorded, which `_segments(evt)` has."""
        place = f"{self._det_name}.{self._drp_class_name}"
        raise NotImplementedError(f"wanted pixels of `{place}`, found packed bytes of {self._dettype}, which livetime.psana does not unpack")


class Archon(FlatCamera):
    """A camera with 16 banks, each with 264 columns of pixels and behind them 36 columns that are none."""

    def image(self, evt: Event, nda: NDArray[Any] | None = None, **options: Any) -> NDArray[Any] | None:
        """The picture of `nda`, or else of corrected pixels, or of recorded ones, without columns that are no
        pixels."""
        if self._about.version not in ((1, 0, 0), (1, 0, 1)):
            version = ".".join(map(str, self._about.version))
            raise NotImplementedError(f"wanted records of an Archon of version 1.0.0 or 1.0.1, found {version}, whose columns are not known")
        found = super().image(evt, nda, **options)
        return None if found is None else np.hstack([found[:, bank : bank + 264] for bank in range(0, 4800, 300)])


class Jungfrau(Camera):
    """A Jungfrau, which tells about its hot pixels."""

    def num_hot_pixels(self, evt: Event) -> int | None:
        """How many pixels are above the threshold, in all segments."""
        segments = self._segments(evt)
        return None if segments is None else sum(found.numHotPixels for found in segments.values())  # type: ignore[attr-defined]

    def hot_pixel_thresh(self, evt: Event) -> int | None:
        """That threshold."""
        info = self._info(evt)
        return None if info is None else info.hotPixelThresh  # type: ignore[attr-defined]


class Piranha(Camera):
    """A line camera, whose first version recorded lines of one pixel."""

    def raw(self, evt: Event, copy: bool = True) -> NDArray[Any] | None:
        """The line."""
        found = super().raw(evt)
        return found[:, 0] if found is not None and self._about.version < (2, 1, 0) else found


class Digitiser(Interface):
    """A fast digitiser (hsd)."""

    def waveforms(self, evt: Event) -> dict[int, dict[Any, NDArray[Any]]] | None:
        """By segment the waveform of each channel, by its number, and the `times` of the samples, in s."""
        found: dict[int, dict[Any, NDArray[Any]]] = {}
        for segment, number, channel in self._channels(evt):
            if channel.waveform is not None:
                found[segment] = {"times": hsd.times(channel.waveform.size), number: channel.waveform}
        return found or None

    def peaks(self, evt: Event) -> dict[int, dict[int, tuple[list[int], list[Any]]]] | None:
        """By segment and channel where the peaks begin in the waveform, and their samples."""
        channels = self._channels(evt)
        return {segment: {number: (c.starts, list(c.peaks))} for segment, number, c in channels if c.peaks} or None

    def peak_times(self, evt: Event) -> dict[int, dict[int, list[NDArray[np.float64]]]] | None:
        """By segment and channel the time of each sample of the peaks, in s."""
        found: dict[int, dict[int, list[NDArray[np.float64]]]] = {}
        for segment, channels in (self.peaks(evt) or {}).items():
            for number, (starts, peaks) in channels.items():
                of_peak: list[Any] = [np.arange(start, start + len(peak)) * hsd.SAMPLE_S for start, peak in zip(starts, peaks)]
                found.setdefault(segment, {})[number] = of_peak
        return found or None

    def padded(self, evt: Event) -> dict[int, dict[Any, NDArray[Any]]] | None:
        """By segment waveforms that are made of the peaks, with the configured value between them."""
        found: dict[int, dict[Any, NDArray[Any]]] = {}
        for segment, channels in (self.peaks(evt) or {}).items():
            length, value = self._padding(segment)
            for number, (starts, peaks) in channels.items():
                whole = np.zeros(length) + value
                for start, peak in zip(starts, peaks):
                    if start + len(peak) <= length:
                        whole[start : start + len(peak)] = peak
                found[segment] = {number: whole, "times": hsd.times(length)}
        return found or None

    def _padding(self, segment: int) -> tuple[int, float]:
        fex = self._seg_configs()[segment].config.user.fex  # type: ignore[attr-defined]
        length = int(fex.gate_ns * 0.160 * 13 / 14) * 40
        return length, fex.corr.baseline if self._about.version >= (3, 0, 0) else (fex.ymin + fex.ymax) // 2

    def _channels(self, evt: Event) -> list[tuple[int, int, hsd.Channel]]:
        found = []
        for segment, record in (self._segments(evt) or {}).items():
            # One channel for each segment, as psana has it.
            name = next((name for name in vars(record) if name.startswith("chan")), None)
            data = None if name is None else getattr(record, name)
            if name is not None and data is not None and data.size > 0:
                channel = hsd.read(record.eventHeader, data)  # type: ignore[attr-defined]
                found.append((segment, int(name[4:]), self._based(channel)))
        return found

    def _based(self, channel: hsd.Channel) -> hsd.Channel:
        """From version 3 on, the first four samples of the first peak are baselines."""
        if self._about.version < (3, 0, 0) or not channel.peaks:
            return channel
        starts, peaks = [channel.starts[0] + 4, *channel.starts[1:]], [channel.peaks[0][4:], *channel.peaks[1:]]
        return channel._replace(starts=starts, peaks=peaks)

    def _listed(self) -> list[str]:
        return []


class Wave8(Interface):
    """A digitiser of eight channels."""

    def raw_all(self, evt: Event) -> NDArray[Any] | None:
        """The waveforms of all channels, if they have one length."""
        found = self._all(evt, "raw_")
        return np.stack(found) if found and all(wave.shape == found[0].shape for wave in found) else None

    def base_all(self, evt: Event) -> NDArray[Any] | None:
        """The baselines of all channels."""
        return np.array(found) if (found := self._all(evt, "base_")) else None

    def integral_all(self, evt: Event) -> NDArray[Any] | None:
        """The integrals of all channels."""
        return np.array(found) if (found := self._all(evt, "integral_")) else None

    def _all(self, evt: Event, prefix: str) -> list[Any]:
        info = self._info(evt)
        values = (getattr(info, f"{prefix}{number}", None) for number in range(8)) if info is not None else ()
        return [value for value in values if value is not None]


class Timing(Interface):
    """The timing system."""

    def eventcodes(self, evt: Event) -> list[int] | None:
        """For each of 288 event codes whether the event has it."""
        info = self._info(evt)
        words = None if info is None else info.sequenceValues  # type: ignore[attr-defined]
        return None if words is None else [int(words[code >> 4]) >> (code & 15) & 1 for code in range(288)]

    def pulseId(self, evt: Event) -> int | None:
        """The number of the pulse, without the bit for LCLS-I."""
        info = self._info(evt)
        return None if info is None else info.pulseId & ~(1 << 63)  # type: ignore[attr-defined]

    def destination(self, evt: Event) -> int | None:
        """Where the beam goes."""
        info = self._info(evt)
        return None if info is None else info.ebeamDestn  # type: ignore[attr-defined]

    def timestamp(self, evt: Event) -> int | None:
        """The time of the timing system."""
        info = self._info(evt)
        return None if info is None else info.timeStamp  # type: ignore[attr-defined]


class Encoder(Interface):
    """An encoder."""

    def value(self, evt: Event) -> float | None:
        """The position, in mm or urad."""
        info = self._info(evt)
        if info is None:
            return None
        if "encoderValue" not in self._fields:
            return info.position  # type: ignore[attr-defined,no-any-return]
        first = {name: np.ravel(value)[0] for name, value in vars(info).items() if not isinstance(value, str)}
        count, scale, parts = first["encoderValue"], first.get("scale"), first.get("scaleDenom", 0)
        if parts > 0:
            return float(count) * (float(scale) / float(parts))  # type: ignore[arg-type]
        # Before version 3 a scale alone is in 10^-6.
        return float(count) if self._about.version >= (3, 0, 0) else float(count * 1e-6) * float(scale)  # type: ignore[arg-type]


class Definitions(Interface):
    """Definitions of process variables."""

    def __call__(self) -> dict[str, dict[str, str]]:
        """The definition of each variable, by its name."""
        about = self._run._about
        found: dict[str, dict[str, str]] = {}
        for detector, _, _, values in about.records(about._configure):
            keys = str(values.get("keys", "")).split(",") if detector == self._det_name else []
            for name, text in values.items() if keys else ():
                if name != "keys":
                    between = "\n" if self._det_name == "epicsinfo" else ","
                    found.setdefault(name, {}).update(zip(keys, str(text).split(between)))
        return found


def refuse(options: dict[str, Any], function: str, wanted: str) -> None:
    """Refuses options of a function that would change nothing."""
    if options:
        raise NotImplementedError(f"wanted {wanted} as options of `{function}`, found {', '.join(options)}, which livetime.psana does not have")


_CAMERAS = ("opal", "axis", "fakecam", "pva", "camera", "epix100hw", "andor")


def interface(run: Run, about: Description) -> Interface:
    """The class for an algorithm of a detector."""
    kind, algorithm = about.kind, about.algorithm
    fields = {name: axes for name, _, axes in about.fields}
    if kind == "hsd" and {"eventHeader"} <= set(fields):
        return Digitiser(run, about)
    if (kind, algorithm) == ("cspad", "raw") and "arrayRaw" in fields:
        return TestCspad(run, about)
    if kind == "jungfrau" and "raw" in fields:
        return Jungfrau(run, about)
    if kind == "epixm320" and "raw" in fields:
        return Chips(run, about)
    if kind in ("epixuhr", "epixuhr3x2") and "raw" in fields:
        return Packed(run, about)
    if kind == "archon" and "value" in fields:
        return Archon(run, about)
    if kind == "piranha4" and "image" in fields:
        return Piranha(run, about)
    if kind == "wave8":
        return Wave8(run, about)
    if kind == "ts" and "sequenceValues" in fields:
        return Timing(run, about)
    if kind in ("encoder", "hrencoder"):
        return Encoder(run, about)
    if kind in ("epicsinfo", "pvdetinfo"):
        return Definitions(run, about)
    if algorithm == "raw" and any(fields.get(name, 0) >= 1 for name in Camera._FIELDS):
        return (FlatCamera if kind in _CAMERAS else Camera)(run, about)
    return Interface(run, about)


def needed(given: dict[str, Any], what: str, detector: str) -> Any:
    """Constants or geometry of a detector that a script was to give."""
    if detector not in given:
        example = {"constants": "livetime.Corrections(pedestal=...)", "geometry": '"geometry/0-end.data"'}[what]
        raise RecordingError(
            f"wanted {what} of `{detector}`, found none: DataSource(..., {what}={{\"{detector}\": {example}}}); SLAC's database is not asked"
        )
    return given[detector]
