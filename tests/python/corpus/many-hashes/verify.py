import base64
import binascii
import hashlib
import hmac
import zlib
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def manifest():
    ok = True
    for line in (ROOT / "MANIFEST").read_text().splitlines():
        algorithm, value, name = line.split(maxsplit=2)
        found = hashlib.new(algorithm, (ROOT / name).read_bytes()).hexdigest()
        good = found == value
        print(f"{'✓' if good else '✗'} {algorithm} of {name}")
        ok &= good
    return ok


def mac():
    key = b"harbour"
    value = hmac.new(key, (ROOT / "a.txt").read_bytes(), "sha256").digest()
    print(base64.b64encode(value).decode(), zlib.crc32(value), binascii.hexlify(value[:4]))
    return value[0] == 114


CHECKS = [manifest, mac]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
