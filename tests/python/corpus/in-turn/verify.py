#!/usr/bin/env python3
"""Two large files are compared line by line, and read at places here and there."""

import itertools
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def differences():
    count = 0
    with open(ROOT / "left.txt", "rb", buffering=0) as left, open(ROOT / "right.txt", "rb", buffering=0) as right:
        while True:
            one, other = left.read(1021), right.read(1021)
            if not one and not other:
                return count
            count += one != other


def lines():
    with open(ROOT / "left.txt", encoding="utf-8") as left, open(ROOT / "right.txt", encoding="utf-8") as right:
        pairs = enumerate(itertools.zip_longest(left, right))
        return [number for number, (one, other) in pairs if one != other][:5]


def places():
    found = []
    with open(ROOT / "left.txt", "rb") as left:
        for place in range(0, 90_000, 7_919):
            left.seek(place)
            found.append(left.read(3))
        left.seek(-4, os.SEEK_END)
        return found, left.read()


def main():
    try:
        print(differences(), places())
        if wrong := lines():
            print(f"❌ lines differ: {wrong}")
            return False
    except (OSError, UnicodeDecodeError) as error:
        print(f"❌ {type(error).__name__}")
        return False
    print("✅ both are the same")
    return True


sys.exit(0 if main() else 1)
