import calendar
from datetime import datetime, timedelta, timezone
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def schedule():
    ok = True
    previous = None
    for number, line in enumerate((ROOT / "schedule.txt").read_text().splitlines(), 1):
        when = datetime.strptime(line.strip(), "%d %B %Y, %H:%M")
        good = previous is None or when - previous == timedelta(days=14)
        print(f"{'✓' if good else '✗'} {number}: {when.isoformat()} {when:%a} week {when.isocalendar()[1]}")
        previous, ok = when, ok and good
    return ok


def zones():
    stamp = datetime.fromisoformat((ROOT / "utc.txt").read_text().strip())
    local = stamp.astimezone(timezone(timedelta(hours=5, minutes=30)))
    print(stamp.isoformat(), local.isoformat(), int(stamp.timestamp()), calendar.monthrange(2024, 2)[1])
    return local.strftime("%H:%M") == "17:00"


CHECKS = [schedule, zones]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
