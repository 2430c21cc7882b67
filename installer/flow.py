"""The order of the set-up: look at the machine, make the environment, fill it, try it out, stamp it."""

from __future__ import annotations

import argparse
import fcntl
import os
import platform
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from installer import constraints, environment, machine, system
from installer.steps import Commands, Processes, Record, Screen, SetupError, size_of, stderr_screen, step

ROOT = Path(__file__).resolve().parent.parent


def run(arguments: Sequence[str]) -> int:
    """The whole of `python3 install.py`. Exit code: 0, 1 (it said what to do) or 130 (interrupted)."""
    options = _options(arguments)
    screen = stderr_screen()
    log = _log_file(ROOT)
    commands = Processes(log, screen)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with _alone(ROOT):
            if options.system:
                system.install_packages(commands, screen, os.environ)
            if options.renew_constraints:
                constraints.renew(ROOT, commands, screen)
            else:
                set_up(ROOT, os.environ, commands, screen, dev=options.dev)
    except SetupError as stop:
        screen.say(f"\n{stop.what}\nWhat to do: {stop.todo}\nEverything that was said is in {log}")
        return 1
    except KeyboardInterrupt:
        screen.say("\nInterrupted. Run the same command again: it clears up and goes on.")
        return 130
    return 0


def set_up(root: Path, variables: Mapping[str, str], commands: Commands, screen: Screen, *, dev: bool) -> None:
    """Makes `.venv` ready to run Beleg; returns at once when it is. Raises SetupError with what to do."""
    here = machine.look()
    profile = machine.choose_profile(here, variables, commands)
    place = _environment(root, profile, variables, dev=dev)
    if environment.is_done(place):
        return
    screen.say(f"Setting up Beleg with Python {platform.python_version()}, profile `{profile}`.")
    machine.check(here, profile, screen)
    machine.check_disk(root, _models_folder(variables), profile, size_of(place.folder))
    _fill(place, commands, screen)


def _fill(place: environment.Environment, commands: Commands, screen: Screen) -> None:
    record = Record(place.profile, platform.python_version(), fresh=False)
    place.stamp.unlink(missing_ok=True)
    try:
        _run_steps(place, commands, screen, record)
    except SetupError as error:
        if not error.cut_short:
            place.unfinished.unlink(missing_ok=True)
        raise
    environment.write_stamp(place)
    record.save(place.record)


def _run_steps(place: environment.Environment, commands: Commands, screen: Screen, record: Record) -> None:
    with step("environment", screen, record, place.folder):
        record.fresh = environment.make(place, commands, screen)
    with step("pip", screen, record, place.folder):
        environment.update_pip(place, commands)
    with step("packages", screen, record, place.folder) as entry:
        environment.install(place, commands, screen, entry)
    with step("trying them out", screen, record, place.folder):
        environment.mend_torchvision(place, commands)
        environment.try_out(place, commands)


def _environment(
    root: Path, profile: machine.Profile, variables: Mapping[str, str], *, dev: bool
) -> environment.Environment:
    index = variables.get("BELEG_TORCH_INDEX") or environment.TORCH_INDEX
    return environment.Environment(root, profile, (profile, "dev") if dev else (profile,), index)


def _models_folder(variables: Mapping[str, str]) -> Path:
    return Path(variables.get("BELEG_MODELS_DIR") or Path.home() / ".cache" / "beleg" / "models")


def _log_file(root: Path) -> Path:
    folder = root / "data" / "logs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "install.log").touch()
    except OSError as error:
        raise SystemExit(f"Cannot write to {folder}: {error.strerror}. Clone Beleg to a folder of your own.") from None
    return folder / "install.log"


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """One set-up at a time in a folder; the lock goes with the process, however it ends."""
    with (root / "install.py").open() as own:
        try:
            fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SetupError(
                "Another set-up is running in this folder.", "Wait until it has ended, then run this again."
            ) from None
        yield


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="install.py", description="Sets Beleg up in .venv, once.")
    parser.add_argument("--dev", action="store_true", help="also what `make check` and `make test` need")
    parser.add_argument("--system", action="store_true", help="also Tesseract, and Chromium for the browser tests")
    parser.add_argument("--renew-constraints", action="store_true", help="write constraints.txt anew, install nothing")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
