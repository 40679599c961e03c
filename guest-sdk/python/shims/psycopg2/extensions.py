"""Connections and cursors."""

import json
from collections import namedtuple

import psycopg2
from mcpmark_script.gaps import StandIn, of_module

from .errors import (InterfaceError, ProgrammingError, QueryCanceledError,
                     TransactionRollbackError)

ISOLATION_LEVEL_AUTOCOMMIT = 0
ISOLATION_LEVEL_READ_COMMITTED = 1
ISOLATION_LEVEL_REPEATABLE_READ = 2
ISOLATION_LEVEL_SERIALIZABLE = 3
ISOLATION_LEVEL_READ_UNCOMMITTED = 4
ISOLATION_LEVEL_DEFAULT = None
TRANSACTION_STATUS_IDLE = 0
TRANSACTION_STATUS_INTRANS = 2
TRANSACTION_STATUS_INERROR = 3

_LEVELS = {1: "READ COMMITTED", 2: "REPEATABLE READ", 3: "SERIALIZABLE", 4: "READ UNCOMMITTED"}

Column = namedtuple("Column", "name type_code display_size internal_size precision scale null_ok")


class Json:
    """A value that becomes a text of JSON."""

    def __init__(self, adapted, dumps=None):
        self.adapted = adapted
        self.dumps = dumps or json.dumps


class connection(StandIn):
    def __init__(self, number, cursor_factory=None):
        self._number = number
        self._factory = cursor_factory or cursor
        self._autocommit = False
        self._begun = False
        self._failed = False
        self._level = None
        self._readonly = None
        self._deferrable = None
        self.closed = 0
        self.notices = []

    @property
    def autocommit(self):
        return self._autocommit

    @autocommit.setter
    def autocommit(self, value):
        self.set_session(autocommit=value)

    @property
    def isolation_level(self):
        return self._level

    @isolation_level.setter
    def isolation_level(self, value):
        self.set_session(isolation_level=value)

    @property
    def readonly(self):
        return self._readonly

    @readonly.setter
    def readonly(self, value):
        self.set_session(readonly=value)

    def set_isolation_level(self, level):
        self._open()
        if level not in (None, 0, *_LEVELS):
            raise ValueError("isolation_level must be between 0 and 4")
        self.rollback()
        self._autocommit = level == ISOLATION_LEVEL_AUTOCOMMIT
        if not self._autocommit:
            self._level = level

    def set_session(self, isolation_level=None, readonly=None, deferrable=None, autocommit=None):
        self._open()
        if self._begun:
            raise ProgrammingError("set_session cannot be used inside a transaction")
        if isolation_level is not None:
            self._level = _level(isolation_level)
        if readonly is not None:
            self._readonly = bool(readonly)
        if deferrable is not None:
            self._deferrable = bool(deferrable)
        if autocommit is not None:
            self._autocommit = bool(autocommit)

    def get_transaction_status(self):
        if not self._begun:
            return TRANSACTION_STATUS_IDLE
        return TRANSACTION_STATUS_INERROR if self._failed else TRANSACTION_STATUS_INTRANS

    def cursor(self, name=None, cursor_factory=None, **_):
        self._open()
        return (cursor_factory or self._factory)(self)

    def commit(self):
        self._end("COMMIT")

    def rollback(self):
        self._end("ROLLBACK")

    def close(self):
        if not self.closed:
            self.closed = 1
            psycopg2._ask(close={"connection": self._number})

    def _open(self):
        if self.closed:
            raise InterfaceError("connection already closed")

    def _end(self, statement):
        self._open()
        if self._begun:
            self._begun = self._failed = False
            self._ask(statement, [])

    def _execute(self, sql, parameters):
        self._open()
        if not self._autocommit and not self._begun:
            self._ask(self._beginning(), [])
            self._begun = True
        try:
            return self._ask(sql, parameters)
        except psycopg2.Error as error:
            self._failed = True
            if (error.pgcode or "")[:3] in ("57P", "080"):
                self.closed = 2
            raise

    def _beginning(self):
        """The statement that begins a transaction."""
        words = ["BEGIN"]
        if self._level is not None:
            words.append(f"ISOLATION LEVEL {_LEVELS[self._level]}")
        if self._readonly is not None:
            words.append("READ ONLY" if self._readonly else "READ WRITE")
        if self._deferrable is not None:
            words.append("DEFERRABLE" if self._deferrable else "NOT DEFERRABLE")
        return " ".join(words)

    def _ask(self, sql, parameters):
        return psycopg2._ask(execute={"connection": self._number, "sql": sql,
                                      "parameters": parameters})

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.commit()
        else:
            self.rollback()


def _level(level):
    """The number of an isolation level, which may be a name."""
    if isinstance(level, str):
        if level.upper() == "DEFAULT":
            return None
        for number, name in _LEVELS.items():
            if name == level.upper():
                return number
        raise ValueError(f"bad value for isolation_level: {level!r}")
    if level not in _LEVELS:
        raise ValueError("isolation_level must be between 1 and 4")
    return level


class cursor(StandIn):
    arraysize = 1

    def __init__(self, connection):
        self.connection = connection
        self.description = None
        self.rowcount = -1
        self.closed = False
        self._rows = None

    def execute(self, query, vars=None):
        self._open()
        self.rowcount, self.description, self._rows = -1, None, None
        named = isinstance(vars, dict)
        values = {name: psycopg2._parameter(value) for name, value in vars.items()} if named \
            else [psycopg2._parameter(value) for value in vars or ()]
        if isinstance(query, bytes):
            query = query.decode()
        answer = self.connection._execute(query, values)
        self.rowcount = answer["count"]
        columns = answer["columns"]
        if columns is None:
            return
        types = answer.get("types") or [None] * len(columns)
        self.description = tuple(Column(name, kind, *[None] * 5)
                                 for name, kind in zip(columns, types))
        self._rows = iter(answer["rows"])

    def _open(self):
        if self.closed:
            raise InterfaceError("cursor already closed")

    def executemany(self, query, vars_list):
        for vars in vars_list:
            self.execute(query, vars)

    def fetchone(self):
        self._open()
        if self._rows is None:
            raise ProgrammingError("no results to fetch")
        row = next(self._rows, None)
        return None if row is None else self._row([psycopg2._value(cell) for cell in row])

    def fetchmany(self, size=None):
        rows = (self.fetchone() for _ in range(size or self.arraysize))
        return [row for row in rows if row is not None]

    def fetchall(self):
        return list(iter(self.fetchone, None))

    def _row(self, values):
        return tuple(values)

    def close(self):
        self.closed = True

    def __iter__(self):
        return iter(self.fetchone, None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


__getattr__ = of_module(__name__)
