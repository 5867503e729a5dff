"""The command `livetime pyana`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..errors import Error
from .job import run
from .options import UsageError, parsed


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a job. Returns 0 if all went well, 1 if it failed or a module terminated it, 2 for wrong usage, 3 if data were broken."""
    # User modules lie in the current folder, as for `python -m`.
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        summary = run(parsed(arguments))
    except UsageError as error:
        print(f"livetime pyana: {error}", file=sys.stderr)
        return 2
    except Error as error:
        print(f"livetime pyana: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("livetime pyana: interrupted", file=sys.stderr)
        return 130
    print(summary, file=sys.stderr)
    return 1 if summary.is_terminated else 3 if summary.lost else 0
