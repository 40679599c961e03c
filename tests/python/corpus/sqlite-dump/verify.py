import sqlite3
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def query():
    base = sqlite3.connect(":memory:")
    base.executescript((ROOT / "dump.sql").read_text())
    rows = base.execute("SELECT n, v, v * 1.5, upper(n) || '!' FROM t ORDER BY v DESC").fetchall()
    for row in rows:
        print(row)
    good = [row[0] for row in rows] == ["b", "a"]
    print("✅ order" if good else "❌ order")
    return good


CHECKS = [query]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
