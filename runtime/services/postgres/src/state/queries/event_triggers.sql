SELECT ARRAY['event-triggers'], statement FROM (
    -- The dump has disabled all of them for its transaction.
    SELECT oid, evtname, evtevent, evtowner, evtfoid, evttags,
        current_setting('mcpmark.event_triggers')::jsonb ->> oid::text AS evtenabled FROM pg_event_trigger
) e CROSS JOIN LATERAL (VALUES
    (0, 'CREATE EVENT TRIGGER ' || quote_ident(evtname) || ' ON ' || evtevent
        || coalesce(E'\n    WHEN TAG IN (' || (SELECT string_agg(pg_temp.lit(tag), ', ' ORDER BY tag COLLATE "C") FROM unnest(evttags) tag) || ')', '')
        || E'\n    EXECUTE FUNCTION ' || evtfoid::regproc || '();'),
    (1, CASE WHEN evtenabled <> 'O' THEN 'ALTER EVENT TRIGGER ' || quote_ident(evtname) || CASE evtenabled WHEN 'D' THEN ' DISABLE' WHEN 'R' THEN ' ENABLE REPLICA' ELSE ' ENABLE ALWAYS' END || ';' END),
    (2, CASE WHEN evtowner <> 10 THEN 'ALTER EVENT TRIGGER ' || quote_ident(evtname) || ' OWNER TO ' || pg_temp.role(evtowner) || ';' END),
    (3, 'COMMENT ON EVENT TRIGGER ' || quote_ident(evtname) || ' IS ' || pg_temp.lit(obj_description(e.oid, 'pg_event_trigger')) || ';')
) s(step, statement) WHERE statement IS NOT NULL AND NOT pg_temp.ext('pg_event_trigger', e.oid) ORDER BY evtname COLLATE "C", step
