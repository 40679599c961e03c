"""Gaps in what a station recorded."""

from datetime import timedelta


def find(times, every=timedelta(minutes=6)):
    """Yield (from, to) where two readings are further apart than `every`."""
    times = sorted(times)
    for earlier, later in zip(times, times[1:]):
        if later - earlier > every:
            yield earlier + every, later


def report(arguments):
    raise SystemExit("nothing to report")
