"""Connections and cursors."""

import psycopg2
from mcpmark_script.gaps import StandIn, of_module

from .errors import InterfaceError, ProgrammingError

ISOLATION_LEVEL_AUTOCOMMIT = 0
ISOLATION_LEVEL_READ_COMMITTED = 1
ISOLATION_LEVEL_REPEATABLE_READ = 2
ISOLATION_LEVEL_SERIALIZABLE = 3


class connection(StandIn):
    def __init__(self, number, cursor_factory=None):
        self._number = number
        self._factory = cursor_factory or cursor
        self._autocommit = False
        self._begun = False
        self.closed = 0

    @property
    def autocommit(self):
        return self._autocommit

    @autocommit.setter
    def autocommit(self, value):
        self._autocommit = bool(value)

    def set_isolation_level(self, level):
        self.autocommit = level == ISOLATION_LEVEL_AUTOCOMMIT

    def set_session(self, autocommit=None, **_):
        if autocommit is not None:
            self.autocommit = autocommit

    def cursor(self, name=None, cursor_factory=None, **_):
        self._open()
        return (cursor_factory or self._factory)(self)

    def commit(self):
        self._end("COMMIT")

    def rollback(self):
        self._end("ROLLBACK")

    def close(self):
        self.closed = 1

    def _open(self):
        if self.closed:
            raise InterfaceError("connection already closed")

    def _end(self, statement):
        self._open()
        if self._begun:
            self._begun = False
            self._ask(statement, [])

    def _execute(self, sql, parameters):
        self._open()
        if not self._autocommit and not self._begun:
            self._ask("BEGIN", [])
            self._begun = True
        return self._ask(sql, parameters)

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


class cursor(StandIn):
    arraysize = 1

    def __init__(self, connection):
        self.connection = connection
        self.description = None
        self.rowcount = -1
        self.closed = False
        self._rows = iter(())

    def execute(self, query, vars=None):
        if self.closed:
            raise InterfaceError("cursor already closed")
        named = isinstance(vars, dict)
        values = {name: psycopg2._parameter(value) for name, value in vars.items()} if named \
            else [psycopg2._parameter(value) for value in vars or ()]
        answer = self.connection._execute(query, values)
        self.rowcount = answer["count"]
        columns = answer["columns"]
        self.description = columns and [(name, *[None] * 6) for name in columns]
        self._rows = None if columns is None else iter(answer["rows"])

    def executemany(self, query, vars_list):
        for vars in vars_list:
            self.execute(query, vars)

    def fetchone(self):
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
