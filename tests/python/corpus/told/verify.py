#!/usr/bin/env python3
"""Compares the last message with the state, by arguments and variables."""

import argparse
import json
import os
import re
import sys


def last_message():
    with open(os.environ["MCP_MESSAGES"], encoding="utf-8") as file:
        messages = json.load(file)
    for message in reversed(messages):
        if message.get("role") == "assistant":
            return "".join(part.get("text", "") for part in message["content"])
    return None


def answered(text):
    found = re.search(r"```json\n(.*?)\n```", text or "", re.DOTALL)
    return json.loads(found.group(1)) if found else {}


def main():
    parser = argparse.ArgumentParser(prog="verify")
    parser.add_argument("ship")
    parser.add_argument("--day", choices=["monday", "tuesday"], required=True)
    given = parser.parse_args()
    print(given, sys.argv[1:], os.environ["HARBOUR"], repr(os.environ["EMPTY"]), os.getenv("HOME"))
    answer = answered(last_message())
    path = os.path.join(os.environ["FILESYSTEM_TEST_DIR"], "sailings.txt")
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file]
    sails = {(day, ship): at for day, ship, at in rows}
    wanted = sails.get((given.day, given.ship.split()[0]))
    print(f"{'✅' if answer.get('at') == wanted else '❌'} sails at {wanted}, {answer}")
    return answer.get("at") == wanted


sys.exit(0 if main() else 3)
