"""The settings of a job, from the command line and pyana's configuration file."""

from __future__ import annotations

import argparse
import configparser
import os
from collections.abc import Sequence
from dataclasses import dataclass, field


class UsageError(ValueError):
    """A request cannot be fulfilled: a wrong option, or a module that does not exist."""


@dataclass
class Options:
    """A job."""

    files: list[str]
    """The files of a run: one is enough."""
    modules: list[str]
    """User modules in their order: `package.module`, or `package.module:instance`."""
    sections: dict[str, dict[str, str]] = field(default_factory=dict)
    """Options of modules by the name of the module."""
    job_name: str = ""
    """Results are called by it; by default as the first file."""
    num_events: int | None = None
    """So many events at most, those with damage among them."""
    skip_events: int = 0
    """So many at the beginning are left out."""
    processes: int = 0
    """Worker processes; 0: this process does all."""
    verbose: int = 0

    def __post_init__(self) -> None:
        if not self.files:
            raise UsageError("wanted the file of a run, found none")
        self.job_name = self.job_name or os.path.basename(self.files[0]).partition(".")[0]
        for name, found in (("num-events", self.num_events or 0), ("skip-events", self.skip_events), ("num-cpu", self.processes)):
            if found < 0:
                raise UsageError(f"{name}: wanted at least 0, found {found}")


def parser() -> argparse.ArgumentParser:
    """pyana's options."""
    made = argparse.ArgumentParser(prog="livetime pyana", description="Runs pyana's user modules over a recorded run.")
    add = made.add_argument
    add("files", nargs="*", metavar="FILE", help="a file of the run: all its streams and chunks are read")
    add("-c", "--config-file", metavar="FILE", help="configuration file; pyana.cfg if there is one")
    add("-C", "--config-name", metavar="NAME", help="also the section [pyana.NAME], which holds against [pyana]")
    add("-l", "--file-list", metavar="FILE", help="a file with names of files, one a line")
    add("-n", "--num-events", type=int, metavar="N", help="at most so many events")
    add("-s", "--skip-events", type=int, metavar="N", help="leave out so many events at the beginning")
    add("-j", "--job-name", metavar="NAME", help="what results are called")
    add("-m", "--module", action="append", metavar="NAME", help="user module; may be given several times")
    add("-p", "--num-cpu", type=int, metavar="N", help="worker processes")
    add("-v", "--verbose", action="count", default=0, help="tell how far it is")
    return made


def parsed(arguments: Sequence[str] | None = None) -> Options:
    """The job of a command line, whose options come before the settings of the file."""
    given = parser().parse_args(arguments)
    config = _read(given.config_file)
    file = dict(config["pyana"]) if config.has_section("pyana") else {}
    if given.config_name:
        if not config.has_section(f"pyana.{given.config_name}"):
            raise UsageError(f"wanted a section [pyana.{given.config_name}] in the configuration file, found none")
        file |= dict(config[f"pyana.{given.config_name}"])
    sections = {name: dict(config[name]) for name in config.sections() if name.partition(".")[0] != "pyana"}

    def number(of_line: int | None, name: str) -> int | None:
        return of_line if of_line is not None else _number(name, file.get(name))

    return Options(
        files=_files(given.files, given.file_list or file.get("file-list"), file.get("files")),
        modules=given.module or file.get("modules", "").split(),
        sections=sections,
        job_name=given.job_name or file.get("job-name", ""),
        num_events=number(given.num_events, "num-events"),
        skip_events=number(given.skip_events, "skip-events") or 0,
        processes=number(given.num_cpu, "num-cpu") or 0,
        verbose=given.verbose or _number("verbose", file.get("verbose")) or 0,
    )


def _read(path: str | None) -> configparser.ConfigParser:
    config = configparser.ConfigParser(interpolation=None, inline_comment_prefixes=("#", ";"))
    # Options become arguments of constructors, whose case matters.
    config.optionxform = str  # type: ignore[assignment, method-assign]
    path = path or ("pyana.cfg" if os.path.exists("pyana.cfg") else None)
    if path is None:
        return config
    try:
        with open(path, encoding="utf-8") as file:
            config.read_file(file)
    except (OSError, configparser.Error, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the configuration file {path}: {error}") from error
    return config


def _number(name: str, text: str | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        raise UsageError(f"{name}: wanted a number, found {text!r}") from None


def _files(given: list[str], file_list: str | None, configured: str | None) -> list[str]:
    if given:
        return given
    if file_list is None:
        return (configured or "").split()
    try:
        with open(file_list, encoding="utf-8") as file:
            return [line.strip() for line in file if line.strip() and not line.startswith("#")]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the list of files {file_list}: {error}") from error
