SELECT ARRAY['extensions'], 'CREATE EXTENSION ' || quote_ident(extname)
    || CASE WHEN nspname = 'pg_catalog' OR pg_temp.ext('pg_namespace', n.oid) THEN ''
        ELSE ' SCHEMA ' || quote_ident(nspname) END || ';'
FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace WHERE extname <> 'plpgsql' ORDER BY extname COLLATE "C"
