-- Sequences that do not belong to an identity column.
SELECT ARRAY['schemas', schema, 'sequences', relname], statement FROM rel r JOIN pg_sequence s ON s.seqrelid = r.oid
CROSS JOIN LATERAL (VALUES
    (0, 'CREATE ' || CASE relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END || 'SEQUENCE ' || q || ' AS ' || format_type(seqtypid, NULL)
        || ' START WITH ' || seqstart || ' INCREMENT BY ' || seqincrement || ' MINVALUE ' || seqmin || ' MAXVALUE ' || seqmax
        || ' CACHE ' || seqcache || CASE WHEN seqcycle THEN ' CYCLE' ELSE '' END || ';'),
    (1, CASE WHEN relowner <> 10 THEN 'ALTER SEQUENCE ' || q || ' OWNER TO ' || pg_temp.role(relowner) || ';' END),
    (2, (SELECT 'ALTER SEQUENCE ' || r.q || ' OWNED BY ' || o.q || '.' || quote_ident(attname) || ';'
        FROM pg_depend d JOIN rel o ON o.oid = d.refobjid JOIN pg_attribute a ON a.attrelid = o.oid AND a.attnum = d.refobjsubid
        WHERE d.classid = 'pg_class'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'a')),
    (3, 'COMMENT ON SEQUENCE ' || q || ' IS ' || pg_temp.lit(obj_description(r.oid, 'pg_class')) || ';')
) x(step, statement)
WHERE statement IS NOT NULL AND NOT EXISTS (SELECT FROM identity WHERE sequence = r.oid)
ORDER BY schema COLLATE "C", relname COLLATE "C", step
