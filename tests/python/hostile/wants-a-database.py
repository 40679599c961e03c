import psycopg2

psycopg2.connect(host="localhost", database="chinook")
