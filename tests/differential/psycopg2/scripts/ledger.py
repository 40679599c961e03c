"""Catalogs, constraint triggers and transactions that a script controls by statements, as published verifiers use them."""

import os
import sys
from datetime import date, datetime
from decimal import Decimal

import psycopg2
import psycopg2.errors
from psycopg2.extensions import ISOLATION_LEVEL_AUTOCOMMIT

PARAMETERS = {
    "host": os.getenv("POSTGRES_HOST", "localhost"),
    "port": int(os.getenv("POSTGRES_PORT", 5432)),
    "database": os.getenv("POSTGRES_DATABASE"),
    "user": os.getenv("POSTGRES_USERNAME"),
    "password": os.getenv("POSTGRES_PASSWORD"),
}

SOLVED = """
CREATE TABLE public.ledgers (id integer PRIMARY KEY, total integer NOT NULL);
CREATE TABLE public.entries (id integer PRIMARY KEY, ledger_id integer NOT NULL REFERENCES public.ledgers, amount integer);
INSERT INTO public.ledgers VALUES (1, 30), (2, 5);
INSERT INTO public.entries VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5);
CREATE INDEX entries_ledger ON public.entries (ledger_id);
CREATE FUNCTION public.balanced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM public.ledgers l WHERE total <> (SELECT coalesce(sum(amount), 0) FROM public.entries e
                                                            WHERE e.ledger_id = l.id)) THEN
        RAISE check_violation USING MESSAGE = 'totals differ';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER entries_balanced AFTER INSERT OR UPDATE OR DELETE ON public.entries
    DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW EXECUTE FUNCTION public.balanced();
CREATE CONSTRAINT TRIGGER ledgers_balanced AFTER UPDATE ON public.ledgers
    DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW EXECUTE FUNCTION public.balanced();
GRANT SELECT ON public.ledgers TO guest;
CREATE MATERIALIZED VIEW public.regions AS SELECT region, sum(amount) AS amount FROM public.sales GROUP BY region;
"""


def rows(connection, sql, values=None):
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def catalogs(connection):
    for table in ("public.entries", "public.ledgers", "public.items"):
        count = rows(connection, "SELECT count(*) FROM pg_trigger WHERE tgrelid = %s::regclass AND tgconstraint <> 0;",
                     (table,))
        owned = rows(connection, "SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal", [table])
        print(table, count, owned)
    print(rows(connection, """
        SELECT indexname, indexdef FROM pg_indexes
        WHERE schemaname = 'public' AND tablename = 'entries' AND indexdef LIKE '%ledger_id%'
    """))
    print(rows(connection, "SELECT has_table_privilege('guest', %s, 'SELECT'), has_table_privilege('guest', %s, 'INSERT') "
                           "OR has_table_privilege('guest', %s, 'DELETE');", ("ledgers", "ledgers", "ledgers")))
    print(rows(connection, "SELECT relrowsecurity FROM pg_class WHERE relname = %s AND relkind = 'r'", ("notes",)))
    print(rows(connection, "SELECT 1 FROM pg_policies WHERE tablename = %s AND policyname = %s;", ("notes", "own")))
    print(rows(connection, "SELECT matviewname, ispopulated FROM pg_matviews WHERE schemaname = 'public'"))
    print(rows(connection, """
        SELECT column_name, data_type, is_nullable, numeric_precision, numeric_scale
        FROM information_schema.columns WHERE table_name = 'accounts' ORDER BY ordinal_position
    """))
    print(rows(connection, """
        SELECT tc.constraint_type, kcu.column_name FROM information_schema.table_constraints tc
        JOIN information_schema.key_column_usage kcu ON kcu.constraint_name = tc.constraint_name
        WHERE tc.table_name = 'entries' ORDER BY 1, 2
    """))
    print(rows(connection, "SELECT routine_name, data_type FROM information_schema.routines "
                           "WHERE routine_schema = 'public' AND routine_name = ANY(%s) ORDER BY 1", (["balanced", "move"],)))
    print(rows(connection, "SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON p.pronamespace = n.oid "
                           "WHERE n.nspname = 'public' AND p.proname = 'move'"))


def reports(connection):
    """Prints rows of the kinds that verifiers compare with a second query."""
    for row in rows(connection, """
        WITH ranked AS (
            SELECT s.*, ROW_NUMBER() OVER (PARTITION BY region ORDER BY day DESC, id) AS rn FROM public.sales s
        )
        SELECT region, COUNT(*) FILTER (WHERE rn > 1)::int, AVG(amount)::decimal, SUM(amount)::bigint,
               EXTRACT(YEAR FROM MAX(day))::int, EXTRACT(MONTH FROM MAX(day)), DATE_TRUNC('month', MAX(day))::date,
               TO_CHAR(MIN(day), 'YYYY-MM'), MAX(day)::timestamp, ROUND(100.0 * COUNT(*) / NULLIF(0, 0), 2),
               DATE '2026-03-01' - MAX(day), AGE(DATE '2026-03-01', MIN(day)), BOOL_OR(amount > 50),
               STRING_AGG(id::text, ',' ORDER BY id), ARRAY_AGG(id ORDER BY id), MAX(day) = DATE '9999-01-01'
        FROM ranked GROUP BY region ORDER BY region;
    """):
        print(row)
        print([type(value).__name__ for value in row])
        same = (row[0], row[6], row[8]) == ("north", date(2026, 2, 1), datetime(2026, 2, 20))
        print(same, isinstance(row[2], Decimal) and abs(float(row[2]) - 46.92) <= 0.01)
    print(rows(connection, "SELECT g, g % 2 FROM generate_series(1, 3) g"))
    print(rows(connection, "SELECT name FROM public.items WHERE name LIKE %s", ("%o%",)))


def transactions(connection):
    with connection.cursor() as cursor:
        try:
            cursor.execute("UPDATE public.entries SET amount = amount + 1 WHERE id = %s;", (1,))
            print("not refused")
        except psycopg2.Error as error:
            connection.rollback()
            print(error.pgcode, str(error).splitlines()[0])
    # The statements are within the transaction that the driver began, so `BEGIN` is a warning and `COMMIT` ends it.
    for sign in "+-":
        with connection.cursor() as cursor:
            cursor.execute("BEGIN;")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED;")
            cursor.execute(f"UPDATE public.entries SET amount = amount {sign} 1 WHERE id = 1;")
            cursor.execute(f"UPDATE public.ledgers SET total = total {sign} 1 WHERE id = 1;")
            print(cursor.rowcount)
            cursor.execute("COMMIT;")
            # The driver does not know that its transaction has ended, so this statement is in none.
            cursor.execute("INSERT INTO public.items VALUES (%s, 'after')", (50 if sign == "+" else 51,))
        connection.rollback()
        print(rows(connection, "SELECT id FROM public.items WHERE id >= 50 ORDER BY id"))
        connection.rollback()
        print(rows(connection, "SELECT id, total FROM public.ledgers ORDER BY id"))
    connection.rollback()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL DEFERRED;")
            cursor.execute("UPDATE public.entries SET amount = 0 WHERE id = 3;")
            cursor.execute("COMMIT;")
    except psycopg2.errors.CheckViolation as error:
        print("commit", error.pgcode)
    connection.rollback()
    print(rows(connection, "SELECT amount FROM public.entries WHERE id = 3"))


administrator = psycopg2.connect(**PARAMETERS)
administrator.set_isolation_level(ISOLATION_LEVEL_AUTOCOMMIT)
setup = administrator.cursor()
setup.execute(SOLVED)
setup.close()
administrator.close()

try:
    with psycopg2.connect(**PARAMETERS) as connection:
        connection.autocommit = False
        catalogs(connection)
        reports(connection)
        transactions(connection)
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM public.missing")
        sys.exit(0)
except psycopg2.OperationalError as error:
    print(f"connection: {error}")
    sys.exit(3)
except Exception as error:
    print(f"{type(error).__name__}: {error}")
    sys.exit(1)
