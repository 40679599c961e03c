import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


EXPECTED = {"2023": ["q1", "q2"], "2024": ["q1"]}


def structure():
    ok = True
    for year, quarters in EXPECTED.items():
        found = sorted(p.name for p in (ROOT / year).iterdir() if p.is_dir())
        good = found == quarters
        print(f"{'✅' if good else '❌'} {year}: {found}")
        ok = ok and good
    return ok


def walk():
    for directory, names, files in os.walk(ROOT):
        names.sort()
        print(os.path.relpath(directory, ROOT), sorted(names), sorted(files))
    return sum(len(files) for _, _, files in os.walk(ROOT)) == 4


def no_leftovers():
    left = sorted(p.name for p in ROOT.glob("*.txt"))
    print(f"{'❌' if left else '✅'} nothing is left at the top: {left}")
    return not left


CHECKS = [structure, walk, no_leftovers]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
