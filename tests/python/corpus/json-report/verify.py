import json
import statistics
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def report():
    data = json.loads((ROOT / "report.json").read_text(encoding="utf-8"))
    boats = data["boats"]
    for boat in boats:
        print(json.dumps(boat, ensure_ascii=False, sort_keys=True))
    good = [boat["name"] for boat in boats] == sorted(boat["name"] for boat in boats)
    print("✓ sorted" if good else "✗ sorted")
    length = round(statistics.mean(boat["length"] for boat in boats), 6)
    print(f"mean {length} stdev {statistics.stdev(boat['length'] for boat in boats):.6f}")
    return good and length == data["mean"]


CHECKS = [report]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
