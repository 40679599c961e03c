import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def links():
    for path in sorted(ROOT.iterdir()):
        print(path.name, path.is_symlink(), path.exists(), path.is_dir(), os.path.islink(path))
    current = ROOT / "current"
    good = current.is_symlink() and os.readlink(current) == "releases/2"
    print("✅ current is a link" if good else "❌ current is a link")
    return good and current.resolve() == (ROOT / "releases" / "2").resolve()


def through():
    text = (ROOT / "current" / "version.txt").read_text()
    print(repr(text), (ROOT / "current" / ".." / "1").is_dir())
    return text == "2\n"


def same():
    current, version = ROOT / "current", ROOT / "releases" / "2"
    followed = os.path.samefile(current, version)
    print(followed, os.stat(current).st_ino == os.stat(version).st_ino)
    print(os.stat(current).st_ino == os.lstat(current).st_ino, current.lstat().st_ino == version.stat().st_ino)
    print(os.path.samefile(current / "version.txt", version / "version.txt"))
    return followed


CHECKS = [links, through, same]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
