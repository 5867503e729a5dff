"""Commands about pipelines with nodes of Python: `python -m livetime run FILE`, and `check`, `verify`, `pvs`, `analyze --pipeline`, `bench graph`, `bench node`.

The program `livetime` has no interpreter. A pipeline file that names nodes as `module:name` is run by the interpreter that has
the package: with the arguments, the page, the report and the exit codes of `livetime run`, because it is the same code.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from . import _livetime
from .errors import GraphError
from .graph import imported


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command on a pipeline file, or measures the package (`bench`). Returns the exit code of `livetime run`: 0
    ok, 1 failed, 2 wrong usage or a file that is refused, 3 losses."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] == ["bench"] and arguments[1:2] not in (["graph"], ["node"]):
        from . import bench

        return bench.main(arguments[1:])
    command = _livetime.Command(arguments)
    # Modules lie in the current folder, as for `python -m`.
    if "" not in sys.path:
        sys.path.insert(0, "")
    code, raised = command.run(_types(command.file))
    _show(raised)
    return code


def _types(file: str | os.PathLike[str] | None) -> list[_livetime.NodeType]:
    """The nodes of Python that a file names. Other mistakes in the file are reported by the command itself, with their
    place."""
    try:
        text = "" if file is None else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    types = []
    for name in _livetime.type_names(text):
        try:
            types += [imported(name).node_type] if ":" in name else []
        except GraphError as error:
            print(error, file=sys.stderr)
    return types


def _show(raised: list[tuple[str, str, BaseException]]) -> None:
    """The report says that nodes failed; the traceback of the first exception of each says where."""
    sys.stdout.flush()
    seen = set()
    for node, _, exception in raised:
        if node not in seen:
            seen.add(node)
            traceback.print_exception(exception)
