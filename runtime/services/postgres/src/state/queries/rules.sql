SELECT ARRAY['schemas', schema, 'rules', relname], statement FROM rel r JOIN pg_rewrite w ON w.ev_class = r.oid AND rulename <> '_RETURN' CROSS JOIN LATERAL (VALUES
    (0, pg_get_ruledef(w.oid)),
    (1, CASE WHEN ev_enabled <> 'O' THEN 'ALTER TABLE ' || q || CASE ev_enabled WHEN 'D' THEN ' DISABLE' WHEN 'R' THEN ' ENABLE REPLICA' ELSE ' ENABLE ALWAYS' END || ' RULE ' || quote_ident(rulename) || ';' END),
    (2, 'COMMENT ON RULE ' || quote_ident(rulename) || ' ON ' || q || ' IS ' || pg_temp.lit(obj_description(w.oid, 'pg_rewrite')) || ';')
) s(step, statement) WHERE statement IS NOT NULL ORDER BY schema COLLATE "C", relname COLLATE "C", rulename COLLATE "C", step
