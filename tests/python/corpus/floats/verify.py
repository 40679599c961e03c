import math
import struct
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def values():
    ok = True
    for line in (ROOT / "values.txt").read_text().splitlines():
        name, text = line.split("=")
        value = float(text)
        print(name, repr(value), f"{value:.3e}", value.hex(), math.isclose(value, FOUND[name], rel_tol=1e-12))
        ok = ok and math.isclose(value, FOUND[name], rel_tol=1e-12)
    return ok


FOUND = {
    "root": math.sqrt(2),
    "sine": math.sin(1.0),
    "sum": math.fsum([0.1] * 10),
    "power": 2.0**0.5 / 3,
    "distance": math.dist((1, 2), (4, 6.5)),
    "packed": struct.unpack("<d", struct.pack("<d", 1e-7))[0],
}
CHECKS = [values]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
