"""The command `ebb`."""

import argparse

from . import __version__, frames, gaps


def main(argv=None):
    parser = argparse.ArgumentParser(prog="ebb")
    parser.add_argument("--version", action="version", version=f"ebbline {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("listen").set_defaults(run=frames.listen)
    verbs.add_parser("gaps").set_defaults(run=gaps.report)
    arguments = parser.parse_args(argv)
    return arguments.run(arguments)
