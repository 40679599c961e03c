import unicodedata
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def normal():
    ok = True
    for line in (ROOT / "names.txt").read_text(encoding="utf-8").splitlines():
        good = unicodedata.is_normalized("NFC", line)
        kinds = "".join(unicodedata.category(c)[0] for c in line)
        print(f"{'✅' if good else '❌'} {line} {kinds} {line.casefold()} {line.upper()} {len(line.encode())}")
        ok = ok and good
    return ok


def folders():
    names = sorted(path.name for path in ROOT.iterdir() if path.is_dir())
    print(names)
    return "日本" in names and (ROOT / "日本" / "naïve ☃.txt").read_text(encoding="utf-8") == "雪\n"


CHECKS = [normal, folders]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
