"""`python -m livetime.pyana`, as the command `livetime pyana`."""

import sys

from .main import main

if __name__ == "__main__":
    sys.exit(main())
