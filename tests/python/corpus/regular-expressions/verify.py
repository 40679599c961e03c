import re
from collections import Counter
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


LINE = re.compile(r"^(?P<day>\d{4}-\d{2}-\d{2}) \[(?P<level>[A-Z]+)\]\s+(?P<text>.*)$", re.M)


def levels():
    text = (ROOT / "app.log").read_text()
    found = [match.groupdict() for match in LINE.finditer(text)]
    counts = Counter(item["level"] for item in found)
    print(sorted(counts.items()))
    stated = dict(re.findall(r"(\w+)\s*=\s*(\d+)", (ROOT / "counts.txt").read_text()))
    good = {level: str(count) for level, count in counts.items()} == stated
    print("✅ counts" if good else f"❌ counts: {stated}")
    return good


def masked():
    text = (ROOT / "masked.log").read_text()
    leak = re.search(r"\b\d{1,3}(?:\.\d{1,3}){3}\b", text)
    expected = re.sub(r"\b\d{1,3}(?:\.\d{1,3}){3}\b", lambda m: "x" * len(m.group()), (ROOT / "app.log").read_text())
    print("✅ no address is left" if not leak else f"❌ an address is left: {leak.group()} at {leak.span()}")
    return not leak and text == expected


CHECKS = [levels, masked]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
