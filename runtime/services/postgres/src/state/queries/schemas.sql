SELECT ARRAY['schemas'], statement FROM (
    SELECT name, 0 AS step, 'CREATE SCHEMA ' || q || ' AUTHORIZATION ' || pg_temp.role(owner) || ';' AS statement FROM ns
    WHERE NOT pg_temp.ext('pg_namespace', oid)
    UNION ALL SELECT name, 1, 'COMMENT ON SCHEMA ' || q || ' IS ' || pg_temp.lit(obj_description(oid, 'pg_namespace')) || ';' FROM ns
    WHERE NOT pg_temp.ext('pg_namespace', oid) AND obj_description(oid, 'pg_namespace') IS NOT NULL
) x ORDER BY name COLLATE "C", step
