"""User modules: how they are found, made and called."""

from __future__ import annotations

import enum
import importlib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import compat
from .env import Env
from .event import Event
from .options import UsageError


class Normal:
    """Return value of a method to go on; `None` means the same."""


class Skip:
    """Return value of `event` that keeps this event from the modules behind it."""


class Stop:
    """Return value of a method to end the job in order: no further events, then `endcalibcycle`, `endrun`, `endjob`."""


class Terminate:
    """Return value of a method to end the job at once, as failed: no further method is called."""


class After(enum.Enum):
    """The next step after a call of all modules."""

    GO_ON = 0
    STOP = 1
    TERMINATE = 2


class Module:
    """An instance of a user module."""

    def __init__(self, name: str, instance: Any) -> None:
        self.name, self.instance = name, instance

    @property
    def merges(self) -> bool:
        """Whether instances of workers can be put together: then `endjob` is called once, behind that."""
        return callable(getattr(self.instance, "merge", None))

    def call(self, hook: str, evt: Event, env: Env) -> Any:
        """Calls a method if the module has it. The oldest modules have `env` alone at `end...`."""
        method = getattr(self.instance, hook, None)
        if method is None:
            return None
        try:
            return method(env) if _takes_one(method) else method(evt, env)
        except Exception as exception:
            exception.add_note(f"in pyana module `{self.name}`, {hook}(), {evt!r}")
            raise


def _takes_one(method: Any) -> bool:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(method).parameters.values()
    has_more = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    return not has_more and sum(p.kind in kinds for p in parameters) == 1


def made(names: Sequence[str], sections: Mapping[str, Mapping[str, str]]) -> list[Module]:
    """The modules of a job, in their order. `package.module:instance` has the options of both `[package.module]` and
    `[package.module:instance]`; the latter ones hold."""
    if not names:
        raise UsageError("wanted at least one user module (-m, or `modules` in the section [pyana]), found none")
    return [Module(name, _instance(name, sections)) for name in names]


def _instance(name: str, sections: Mapping[str, Mapping[str, str]]) -> Any:
    place = name.partition(":")[0]
    compat.install()
    try:
        module = importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{place}.".startswith(f"{error.name}."):
            raise
        raise UsageError(f"wanted the user module `{place}`, found none (in the current folder, or on PYTHONPATH)") from error
    kind = getattr(module, place.rpartition(".")[2], None)
    if not isinstance(kind, type):
        raise UsageError(f"user module `{place}`: wanted a class `{place.rpartition('.')[2]}`, found none")
    options = {**sections.get(place, {}), **sections.get(name, {})}
    try:
        inspect.signature(kind).bind(**options)
    except TypeError as error:
        raise UsageError(f"user module `{name}`: wanted options that {kind.__name__}() takes, found {_listed(options)}: {error}") from error
    return kind(**options)


def _listed(options: Mapping[str, str]) -> str:
    return ", ".join(options) or "none"


class Chain:
    """All modules of a job, called one after the other."""

    def __init__(self, modules: list[Module]) -> None:
        self.modules = modules

    def transition(self, hook: str, evt: Event, env: Env) -> After:
        """Calls a method of all modules. `Skip` means nothing here."""
        return self._worst(module.call(hook, evt, env) for module in self.modules)

    def event(self, evt: Event, env: Env) -> After:
        """Gives an event to the modules until one skips it."""
        return self._worst(self._until_skipped(evt, env))

    def _until_skipped(self, evt: Event, env: Env) -> Iterator[Any]:
        for module in self.modules:
            found = module.call("event", evt, env)
            if found is Skip:
                return
            yield found

    def _worst(self, answers: Iterator[Any]) -> After:
        after = After.GO_ON
        for answer in answers:
            if answer is Terminate:
                return After.TERMINATE
            if answer is Stop:
                after = After.STOP
        return after
