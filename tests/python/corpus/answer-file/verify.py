import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def answer_exists():
    if not (ROOT / "answer.txt").exists():
        print("❌ answer.txt exists")
        return False
    print("✅ answer.txt exists")
    return True


def answer_is_right():
    text = (ROOT / "answer.txt").read_text(encoding="utf-8").strip()
    if text != "lighthouse/keeper.txt":
        print(f"❌ answer is right: found {text!r}")
        return False
    print("✅ answer is right")
    return True


CHECKS = [answer_exists, answer_is_right]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
