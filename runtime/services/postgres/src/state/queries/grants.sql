-- Privileges of everything in a schema.
SELECT ARRAY['schemas', schema, 'grants'], statement FROM (
    SELECT name AS schema, 0 AS kind, '' AS object, 0 AS part, 0 AS at, x.statement, x.ordinality FROM ns, pg_temp.acl('{} ON SCHEMA ' || q, owner, acldefault('n', owner), acl, pg_temp.everything('n')) WITH ORDINALITY x(statement)
    UNION ALL SELECT schema, 1, relname, 0, 0, x.statement, x.ordinality FROM rel r, pg_temp.acl('{} ON ' || CASE relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || q, relowner,
        acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner), relacl, pg_temp.everything(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char")) WITH ORDINALITY x(statement)
        WHERE relkind <> 'c'
    UNION ALL SELECT schema, 1, relname, 1, attnum, x.statement, x.ordinality FROM rel r JOIN pg_attribute a ON attrelid = r.oid AND attnum > 0 AND NOT attisdropped AND attacl IS NOT NULL,
        pg_temp.acl('{} ON TABLE ' || q, relowner, NULL, attacl, ARRAY['INSERT', 'SELECT', 'UPDATE', 'REFERENCES'], ' (' || quote_ident(attname) || ')') WITH ORDINALITY x(statement)
    UNION ALL SELECT schema, 2, signature, 0, 0, x.statement, x.ordinality FROM routine r, pg_temp.acl('{} ON ' || CASE noun WHEN 'AGGREGATE' THEN 'FUNCTION' ELSE noun END || ' ' || signature, proowner, acldefault('f', proowner), proacl, pg_temp.everything('f')) WITH ORDINALITY x(statement)
    UNION ALL SELECT schema, 3, typname, 0, 0, x.statement, x.ordinality FROM typ t, pg_temp.acl('{} ON TYPE ' || q, typowner, acldefault('T', typowner), typacl, pg_temp.everything('T')) WITH ORDINALITY x(statement)
) x ORDER BY schema COLLATE "C", kind, object COLLATE "C", part, at, ordinality
