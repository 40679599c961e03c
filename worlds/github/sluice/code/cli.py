"""The command `sluice`."""

import argparse
import sys
from pathlib import Path

from sluice import __version__, crops
%% 2
from sluice.store import Store
%% 1


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="sluice")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="read all crops and say what is wrong")
    check.add_argument("directory", type=Path)
%% 2
    history = commands.add_parser("history", help="print the readings of a zone")
    history.add_argument("zone")
    history.add_argument("--db", default="sluice.db")
%% 3
    history.add_argument("--days", type=int, default=7)
%% 1
    options = parser.parse_args(arguments)
%% 2
    if options.command == "history":
        return print_history(options)
%% 1
    return check_crops(options.directory)


def check_crops(directory: Path) -> int:
    wrong = 0
    for path in sorted(directory.glob("*.toml")):
        try:
            crops.load(directory, path.stem)
        except ValueError as error:
            print(error, file=sys.stderr)
            wrong += 1
    return 1 if wrong else 0
%% 2


def print_history(options: argparse.Namespace) -> int:
%% 3
    from datetime import datetime, timedelta

%% 2
    store = Store(options.db)
%% 2-2
    for at, moisture in store.history(options.zone, since=None):
        print(f"{at}\t{moisture:.3f}")
%% 3
    since = datetime.now() - timedelta(days=options.days)
    for at, moisture in store.history(options.zone, since):
        print(f"{at}\t{moisture:.3f}")
%% 2
    return 0
