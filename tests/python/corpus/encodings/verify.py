import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def texts():
    ok = True
    for name, encoding in [("latin.txt", "latin-1"), ("utf16.txt", "utf-16"), ("cp1252.txt", "cp1252"), ("sjis.txt", "shift_jis")]:
        text = (ROOT / name).read_text(encoding=encoding)
        good = text.strip() == (ROOT / (name + ".utf8")).read_text(encoding="utf-8").strip()
        print(f"{'✅' if good else '❌'} {name}: {text.strip()} {text.encode('utf-8')!r}")
        ok = ok and good
    return ok


def lenient():
    print((ROOT / "latin.txt").read_text(encoding="utf-8", errors="replace").strip())
    print(ascii((ROOT / "latin.txt").read_text(encoding="utf-8", errors="surrogateescape")))
    return True


CHECKS = [texts, lenient]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
