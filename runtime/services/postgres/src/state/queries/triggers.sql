SELECT ARRAY['schemas', schema, 'triggers', relname], statement FROM (
    SELECT r.schema, r.relname, '' AS tgname, 0 AS step, 'ALTER TABLE ' || r.q || ' DISABLE TRIGGER ALL;' AS statement FROM rel r
    WHERE EXISTS (SELECT FROM pg_trigger WHERE tgrelid = r.oid AND tgisinternal AND tgenabled = 'D')
    UNION ALL SELECT r.schema, r.relname, t.tgname, s.step, s.statement FROM rel r JOIN pg_trigger t ON t.tgrelid = r.oid AND NOT t.tgisinternal
    LEFT JOIN pg_trigger p ON p.oid = t.tgparentid CROSS JOIN LATERAL (VALUES
        (1, CASE WHEN t.tgparentid = 0 THEN pg_get_triggerdef(t.oid) || ';' END),
        (2, CASE WHEN t.tgenabled <> coalesce(p.tgenabled, 'O') THEN 'ALTER TABLE ' || r.q || CASE t.tgenabled WHEN 'D' THEN ' DISABLE' WHEN 'R' THEN ' ENABLE REPLICA'
            WHEN 'A' THEN ' ENABLE ALWAYS' ELSE ' ENABLE' END || ' TRIGGER ' || quote_ident(t.tgname) || ';' END),
        (3, 'COMMENT ON TRIGGER ' || quote_ident(t.tgname) || ' ON ' || r.q || ' IS ' || pg_temp.lit(obj_description(t.oid, 'pg_trigger')) || ';')
    ) s(step, statement)
) x WHERE statement IS NOT NULL ORDER BY schema COLLATE "C", relname COLLATE "C", tgname COLLATE "C", step
