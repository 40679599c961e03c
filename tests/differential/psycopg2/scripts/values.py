"""Values of every type, and what is known of columns."""

import os

import psycopg2
from psycopg2.extras import DictCursor, NamedTupleCursor, RealDictCursor

connection = psycopg2.connect(host=os.environ["POSTGRES_HOST"], port=os.environ["POSTGRES_PORT"],
                              dbname=os.environ["POSTGRES_DATABASE"], user=os.environ["POSTGRES_USERNAME"],
                              password=os.environ["POSTGRES_PASSWORD"])
cursor = connection.cursor()
for expression in [
    "1::int2", "-7", "9223372036854775807", "1.50::numeric(10,2)", "'NaN'::numeric", "1e100::numeric", "0.1::float8",
    "'Infinity'::float8", "1.5::real", "true", "false", "NULL", "''", "'é \"x\" \\ y'", "'a'::char(3)", "'v'::varchar",
    "'n'::name", "'2026-02-03'::date", "'12:34:56'::time", "'12:34:56.789'::time", "'12:34:56+02'::timetz",
    "'2026-02-03 04:05:06'::timestamp", "'2026-02-03 04:05:06.7'::timestamp", "'2026-02-03 04:05:06+02'::timestamptz",
    "'1 year 2 mons 3 days 04:05:06.5'::interval", "'-1 day -02:03:04'::interval", "'3 days'::interval",
    "'00:00:01'::interval", "'\\xdeadbeef'::bytea", "'{\"a\": [1, null, \"x\"]}'::json", "'{\"b\": 1.5}'::jsonb",
    "ARRAY[1,2,NULL]", "ARRAY[[1,2],[3,4]]", "ARRAY['a','b c','\"q\"','NULL',NULL]", "'{}'::int[]",
    "ARRAY[1.5,2]::numeric[]", "ARRAY[true,false]", "ARRAY['2026-01-02'::date]",
    "ARRAY['2026-02-03 04:05:06'::timestamp]", "ARRAY['1 day'::interval]", "ARRAY[0.5::float8]",
    "'5f0c6cf2-6f3d-4a3b-9d2e-1a2b3c4d5e6f'::uuid", "'happy'::public.mood", "ARRAY['happy','sad']::public.mood[]",
    "'(1,2)'::point", "'10.0.0.1'::inet", "ROW(1,'a')", "'public.items'::regclass", "26::oid",
    "12.5::money", "'a b'::tsvector", "B'101'", "'1.2.3.0/24'::cidr", "'<a/>'::xml",
]:
    try:
        cursor.execute(f"SELECT {expression}")
    except psycopg2.Error as error:
        print(expression, type(error).__name__, error.pgcode)
        connection.rollback()
        continue
    value = cursor.fetchone()[0]
    if isinstance(value, memoryview):
        value = bytes(value)
    # Types of the database have other numbers in each.
    print(expression, type(value).__name__, repr(value), min(cursor.description[0].type_code, 16384))

cursor.execute("SELECT id, name AS label, 1 AS id FROM public.items ORDER BY 1")
print([(column.name, column[1]) for column in cursor.description], len(cursor.description[0]), cursor.rowcount)
print(cursor.fetchmany(1), cursor.fetchone(), cursor.fetchall(), cursor.fetchone(), cursor.fetchall())
cursor.execute("SELECT generate_series(1, 5)")
cursor.arraysize = 2
print(cursor.fetchmany(), [row for row in cursor])
cursor.execute("SELECT 1 WHERE false")
print(cursor.rowcount, cursor.fetchone(), cursor.fetchall())
cursor.execute("SELECT 1 AS a; SELECT 2 AS b, 3 AS c")
print(cursor.fetchall(), [column.name for column in cursor.description])
for statement in ["CREATE TEMP TABLE t (n int)", "INSERT INTO t VALUES (1), (2), (3)", "UPDATE t SET n = n + 1 WHERE n > 1",
                  "DELETE FROM t WHERE n = 1", "DROP TABLE t", "SELECT 1; CREATE TEMP TABLE u ()"]:
    cursor.execute(statement)
    print(statement, cursor.rowcount, cursor.description)
    try:
        print(cursor.fetchone())
    except psycopg2.ProgrammingError as error:
        print(error)
cursor.execute("INSERT INTO public.items VALUES (70, 'x') RETURNING id, name")
print(cursor.rowcount, cursor.fetchone())

for factory in (DictCursor, RealDictCursor, NamedTupleCursor):
    with connection.cursor(cursor_factory=factory) as rows:
        rows.execute("SELECT id, name FROM public.items WHERE id < 3 ORDER BY id")
        for row in rows.fetchall():
            print(factory.__name__, row["name"] if factory is not NamedTupleCursor else row.name, list(row))
