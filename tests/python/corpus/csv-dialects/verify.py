import csv
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def same_rows():
    text = (ROOT / "semicolon.csv").read_text(encoding="utf-8-sig")
    dialect = csv.Sniffer().sniff(text, delimiters=";,\t")
    rows = list(csv.reader(text.splitlines(), dialect))
    with open(ROOT / "tab.tsv", newline="") as file:
        others = list(csv.reader(file, delimiter="\t"))
    print(f"delimiter {dialect.delimiter!r}, {len(rows)} rows against {len(others)}")
    ok = rows == others
    print("✓ same rows" if ok else "✗ same rows")
    return ok


def numbers():
    with open(ROOT / "tab.tsv", newline="") as file:
        values = [float(row[1].replace(",", ".")) for row in list(csv.reader(file, delimiter="\t"))[1:]]
    print(f"sum {sum(values):.3f} mean {sum(values) / len(values):.4f}")
    return round(sum(values), 3) == 10.75


CHECKS = [same_rows, numbers]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
