import random
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def sample():
    chooser = random.Random(20240506)
    names = (ROOT / "names.txt").read_text().split()
    wanted = chooser.sample(sorted(names), 3)
    print(wanted, chooser.random(), chooser.gauss(0, 1), chooser.choice(names))
    found = (ROOT / "chosen.txt").read_text().split()
    print("✅ chosen" if found == wanted else f"❌ chosen: {found}")
    return found == wanted


CHECKS = [sample]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
