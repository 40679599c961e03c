"""Imports the standard library while the guest is built.

A script finds in `sys.modules` what it imports: the library's files are not there when it runs.
"""

import importlib
import os
import pkgutil
import sys

# They print, open a browser, start a program or test the interpreter.
_LEFT_OUT = {
    "__main__",
    "antigravity",
    "ensurepip",
    "idlelib",
    "lib2to3",
    "pip",
    "site",
    "test",
    "this",
    "tkinter",
    "turtle",
    "turtledemo",
    "venv",
}


def _names(directories):
    for name in sorted(sys.stdlib_module_names):
        if name.split(".")[0] not in _LEFT_OUT:
            yield name
    for directory in directories:
        for entry in sorted(os.listdir(directory)):
            package = os.path.join(directory, entry)
            if entry in _LEFT_OUT or not os.path.isfile(os.path.join(package, "__init__.py")):
                continue
            found = pkgutil.walk_packages([package], entry + ".", onerror=lambda _: None)
            for name in sorted(module.name for module in found):
                parts = name.split(".")
                if parts[-1] != "__main__" and "test" not in parts and "tests" not in parts:
                    yield name


def import_all(modules):
    """Imports the library and `modules`, and returns the names that cannot be imported."""
    directories = [entry for entry in sys.path if os.path.isfile(os.path.join(entry, "os.py"))]
    missing = []
    for name in [*_names(directories), *modules]:
        try:
            importlib.import_module(name)
        except BaseException:
            # Whatever needs a system that is not here. A script is told by its name.
            missing.append(name)
    return missing
