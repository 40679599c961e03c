SELECT ARRAY['schemas', n.name, 'statistics', stxname], statement FROM pg_statistic_ext s JOIN ns n ON n.oid = stxnamespace CROSS JOIN LATERAL (VALUES
    (0, pg_get_statisticsobjdef(s.oid) || ';'),
    (1, CASE WHEN stxowner <> 10 THEN 'ALTER STATISTICS ' || n.q || '.' || quote_ident(stxname) || ' OWNER TO ' || pg_temp.role(stxowner) || ';' END),
    (2, CASE WHEN stxstattarget >= 0 THEN 'ALTER STATISTICS ' || n.q || '.' || quote_ident(stxname) || ' SET STATISTICS ' || stxstattarget || ';' END),
    (3, 'COMMENT ON STATISTICS ' || n.q || '.' || quote_ident(stxname) || ' IS ' || pg_temp.lit(obj_description(s.oid, 'pg_statistic_ext')) || ';')
) x(step, statement) WHERE statement IS NOT NULL AND NOT pg_temp.ext('pg_statistic_ext', s.oid) ORDER BY n.name COLLATE "C", stxname COLLATE "C", step
