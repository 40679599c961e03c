"""`/dev/null`, which reads as empty and swallows what is written."""

import builtins
import io
import os

_MODES = {frozenset(kind + more) for kind in "rwa" for more in ("", "b", "t", "+", "b+", "t+")}


class _Null(io.RawIOBase):
    """The open device."""

    name = os.devnull

    def __init__(self, mode):
        self.mode = mode

    def readable(self):
        return "r" in self.mode or "+" in self.mode

    def writable(self):
        return "r" not in self.mode or "+" in self.mode

    def seekable(self):
        return True

    def readinto(self, buffer):
        return 0

    def write(self, data):
        return memoryview(data).nbytes

    def seek(self, offset, whence=os.SEEK_SET):
        return 0

    def tell(self):
        return 0

    def truncate(self, size=None):
        return 0


def _opened(mode, buffering, encoding, errors, newline):
    raw = _Null(mode.replace("b", "").replace("t", ""))
    if buffering == 0:
        return raw
    kind = io.BufferedRandom if "+" in mode else \
        io.BufferedReader if raw.readable() else io.BufferedWriter
    if "b" in mode:
        return kind(raw)
    text = io.TextIOWrapper(kind(raw), encoding, errors, newline)
    text.mode = mode
    return text


def _is_null(file):
    return isinstance(file, (str, bytes, os.PathLike)) and os.fsdecode(file) == os.devnull


def install():
    """Has `open` know it."""
    of_files = io.open

    def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True,
             opener=None):
        if _is_null(file) and opener is None and closefd and frozenset(mode) in _MODES:
            # What the other arguments say wrongly, `open` itself says best.
            alike = mode.replace("+", "").replace("a", "w")
            of_files(0, alike, buffering, encoding, errors, newline, closefd=False)
            return _opened(mode, buffering, encoding, errors, newline)
        return of_files(file, mode, buffering, encoding, errors, newline, closefd, opener)

    open.__doc__ = of_files.__doc__
    open.__module__ = "_io"
    io.open = builtins.open = open
