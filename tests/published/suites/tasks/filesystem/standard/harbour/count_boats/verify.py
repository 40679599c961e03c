#!/usr/bin/env python3
"""Checks the number of boats that are out."""

import os
import sys
from pathlib import Path


def get_test_directory() -> Path:
    test_root = os.environ.get("FILESYSTEM_TEST_DIR")
    if not test_root:
        raise ValueError("FILESYSTEM_TEST_DIR is not set")
    return Path(test_root)


def verify_answer_exists(test_dir: Path) -> bool:
    if not (test_dir / "answer.txt").is_file():
        print("❌ answer.txt exists")
        return False
    print("✅ answer.txt exists")
    return True


def verify_number(test_dir: Path) -> bool:
    out = sum(path.read_text().strip() == "out" for path in (test_dir / "boats").iterdir())
    found = (test_dir / "answer.txt").read_text().strip()
    if found != str(out):
        print(f"❌ the number of boats is {out}: found {found}")
        return False
    print("✅ the number of boats is right")
    return True


def main():
    test_dir = get_test_directory()
    for check in (verify_answer_exists, verify_number):
        if not check(test_dir):
            sys.exit(1)
    sys.exit(0)


if __name__ == "__main__":
    main()
