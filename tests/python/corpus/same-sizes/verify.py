#!/usr/bin/env python3
"""The copies must be those of the originals, byte for byte."""

import filecmp
import os
import sys
from pathlib import Path


def differing(pair):
    """Names that are not on both sides, or not the same there."""
    found = [*pair.left_only, *pair.right_only, *pair.diff_files, *pair.funny_files]
    for below in pair.subdirs.values():
        found += differing(below)
    return sorted(found)


def main():
    root = Path(os.environ["FILESYSTEM_TEST_DIR"])
    before, after = root / "before", root / "after"
    try:
        if not filecmp.cmp(before / "a.txt", after / "a.txt"):
            print("❌ a.txt is another one")
            return False
        names = ["a.txt", "deep/b.txt", "none.txt"]
        print(filecmp.cmpfiles(before, after, names))
        if found := differing(filecmp.dircmp(before, after)):
            print(f"❌ not the same: {', '.join(found)}")
            return False
        if not filecmp.cmp(before / "deep/b.txt", after / "deep/b.txt", shallow=False):
            print("❌ b.txt is another one")
            return False
    except OSError as error:
        print(f"❌ {type(error).__name__}: {Path(error.filename).name}")
        return False
    print("✅ all copies are true")
    return True


sys.exit(0 if main() else 1)
