import re
import string
from collections import Counter
from itertools import zip_longest
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def filled():
    template = string.Template((ROOT / "letter.tpl").read_text())
    values = dict(line.split(": ", 1) for line in (ROOT / "values.txt").read_text().splitlines())
    wanted = template.substitute(values)
    found = (ROOT / "letter.txt").read_text()
    for number, (a, b) in enumerate(zip_longest(wanted.splitlines(), found.splitlines()), 1):
        print(f"{'✓' if a == b else '✗'} line {number}")
    return wanted == found


def words():
    text = (ROOT / "letter.txt").read_text().lower()
    counts = Counter(re.findall(r"[a-z']+", text))
    print(counts.most_common(3), "%d words, %5.2f each" % (sum(counts.values()), len(text) / sum(counts.values())))
    return counts["harbour"] == 2


CHECKS = [filled, words]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
