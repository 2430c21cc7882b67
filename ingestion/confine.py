"""Binds the reading process before it touches a file from outside: memory, time, files, network.

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
from pathlib import Path

MIB = 1024 * 1024
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, the same on all architectures
RULE_PATH_BENEATH = 1
READ_FILE, READ_DIR = 1 << 2, 1 << 3
HANDLED_FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}  # by version of the interface
NEWEST_FILES = (1 << 16) - 1
BIND_OR_CONNECT_TCP = 3
SCOPED = 3  # abstract sockets and signals

LIBRARIES = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/fonts", "/dev/null", "/dev/urandom")


def confine(*, memory_mib: int, seconds: int, parent: int, readable: Path) -> None:
    """For good: at most `memory_mib` of address space and `seconds` of processor time, no file but `readable` and the
    libraries, no writing, no network, and an end with the process `parent`."""
    _limit(memory_mib, seconds)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        if libc.unshare(CLONE_NEWNET) != 0:
            libc.unshare(CLONE_NEWUSER | CLONE_NEWNET)
        _shut_file_system(libc, readable)


def _limit(memory_mib: int, seconds: int) -> None:
    for limit, value in (
        (resource.RLIMIT_AS, memory_mib * MIB),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_NPROC, 0),
    ):
        _, hard = resource.getrlimit(limit)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (most, most))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _shut_file_system(libc: ctypes.CDLL, readable: Path) -> None:
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return
    attributes = struct.pack("=Q", HANDLED_FILES.get(version, NEWEST_FILES))
    if version >= 4:
        attributes += struct.pack("=Q", BIND_OR_CONNECT_TCP)
    if version >= 6:
        attributes += struct.pack("=Q", SCOPED)
    rules = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return
    for path in {*LIBRARIES, sys.prefix, sys.base_prefix, *_packages()}:
        _allow(libc, rules, path, READ_FILE | READ_DIR)
    _allow(libc, rules, str(readable), READ_FILE)
    libc.syscall(RESTRICT_SELF, rules, 0)
    os.close(rules)


def _packages() -> list[str]:
    return [str(Path(__file__).parent), *(entry for entry in sys.path if entry.endswith("-packages"))]


def _allow(libc: ctypes.CDLL, rules: int, path: str, access: int) -> None:
    try:
        at = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        access &= READ_FILE
    libc.syscall(ADD_RULE, rules, RULE_PATH_BENEATH, struct.pack("=Qi", access, at), 0)
    os.close(at)
