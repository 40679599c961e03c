SELECT ARRAY['publications'], statement FROM pg_publication p CROSS JOIN LATERAL (VALUES
    (0, 'CREATE PUBLICATION ' || quote_ident(pubname) || CASE WHEN puballtables THEN ' FOR ALL TABLES' ELSE coalesce(' FOR ' || concat_ws(', ',
        (SELECT string_agg('TABLE ONLY ' || r.q || coalesce(' (' || (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = r.oid AND attnum = ANY (prattrs::int2[])) || ')', '')
            || coalesce(' WHERE (' || pg_get_expr(prqual, prrelid) || ')', ''), ', ' ORDER BY r.q COLLATE "C") FROM pg_publication_rel x JOIN rel r ON r.oid = prrelid WHERE prpubid = p.oid HAVING count(*) > 0),
        (SELECT string_agg('TABLES IN SCHEMA ' || n.q, ', ' ORDER BY n.q COLLATE "C") FROM pg_publication_namespace x JOIN ns n ON n.oid = pnnspid WHERE pnpubid = p.oid HAVING count(*) > 0)), '') END
        || ' WITH (publish = ' || pg_temp.lit(concat_ws(', ', CASE WHEN pubinsert THEN 'insert' END, CASE WHEN pubupdate THEN 'update' END, CASE WHEN pubdelete THEN 'delete' END, CASE WHEN pubtruncate THEN 'truncate' END))
        || ', publish_via_partition_root = ' || pubviaroot || ');'),
    (1, CASE WHEN pubowner <> 10 THEN 'ALTER PUBLICATION ' || quote_ident(pubname) || ' OWNER TO ' || pg_temp.role(pubowner) || ';' END),
    (2, 'COMMENT ON PUBLICATION ' || quote_ident(pubname) || ' IS ' || pg_temp.lit(obj_description(p.oid, 'pg_publication')) || ';')
) s(step, statement) WHERE statement IS NOT NULL ORDER BY pubname COLLATE "C", step
