#!/usr/bin/env python3
"""
Verification script for the index of a society's minutes.

Each file in minutes/ has a title, a day, who was there, and resolutions with a number. index.html lists
the meetings by their days, and actions.json says who has what to do.
"""

import calendar
import difflib
import fnmatch
import functools
import hashlib
import html
import itertools
import json
import operator
import os
import sys
import textwrap
import unicodedata
from collections import ChainMap, defaultdict, namedtuple
from datetime import datetime, timezone
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from string import Template

Meeting = namedtuple("Meeting", "path title day present resolutions")
ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


class Problem(Exception):
    """Something that keeps a file from being read."""

    def __init__(self, path, reason):
        super().__init__(f"{PurePosixPath(path).name}: {reason}")


def folded(text):
    """A name without case and accents."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(it for it in plain if not unicodedata.combining(it)).casefold()


def fields(lines):
    for line in itertools.takewhile(str.strip, lines):
        name, colon, value = line.partition(":")
        if not colon:
            raise ValueError(f"no colon in {line.strip()!r}")
        yield name.strip().lower(), value.strip()


@functools.lru_cache(maxsize=None)
def read(path):
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Problem(path, f"not UTF-8 at {error.start}") from error
    lines = iter(text.splitlines())
    try:
        head = ChainMap(dict(fields(lines)), {"present": ""})
        day = datetime.strptime(head["day"], "%d %B %Y").replace(tzinfo=timezone.utc)
    except (KeyError, ValueError) as error:
        raise Problem(path, f"{type(error).__name__}: {error}") from None
    resolutions = {}
    for line in lines:
        match line.split(maxsplit=2):
            case [number, who, what] if number.rstrip(".").isdigit() and who.startswith("@"):
                resolutions[int(number.rstrip("."))] = (who[1:], what)
            case []:
                continue
            case ["--", *_]:
                break
    present = sorted((name.strip() for name in head["present"].split(",") if name.strip()), key=folded)
    return Meeting(path, head.get("title", "?"), day, tuple(present), resolutions)


def meetings():
    found, problems = [], []
    for folder, folders, files in os.walk(ROOT / "minutes"):
        folders.sort()
        for name in fnmatch.filter(sorted(files), "*.txt"):
            try:
                found.append(read(Path(folder, name)))
            except Problem as problem:
                problems.append(problem)
    return sorted(found, key=operator.attrgetter("day", "title")), problems


class Links(HTMLParser):
    """The texts of links by what they lead to, in their order."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found = []
        self.inside = False

    def handle_starttag(self, tag, attrs):
        if tag == "a" and (href := dict(attrs).get("href")):
            self.found.append([href, ""])
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "a"

    def handle_data(self, data):
        if self.inside:
            self.found[-1][1] += data


def check_index(all_meetings):
    entry = Template("$month $year: $title")
    expected = [
        [
            meeting.path.relative_to(ROOT).as_posix(),
            entry.substitute(month=calendar.month_name[meeting.day.month], year=meeting.day.year, title=meeting.title),
        ]
        for meeting in all_meetings
    ]
    source = (ROOT / "index.html").read_text(encoding="utf-8")
    links = Links()
    links.feed(source)
    links.close()
    if links.found == expected:
        yield True, f"the index has {len(expected)} meetings"
    else:
        shown = [[f"{href} {text}" for href, text in side] for side in (expected, links.found)]
        difference = difflib.unified_diff(*shown, "expected", "found", lineterm="", n=0)
        yield False, "the index differs:\n" + textwrap.indent("\n".join(difference), "    ")
    for meeting in all_meetings:
        yield html.escape(meeting.title) in source, f"{meeting.title} is escaped"


def check_actions(all_meetings):
    expected = defaultdict(list)
    for meeting in all_meetings:
        for number, (who, what) in sorted(meeting.resolutions.items()):
            expected[who].append({"at": f"{meeting.day:%Y-%m-%d}", "number": number, "what": what})
    found = json.loads((ROOT / "actions.json").read_text(encoding="utf-8"))
    yield isinstance(found, dict), "actions are an object"
    for who in sorted(expected.keys() | found.keys(), key=folded):
        yield found.get(who) == expected.get(who), f"{who} has {len(expected.get(who, []))} things to do"


def check_members(all_meetings):
    present = [set(map(folded, meeting.present)) for meeting in all_meetings]
    always = functools.reduce(set.intersection, present) if present else set()
    yield bool(always), f"always there: {', '.join(sorted(always)) or 'nobody'}"
    text = "\n".join(sorted(set().union(*present)))
    print("members", hashlib.blake2b(text.encode(), digest_size=6).hexdigest())


def main():
    all_meetings, problems = meetings()
    for problem in problems:
        print(f"❌ {problem}")
    passed = not problems and len(all_meetings) > 1
    for check in (check_index, check_actions, check_members):
        try:
            for good, text in check(all_meetings):
                print("✅" if good else "❌", text)
                passed = passed and good
        except (OSError, ValueError, AttributeError, TypeError) as error:
            print(f"❌ {check.__name__}: {type(error).__name__}")
            passed = False
    for week in calendar.TextCalendar().formatmonth(2025, 2).splitlines()[:3]:
        print(f"|{week:<20}|")
    return passed


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
