-- Row security of tables.
SELECT ARRAY['schemas', schema, 'policies', relname], statement FROM (
    SELECT schema, relname, '' AS name, 0 AS step, 'ALTER TABLE ' || q || ' ENABLE ROW LEVEL SECURITY;' AS statement FROM rel WHERE relrowsecurity
    UNION ALL SELECT schema, relname, '', 1, 'ALTER TABLE ' || q || ' FORCE ROW LEVEL SECURITY;' FROM rel WHERE relforcerowsecurity
    UNION ALL SELECT schema, relname, polname, 2, 'CREATE POLICY ' || quote_ident(polname) || ' ON ' || q
        || CASE WHEN polpermissive THEN '' ELSE E'\n    AS RESTRICTIVE' END
        || CASE polcmd WHEN 'r' THEN E'\n    FOR SELECT' WHEN 'a' THEN E'\n    FOR INSERT' WHEN 'w' THEN E'\n    FOR UPDATE' WHEN 'd' THEN E'\n    FOR DELETE' ELSE '' END
        || CASE WHEN polroles = '{0}' THEN '' ELSE E'\n    TO ' || (SELECT string_agg(pg_temp.role(o), ', ' ORDER BY pg_temp.role(o) COLLATE "C") FROM unnest(polroles) o) END
        || coalesce(E'\n    USING (' || pg_get_expr(polqual, polrelid) || ')', '')
        || coalesce(E'\n    WITH CHECK (' || pg_get_expr(polwithcheck, polrelid) || ')', '') || ';'
    FROM rel r JOIN pg_policy p ON polrelid = r.oid
    UNION ALL SELECT schema, relname, polname, 3, 'COMMENT ON POLICY ' || quote_ident(polname) || ' ON ' || q || ' IS ' || pg_temp.lit(obj_description(p.oid, 'pg_policy')) || ';'
    FROM rel r JOIN pg_policy p ON polrelid = r.oid WHERE obj_description(p.oid, 'pg_policy') IS NOT NULL
) x ORDER BY schema COLLATE "C", relname COLLATE "C", name COLLATE "C", step
