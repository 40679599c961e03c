import os
import pickle
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
with open(here / "expected.pkl", "rb") as file:
    expected = pickle.load(file)

found = {}
for path in sorted(Path(os.environ["FILESYSTEM_TEST_DIR"]).glob("*.txt")):
    found[path.stem] = path.read_text().split()

for name, words in expected.items():
    if found.get(name) == words:
        print(f"✓ {name}")
    else:
        print(f"✗ {name}: {found.get(name)} is not {words}")
if found != expected:
    sys.exit("the words differ")
