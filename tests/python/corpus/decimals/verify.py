from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def ledger():
    total = Decimal(0)
    for line in (ROOT / "ledger.txt").read_text().splitlines():
        name, amount = line.rsplit(maxsplit=1)
        value = Decimal(amount)
        total += value
        print(f"{name:<10}{value:>12,.2f}")
    rounded = total.quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    stated = Decimal((ROOT / "total.txt").read_text().strip())
    good = rounded == stated
    print(f"{'✅' if good else '❌'} total {rounded} (stated {stated})")
    return good


def shares():
    with localcontext() as context:
        context.prec = 40
        third = Decimal(1) / 3
    print(third, Fraction("0.125") + Fraction(1, 3), f"{float(third):.20f}")
    return True


CHECKS = [ledger, shares]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
