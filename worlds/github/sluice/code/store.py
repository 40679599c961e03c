"""Keeps readings and runs in SQLite."""

import sqlite3
from datetime import datetime

KEEP_DAYS = {{keep_days}}

SCHEMA = """
CREATE TABLE IF NOT EXISTS reading (zone TEXT, at TEXT, moisture REAL);
CREATE TABLE IF NOT EXISTS run (zone TEXT, start TEXT, seconds INTEGER);
%% 2
CREATE INDEX IF NOT EXISTS reading_at ON reading (zone, at);
%% 1
"""


class Store:
    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path)
        self.db.executescript(SCHEMA)

    def add_reading(self, zone: str, at: datetime, moisture: float) -> None:
        self.db.execute("INSERT INTO reading VALUES (?, ?, ?)", (zone, at.isoformat(), moisture))
        self.db.commit()

    def add_run(self, zone: str, start: datetime, seconds: int) -> None:
        self.db.execute("INSERT INTO run VALUES (?, ?, ?)", (zone, start.isoformat(), seconds))
        self.db.commit()
%% 2

    def history(self, zone: str, since: datetime) -> list[tuple[str, float]]:
        rows = self.db.execute(
            "SELECT at, moisture FROM reading WHERE zone = ? AND at >= ? ORDER BY at",
            (zone, since.isoformat()),
        )
        return rows.fetchall()
%% 3

    def prune(self, now: datetime) -> int:
        """Forgets what is older than KEEP_DAYS, and says how many rows that were."""
        cursor = self.db.execute(
            "DELETE FROM reading WHERE julianday(?) - julianday(at) > ?",
            (now.isoformat(), KEEP_DAYS),
        )
        self.db.commit()
        return cursor.rowcount
