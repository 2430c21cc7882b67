"""Sets Beleg up in `.venv`: `python3 install.py` (needs nothing but Python; `make run` calls it).

This file stays readable for old Pythons, so that one gets a plain message instead of a syntax error.
"""

import os
import shutil
import subprocess
import sys

OLDEST, NEWEST = (3, 11), (3, 14)
NAMES = ("python3.13", "python3.12", "python3.11", "python3.14")


def main():
    # type: () -> int
    if not fits(sys.version_info[:2]):
        return hand_over(sys.argv[1:])
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from installer.flow import run

    return run(sys.argv[1:])


def fits(version):
    # type: (tuple[int, ...]) -> bool
    return OLDEST <= tuple(version) <= NEWEST


def hand_over(arguments):
    # type: (list[str]) -> int
    """Starts over with a Python that fits, or says what to do."""
    better = find_python(NAMES)
    if better is not None:
        return subprocess.call([better, os.path.abspath(__file__)] + arguments)  # noqa: RUF005
    print("Beleg needs Python 3.11 to 3.14; this is %d.%d (%s)." % (sys.version_info[:2] + (sys.executable,)))  # noqa: RUF005, UP031
    print("What to do: install one and run this again, for example")
    print("  Debian 12 or newer, Ubuntu 24.04 or newer:  sudo apt-get install python3 python3-venv")
    print("  Fedora, RHEL:                               sudo dnf install python3.12")
    return 1


def find_python(names):
    # type: (tuple[str, ...]) -> str | None
    """The first of `names` that starts and fits; a name on PATH may be an empty promise."""
    for name in names:
        path = shutil.which(name)
        if path is not None and fits(version_of(path)):
            return path
    return None


def version_of(path):
    # type: (str) -> tuple[int, ...]
    ask = "import sys; print(sys.version_info[0], sys.version_info[1])"
    try:
        said = subprocess.check_output([path, "-c", ask], stderr=subprocess.DEVNULL, timeout=20)
        return tuple(int(part) for part in said.split())
    except (OSError, ValueError, subprocess.SubprocessError):
        return ()


if __name__ == "__main__":
    sys.exit(main())
