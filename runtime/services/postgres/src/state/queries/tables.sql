-- Tables with their columns. Columns of a partition are its own until it is attached; other inherited columns come from
-- the parents.
WITH col AS (
    SELECT r.oid AS relation, a.attnum, quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
        || CASE WHEN a.attcollation <> t.typcollation THEN ' COLLATE ' || a.attcollation::regcollation ELSE '' END
        || CASE WHEN a.attcompression <> '' THEN ' COMPRESSION ' || CASE a.attcompression WHEN 'p' THEN 'pglz' ELSE 'lz4' END ELSE '' END
        || CASE a.attgenerated WHEN 's' THEN ' GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid) || ') STORED'
            WHEN 'v' THEN ' GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid) || ') VIRTUAL'
            ELSE coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') END
        || CASE WHEN a.attidentity = '' OR r.relispartition THEN '' ELSE
            ' GENERATED ' || CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END || ' AS IDENTITY'
            || coalesce((SELECT ' (' || nullif(concat_ws(' ',
                CASE WHEN s.relname <> r.relname || '_' || a.attname || '_seq' OR s.relnamespace <> r.relnamespace
                    THEN 'SEQUENCE NAME ' || s.q END,
                CASE WHEN q.seqstart <> CASE WHEN q.seqincrement > 0 THEN 1 ELSE -1 END THEN 'START WITH ' || q.seqstart END,
                CASE WHEN q.seqincrement <> 1 THEN 'INCREMENT BY ' || q.seqincrement END,
                CASE WHEN q.seqmin <> CASE WHEN q.seqincrement > 0 THEN 1 ELSE limits.low END THEN 'MINVALUE ' || q.seqmin END,
                CASE WHEN q.seqmax <> CASE WHEN q.seqincrement > 0 THEN limits.high ELSE -1 END THEN 'MAXVALUE ' || q.seqmax END,
                CASE WHEN q.seqcache <> 1 THEN 'CACHE ' || q.seqcache END,
                CASE WHEN q.seqcycle THEN 'CYCLE' END), '') || ')'
                FROM identity i JOIN rel s ON s.oid = i.sequence JOIN pg_sequence q ON q.seqrelid = s.oid
                CROSS JOIN LATERAL (SELECT CASE q.seqtypid WHEN 21 THEN 32767 WHEN 23 THEN 2147483647 ELSE 9223372036854775807 END AS high,
                    CASE q.seqtypid WHEN 21 THEN -32768 WHEN 23 THEN -2147483648 ELSE -9223372036854775808 END AS low) limits
                WHERE i.relation = r.oid AND i.attnum = a.attnum), '') END
        || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS definition
    FROM rel r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_attrdef d ON d.adrelid = r.oid AND d.adnum = a.attnum
    WHERE r.relkind IN ('r', 'p') AND (a.attislocal OR r.relispartition)
), parents AS (
    SELECT i.inhrelid AS relation, string_agg(p.q, ', ' ORDER BY i.inhseqno) AS list FROM pg_inherits i JOIN rel p ON p.oid = i.inhparent
    GROUP BY i.inhrelid
), tab AS (
    -- A child all of whose columns are its own was made alone and joined its parents later.
    SELECT r.*, p.list AS parents, NOT r.relispartition AND p.list IS NOT NULL AND NOT EXISTS (SELECT FROM pg_attribute a
        WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped AND NOT a.attislocal) AS joined
    FROM rel r LEFT JOIN parents p ON p.relation = r.oid WHERE r.relkind IN ('r', 'p')
)
SELECT ARRAY['schemas', schema, 'tables', relname], statement FROM (
    SELECT schema, relname, 0 AS step, 0 AS part, 'CREATE ' || CASE relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END || 'TABLE ' || q || ' ('
        || coalesce((SELECT E'\n    ' || string_agg(definition, E',\n    ' ORDER BY attnum) || E'\n' FROM col WHERE relation = t.oid), '') || ')'
        || CASE WHEN relispartition OR joined OR parents IS NULL THEN '' ELSE E'\nINHERITS (' || parents || ')' END
        || CASE WHEN relkind = 'p' THEN E'\nPARTITION BY ' || pg_get_partkeydef(oid) ELSE '' END
        || CASE WHEN reloptions IS NULL AND NOT EXISTS (SELECT FROM pg_class o WHERE o.oid = t.reltoastrelid AND o.reloptions IS NOT NULL) THEN ''
            ELSE E'\nWITH (' || concat_ws(', ', pg_temp.options(reloptions), (SELECT pg_temp.options((SELECT array_agg('toast.' || x) FROM unnest(o.reloptions) x))
                FROM pg_class o WHERE o.oid = t.reltoastrelid AND o.reloptions IS NOT NULL)) || ')' END || ';' AS statement
    FROM tab t
    UNION ALL SELECT schema, relname, 1, 0, 'ALTER TABLE ' || q || ' OWNER TO ' || pg_temp.role(relowner) || ';' FROM tab WHERE relowner <> 10
    UNION ALL SELECT schema, relname, 2, 0, 'ALTER TABLE ' || q || ' OF ' || reloftype::regtype || ';' FROM tab WHERE reloftype <> 0
    UNION ALL SELECT c.schema, c.relname, 3, i.inhseqno, 'ALTER TABLE ' || c.q || ' INHERIT ' || p.q || ';' FROM tab c
        JOIN pg_inherits i ON i.inhrelid = c.oid JOIN rel p ON p.oid = i.inhparent WHERE c.joined
    UNION ALL SELECT c.schema, c.relname, 4, 0, 'ALTER TABLE ' || p.q || ' ATTACH PARTITION ' || c.q || ' ' || pg_get_expr(c.relpartbound, c.oid) || ';' FROM tab c
        JOIN pg_inherits i ON i.inhrelid = c.oid JOIN rel p ON p.oid = i.inhparent WHERE c.relispartition
    -- Inherited columns that differ from the column of the parent.
    UNION ALL SELECT t.schema, t.relname, 5, a.attnum, 'ALTER TABLE ONLY ' || t.q || ' ALTER COLUMN ' || quote_ident(a.attname)
        || coalesce(' SET DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), ' DROP DEFAULT') || ';'
        FROM tab t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
        JOIN pg_inherits i ON i.inhrelid = t.oid JOIN pg_attribute pa ON pa.attrelid = i.inhparent AND pa.attname = a.attname
        LEFT JOIN pg_attrdef pd ON pd.adrelid = pa.attrelid AND pd.adnum = pa.attnum
        WHERE NOT t.relispartition AND NOT t.joined AND NOT a.attislocal AND a.attgenerated = '' AND pa.attgenerated = ''
        AND pg_get_expr(d.adbin, d.adrelid) IS DISTINCT FROM pg_get_expr(pd.adbin, pd.adrelid)
        AND (SELECT count(*) FROM pg_inherits WHERE inhrelid = t.oid) = 1
    UNION ALL SELECT t.schema, t.relname, 6, a.attnum, 'ALTER TABLE ONLY ' || t.q || ' ALTER COLUMN ' || quote_ident(a.attname) || ' SET NOT NULL;'
        FROM tab t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE NOT t.relispartition AND NOT t.joined AND NOT a.attislocal AND a.attnotnull AND NOT EXISTS (
            SELECT FROM pg_inherits i JOIN pg_attribute pa ON pa.attrelid = i.inhparent AND pa.attname = a.attname
            WHERE i.inhrelid = t.oid AND pa.attnotnull)
    UNION ALL SELECT t.schema, t.relname, 7, a.attnum, 'ALTER TABLE ONLY ' || t.q || ' ALTER COLUMN ' || quote_ident(a.attname) || ' SET STORAGE '
        || CASE a.attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END || ';'
        FROM tab t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_type y ON y.oid = a.atttypid
        WHERE a.attstorage <> y.typstorage
    UNION ALL SELECT t.schema, t.relname, 8, a.attnum, 'ALTER TABLE ONLY ' || t.q || ' ALTER COLUMN ' || quote_ident(a.attname) || ' SET STATISTICS ' || a.attstattarget || ';'
        FROM tab t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped WHERE a.attstattarget >= 0
    UNION ALL SELECT t.schema, t.relname, 9, a.attnum, 'ALTER TABLE ONLY ' || t.q || ' ALTER COLUMN ' || quote_ident(a.attname) || ' SET (' || pg_temp.options(a.attoptions) || ');'
        FROM tab t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped WHERE a.attoptions IS NOT NULL
) x ORDER BY schema COLLATE "C", relname COLLATE "C", step, part, statement COLLATE "C"
