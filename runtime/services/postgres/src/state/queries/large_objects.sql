SELECT ARRAY['large-objects'], statement FROM pg_largeobject_metadata m CROSS JOIN LATERAL (
    SELECT 0 AS step, 'ALTER LARGE OBJECT ' || oid || ' OWNER TO ' || pg_temp.role(lomowner) || ';' AS statement, 0::bigint AS at WHERE lomowner <> 10
    UNION ALL SELECT 1, 'COMMENT ON LARGE OBJECT ' || oid || ' IS ' || pg_temp.lit(obj_description(oid, 'pg_largeobject')) || ';', 0 WHERE obj_description(oid, 'pg_largeobject') IS NOT NULL
    UNION ALL SELECT 2, x.a, x.ordinality FROM pg_temp.acl('{} ON LARGE OBJECT ' || oid, lomowner, acldefault('L', lomowner), lomacl, pg_temp.everything('L')) WITH ORDINALITY x(a)
) s ORDER BY oid, step, at
