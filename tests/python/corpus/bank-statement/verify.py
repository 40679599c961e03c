import re
from datetime import date
from itertools import accumulate, groupby
from typing import NamedTuple
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


class Entry(NamedTuple):
    day: date
    text: str
    cents: int


def read(path):
    for line in path.read_text().splitlines():
        day, text, amount = re.split(r"\s{2,}", line)
        whole, part = amount.split(".")
        sign = -1 if whole.startswith("-") else 1
        yield Entry(date.fromisoformat(day), text, int(whole) * 100 + sign * int(part))


def balance():
    entries = sorted(read(ROOT / "statement.txt"))
    months = {month: sum(e.cents for e in group) for month, group in groupby(entries, lambda e: (e.day.year, e.day.month))}
    for (year, month), cents in months.items():
        print(f"{year}-{month:02}: {cents / 100:+.2f}")
    lowest = min(accumulate(e.cents for e in entries))
    print("lowest", lowest)
    good = lowest == -525
    print("✓ lowest balance" if good else "✗ lowest balance")
    return good


CHECKS = [balance]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
