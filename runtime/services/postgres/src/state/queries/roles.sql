-- Roles with their attributes, memberships and settings.
SELECT ARRAY['roles'], statement FROM (
    SELECT 0 AS step, rolname AS name, '' AS other, 'CREATE ROLE ' || quote_ident(rolname) || ' WITH'
        || CASE WHEN rolsuper THEN ' SUPERUSER' ELSE ' NOSUPERUSER' END
        || CASE WHEN rolinherit THEN ' INHERIT' ELSE ' NOINHERIT' END
        || CASE WHEN rolcreaterole THEN ' CREATEROLE' ELSE ' NOCREATEROLE' END
        || CASE WHEN rolcreatedb THEN ' CREATEDB' ELSE ' NOCREATEDB' END
        || CASE WHEN rolcanlogin THEN ' LOGIN' ELSE ' NOLOGIN' END
        || CASE WHEN rolreplication THEN ' REPLICATION' ELSE ' NOREPLICATION' END
        || CASE WHEN rolbypassrls THEN ' BYPASSRLS' ELSE ' NOBYPASSRLS' END
        || CASE WHEN rolconnlimit <> -1 THEN ' CONNECTION LIMIT ' || rolconnlimit ELSE '' END
        || CASE WHEN rolpassword IS NOT NULL THEN ' PASSWORD '
            || '''SCRAM-SHA-256$4096:AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='''
            ELSE '' END
        || CASE WHEN rolvaliduntil IS NOT NULL THEN ' VALID UNTIL ' || quote_literal(rolvaliduntil) ELSE '' END
        || ';' AS statement
    FROM pg_authid WHERE oid >= 16384
    UNION ALL SELECT 1, rolname, '', 'COMMENT ON ROLE ' || quote_ident(rolname) || ' IS '
        || pg_temp.lit(shobj_description(oid, 'pg_authid')) || ';'
    FROM pg_authid WHERE oid >= 16384 AND shobj_description(oid, 'pg_authid') IS NOT NULL
    UNION ALL SELECT 2, rolname, split_part(setting, '=', 1), 'ALTER ROLE ' || pg_temp.role(a.oid) || ' SET ' || pg_temp.setting(setting) || ';'
    FROM pg_db_role_setting s JOIN pg_authid a ON a.oid = s.setrole CROSS JOIN unnest(setconfig) setting
    WHERE setdatabase = 0
    UNION ALL SELECT 2, '', split_part(setting, '=', 1), 'ALTER ROLE ALL SET ' || pg_temp.setting(setting) || ';'
    FROM pg_db_role_setting CROSS JOIN unnest(setconfig) setting WHERE setdatabase = 0 AND setrole = 0
    UNION ALL SELECT 3, pg_temp.role(m.roleid), pg_temp.role(m.member), 'GRANT ' || pg_temp.role(m.roleid) || ' TO ' || pg_temp.role(m.member)
        || CASE
            WHEN coalesce((to_jsonb(m)->>'inherit_option')::boolean, u.rolinherit) = u.rolinherit
                AND coalesce((to_jsonb(m)->>'set_option')::boolean, true)
            THEN CASE WHEN m.admin_option THEN ' WITH ADMIN OPTION' ELSE '' END
            ELSE ' WITH ADMIN ' || upper(m.admin_option::text) || ', INHERIT ' || upper(to_jsonb(m)->>'inherit_option')
                || ', SET ' || upper(to_jsonb(m)->>'set_option') END
        || CASE WHEN m.grantor <> 10 AND EXISTS (SELECT FROM pg_authid WHERE oid = m.grantor)
            THEN ' GRANTED BY ' || pg_temp.role(m.grantor) ELSE '' END || ';'
    FROM pg_auth_members m JOIN pg_authid u ON u.oid = m.member WHERE m.roleid >= 16384 OR m.member >= 16384 OR m.member = 10
) x ORDER BY step, name COLLATE "C", other COLLATE "C", statement COLLATE "C"
