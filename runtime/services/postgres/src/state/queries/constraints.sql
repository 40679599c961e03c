-- Constraints. Those that their index implements are made for each partition by itself; the file of indexes attaches them.
SELECT ARRAY['schemas', schema, CASE contype WHEN 'f' THEN 'foreign-keys' ELSE 'constraints' END, relname], statement FROM (
    SELECT r.schema, r.relname, r.q, c.*, position(contype::text in 'puxcnf') AS rank FROM pg_constraint c JOIN rel r ON r.oid = c.conrelid
    WHERE contype IN ('p', 'u', 'x') OR contype = 'c' AND conislocal OR contype = 'f' AND conparentid = 0
        -- Version 18 stores NOT NULL as a constraint. Only what older versions cannot express is written as one.
        OR contype = 'n' AND conislocal AND (NOT convalidated OR connoinherit)
    UNION ALL SELECT t.schema, t.typname, NULL, c.*, 9 FROM pg_constraint c JOIN typ t ON t.oid = c.contypid WHERE contype = 'c' AND NOT convalidated
) c CROSS JOIN LATERAL (VALUES
    (0, CASE WHEN contypid <> 0 THEN 'ALTER DOMAIN ' || contypid::regtype ELSE 'ALTER TABLE ' || CASE WHEN contype IN ('p', 'u', 'x') THEN 'ONLY ' ELSE '' END || q END
        || ' ADD CONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(c.oid) || ';'),
    (1, CASE WHEN contype IN ('p', 'u', 'x') THEN (SELECT 'ALTER INDEX ' || conindid::regclass || ' SET (' || pg_temp.options(reloptions) || ');'
        FROM pg_class WHERE oid = conindid AND reloptions IS NOT NULL) END),
    (2, CASE WHEN contypid = 0 THEN 'COMMENT ON CONSTRAINT ' || quote_ident(conname) || ' ON ' || q || ' IS ' || pg_temp.lit(obj_description(c.oid, 'pg_constraint')) || ';' END),
    (3, CASE WHEN contype IN ('p', 'u', 'x') THEN 'COMMENT ON INDEX ' || conindid::regclass || ' IS ' || pg_temp.lit(obj_description(conindid, 'pg_class')) || ';' END)
) s(step, statement) WHERE statement IS NOT NULL
ORDER BY schema COLLATE "C", relname COLLATE "C", rank, conname COLLATE "C", step
