"""Stands in for `psycopg2`: statements go to the service `sql` of the world.

Request: `connect` with the keywords of a connection, or `execute` with `connection`, `sql`
and `parameters`. Answer of the first: `connection`, a number. Of the second: `columns`, a
list of names or null, `rows`, lists of `[type, text]` or null, and `count`.
A service's error is JSON, `code` (an SQLSTATE) and `message`.
"""

import json
from datetime import date, datetime, time
from decimal import Decimal

from mcpmark_script.gaps import of_module
from mcpmark_script.services import ServiceError, call

from . import errors, extensions
from .errors import (DatabaseError, DataError, Error, IntegrityError, InterfaceError,
                     InternalError, NotSupportedError, OperationalError, ProgrammingError, Warning)

apilevel = "2.0"
paramstyle = "pyformat"
threadsafety = 2

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
        return [_value(item and [kind[1:], item]) for item in json.loads(text)]
    return _TYPES.get(kind, str)(text)


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
    if isinstance(value, (list, tuple)):
        return ["array" if isinstance(value, list) else "row", [_parameter(item) for item in value]]
    return ["text", str(value)]


__getattr__ = of_module(__name__)
