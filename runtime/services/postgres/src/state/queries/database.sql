-- The database itself. `:"database"` stands for its name, as in scripts of psql.
SELECT ARRAY['database'], statement FROM (
    SELECT 0 AS step, '' AS name, 'ALTER DATABASE :"database" OWNER TO ' || pg_temp.role(datdba) || ';' AS statement
    FROM pg_database WHERE datname = current_database() AND datdba <> 10
    UNION ALL SELECT 1, '', 'ALTER DATABASE :"database" CONNECTION LIMIT ' || datconnlimit || ';'
    FROM pg_database WHERE datname = current_database() AND datconnlimit <> -1
    UNION ALL SELECT 2, '', 'COMMENT ON DATABASE :"database" IS ' || pg_temp.lit(shobj_description(oid, 'pg_database')) || ';'
    FROM pg_database WHERE datname = current_database() AND shobj_description(oid, 'pg_database') IS NOT NULL
    UNION ALL SELECT 3, split_part(setting, '=', 1), 'ALTER DATABASE :"database" SET ' || pg_temp.setting(setting) || ';'
    FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase CROSS JOIN unnest(setconfig) setting
    WHERE datname = current_database() AND setrole = 0
    UNION ALL SELECT 4, pg_temp.role(setrole) || split_part(setting, '=', 1),
        'ALTER ROLE ' || pg_temp.role(setrole) || ' IN DATABASE :"database" SET ' || pg_temp.setting(setting) || ';'
    FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase CROSS JOIN unnest(setconfig) setting
    WHERE datname = current_database() AND setrole <> 0
    UNION ALL SELECT 5, '', a FROM pg_database d,
        pg_temp.acl('{} ON DATABASE :"database"', datdba, acldefault('d', datdba), datacl, pg_temp.everything('d')) a
    WHERE datname = current_database()
    UNION ALL SELECT 6, '', 'DROP EXTENSION plpgsql;' WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'plpgsql')
) x ORDER BY step, name COLLATE "C", statement COLLATE "C"
