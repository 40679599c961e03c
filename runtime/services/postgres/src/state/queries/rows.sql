-- Relations with rows: columns to write, the order of the rows, and the columns with their types. Rows of an extension's
-- configuration table are restricted by a condition.
WITH source AS (
    SELECT c.oid, n.nspname AS schema, c.relname, quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS q, c.relkind, x.condition
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN LATERAL (SELECT coalesce(e.extcondition[array_position(e.extconfig, c.oid)], '') AS condition FROM pg_extension e WHERE c.oid = ANY (e.extconfig)) x ON true
    WHERE c.relkind IN ('r', 'm') AND (c.oid IN (SELECT oid FROM rel) AND (c.relkind <> 'm' OR c.relispopulated) OR x.condition IS NOT NULL)
)
SELECT s.schema, s.relname, s.q, s.relkind = 'm', s.condition,
    ARRAY(SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = s.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum),
    coalesce(
        (SELECT array_agg(quote_ident(a.attname) || CASE WHEN a.attcollation <> 0 THEN ' COLLATE pg_catalog."C"' ELSE '' END ORDER BY k.at)
            FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k(attnum, at) JOIN pg_attribute a ON a.attrelid = s.oid AND a.attnum = k.attnum
            WHERE i.indrelid = s.oid AND i.indisprimary AND k.at <= i.indnkeyatts),
        (SELECT array_agg(key ORDER BY attnum, part) FROM pg_attribute a CROSS JOIN LATERAL (VALUES
            (0, CASE WHEN atttypid = ANY ('{16,20,21,23,26,1700,700,701,1082,1083,1114,1184,2950}'::oid[]) THEN quote_ident(attname) END),
            (1, CASE WHEN atttypid = ANY ('{16,20,21,23,26,1082,1083,1114,1184,2950}'::oid[]) THEN NULL
                -- `format` calls the output function of the type. A cast could call a function of the agent.
                ELSE quote_ident(attname) || ' IS NULL, pg_catalog.format(''%s'', ' || quote_ident(attname) || ') COLLATE pg_catalog."C"' END)) k(part, key)
            WHERE attrelid = s.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND key IS NOT NULL),
        '{}'),
    ARRAY(SELECT quote_ident(attname) || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute
        WHERE attrelid = s.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum)
FROM source s ORDER BY s.schema COLLATE "C", s.relname COLLATE "C"
