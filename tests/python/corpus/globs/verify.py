import fnmatch
from pathlib import PurePosixPath
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def patterns():
    for pattern in ["*.py", "**/*.py", "src/*", "**/test_*", "?.md", "[!a]*.md"]:
        print(pattern, sorted(str(p.relative_to(ROOT)) for p in ROOT.glob(pattern)))
    tests = sorted(p.stem for p in ROOT.rglob("test_*.py"))
    good = tests == ["test_a", "test_b"]
    print("✅ tests" if good else f"❌ tests: {tests}")
    return good


def matched():
    names = sorted(entry.name for entry in os.scandir(ROOT) if entry.is_file())
    print(fnmatch.filter(names, "*.md"), [PurePosixPath(n).suffix for n in names])
    return len(names) == 3


CHECKS = [patterns, matched]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
