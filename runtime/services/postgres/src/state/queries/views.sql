-- Views and materialised views. The canonical text of the query is made by reparsing it.
SELECT r.oid, r.schema, r.dir, r.relname,
    'CREATE ' || r.noun || ' ' || r.q || coalesce(E'\nWITH (' || pg_temp.options(r.reloptions) || ')', '') || E' AS\n',
    pg_get_viewdef(r.oid), r.relkind = 'm',
    ARRAY(SELECT 'ALTER VIEW ' || r.q || ' ALTER COLUMN ' || quote_ident(attname) || ' SET DEFAULT ' || pg_get_expr(adbin, adrelid) || ';'
        FROM pg_attrdef d JOIN pg_attribute a ON attrelid = adrelid AND attnum = adnum WHERE adrelid = r.oid ORDER BY adnum)
    || CASE WHEN r.relowner <> 10 THEN ARRAY['ALTER ' || r.noun || ' ' || r.q || ' OWNER TO ' || pg_temp.role(r.relowner) || ';'] ELSE '{}' END
FROM rel r WHERE r.relkind IN ('v', 'm') ORDER BY r.schema COLLATE "C", r.relname COLLATE "C"
