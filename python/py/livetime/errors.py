"""The exceptions and warnings of the package.

Every exception says what was wanted, what was found, where, and what to do next if that is known.
"""

from __future__ import annotations


class Error(Exception):
    """Base class of all exceptions of this package."""


class RecordingError(Error, OSError):
    """A recorded run cannot be opened or read, or there is no such detector."""


class AnalysisError(Error):
    """An analysis has no result."""


class GraphError(Error):
    """A graph cannot run. `problems` lists all that is wrong with it, with places in the pipeline file."""

    problems: list[str]

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.problems = [message]


class ParamError(Error, ValueError):
    """A parameter cannot have this value, or there is none of this name.

    Programs ask for `parameter`, its name; `code`, a word that stays the same when sentences change (`value`, `unknown_parameter`,
    `read_only` ...); `wanted` and `found`, of a value; `hint`, what may have been meant. Each is `None` where there is none.
    """

    parameter: str | None = None
    code: str | None = None
    wanted: str | None = None
    found: str | None = None
    hint: str | None = None


class CodecError(Error, ValueError):
    """An array cannot be encoded, or a stream not be decoded."""


class FrameError(Error, ValueError):
    """A frame has another payload than was asked for, or cannot be made of an array."""


class NodeFailed(Error):
    """A run failed for a reason that is no exception of a Python node: those are raised themselves."""


class LossError(Error):
    """Frames were lost unintentionally."""


class Bug(Error):
    """A fault of Livetime itself. Please report it with the steps that led to it."""


class KeptArraysWarning(UserWarning):
    """A loop keeps so many arrays that further arrays are copied."""
