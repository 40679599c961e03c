"""What scripts may ask for and do not get here.

An exception would not do, for scripts catch those, and then call a state wrong of which they have
seen nothing. So the host stops a script that asks, and there is no grade.
"""

import errno
import filecmp
import importlib
import io
import multiprocessing
import os
import pathlib
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import types
import zipfile
import zoneinfo
from concurrent.futures import process as process_pool
from multiprocessing import pool, process

from mcpmark_script import lacks
from wit_world.imports import gaps

_PROCESSES = ["execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe",
              "fork", "forkpty", "kill", "killpg", "popen", "posix_spawn", "posix_spawnp",
              "spawnl", "spawnle", "spawnlp", "spawnlpe", "spawnv", "spawnve", "spawnvp",
              "spawnvpe", "system"]
_NOT_HERE = "uses {}.{}, which needs more of a system than the sandbox has"
# Names of the one zone that needs no table.
_UTC = {"UTC": b"UTC", "Etc/UTC": b"UTC", "GMT": b"GMT", "Etc/GMT": b"GMT"}
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


def stopping(what):
    """A function that ends the script when it is called."""
    def stopped(*_, **__):
        stop(what)
    return stopped


def _signature(status):
    """Type, size and place of a file."""
    return stat.S_IFMT(status.st_mode), status.st_size, status.st_ino


def _module_of(names, otherwise):
    """The `__getattr__` of a module that lacks `names`."""
    def missing(attribute):
        if attribute in names:
            stop(_NOT_HERE.format(otherwise, attribute))
        raise AttributeError(f"module {otherwise!r} has no attribute {attribute!r}")
    return missing


def _of_sockets(attribute):
    if attribute.startswith(lacks.OF_SOCKETS):
        stop(f"wants the network (socket.{attribute}), which no verifier has")
    raise AttributeError(f"module 'socket' has no attribute {attribute!r}")


def _absent(name, what):
    """A module of which only the name is here."""
    module = types.ModuleType(name)

    def missing(attribute):
        if attribute.startswith("__"):
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        return stopping(f"{what} ({name}.{attribute}), and there are none here")
    module.__getattr__ = missing
    return module


def _unwritable(changed):
    """Stands where a function of `os` would seem to change a file."""
    def refused(path, *_, **options):
        if isinstance(path, int):
            os.fstat(path)
        else:
            options = {name: it for name, it in options.items() if name in ("dir_fd", "follow_symlinks")}
            changed(path, **options)
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
    return refused


def _zone(key):
    """The table of a time zone."""
    if key not in _UTC:
        stop(f"asks for the time zone {key!r}, and the tables of time zones are not here")
    name = _UTC[key]
    # RFC 8536: no leap seconds and no transitions, one kind of time, and the same again with 64 bits.
    table = struct.pack(">5s15x6I6x4s", b"TZif2", 0, 0, 0, 0, 1, len(name) + 1, name)
    return io.BytesIO(2 * table + b"\n" + name + b"0\n")


def _tzset():
    if os.environ.get("TZ", "UTC").lstrip(":") not in ("", "UTC0", *_UTC):
        stop(f"asks for the time zone {os.environ['TZ']!r}, and the tables of time zones are not here")


def _terminal(descriptor=1):
    raise OSError(errno.ENOTTY, "Inappropriate ioctl for device")


def _compressed():
    """Has archives whose compression is not here end the script, and no others."""
    lacking = {zipfile.ZIP_BZIP2: "bz2", zipfile.ZIP_LZMA: "lzma"}
    check = zipfile._check_compression

    def checked(compression):
        if compression in lacking:
            stop(f"unpacks or packs what needs {lacking[compression]}, which is not here")
        check(compression)
    zipfile._check_compression = checked
    for kind, start, module, otherwise in [
            ("bz2open", b"BZh", "bz2", "not a bzip2 file"),
            ("xzopen", b"\xfd7zXZ\0", "lzma", "not an lzma file"),
            ("zstopen", b"\x28\xb5\x2f\xfd", "compression.zstd", "not a zstd file")]:
        setattr(tarfile.TarFile, kind, classmethod(_archive(start, module, otherwise)))


def _archive(start, module, otherwise):
    def opened(_, name, mode="r", fileobj=None, *__, **___):
        if mode == "r":
            with io.open(name, "rb") if fileobj is None else io.BytesIO(_peek(fileobj)) as file:
                if file.read(len(start)) != start:
                    raise tarfile.ReadError(otherwise)
        stop(f"unpacks or packs what needs {module}, which is not here")
    return opened


def _peek(file):
    place = file.tell()
    begin = file.read(16)
    file.seek(place)
    return begin


def _lacking():
    """Puts stops where CPython has on Linux what is not here."""
    for module, names in lacks.CALLS.items():
        owner = importlib.import_module(module)
        for name in names.split():
            setattr(owner, name, stopping(_NOT_HERE.format(module, name)))
    for name in lacks.CALLS["multiprocessing"].split():
        setattr(multiprocessing.context.BaseContext, name, getattr(multiprocessing, name))
    for module, names in lacks.VALUES.items():
        importlib.import_module(module).__getattr__ = _module_of(set(names.split()), module)
    sys.modules["socket"].__getattr__ = _of_sockets
    for name in lacks.CALLS["os"].split():
        setattr(sys.modules["posix"], name, getattr(os, name))
    for name, method, what in [("pwd", "owner", "users"), ("grp", "group", "groups")]:
        sys.modules[name] = _absent(name, f"asks for {what} of the machine")
        setattr(pathlib.Path, method, stopping(f"asks for {what} of the machine, and there are none here"))
    # What they come to without a terminal, and with the one thread that there is.
    os.get_terminal_size = _terminal
    os.register_at_fork = lambda **_: None
    threading.get_native_id = sys.modules["_thread"].get_native_id = os.getpid
    sys.modules["time"].tzset = _tzset


def install():
    """Puts stops where the library would raise, or would find out too little."""
    for name in _PROCESSES:
        setattr(os, name, stopping(f"starts or ends a process (os.{name}), and there are none here"))
    subprocess.Popen.__init__ = stopping("starts a process (subprocess), and there are none here")
    # What never came to be has nothing to clear away.
    subprocess.Popen.__del__ = pool.Pool.__del__ = lambda _: None
    process.BaseProcess.start = pool.Pool.__init__ = \
        stopping("starts processes (multiprocessing), and there are none here")
    thread = stopping("starts a thread, and there are none here")
    for module in (threading, sys.modules["_thread"]):
        for name in ("start_new_thread", "start_new", "start_joinable_thread",
                     "_start_new_thread", "_start_joinable_thread"):
            if hasattr(module, name):
                setattr(module, name, thread)
    tempfile._get_default_tempdir = stopping("makes temporary files, and nothing can be written here")
    process_pool._check_system_limits = process.BaseProcess.start
    zoneinfo._common.load_tzdata = _zone
    zoneinfo.available_timezones = stopping("lists time zones, and their tables are not here")
    # Files whose type, size and time agree count as equal, and of files here the times often agree.
    filecmp._sig = _signature
    os.chmod = os.chown = _unwritable(os.stat)
    os.lchown = _unwritable(os.lstat)
    os.fchmod = os.fchown = _unwritable(os.fstat)
    _compressed()
    _lacking()
