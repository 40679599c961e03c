-- Temporary views and functions that the other queries use. The transaction of the dump is rolled back, so they never
-- exist for anybody else.

-- Spelling of a role in statements. The bootstrap superuser is whoever restores the state.
CREATE FUNCTION pg_temp.role(oid) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE $1 WHEN 0 THEN 'PUBLIC' WHEN 10 THEN 'SESSION_USER'
        ELSE (SELECT quote_ident(rolname) FROM pg_authid WHERE oid = $1) END
$$;

-- True if an object is a member of an extension.
CREATE FUNCTION pg_temp.ext(regclass, oid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM pg_depend WHERE classid = $1 AND objid = $2 AND deptype = 'e')
$$;

-- Text as a string, as the canonical form spells it.
CREATE FUNCTION pg_temp.lit(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT ltrim(quote_literal($1))
$$;

-- Options of a relation, as a clause.
CREATE FUNCTION pg_temp.options(text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(CASE WHEN o LIKE 'toast.%' THEN 'toast.' ELSE '' END
        || quote_ident(regexp_replace(split_part(o, '=', 1), '^toast\.', '')) || ' = ' ||
        pg_temp.lit(substr(o, strpos(o, '=') + 1)), ', ' ORDER BY o COLLATE "C") FROM unnest($1) o
$$;

CREATE TEMP VIEW ns AS
    SELECT oid, nspname AS name, quote_ident(nspname) AS q, nspowner AS owner, nspacl AS acl
    FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema';

-- Relations of users.
CREATE TEMP VIEW rel AS
    SELECT c.*, n.name AS schema, n.q || '.' || quote_ident(c.relname) AS q,
        CASE c.relkind WHEN 'v' THEN 'views' WHEN 'm' THEN 'materialized-views' WHEN 'S' THEN 'sequences'
            WHEN 'c' THEN 'types' ELSE 'tables' END AS dir,
        CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
            WHEN 'c' THEN 'TYPE' ELSE 'TABLE' END AS noun
    FROM pg_class c JOIN ns n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'c') AND c.relpersistence <> 't'
        AND NOT pg_temp.ext('pg_class', c.oid);

-- Sequences of identity columns, which belong to the definition of their column.
CREATE TEMP VIEW identity AS
    SELECT objid AS sequence, refobjid AS relation, refobjsubid AS attnum FROM pg_depend
    WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass AND deptype = 'i' AND refobjsubid > 0
        AND EXISTS (SELECT FROM pg_class WHERE oid = objid AND relkind = 'S');

-- Routines of users.
CREATE TEMP VIEW routine AS
    SELECT p.*, n.name AS schema,
        n.q || '.' || quote_ident(p.proname) || '(' || pg_get_function_identity_arguments(p.oid) || ')' AS signature,
        CASE p.prokind WHEN 'a' THEN 'AGGREGATE' WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END AS noun,
        CASE p.prokind WHEN 'a' THEN 'aggregates' ELSE 'functions' END AS dir
    FROM pg_proc p JOIN ns n ON n.oid = p.pronamespace WHERE NOT pg_temp.ext('pg_proc', p.oid)
        -- The constructors of a range belong to its type.
        AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'i');

-- Types of users, without those that belong to a table, and without arrays.
CREATE TEMP VIEW typ AS
    SELECT t.*, n.name AS schema, n.q || '.' || quote_ident(t.typname) AS q
    FROM pg_type t JOIN ns n ON n.oid = t.typnamespace
    WHERE t.typtype IN ('e', 'c', 'd', 'r') AND NOT pg_temp.ext('pg_type', t.oid)
        AND (t.typrelid = 0 OR (SELECT relkind FROM pg_class WHERE oid = t.typrelid) = 'c');

-- Statements that turn the default privileges of an object into its privileges. `base` are the default
-- privileges, and `{}` in `object` stands for the list.
CREATE FUNCTION pg_temp.acl(object text, owner oid, base aclitem[], acl aclitem[], everything text[], of_column text DEFAULT '')
RETURNS SETOF text LANGUAGE sql STABLE AS $$
    WITH have AS (SELECT DISTINCT * FROM aclexplode(coalesce(acl, base))),
        start AS (SELECT DISTINCT * FROM aclexplode(base)),
        revoked AS (
            SELECT 0 AS step, s.grantee, s.grantor, false AS is_grantable, array_agg(DISTINCT s.privilege_type) AS privileges
            FROM start s WHERE NOT EXISTS (SELECT FROM have h WHERE h.grantee = s.grantee
                AND h.grantor = s.grantor AND h.privilege_type = s.privilege_type)
            GROUP BY s.grantee, s.grantor),
        granted AS (
            SELECT 1 AS step, h.grantee, h.grantor, h.is_grantable, array_agg(DISTINCT h.privilege_type) AS privileges
            FROM have h WHERE NOT EXISTS (SELECT FROM start s WHERE s.grantee = h.grantee AND s.grantor = h.grantor
                AND s.privilege_type = h.privilege_type AND s.is_grantable = h.is_grantable)
            GROUP BY h.grantee, h.grantor, h.is_grantable),
        both_ AS (SELECT * FROM revoked UNION ALL SELECT * FROM granted),
        spelled AS (
            SELECT step, grantor, is_grantable, pg_temp.role(grantee) AS grantee,
                CASE WHEN privileges @> everything THEN 'ALL' || of_column
                    ELSE (SELECT string_agg(p || of_column, ', ' ORDER BY array_position(everything, p), p COLLATE "C")
                        FROM unnest(privileges) p) END AS privileges FROM both_)
    SELECT CASE WHEN grantor <> owner THEN 'SET ROLE ' || pg_temp.role(grantor) || E';\n' ELSE '' END
        || replace(CASE step WHEN 0 THEN 'REVOKE ' ELSE 'GRANT ' END || object, '{}', privileges)
        || CASE step WHEN 0 THEN ' FROM ' ELSE ' TO ' END || grantee
        || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END || ';'
        || CASE WHEN grantor <> owner THEN E'\nRESET ROLE;' ELSE '' END
    FROM spelled
    ORDER BY step, grantor <> owner, pg_temp.role(grantor) COLLATE "C", grantee COLLATE "C", is_grantable
$$;

-- All privileges of a kind of object.
CREATE FUNCTION pg_temp.everything("char") RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT array_agg(privilege_type ORDER BY at) FROM (SELECT * FROM aclexplode(acldefault($1, 10)) WITH ORDINALITY
        AS x(grantor, grantee, privilege_type, is_grantable, at) WHERE grantee = 10) y
$$;

-- Settings as clauses of SET. A list of names is split, because each name is quoted by itself.
CREATE FUNCTION pg_temp.setting(text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT quote_ident(name) || ' TO ' || CASE
        WHEN lower(name) IN ('search_path', 'temp_tablespaces', 'session_preload_libraries',
            'shared_preload_libraries', 'local_preload_libraries', 'unix_socket_directories')
        THEN coalesce((SELECT string_agg(pg_temp.lit(
                CASE WHEN item LIKE '"%"' THEN replace(substr(item, 2, length(item) - 2), '""', '"') ELSE item END),
                ', ' ORDER BY at)
            FROM regexp_matches(value, '("(?:[^"]|"")*"|[^,"\s]+)', 'g') WITH ORDINALITY m(parts, at), unnest(parts) item),
            '''''')
        ELSE pg_temp.lit(value) END
    FROM (SELECT split_part($1, '=', 1) AS name, substr($1, strpos($1, '=') + 1) AS value) s
$$;
