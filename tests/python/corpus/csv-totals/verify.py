import csv
from collections import defaultdict
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def totals():
    with open(ROOT / "sales.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wanted = defaultdict(int)
    for row in rows:
        wanted[row["region"]] += int(row["units"])
    with open(ROOT / "totals.csv", newline="", encoding="utf-8") as file:
        found = {row["region"]: int(row["units"]) for row in csv.DictReader(file)}
    for region in sorted(wanted):
        mark = "✅" if found.get(region) == wanted[region] else "❌"
        print(f"{mark} total of {region}: {found.get(region)} (expected {wanted[region]})")
    return found == dict(wanted)


CHECKS = [totals]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
