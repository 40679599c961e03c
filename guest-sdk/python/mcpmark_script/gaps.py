"""What scripts may ask for and do not get here.

An exception would not do, for scripts catch those, and then call a state wrong of which they have
seen nothing. So the host stops a script that asks, and there is no grade.
"""

import errno
import filecmp
import os
import stat
import subprocess
import sys
import tempfile
import threading
import zoneinfo
from multiprocessing import pool, process

from wit_world.imports import gaps

_PROCESSES = ["execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe",
              "fork", "forkpty", "kill", "killpg", "popen", "posix_spawn", "posix_spawnp",
              "spawnl", "spawnle", "spawnlp", "spawnlpe", "spawnv", "spawnve", "spawnvp",
              "spawnvpe", "system"]
_FULL = {errno.ENOMEM, errno.EMFILE, errno.ENFILE}


def stop(what):
    """Ends the script; `what` goes on from the words "the script"."""
    try:
        sys.stdout.flush()
    except Exception:
        # What it printed is of use and not needed.
        pass
    gaps.stop(what)


def of_module(name):
    """The `__getattr__` of a module that stands in for a library's, or for a part of one."""
    def missing(attribute):
        if attribute.startswith("__"):
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        stop(f"uses {name}.{attribute}, and the stand-in for {name} has no `{attribute}`")
    return missing


class StandIn:
    """A class of such a module."""

    def __getattr__(self, attribute):
        kind = type(self)
        if attribute.startswith("_"):
            raise AttributeError(f"{kind.__name__!r} object has no attribute {attribute!r}")
        name = kind.__module__.split(".")[0]
        stop(f"uses {kind.__name__}.{attribute}, and the stand-in for {name} has no such `{attribute}`")


def told(error):
    """Why there can be no grade after an exception that nobody caught; none where there can."""
    if isinstance(error, OSError) and error.errno == errno.EROFS:
        return f"writes to {error.filename or 'a file'!r}, and nothing can be written here"
    if isinstance(error, MemoryError) or isinstance(error, OSError) and error.errno in _FULL:
        return f"needs more memory or open files than there are ({_line(error)})"
    if isinstance(error, OverflowError) and any(it in str(error) for it in ("index-sized", "ssize_t")):
        return f"makes something too large for 32 bits ({_line(error)})"
    return None


def _line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())


def _stopping(what):
    def stopped(*_, **__):
        stop(what)
    return stopped


def _signature(status):
    """Type, size and place of a file."""
    return stat.S_IFMT(status.st_mode), status.st_size, status.st_ino


def install():
    """Puts stops where the library would raise, or would find out too little."""
    for name in _PROCESSES:
        setattr(os, name, _stopping(f"starts or ends a process (os.{name}), and there are none here"))
    subprocess.Popen.__init__ = _stopping("starts a process (subprocess), and there are none here")
    # What never came to be has nothing to clear away.
    subprocess.Popen.__del__ = pool.Pool.__del__ = lambda _: None
    process.BaseProcess.start = pool.Pool.__init__ = \
        _stopping("starts processes (multiprocessing), and there are none here")
    thread = _stopping("starts a thread, and there are none here")
    for module in (threading, sys.modules["_thread"]):
        for name in ("start_new_thread", "start_new", "start_joinable_thread",
                     "_start_new_thread", "_start_joinable_thread"):
            if hasattr(module, name):
                setattr(module, name, thread)
    tempfile._get_default_tempdir = _stopping("makes temporary files, and nothing can be written here")
    zone = "asks for the time zone {!r}, and the tables of time zones are not here"
    zoneinfo._common.load_tzdata = lambda key: stop(zone.format(key))
    zoneinfo.available_timezones = _stopping("lists time zones, and their tables are not here")
    # Files whose type, size and time agree count as equal, and of files here the times often agree.
    filecmp._sig = _signature
