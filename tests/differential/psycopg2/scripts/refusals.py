"""Errors: their classes, codes, texts and parts."""

import os

import psycopg2
import psycopg2.errors
from psycopg2 import errors

connection = psycopg2.connect(host=os.environ["POSTGRES_HOST"], port=os.environ["POSTGRES_PORT"],
                              database=os.environ["POSTGRES_DATABASE"], user=os.environ["POSTGRES_USERNAME"],
                              password=os.environ["POSTGRES_PASSWORD"])
cursor = connection.cursor()
for statement in [
    "SELECT * FROM nowhere", "SELECT nothing FROM public.items", "SELECT no_function()", "SELEC 1",
    "SELECT\n  id,\n  nothing\nFROM public.items", "INSERT INTO public.items VALUES (1, 'again')",
    "INSERT INTO public.items VALUES (NULL, 'x')", "INSERT INTO public.sales VALUES (99, 'nowhere', '2026-01-01', -5)",
    "INSERT INTO public.lines VALUES (1, 999)", "SELECT 1/0", "SELECT 'x'::int", "SELECT 99999999999::int",
    "SELECT '2026-13-01'::date", "SELECT id FROM public.items GROUP BY name", "DROP ROLE clerk",
    "CREATE TABLE public.items ()", "CREATE ROLE clerk", "SET ROLE nobody", "SELECT public.refuse()",
    "ALTER TABLE public.items ADD CONSTRAINT c CHECK (id > 100)", "SELECT 'happier'::public.mood",
    "DROP TABLE public.orders", "SELECT ARRAY[1,'x']", "SELECT jsonb '{'", "SELECT 'é' || nothing", "LOCK nowhere",
    "BEGIN; SELECT 1/0", "SELECT pg_catalog.set_config('a', 'b', false)",
]:
    try:
        cursor.execute(statement)
        print(statement, "->", cursor.rowcount)
    except psycopg2.Error as error:
        mro = [kind.__name__ for kind in type(error).__mro__ if issubclass(kind, psycopg2.Error)]
        print(mro, error.pgcode)
        print(str(error))
        print(error.pgerror)
        diag = error.diag
        print(diag.sqlstate, diag.message_primary, diag.message_detail, diag.message_hint, diag.schema_name,
              diag.table_name, diag.column_name, diag.constraint_name)
    connection.rollback()

try:
    cursor.execute("INSERT INTO public.items VALUES (1, 'again')")
except errors.UniqueViolation as error:
    print("unique", isinstance(error, psycopg2.IntegrityError), error.pgcode == psycopg2.errors.lookup("23505")().pgcode)
try:
    cursor.execute("SELECT 1")
except psycopg2.errors.InFailedSqlTransaction as error:
    print("failed", error.pgcode)
connection.rollback()
cursor.close()
for action in (lambda: cursor.execute("SELECT 1"), lambda: cursor.fetchone()):
    try:
        action()
    except psycopg2.InterfaceError as error:
        print(error)
connection.close()
for action in (lambda: connection.cursor(), lambda: connection.commit(), lambda: connection.rollback()):
    try:
        action()
    except psycopg2.InterfaceError as error:
        print(error)
print(connection.closed)
try:
    psycopg2.connect(host=os.environ["POSTGRES_HOST"], port=os.environ["POSTGRES_PORT"],
                     database=os.environ["POSTGRES_DATABASE"], user="nobody", password="x")
except psycopg2.OperationalError as error:
    print(type(error).__name__, error.pgcode, "role \"nobody\" does not exist" in str(error))
