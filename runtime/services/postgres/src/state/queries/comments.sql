-- Comments of relations and their columns, in the file of the relation.
SELECT ARRAY['schemas', schema, dir, relname], statement FROM (
    SELECT schema, dir, relname, 0 AS part, 'COMMENT ON ' || noun || ' ' || q || ' IS ' || pg_temp.lit(obj_description(oid, 'pg_class')) || ';' AS statement
    FROM rel WHERE relkind IN ('r', 'p', 'v', 'm') AND obj_description(oid, 'pg_class') IS NOT NULL
    UNION ALL SELECT schema, dir, relname, attnum, 'COMMENT ON COLUMN ' || q || '.' || quote_ident(attname) || ' IS ' || pg_temp.lit(col_description(r.oid, attnum)) || ';'
    FROM rel r JOIN pg_attribute a ON a.attrelid = r.oid AND attnum > 0 AND NOT attisdropped WHERE relkind IN ('r', 'p', 'v', 'm', 'c') AND col_description(r.oid, attnum) IS NOT NULL
) x ORDER BY schema COLLATE "C", dir, relname COLLATE "C", part
