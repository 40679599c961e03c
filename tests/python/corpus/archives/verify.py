import gzip
import zipfile
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def unpacked():
    ok = True
    with zipfile.ZipFile(ROOT / "pack.zip") as archive:
        print(archive.testzip())
        for info in archive.infolist():
            path = ROOT / "out" / info.filename
            good = path.is_file() and path.read_bytes() == archive.read(info)
            print(f"{'✅' if good else '❌'} {info.filename} {info.file_size} {info.date_time}")
            ok = ok and good
    return ok


def packed():
    with gzip.open(ROOT / "notes.gz", "rt", encoding="utf-8") as file:
        lines = file.readlines()
    print(lines)
    return lines == ["one\n", "two\n"]


CHECKS = [unpacked, packed]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
