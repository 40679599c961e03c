"""Roles, policies, transactions and functions of an agent, as the published behavioural verifiers try them."""

import os

import psycopg2
from psycopg2 import extensions


def connect(user=None, password=None):
    return psycopg2.connect(host=os.environ["POSTGRES_HOST"], port=os.environ["POSTGRES_PORT"],
                            database=os.environ["POSTGRES_DATABASE"], user=user or os.environ["POSTGRES_USERNAME"],
                            password=password or os.environ["POSTGRES_PASSWORD"])


def rows(connection, sql, *values):
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


connection = connect()
cursor = connection.cursor()

# A transaction that is undone.
cursor.execute("SELECT public.move(1, 2, 30)")
print(cursor.fetchone(), rows(connection, "SELECT id, balance FROM public.accounts ORDER BY id"))
connection.rollback()
print(rows(connection, "SELECT id, balance FROM public.accounts ORDER BY id"))
try:
    cursor.execute("SELECT public.move(1, 2, 3000)")
except psycopg2.Error as error:
    print(type(error).__name__, error.pgcode, str(error).strip())
connection.rollback()

# Deferred constraints.
cursor.execute("SET CONSTRAINTS ALL DEFERRED")
cursor.execute("INSERT INTO public.lines VALUES (5, 777)")
print(cursor.rowcount)
try:
    connection.commit()
except psycopg2.IntegrityError as error:
    print("commit", error.pgcode)
connection.rollback()

# Policies, with SET ROLE.
cursor.execute("SET ROLE guest")
print(rows(connection, "SELECT owner, text FROM public.notes ORDER BY text"))
try:
    cursor.execute("INSERT INTO public.notes VALUES ('clerk', 'forged')")
except psycopg2.Error as error:
    print(type(error).__name__, error.pgcode)
connection.rollback()
print(rows(connection, "SELECT current_user"))
cursor.execute("SET ROLE guest")
cursor.execute("RESET ROLE")
print(rows(connection, "SELECT current_user"), rows(connection, "SELECT count(*) FROM public.notes"))
connection.rollback()

# A second login, as a role of the script.
connection.autocommit = True
cursor.execute("DROP ROLE IF EXISTS test_user")
cursor.execute("CREATE ROLE test_user LOGIN PASSWORD 'testpass'")
cursor.execute("GRANT USAGE ON SCHEMA public TO test_user")
cursor.execute("GRANT SELECT, INSERT ON public.notes TO test_user")
other = connect("test_user", "testpass")
print(rows(other, "SELECT session_user, count(*) FROM public.notes GROUP BY 1"))
with other.cursor() as mine:
    mine.execute("SET app.user_name = 'test_user'")
    mine.execute("INSERT INTO public.notes VALUES ('test_user', 'mine') RETURNING text")
    print(mine.fetchone())
    try:
        mine.execute("INSERT INTO public.notes VALUES ('clerk', 'yours')")
    except psycopg2.errors.InsufficientPrivilege as error:
        print(error.pgcode)
print(rows(connection, "SELECT count(*) FROM public.notes WHERE owner = 'test_user'"))
other.close()

# Autocommit and isolation levels.
print(connection.autocommit, connection.isolation_level)
connection.set_isolation_level(extensions.ISOLATION_LEVEL_AUTOCOMMIT)
print(connection.autocommit)
connection.autocommit = False
cursor.execute("SHOW transaction_isolation")
print(cursor.fetchone())
try:
    connection.autocommit = True
except psycopg2.ProgrammingError as error:
    print(error)
connection.rollback()
connection.set_isolation_level(extensions.ISOLATION_LEVEL_SERIALIZABLE)
cursor.execute("SHOW transaction_isolation")
print(cursor.fetchone(), connection.isolation_level)
connection.rollback()
connection.set_session(isolation_level="REPEATABLE READ", readonly=True)
cursor.execute("SHOW transaction_isolation")
print(cursor.fetchone())
try:
    cursor.execute("DELETE FROM public.items")
except psycopg2.Error as error:
    print(type(error).__name__, error.pgcode)
connection.rollback()
connection.set_session(isolation_level="READ COMMITTED", readonly=False)

# A connection as a context manager ends its transaction.
with connection:
    with connection.cursor() as inner:
        inner.execute("INSERT INTO public.items VALUES (90, 'kept')")
try:
    with connection:
        cursor.execute("INSERT INTO public.items VALUES (91, 'lost')")
        raise KeyError("stop")
except KeyError:
    pass
print(rows(connection, "SELECT id FROM public.items WHERE id >= 90"))
connection.rollback()
two = connect()
cursor.execute("INSERT INTO public.items VALUES (92, 'open')")
print(rows(two, "SELECT count(*) FROM public.items WHERE id = 92"))
connection.commit()
two.rollback()
print(rows(two, "SELECT count(*) FROM public.items WHERE id = 92"))
print(connection.get_transaction_status(), two.get_transaction_status())
connection.close()
two.close()
