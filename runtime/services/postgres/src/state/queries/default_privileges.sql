-- Privileges of objects that will be created, of languages, of configuration parameters and of objects of extensions.
SELECT ARRAY['default-privileges'], statement FROM (
    SELECT pg_temp.role(defaclrole) AS role, coalesce(n.name, '') AS schema, defaclobjtype::text AS kind, x.statement, x.ordinality
    FROM pg_default_acl d LEFT JOIN ns n ON n.oid = defaclnamespace
    CROSS JOIN LATERAL (SELECT CASE defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES' WHEN 'n' THEN 'SCHEMAS' ELSE 'LARGE OBJECTS' END AS noun,
        CASE defaclobjtype WHEN 'S' THEN 's'::"char" ELSE defaclobjtype END AS class) k
    CROSS JOIN LATERAL pg_temp.acl('{} ON ' || noun, defaclrole, CASE WHEN defaclnamespace = 0 THEN acldefault(class, defaclrole) ELSE NULL END, defaclacl, pg_temp.everything(class)) WITH ORDINALITY y(bare)
    CROSS JOIN LATERAL (SELECT 'ALTER DEFAULT PRIVILEGES FOR ROLE ' || pg_temp.role(defaclrole) || coalesce(' IN SCHEMA ' || n.q, '') || ' ' || bare, y.ordinality) x(statement, ordinality)
) x ORDER BY role COLLATE "C", schema COLLATE "C", kind, ordinality
