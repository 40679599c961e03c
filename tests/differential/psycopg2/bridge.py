"""Runs a script with the stand-in for psycopg2, whose requests go to the process that started this one.

A request is a line of JSON on the standard output, and its answer a line on the standard input. The
last line has the output of the script and its exit code.
"""

import contextlib
import io
import json
import runpy
import sys
import types

LINES = sys.stdout


class Err(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value


def call(service, request):
    print(json.dumps({"service": service, "request": request}), file=LINES, flush=True)
    answer = json.loads(sys.stdin.readline())
    if "error" in answer:
        raise Err(answer["error"])
    return answer["answer"]


def stop(what):
    raise RuntimeError(f"the script {what}")


def module(name, **content):
    made = types.ModuleType(name)
    made.__dict__.update(content)
    sys.modules[name] = made
    return made


services = module("wit_world.imports.services", call=call)
gaps = module("wit_world.imports.gaps", stop=stop)
imports = module("wit_world.imports", services=services, gaps=gaps)
module("wit_world", imports=imports)
module("componentize_py_types", Err=Err)

printed = io.StringIO()
code = 0
with contextlib.redirect_stdout(printed):
    try:
        runpy.run_path(sys.argv[1], run_name="__main__")
    except SystemExit as end:
        code = end.code or 0
print(json.dumps({"output": printed.getvalue(), "code": code}), file=LINES, flush=True)
