import os
import sys

root = os.environ["FILESYSTEM_TEST_DIR"]
try:
    with open(os.path.join(root, "found.txt"), encoding="utf-8") as file:
        found = file.read().strip()
except FileNotFoundError:
    print("✗ found.txt is there")
    sys.exit(1)
print("✓ found.txt is there")
if found != "second.md":
    print(f"✗ the letter is right: {found!r}")
    sys.exit(1)
print("✓ the letter is right")
