"""Cursors whose rows are named."""

from .extensions import cursor


class RealDictCursor(cursor):
    def _row(self, values):
        return dict(zip((column[0] for column in self.description), values))


class DictCursor(RealDictCursor):
    pass
