from xml.etree import ElementTree
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def entries():
    tree = ElementTree.parse(ROOT / "feed.xml")
    found = [(item.get("id"), item.findtext("title"), item.find("price").text) for item in tree.iter("item")]
    for entry in found:
        print(entry)
    total = sum(float(price) for _, _, price in found)
    good = f"{total:.2f}" == tree.getroot().get("total")
    print(f"{'✅' if good else '❌'} total {total:.2f}")
    return good


CHECKS = [entries]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
