"""`python -m livetime run FILE`: the program behind `livetime run --python FILE`."""

import sys

from .commands import main

if __name__ == "__main__":
    sys.exit(main())
