import contextlib
import logging
import os
import sys
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])
UTC = ZoneInfo("UTC")


def swallowed():
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        print("said to nobody")
    with open(os.devnull, "ab", buffering=0) as raw:
        print(raw.write(b"four"), raw.tell(), raw.readable(), raw.writable())
    with open(os.devnull, "w+", encoding="ascii") as both:
        print(both.write("gone"), both.seek(0), repr(both.read()), both.name, both.mode, both.encoding)
    print(repr(Path(os.devnull).read_text()), open(os.devnull, "rb").read(), Path(os.devnull).write_bytes(b"ab"))
    for mode, options in [("q", {}), ("w", {"buffering": 0}), ("rb", {"encoding": "ascii"})]:
        try:
            open(os.devnull, mode, **options)
        except ValueError as error:
            print(error)
    logging.basicConfig(filename=os.devnull, level=logging.INFO)
    logging.info("written nowhere")


def when():
    text = (ROOT / "report.txt").read_text(encoding="utf-8")
    done = datetime.strptime(text[:16], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    print(done.isoformat(), done.tzname(), done.utcoffset(), UTC.key, int(done.timestamp()))
    return done == datetime(2024, 5, 6, 7, 8, tzinfo=ZoneInfo("UTC")) and text.endswith("done\n")


def no_archive():
    """A name of 255 bytes may be looked for, and is not there."""
    return not (ROOT / ("x" * 251 + ".zip")).exists()


swallowed()
results = {"the time is right": when(), "there is no archive": no_archive()}
for name, passed in results.items():
    print("✅" if passed else "❌", name)
sys.exit(0 if all(results.values()) else 1)
