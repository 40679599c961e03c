#!/usr/bin/env python3
"""
Verification script for the fuel audit of a small fleet.

The logs of two months were to be summed up in reports/fuel.json and reports/summary.md.
"""

import csv
import json
import os
import re
import statistics
import sys
from collections import Counter, OrderedDict, defaultdict
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from enum import Enum
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple


class Level(Enum):
    GOOD = "✅"
    BAD = "❌"
    NOTE = "ℹ️"


@dataclass(order=True)
class Entry:
    day: date
    ship: str
    port: str = field(compare=False)
    litres: Decimal = field(compare=False)
    price: Decimal = field(compare=False)

    @property
    def cost(self) -> Decimal:
        return (self.litres * self.price).quantize(Decimal("0.01"), rounding=ROUND_HALF_EVEN)


class Audit:
    """Keeps what was found, in the order in which it was found."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lines: List[Tuple[Level, str]] = []
        self.entries: List[Entry] = []

    def say(self, level: Level, text: str) -> None:
        self.lines.append((level, text))
        print(f"{level.value} {text}")

    def expect(self, condition: bool, good: str, bad: Optional[str] = None) -> bool:
        self.say(Level.GOOD if condition else Level.BAD, good if condition else (bad or f"not: {good}"))
        return bool(condition)

    @property
    def passed(self) -> bool:
        return all(level is not Level.BAD for level, _ in self.lines)

    # Reading

    def rows(self) -> Iterator[Tuple[str, int, Dict[str, str]]]:
        for path in sorted((self.root / "logs").glob("*.csv")):
            with path.open(newline="", encoding="utf-8") as file:
                reader = csv.DictReader(file)
                for row in reader:
                    yield path.name, reader.line_num, row

    def read(self) -> bool:
        for name, line, row in self.rows():
            try:
                entry = Entry(
                    day=date.fromisoformat(row["date"]),
                    ship=row["ship"].strip(),
                    port=row["port"].strip(),
                    litres=Decimal(row["litres"]),
                    price=Decimal(row["price"]),
                )
            except (KeyError, ValueError, InvalidOperation, AttributeError, TypeError) as error:
                self.say(Level.BAD, f"{name}, line {line}: {type(error).__name__}")
                continue
            if not name.startswith(f"{entry.day:%Y-%m}"):
                self.say(Level.BAD, f"{name}, line {line}: a day of another month, {entry.day:%d %B %Y}")
            self.entries.append(entry)
        self.entries.sort()
        return self.expect(len(self.entries) >= 5, f"{len(self.entries)} entries", "too few entries")

    # Figures

    def by_ship(self) -> "OrderedDict[str, Decimal]":
        sums: Dict[str, Decimal] = defaultdict(Decimal)
        for entry in self.entries:
            sums[entry.ship] += entry.cost
        return OrderedDict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))

    def gaps(self) -> List[timedelta]:
        days = [entry.day for entry in self.entries]
        return [after - before for before, after in zip(days, days[1:])]

    def ports(self) -> Counter:
        return Counter(entry.port for entry in self.entries)

    # Checks

    def check_days(self) -> None:
        odd = [entry for entry in self.entries if entry.day.weekday() != 6]
        self.expect(not odd, "fuel is taken on Sundays", f"not on a Sunday: {[str(it.day) for it in odd]}")
        if gaps := self.gaps():
            weeks = [gap / timedelta(weeks=1) for gap in gaps]
            self.say(Level.NOTE, f"median {statistics.median(weeks):.2f} weeks, most {max(weeks):g}")

    def check_report(self) -> None:
        path = self.root / "reports" / "fuel.json"
        try:
            report = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
        except FileNotFoundError:
            self.say(Level.BAD, "reports/fuel.json is not there")
            return
        except (OSError, ValueError) as error:
            self.say(Level.BAD, f"reports/fuel.json cannot be read: {type(error).__name__}")
            return
        if not self.expect(isinstance(report, dict), "the report is an object"):
            return
        expected = self.by_ship()
        for ship, cost in expected.items():
            found = report.get(ship)
            self.expect(found == cost, f"{ship}: {cost:,}", f"{ship}: {found!r} and not {cost:,}")
        more = sorted(set(report) - set(expected))
        self.expect(not more, "no other ships", f"ships that are none of ours: {more}")
        self.expect(list(report) == list(expected), "the dearest ship comes first")

    def check_summary(self) -> None:
        path = self.root / "reports" / "summary.md"
        if not path.is_file():
            self.say(Level.BAD, "reports/summary.md is not there")
            return
        text = path.read_text(encoding="utf-8", errors="replace")
        headings = re.findall(r"^(#+)\s+(.*?)\s*$", text, re.MULTILINE)
        self.expect(headings[:1] == [("#", "Fuel")], "a heading", f"headings: {headings}")
        rows = re.findall(r"^\|\s*([^|]+?)\s*\|\s*(\d+)\s*\|$", text, re.MULTILINE)
        counted = {port: int(number) for port, number in rows}
        self.expect(counted == dict(self.ports()), "ports are counted", f"ports: {counted}")
        total = sum((entry.cost for entry in self.entries), Decimal())
        match = re.search(r"Total:\s*\*\*([\d\s]+,\d{2})\*\*", text)
        shown = f"{total:,.2f}".replace(",", " ").replace(".", ",")
        self.expect(
            match is not None and match.group(1) == shown,
            f"the total is {shown}",
            f"the total is {match.group(1) if match else None}, not {shown}",
        )


def main() -> int:
    root = os.environ.get("FILESYSTEM_TEST_DIR")
    if not root:
        raise ValueError("FILESYSTEM_TEST_DIR is required")
    audit = Audit(Path(root))
    if audit.read():
        audit.check_days()
        audit.check_report()
        audit.check_summary()
    if audit.entries:
        print(asdict(audit.entries[0]))
    counts = Counter(level.name for level, _ in audit.lines)
    print("=" * 40, *(f"{name:<5}{number:>3}" for name, number in sorted(counts.items())), sep="\n")
    return 0 if audit.passed else 1


if __name__ == "__main__":
    sys.exit(main())
