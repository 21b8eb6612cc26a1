"""`python -m unburden`: the program itself, with the same arguments."""

import os
import sys

from .program import find_program


def main() -> int:
    """Becomes the program; the exit status where there is none."""
    try:
        program = find_program()
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
