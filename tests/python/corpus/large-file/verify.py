import hashlib
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def lines():
    digest = hashlib.sha256()
    count = longest = 0
    with open(ROOT / "large.txt", "rb") as file:
        for line in file:
            digest.update(line)
            count += 1
            longest = max(longest, len(line))
    print(count, longest, digest.hexdigest())
    return count == 12_000


def parts():
    with open(ROOT / "large.txt", "rb") as file:
        file.seek(-20, os.SEEK_END)
        tail = file.read()
        file.seek(100_003)
        middle = file.read(17)
        print(tail, middle, file.tell())
        file.seek(0)
        print(len(file.read(65_537)), file.readline()[:10])
    return tail.endswith(b"11999\n")


CHECKS = [lines, parts]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
