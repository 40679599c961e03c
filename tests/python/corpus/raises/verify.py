import os
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


class Wrong(Exception):
    """The state is not as it should be."""


def main():
    total = 0
    for line in (ROOT / "numbers.txt").open():
        total += int(line)
        print(f"so far {total}")
    if total != 60:
        raise Wrong(f"the sum is {total}")
    assert (ROOT / "done").exists(), "done is missing"
    print("✅ sum")


main()
