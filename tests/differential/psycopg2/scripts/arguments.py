"""Parameters of every type, and statements that do not fit to them."""

import os
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal

import psycopg2
from psycopg2.extras import Json

connection = psycopg2.connect(host=os.environ["POSTGRES_HOST"], port=os.environ["POSTGRES_PORT"],
                              database=os.environ["POSTGRES_DATABASE"], user=os.environ["POSTGRES_USERNAME"],
                              password=os.environ["POSTGRES_PASSWORD"])
cursor = connection.cursor()
for value in [
    7, -7, 2**70, True, False, None, 1.5, -0.25, float("nan"), float("inf"), Decimal("12.50"), Decimal("-3"),
    Decimal("NaN"), "plain", "it's", "back\\slash", "per%cent", "", "é€", date(2026, 2, 3), time(4, 5, 6, 700),
    datetime(2026, 2, 3, 4, 5, 6), datetime(2026, 2, 3, 4, 5, 6, tzinfo=timezone.utc), timedelta(days=3, seconds=4),
    timedelta(days=-1, microseconds=5), b"\xde\xad", [1, 2], ["a", None, "b'c"], [[1], [2]], [Decimal("1.5")],
    [date(2026, 1, 2)], Json({"a": [1, "x"]}),
]:
    cursor.execute("SELECT %s", (value,))
    found = cursor.fetchone()[0]
    found = bytes(found) if isinstance(found, memoryview) else found
    print(type(value).__name__, type(found).__name__, repr(found))
    cursor.execute("SELECT 5 -%(n)s, %(n)s", {"n": 3})
print(cursor.fetchone())
cursor.execute("SELECT id FROM public.items WHERE id IN %s ORDER BY id", ((1, 2, 9),))
print(cursor.fetchall())
cursor.execute("SELECT id FROM public.items WHERE id = ANY(%s) ORDER BY id", ([2, 3],))
print(cursor.fetchall())
cursor.execute("SELECT id FROM public.items WHERE id = ANY(%s::int[])", ([],))
print(cursor.fetchall())
cursor.execute("SELECT name FROM public.items WHERE name LIKE 'a%'")
print(cursor.fetchall())
cursor.execute("SELECT name FROM public.items WHERE name LIKE 'a%%' AND id = %s", [1])
print(cursor.fetchall())
cursor.executemany("INSERT INTO public.items VALUES (%s, %s)", [(50, "x"), (51, "y")])
cursor.execute("SELECT count(*) FROM public.items WHERE id >= %(low)s", {"low": 50, "unused": 1})
print(cursor.fetchone())


class Other:
    pass


for sql, values in [("SELECT %s, %s", (1,)), ("SELECT 1", (1,)), ("SELECT %(a)s", {"b": 1}), ("SELECT %s", (Other(),)),
                    ("SELECT %d", (1,)), ("SELECT %s", ("a\0b",))]:
    try:
        cursor.execute(sql, values)
        print(sql, cursor.fetchone())
    except (psycopg2.Error, IndexError, KeyError, TypeError, ValueError) as error:
        print(sql, type(error).__name__, str(error) if not isinstance(error, ValueError) else "")
    connection.rollback()
