-- One object of every kind that a state represents.
CREATE ROLE clerk LOGIN PASSWORD 'secret' CONNECTION LIMIT 5 VALID UNTIL '2030-01-01 00:00:00+00';
CREATE ROLE auditor NOINHERIT BYPASSRLS;
CREATE ROLE "Team Lead" CREATEROLE CREATEDB;
COMMENT ON ROLE clerk IS 'Works at the counter; it''s "busy" \ always';
GRANT auditor TO clerk;
GRANT clerk TO "Team Lead" WITH ADMIN OPTION;
GRANT pg_read_all_data TO auditor;
ALTER ROLE clerk SET search_path = "$user", sales, "odd, name";
ALTER ROLE clerk SET statement_timeout = '5s';
ALTER ROLE ALL SET jit = off;
DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET timezone = ''Europe/Berlin''', current_database());
    EXECUTE format('ALTER ROLE clerk IN DATABASE %I SET work_mem = ''8MB''', current_database());
    EXECUTE format('COMMENT ON DATABASE %I IS ''the :"database" of everything''', current_database());
    EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC', current_database());
END $$;

CREATE SCHEMA sales AUTHORIZATION clerk;
CREATE SCHEMA "odd/na%me.";
COMMENT ON SCHEMA sales IS 'Orders and what belongs to them';
GRANT USAGE ON SCHEMA sales TO auditor WITH GRANT OPTION;

CREATE TYPE sales.status AS ENUM ('new', 'paid', 'it''s "odd"');
ALTER TYPE sales.status ADD VALUE 'shipped' BEFORE 'paid';
CREATE FUNCTION sales.is_code(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 ~ ''^[A-Z]{3}\d+$''';
CREATE DOMAIN sales.code AS text COLLATE "C" DEFAULT 'AAA1' NOT NULL CONSTRAINT is_code CHECK (sales.is_code(VALUE));
COMMENT ON DOMAIN sales.code IS 'Code of an article';
CREATE TYPE sales.address AS (street text, "Zip Code" varchar(10), city text COLLATE "C");
CREATE TYPE sales.floatrange AS RANGE (SUBTYPE = float8, SUBTYPE_DIFF = float8mi);
CREATE COLLATION sales.plain (PROVIDER = libc, LOCALE = 'C');

CREATE SEQUENCE sales.ticket AS integer START 100 INCREMENT -5 MINVALUE -1000 MAXVALUE 1000 CYCLE CACHE 3;
SELECT nextval('sales.ticket'), nextval('sales.ticket');

CREATE TABLE sales.customer (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL COLLATE "C",
    email text UNIQUE,
    home sales.address,
    born date CHECK (born > '1900-01-01'),
    tags text[] DEFAULT '{}',
    extra jsonb,
    note varchar(20) DEFAULT 'it''s',
    full_name text GENERATED ALWAYS AS (upper(name)) STORED
);
ALTER TABLE sales.customer ALTER COLUMN note SET STORAGE EXTERNAL;
ALTER TABLE sales.customer ALTER COLUMN email SET STATISTICS 500;
ALTER TABLE sales.customer ALTER COLUMN email SET (n_distinct = -1);
ALTER TABLE sales.customer ADD COLUMN gone integer;
ALTER TABLE sales.customer DROP COLUMN gone;
COMMENT ON TABLE sales.customer IS 'People';
COMMENT ON COLUMN sales.customer.email IS 'May be missing';
INSERT INTO sales.customer (name, email, home, born, tags, extra, note) VALUES
    ('Ann', 'ann@example.com', ROW('1 "High" St, N', '123', NULL), '1980-02-29', '{a,"b c",NULL}', '{"b": 1, "a": [null, 2.50]}', ''),
    ('Bob', NULL, NULL, NULL, NULL, NULL, NULL),
    (E'C\\.\n"x",\ty', 'c', ROW(NULL, '', ''), '2001-01-01', '{}', '"\u00e9"', 'NULL'),
    ('Zoë', 'é', ROW(NULL, NULL, NULL), NULL, '{{1},{2}}', 'null', '\N');

CREATE FUNCTION sales.customer_label(c sales.customer) RETURNS text LANGUAGE sql STABLE AS $$ SELECT c.name || ';' || c.id $$;
CREATE FUNCTION sales.next_ticket(prefix text DEFAULT 'T', OUT label text) LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = sales, pg_temp AS $body$
BEGIN
    label := prefix || nextval('sales.ticket');
    -- A comment with $function$ and a ';'
END;
$body$;
CREATE FUNCTION sales.next_ticket(prefix integer) RETURNS text LANGUAGE sql AS $$ SELECT 'N' || prefix $$;
CREATE FUNCTION sales.standard(n integer) RETURNS TABLE (a integer, b text) LANGUAGE sql
BEGIN ATOMIC
    SELECT CASE WHEN n > 1 THEN c.id ELSE 0 END, c.name FROM sales.customer c WHERE c.id = n;
END;
CREATE PROCEDURE sales.tidy(INOUT n integer) LANGUAGE plpgsql AS $$ BEGIN DELETE FROM sales.log WHERE at < now(); n := 1; END $$;
COMMENT ON FUNCTION sales.next_ticket(integer) IS 'The other one';
REVOKE EXECUTE ON FUNCTION sales.next_ticket(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sales.next_ticket(text) TO auditor;
ALTER FUNCTION sales.next_ticket(integer) OWNER TO clerk;
CREATE FUNCTION sales.add_up(state numeric, value numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT state + coalesce(value, 0)';
CREATE AGGREGATE sales.total(numeric) (SFUNC = sales.add_up, STYPE = numeric, INITCOND = '0');
CREATE FUNCTION sales.near(a integer, b integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT abs(a - b) < 3';
CREATE OPERATOR sales.=~= (FUNCTION = sales.near, LEFTARG = integer, RIGHTARG = integer, COMMUTATOR = OPERATOR(sales.=~=));
CREATE FUNCTION sales.to_status(integer) RETURNS sales.status LANGUAGE sql IMMUTABLE AS $$ SELECT 'new'::sales.status $$;
CREATE CAST (integer AS sales.status) WITH FUNCTION sales.to_status(integer) AS ASSIGNMENT;
CREATE TEXT SEARCH DICTIONARY sales.words (TEMPLATE = simple, STOPWORDS = english);
CREATE TEXT SEARCH CONFIGURATION sales.search (COPY = simple);
ALTER TEXT SEARCH CONFIGURATION sales.search ALTER MAPPING FOR asciiword, word WITH sales.words, simple;

CREATE TABLE sales.article (code sales.code PRIMARY KEY, price numeric(10, 2) NOT NULL, weight real, size sales.floatrange, data bytea, json json);
INSERT INTO sales.article VALUES ('ABC1', 1.50, 'NaN', '[1.5,2.5)', '\x00ff', '{"b":1, "a":  2}'), ('ABC2', -0.00, '-0', 'empty', '', NULL), ('ABC10', 3, 0.1, NULL, NULL, '[]');
CREATE TABLE sales.orders (
    id bigserial,
    customer integer,
    placed timestamptz DEFAULT now(),
    state sales.status DEFAULT 'new',
    ticket text DEFAULT sales.next_ticket('A'),
    period tstzrange,
    CONSTRAINT orders_pk PRIMARY KEY (id) WITH (fillfactor = 70),
    CONSTRAINT no_overlap EXCLUDE USING gist (period WITH &&) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT customer_exists FOREIGN KEY (customer) REFERENCES sales.customer ON DELETE CASCADE DEFERRABLE
) WITH (autovacuum_enabled = false, fillfactor = 90, toast.autovacuum_enabled = false);
COMMENT ON CONSTRAINT customer_exists ON sales.orders IS 'Checked';
INSERT INTO sales.orders (customer, placed, period) VALUES (1, '2024-03-01 12:00:00+02', '[2024-01-01,2024-02-01)'), (2, '-infinity', NULL), (NULL, '2024-03-31 01:30:00.123456+00', 'empty');
ALTER TABLE sales.orders ADD CONSTRAINT recent CHECK (placed > '2000-01-01') NOT VALID;
ALTER TABLE sales.customer ADD COLUMN favourite bigint;
ALTER TABLE sales.customer ADD CONSTRAINT favourite_exists FOREIGN KEY (favourite) REFERENCES sales.orders (id) NOT VALID;
UPDATE sales.customer SET favourite = 1 WHERE id = 1;
CREATE TABLE sales.line (order_id bigint REFERENCES sales.orders, article sales.code REFERENCES sales.article ON UPDATE CASCADE, amount integer, PRIMARY KEY (order_id, article));
INSERT INTO sales.line VALUES (1, 'ABC10', 2), (1, 'ABC1', 7), (2, 'ABC1', 3);
CREATE INDEX line_amount ON sales.line (amount DESC NULLS LAST) INCLUDE (article) WHERE amount > 1;
CREATE UNIQUE INDEX customer_lower ON sales.customer (lower(name) COLLATE "C" text_pattern_ops);
CREATE INDEX customer_extra ON sales.customer USING gin (extra jsonb_path_ops) WITH (fastupdate = off);
COMMENT ON INDEX sales.customer_extra IS 'For searches';
ALTER TABLE sales.line CLUSTER ON line_pkey;
ALTER TABLE sales.article REPLICA IDENTITY FULL;
CREATE STATISTICS sales.line_stats (ndistinct, dependencies) ON order_id, amount FROM sales.line;
CREATE STATISTICS sales.line_expr ON (amount * 2), order_id FROM sales.line;

CREATE UNLOGGED TABLE sales.log (at timestamp, what text, why interval, "odd ""name" inet);
INSERT INTO sales.log VALUES ('2024-01-01', 'x', '1 mon -3 days 04:05:06.7', '10.0.0.1/8'), ('2024-01-01', 'x', '1 mon -3 days 04:05:06.7', '10.0.0.1/8'), (NULL, '', NULL, NULL), (NULL, NULL, NULL, '::1');
CREATE TABLE "odd/na%me."."select" ("from" integer, "a,b" text, " " boolean, json text);
INSERT INTO "odd/na%me."."select" VALUES (1, E'line\r\nbreak', true, 'é'), (1, '\.', false, NULL), (NULL, '', NULL, '');
CREATE TABLE public.no_columns ();
INSERT INTO public.no_columns DEFAULT VALUES;
INSERT INTO public.no_columns DEFAULT VALUES;
CREATE TABLE public.one_column (value text);
INSERT INTO public.one_column VALUES (NULL), (''), ('\.'), ('"');

CREATE TABLE public.reading (at date NOT NULL, sensor integer NOT NULL DEFAULT 1, value double precision, PRIMARY KEY (at, sensor)) PARTITION BY RANGE (at);
CREATE TABLE public.reading_2023 PARTITION OF public.reading FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
CREATE TABLE public.reading_2024 (sensor integer NOT NULL DEFAULT 2, value double precision, at date NOT NULL) PARTITION BY LIST (sensor);
ALTER TABLE public.reading ATTACH PARTITION public.reading_2024 FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE public.reading_2024_a PARTITION OF public.reading_2024 FOR VALUES IN (1, 2);
CREATE TABLE public.reading_rest PARTITION OF public.reading DEFAULT;
CREATE INDEX reading_value ON public.reading (value);
ALTER TABLE public.reading ADD CONSTRAINT positive CHECK (value > -1000);
INSERT INTO public.reading VALUES ('2023-05-05', 1, 1e300), ('2023-05-04', 2, 0.1), ('2024-01-01', 2, 'Infinity'), ('1999-12-31', 1, NULL);
CREATE TABLE public.reading_note (at date, sensor integer, note text, FOREIGN KEY (at, sensor) REFERENCES public.reading);
INSERT INTO public.reading_note VALUES ('2023-05-05', 1, 'high');

CREATE TABLE public.vehicle (id integer PRIMARY KEY, wheels integer DEFAULT 4 CHECK (wheels > 0), name text NOT NULL);
CREATE TABLE public.bicycle (gears integer) INHERITS (public.vehicle);
ALTER TABLE public.bicycle ALTER COLUMN wheels SET DEFAULT 2;
CREATE TABLE public.boat (name text NOT NULL, id integer NOT NULL, wheels integer, deep numeric);
ALTER TABLE public.boat ADD CHECK (wheels > 0);
ALTER TABLE public.boat RENAME CONSTRAINT boat_wheels_check TO vehicle_wheels_check;
ALTER TABLE public.boat INHERIT public.vehicle;
INSERT INTO public.vehicle VALUES (1, 4, 'car');
INSERT INTO public.bicycle VALUES (2, 2, 'bike', 21);
INSERT INTO public.boat VALUES ('ship', 3, 1, 12.50);

CREATE VIEW sales.a_last AS SELECT 1 AS placeholder;
CREATE VIEW sales.big_orders WITH (security_barrier = true) AS
    SELECT o.id, o.state, count(*) AS lines, 'it''s
 two lines' AS text FROM sales.orders o JOIN sales.line l ON l.order_id = o.id GROUP BY o.id HAVING count(*) > 0;
CREATE VIEW sales.names (label, "select") AS SELECT sales.customer_label(c), json FROM sales.customer c, "odd/na%me."."select" WHERE c.name LIKE 'A%' ORDER BY 1;
CREATE OR REPLACE VIEW sales.a_last AS SELECT 1 AS placeholder, n.label FROM sales.names n;
CREATE VIEW sales.writable AS SELECT id, name FROM sales.customer WHERE id > 0 WITH LOCAL CHECK OPTION;
ALTER VIEW sales.writable ALTER COLUMN name SET DEFAULT 'anon';
COMMENT ON VIEW sales.writable IS 'Can be written';
CREATE MATERIALIZED VIEW sales.totals AS SELECT order_id, sum(amount) AS total FROM sales.line GROUP BY order_id;
CREATE UNIQUE INDEX totals_key ON sales.totals (order_id);
CREATE MATERIALIZED VIEW sales.empty AS SELECT 1 AS one WITH NO DATA;
-- The materialised view is stale from here on.
UPDATE sales.line SET amount = amount + 1 WHERE article = 'ABC10';
CREATE TABLE public.uses_view (item sales.big_orders, label text DEFAULT sales.next_ticket());

CREATE RULE keep AS ON DELETE TO sales.article WHERE old.price > 1 DO INSTEAD NOTHING;
CREATE RULE redirect AS ON INSERT TO sales.a_last DO INSTEAD INSERT INTO sales.log (what) VALUES (new.label);
ALTER TABLE sales.article DISABLE RULE keep;
CREATE FUNCTION sales.stamp() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.placed := now(); RETURN NEW; END $$;
CREATE TRIGGER stamp BEFORE UPDATE OF state ON sales.orders FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION sales.stamp();
CREATE TRIGGER off AFTER INSERT ON sales.orders FOR EACH STATEMENT EXECUTE FUNCTION sales.stamp('a', 'b''c');
ALTER TABLE sales.orders DISABLE TRIGGER off;
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON sales.line DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION sales.stamp();
CREATE TRIGGER each AFTER INSERT ON public.reading FOR EACH ROW EXECUTE FUNCTION sales.stamp();
ALTER TABLE public.reading_2023 DISABLE TRIGGER each;
COMMENT ON TRIGGER stamp ON sales.orders IS 'Keeps the time';
ALTER TABLE public.reading_note DISABLE TRIGGER ALL;

ALTER TABLE sales.customer ENABLE ROW LEVEL SECURITY;
ALTER TABLE sales.customer FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON sales.customer TO clerk, auditor USING (name = current_user AND EXISTS (SELECT FROM sales.orders o WHERE o.customer = customer.id)) WITH CHECK (name <> 'x');
CREATE POLICY strict ON sales.customer AS RESTRICTIVE FOR UPDATE USING (true);
COMMENT ON POLICY own ON sales.customer IS 'Own rows';

ALTER TABLE sales.orders OWNER TO clerk;
ALTER VIEW sales.writable OWNER TO clerk;
GRANT SELECT, INSERT ON sales.customer TO clerk WITH GRANT OPTION;
GRANT ALL ON sales.article TO auditor;
GRANT SELECT (id, name), UPDATE (name) ON sales.customer TO auditor;
GRANT USAGE ON SEQUENCE sales.ticket TO PUBLIC;
SET ROLE clerk;
GRANT SELECT ON sales.customer TO "Team Lead";
REVOKE DELETE ON sales.orders FROM clerk;
RESET ROLE;
REVOKE USAGE ON TYPE sales.status FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE clerk IN SCHEMA sales GRANT SELECT ON TABLES TO auditor;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

CREATE PUBLICATION few FOR TABLE ONLY sales.line, sales.orders (id, state) WHERE (id > 1) WITH (publish = 'insert');
CREATE PUBLICATION whole FOR TABLES IN SCHEMA public;
SELECT lo_from_bytea(4711, '\x00010203');
COMMENT ON LARGE OBJECT 4711 IS 'four bytes';
GRANT SELECT ON LARGE OBJECT 4711 TO clerk;
SELECT lo_create(4712);

CREATE FUNCTION public.on_ddl() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no definitions'; END $$;
CREATE EVENT TRIGGER no_drops ON sql_drop WHEN TAG IN ('DROP TABLE', 'DROP VIEW') EXECUTE FUNCTION public.on_ddl();
CREATE EVENT TRIGGER disabled ON ddl_command_start EXECUTE FUNCTION public.on_ddl();
ALTER EVENT TRIGGER disabled DISABLE;
