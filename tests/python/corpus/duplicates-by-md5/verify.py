import hashlib
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def digest(path):
    return hashlib.md5(path.read_bytes()).hexdigest()


def moved():
    by_content = {}
    for path in sorted(ROOT.rglob("*")):
        if path.is_file():
            by_content.setdefault(digest(path), []).append(str(path.relative_to(ROOT)))
    ok = True
    for key, paths in sorted(by_content.items()):
        if len(paths) > 1:
            good = all(path.startswith("duplicates/") for path in paths)
            print(f"{'✅' if good else '❌'} {key[:8]}: {paths}")
            ok = ok and good
    return ok


def count():
    directory = ROOT / "duplicates"
    names = sorted(os.listdir(directory))
    print(f"{len(names)} files: {', '.join(names)}")
    return len(names) == 4


CHECKS = [moved, count]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
