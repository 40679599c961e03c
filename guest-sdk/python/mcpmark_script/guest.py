"""Runs one script in the way in which `python3 script.py` does."""

import atexit
import builtins
import gc
import io
import os
import random
import site
import sys
import types
import uuid

import wit_world
from wit_world import Ending_Broken, Ending_Exited

from mcpmark_script import gaps, links, loop, null, preload, tls

# What scripts import beside the standard library: modules in shims/, which ask services.
SHIMS = ["dotenv", "notion_client", "notion_client.errors", "psycopg2", "psycopg2.errors",
         "psycopg2.extensions", "psycopg2.extras", "requests", "requests.exceptions",
         "tasks", "tasks.utils", "tasks.utils.notion_utils"]

tls.install()
if broken := set(SHIMS).intersection(preload.import_all(SHIMS)):
    raise ImportError(f"cannot import {', '.join(sorted(broken))}")
gaps.install()
loop.install()
links.install()
null.install()


class WitWorld(wit_world.WitWorld):
    def run(self, path, arguments, environment):
        os.environ.clear()
        os.environ.update(environment)
        random.seed()
        # Python would ask the network for an address of this machine.
        uuid._node = random.getrandbits(48) | 1 << 40
        sys.argv = [path, *arguments]
        sys.path[:] = [os.path.dirname(path)]
        sys.path_importer_cache.clear()
        sys.dont_write_bytecode = True
        sys.stdin = _text(0, "rb", "strict")
        sys.stdout = _text(1, "wb", "strict")
        sys.stderr = _text(2, "wb", "backslashreplace", line_buffering=True)
        sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
        site.setquit()
        try:
            with open(path, "rb") as file:
                code = compile(file.read(), path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            _report(error.with_traceback(None))
            return Ending_Broken(f"the script does not compile: {_one_line(error)}")
        return _ending(_execute(code, path))


def _text(descriptor, mode, errors, line_buffering=False):
    raw = open(descriptor, mode, closefd=False)
    return io.TextIOWrapper(raw, "utf-8", errors, newline=None if mode == "rb" else "\n",
                            line_buffering=line_buffering)


def _execute(code, path):
    """What the script raised, or none."""
    main = types.ModuleType("__main__")
    main.__file__ = path
    main.__builtins__ = builtins
    main.__cached__ = None
    sys.modules["__main__"] = main
    try:
        exec(code, main.__dict__)
    except BaseException as error:
        # The first frame is this one.
        error.__traceback__ = error.__traceback__.tb_next
        return error
    return None


def _ending(error):
    exit_code = 0 if error is None else _exit_code(error)
    try:
        atexit._run_exitfuncs()
    finally:
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None and not stream.closed:
                    stream.flush()
        except Exception:
            exit_code = 120
    if isinstance(error, ImportError):
        return Ending_Broken(f"the script {_missing(error)}")
    if lack := gaps.told(error):
        return Ending_Broken(f"the script {lack}")
    return Ending_Exited(exit_code)


def _exit_code(error):
    if not isinstance(error, SystemExit):
        _report(error)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        # As a number of 64 bits, which is -1 where it does not fit.
        return error.code & 0xFF if -1 << 63 <= error.code < 1 << 63 else 255
    print(error.code, file=sys.stderr)
    return 1


def _report(error):
    try:
        sys.excepthook(type(error), error, error.__traceback__)
        sys.stdout.flush()
    except BaseException as second:
        sys.__excepthook__(type(second), second, second.__traceback__)
    sys.stderr.flush()


def _missing(error):
    name = error.name or "?"
    top = name.split(".")[0]
    if not isinstance(error, ModuleNotFoundError):
        part = getattr(error, "name_from", None)
        return f"imports {part!r} from {name!r}, which does not have it" if part else \
            f"cannot import: {_one_line(error)}"
    if top in SHIMS:
        return f"imports {name!r}, which the stand-in for {top} does not have"
    if top in sys.stdlib_module_names:
        return f"imports {name!r}, which needs more of a system than the sandbox has"
    return f"imports {name!r}, which is neither part of Python nor among the libraries that are " \
        f"stood in for ({_stood_in()})"


def _stood_in():
    return ", ".join(name for name in SHIMS if "." not in name)


def _one_line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())


gc.collect()
gc.freeze()
