SELECT ARRAY['schemas', n.name, 'collations', c.collname], statement FROM ns n JOIN pg_collation c ON c.collnamespace = n.oid
CROSS JOIN LATERAL (VALUES
    (0, 'CREATE COLLATION ' || n.q || '.' || quote_ident(collname) || ' (PROVIDER = '
        || CASE collprovider WHEN 'i' THEN 'icu' WHEN 'b' THEN 'builtin' ELSE 'libc' END
        || CASE WHEN collprovider <> 'c' THEN ', LOCALE = ' || pg_temp.lit(coalesce(to_jsonb(c)->>'colliculocale', to_jsonb(c)->>'colllocale'))
            WHEN collcollate = collctype THEN ', LOCALE = ' || pg_temp.lit(collcollate)
            ELSE ', LC_COLLATE = ' || pg_temp.lit(collcollate) || ', LC_CTYPE = ' || pg_temp.lit(collctype) END
        || coalesce(', RULES = ' || pg_temp.lit(to_jsonb(c)->>'collicurules'), '')
        || CASE WHEN collisdeterministic THEN '' ELSE ', DETERMINISTIC = false' END || ');'),
    (1, CASE WHEN collowner <> 10 THEN 'ALTER COLLATION ' || n.q || '.' || quote_ident(collname) || ' OWNER TO ' || pg_temp.role(collowner) || ';' END),
    (2, 'COMMENT ON COLLATION ' || n.q || '.' || quote_ident(collname) || ' IS ' || pg_temp.lit(obj_description(c.oid, 'pg_collation')) || ';')
) s(step, statement)
WHERE NOT pg_temp.ext('pg_collation', c.oid) AND statement IS NOT NULL ORDER BY n.name COLLATE "C", collname COLLATE "C", step
