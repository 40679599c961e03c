"""Stands in for `psycopg2`: statements go to the service `sql` of the world.

Request: `connect` with the keywords of a connection, `execute` with `connection`, `sql` and
`parameters`, or `close` with `connection`. Answer of the first: `connection`, a number. Of the
second: `columns`, a list of names or null, `types`, their numbers in the catalogue, `rows`, lists
of `[type, text]` or null, and `count`. The text of an array is a JSON list of texts and nulls.
A service's error is JSON: `code` (an SQLSTATE), `message`, `diag` with the parts of the error, and
`kind` if it is an exception without an SQLSTATE.
"""

import json
import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from mcpmark_script.gaps import of_module
from mcpmark_script.services import ServiceError, call

from . import errors, extensions
from .errors import (DatabaseError, DataError, Error, IntegrityError, InterfaceError,
                     InternalError, NotSupportedError, OperationalError, ProgrammingError, Warning)

apilevel = "2.0"
paramstyle = "pyformat"
threadsafety = 2

_INTERVAL = re.compile(r"(?:(-?\d+) years? ?)?(?:([+-]?\d+) mons? ?)?(?:([+-]?\d+) days? ?)?"
                       r"(?:([+-]?)(\d+):(\d+):(\d+(?:\.\d+)?))?")


def _interval(text):
    """A duration; a month has 30 days and a year has 365, as in the library."""
    years, months, days, sign, hours, minutes, seconds = _INTERVAL.fullmatch(text).groups()
    whole = 365 * int(years or 0) + 30 * int(months or 0) + int(days or 0)
    part = timedelta(hours=int(hours or 0), minutes=int(minutes or 0),
                     microseconds=int(Decimal(seconds or 0) * 1_000_000))
    return timedelta(days=whole) + (-part if sign == "-" else part)


# The types of which the database's text is not the value.
_TYPES = {
    "bool": lambda text: text in ("t", "true"),
    "int2": int,
    "int4": int,
    "int8": int,
    "oid": int,
    "float4": float,
    "float8": float,
    "numeric": Decimal,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timetz": time.fromisoformat,
    "interval": _interval,
    "bytea": lambda text: memoryview(bytes.fromhex(text[2:])),
    "timestamp": datetime.fromisoformat,
    "timestamptz": datetime.fromisoformat,
    "json": json.loads,
    "jsonb": json.loads,
}


def connect(dsn=None, cursor_factory=None, **keywords):
    if dsn:
        keywords["dsn"] = dsn
    return extensions.connection(_ask(connect=keywords)["connection"], cursor_factory)


def _ask(**request):
    try:
        return call("sql", **request)
    except ServiceError as error:
        raise errors.from_service(str(error)) from None


def _value(cell):
    if cell is None:
        return None
    kind, text = cell
    if kind.startswith("_"):
        return _items(kind[1:], json.loads(text))
    return _TYPES.get(kind, str)(text)


def _items(kind, items):
    return [_items(kind, item) if isinstance(item, list)
            else None if item is None else _value([kind, item]) for item in items]


def _parameter(value):
    """A value as `[type, text]`, the other way round."""
    if value is None:
        return None
    if isinstance(value, bool):
        return ["bool", "true" if value else "false"]
    if isinstance(value, (int, Decimal)):
        return ["numeric", str(value)]
    if isinstance(value, float):
        return ["float8", repr(value)]
    if isinstance(value, datetime):
        return ["timestamp" if value.tzinfo is None else "timestamptz", value.isoformat()]
    if isinstance(value, (date, time)):
        return [type(value).__name__, value.isoformat()]
    if isinstance(value, timedelta):
        return ["interval", f"{value.days} days {value.seconds}.{value.microseconds:06} seconds"]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return ["bytea", "\\x" + bytes(value).hex()]
    if isinstance(value, extensions.Json):
        return ["text", value.dumps(value.adapted)]
    if isinstance(value, (list, tuple)):
        return ["array" if isinstance(value, list) else "row", [_parameter(item) for item in value]]
    if isinstance(value, str):
        return ["text", str(value)]
    raise ProgrammingError(f"can't adapt type {type(value).__name__!r}")


__getattr__ = of_module(__name__)
