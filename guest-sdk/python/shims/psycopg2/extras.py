"""Cursors whose rows are named."""

from collections import namedtuple

from mcpmark_script.gaps import of_module

from .extensions import Json, cursor


class DictRow(list):
    """The values of a row, by position and by the names of columns."""

    def __init__(self, names, values):
        super().__init__(values)
        self._index = {name: number for number, name in enumerate(names)}

    def __getitem__(self, key):
        return super().__getitem__(self._index[key] if isinstance(key, str) else key)

    def __setitem__(self, key, value):
        super().__setitem__(self._index[key] if isinstance(key, str) else key, value)

    def __contains__(self, key):
        return key in self._index

    def get(self, key, default=None):
        return self[key] if key in self._index else default

    def keys(self):
        return iter(self._index)

    def values(self):
        return iter(self)

    def items(self):
        return ((name, self[number]) for name, number in self._index.items())

    def copy(self):
        return DictRow(self._index, self)


class DictCursor(cursor):
    def _row(self, values):
        return DictRow([column[0] for column in self.description], values)


class RealDictCursor(cursor):
    def _row(self, values):
        return dict(zip((column[0] for column in self.description), values))


class NamedTupleCursor(cursor):
    def _row(self, values):
        names = (column[0] for column in self.description)
        return namedtuple("Record", names, rename=True)._make(values)


__getattr__ = of_module(__name__)
