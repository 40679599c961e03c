-- Indexes that no constraint owns, and what refers to an index. Invalid indexes are in files of their own, because they
-- are made before there are rows.
WITH idx AS (
    SELECT r.schema, r.relname, r.q, i.*, c.relname AS name, c.relkind AS kind, NOT i.indisvalid AND c.relkind = 'i' AS invalid,
        EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid AND contype IN ('p', 'u', 'x') AND conrelid = i.indrelid) AS owned
    FROM pg_index i JOIN rel r ON r.oid = i.indrelid JOIN pg_class c ON c.oid = i.indexrelid
)
SELECT ARRAY['schemas', schema, CASE WHEN invalid THEN 'invalid-indexes' ELSE 'indexes' END, relname], statement FROM idx CROSS JOIN LATERAL (VALUES
    (0, CASE WHEN NOT owned THEN pg_get_indexdef(indexrelid) || ';' END),
    (1, CASE WHEN invalid THEN 'UPDATE pg_catalog.pg_index SET indisvalid = false, indisready = ' || indisready || ' WHERE indexrelid = ' || pg_temp.lit(indexrelid::regclass::text) || '::pg_catalog.regclass;' END),
    (2, (SELECT string_agg('ALTER INDEX ' || indexrelid::regclass || ' ALTER COLUMN ' || attnum || ' SET STATISTICS ' || attstattarget || ';', E'\n' ORDER BY attnum)
        FROM pg_attribute WHERE attrelid = indexrelid AND attstattarget >= 0)),
    (3, CASE WHEN NOT owned THEN 'COMMENT ON INDEX ' || indexrelid::regclass || ' IS ' || pg_temp.lit(obj_description(indexrelid, 'pg_class')) || ';' END),
    (4, (SELECT 'ALTER INDEX ' || inhparent::regclass || ' ATTACH PARTITION ' || indexrelid::regclass || ';' FROM pg_inherits WHERE inhrelid = indexrelid)),
    (5, CASE WHEN indisclustered THEN 'ALTER TABLE ' || q || ' CLUSTER ON ' || quote_ident(name) || ';' END),
    (6, CASE WHEN indisreplident THEN 'ALTER TABLE ' || q || ' REPLICA IDENTITY USING INDEX ' || quote_ident(name) || ';' END)
) s(step, statement) WHERE statement IS NOT NULL
UNION ALL SELECT ARRAY['schemas', schema, 'indexes', relname], 'ALTER TABLE ONLY ' || q || ' REPLICA IDENTITY ' || CASE relreplident WHEN 'f' THEN 'FULL' ELSE 'NOTHING' END || ';'
FROM rel WHERE relkind IN ('r', 'p') AND relreplident IN ('f', 'n')
ORDER BY 1, 2
