import difflib
import re
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


CLAUSE = re.compile(r"^(\d+(?:\.\d+)*)\s+(.+)$")


def clauses(text):
    found = {}
    for line in text.splitlines():
        if match := CLAUSE.match(line):
            found[match.group(1)] = match.group(2).strip()
    return found


def changed():
    old = clauses((ROOT / "v1.md").read_text())
    new = clauses((ROOT / "v2.md").read_text())
    changes = sorted(key for key in old | new if old.get(key) != new.get(key))
    for line in difflib.unified_diff(sorted(old.values()), sorted(new.values()), "v1", "v2", lineterm="", n=0):
        print(line)
    stated = (ROOT / "changes.csv").read_text().strip().split(",")
    good = stated == changes
    print(f"{'✅' if good else '❌'} changes are {changes}")
    return good


CHECKS = [changed]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
