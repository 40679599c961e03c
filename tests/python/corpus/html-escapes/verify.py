import html
import re
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def round_trip():
    raw = (ROOT / "raw.txt").read_text(encoding="utf-8")
    page = (ROOT / "page.html").read_text(encoding="utf-8")
    body = re.search(r"<pre>(.*?)</pre>", page, re.S)
    if not body:
        print("❌ the page has a pre element")
        return False
    print("✅ the page has a pre element")
    good = html.unescape(body.group(1)) == raw
    print(f"{'✅' if good else '❌'} the text survives escaping")
    print(html.escape(raw)[:60])
    return good


CHECKS = [round_trip]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
