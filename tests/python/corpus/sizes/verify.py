import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def by_size():
    ok = True
    for path in sorted(ROOT.rglob("*")):
        if not path.is_file():
            continue
        size = path.stat().st_size
        wanted = "small" if size < 300 else "medium" if size <= 700 else "large"
        good = path.parent.name == wanted
        print(f"{'✅' if good else '❌'} {path.name} has {size} bytes and lies in {path.parent.name}")
        ok = ok and good
    return ok


def order():
    sizes = {p.name: os.path.getsize(p) for p in ROOT.rglob("*.dat") if p.is_file()}
    ranked = sorted(sizes, key=lambda name: (-sizes[name], name))
    print(ranked)
    return (ROOT / "small" / "ranking.txt").read_text().split() == ranked


CHECKS = [by_size, order]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
