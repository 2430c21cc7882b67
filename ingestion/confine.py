"""Binds the reading process, or a program that helps it, before it touches a file from outside: memory, time, files,
network.

Whoever finds a hole in a parser finds himself in a process that can read that one file and the libraries, write
nothing, start nothing and reach nobody. What a platform lacks is left out; on Linux the limits on memory and time
always hold, Landlock (kernel 5.13, landlock(7)) and an own network namespace where the kernel grants them.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MIB = 1024 * 1024
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, the same on all architectures
RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE, MAKE, TRUNCATE = 3 << 4, (1 << 7) | (1 << 8) | (1 << 9) | (1 << 12), 1 << 14  # no devices
MAKE_SOCKET = 1 << 9
CHANGE = WRITE_FILE | REMOVE | MAKE | TRUNCATE
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
HANDLED_FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}  # by version of the interface
NEWEST_FILES = (1 << 16) - 1
BIND_OR_CONNECT_TCP = 3
SCOPED = 3  # abstract sockets and signals

LIBRARIES = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/fonts", "/dev/null", "/dev/urandom")
PROGRAMS = ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/fonts")


@dataclass(frozen=True)
class Bounds:
    """What a process may take: address space, processor time, the largest file it may write, and how many processes
    and threads its user may have when it starts one more (0: it starts none; None: not limited)."""

    memory_mib: int
    seconds: int
    file_mib: int = 0
    open_files: int = 64
    processes: int | None = 0


def confine(*, memory_mib: int, seconds: int, parent: int, readable: Path, results: Path | None = None) -> None:
    """For good: at most `memory_mib` of address space and `seconds` of processor time, no file but `readable`, those in
    the folder `results` and the libraries, no writing, no network, and an end with the process `parent`."""
    rules = [(path, READ_FILE | READ_DIR) for path in {*LIBRARIES, sys.prefix, sys.base_prefix, *_packages()}]
    rules.append((str(readable), READ_FILE))
    if results is not None:
        rules.append((str(results), READ_FILE | READ_DIR))
    _confine(Bounds(memory_mib, seconds), parent, rules)


def confine_tool(
    bounds: Bounds, *, parent: int, scratch: Path, readable: Sequence[Path], sockets: Sequence[Path] = ()
) -> None:
    """For good, and for the program that takes this process's place: `bounds`, nothing to read or run but `readable`
    and what the system installed, nothing to write but in `scratch` (in the folders `sockets` it may make local
    sockets), no network, and an end with `parent`."""
    rules = [(path, EXECUTE | READ_FILE | READ_DIR) for path in {*PROGRAMS, *map(str, readable)}]
    rules += [(str(path), MAKE_SOCKET) for path in sockets]
    rules += [("/dev/null", READ_FILE | WRITE_FILE), ("/dev/urandom", READ_FILE)]
    _confine(bounds, parent, [*rules, (str(scratch), READ_FILE | READ_DIR | CHANGE)])


def _confine(bounds: Bounds, parent: int, rules: Sequence[tuple[str, int]]) -> None:
    _limit(bounds)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        if libc.unshare(CLONE_NEWNET) != 0:
            libc.unshare(CLONE_NEWUSER | CLONE_NEWNET)
        _shut_file_system(libc, rules)


def _limit(bounds: Bounds) -> None:
    for limit, value in (
        (resource.RLIMIT_AS, bounds.memory_mib * MIB),
        (resource.RLIMIT_CPU, bounds.seconds),
        (resource.RLIMIT_FSIZE, bounds.file_mib * MIB),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, bounds.open_files),
        (resource.RLIMIT_NPROC, bounds.processes),
    ):
        if value is None:
            continue
        _, hard = resource.getrlimit(limit)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (most, most))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _shut_file_system(libc: ctypes.CDLL, rules: Sequence[tuple[str, int]]) -> None:
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return
    attributes = struct.pack("=Q", HANDLED_FILES.get(version, NEWEST_FILES))
    if version >= 4:
        attributes += struct.pack("=Q", BIND_OR_CONNECT_TCP)
    if version >= 6:
        attributes += struct.pack("=Q", SCOPED)
    ruleset = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        return
    handled = HANDLED_FILES.get(version, NEWEST_FILES)
    for path, access in rules:
        _allow(libc, ruleset, path, access & handled)
    libc.syscall(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _packages() -> list[str]:
    return [str(Path(__file__).parent), *(entry for entry in sys.path if entry.endswith("-packages"))]


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, access: int) -> None:
    try:
        at = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        access &= OF_FILES
    libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, struct.pack("=Qi", access, at), 0)
    os.close(at)
