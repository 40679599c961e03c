"""A report is judged as published verifiers do: the truth is computed on the final state."""

import os
import sys
from decimal import Decimal

import psycopg2


def parameters():
    return {
        "host": os.getenv("POSTGRES_HOST", "localhost"),
        "port": int(os.getenv("POSTGRES_PORT", 5432)),
        "database": os.getenv("POSTGRES_DATABASE"),
        "user": os.getenv("POSTGRES_USERNAME"),
        "password": os.getenv("POSTGRES_PASSWORD"),
    }


def same(one, other):
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        return abs(one - other) <= Decimal("0.01")
    return one == other


def rows_match(found, expected):
    return len(found) == len(expected) and all(map(same, found, expected))


def main():
    connection = psycopg2.connect(**parameters())
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM information_schema.tables WHERE table_schema = 'public' AND table_name = %s",
                       ("sales",))
        print("table", cursor.fetchone())
        cursor.execute("""
            WITH sums AS (
                SELECT region, DATE_TRUNC('month', day) AS month, SUM(amount) AS total,
                       COUNT(*) FILTER (WHERE amount > 50) AS large
                FROM public.sales GROUP BY region, DATE_TRUNC('month', day)
            )
            SELECT region, TO_CHAR(month, 'YYYY-MM') AS month, total, large,
                   ROW_NUMBER() OVER (PARTITION BY region ORDER BY total DESC, month) AS rank,
                   EXTRACT(YEAR FROM AGE('2026-03-01'::date, month))::int AS age
            FROM sums ORDER BY region, rank
        """)
        truth = cursor.fetchall()
        for row in truth:
            print(row)
        cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1")
        for row in cursor:
            print(row)
        cursor.execute("SELECT has_table_privilege('guest', 'public.sales', 'SELECT'), relrowsecurity "
                       "FROM pg_class WHERE relname = 'notes'")
        print(cursor.fetchone())
        cursor.execute("SELECT constraint_name, constraint_type FROM information_schema.table_constraints "
                       "WHERE table_name = 'lines' AND constraint_type <> 'CHECK' ORDER BY 1")
        print(cursor.fetchall())
    connection.close()
    if not rows_match(truth[0], ("north", "2026-02", Decimal("100.50"), 1, 1, 0)):
        print("❌ the first row is wrong")
        sys.exit(1)
    print("✅ the report is right")


main()
