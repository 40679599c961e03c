-- Operators, casts, and the configuration of text search.
SELECT path, statement FROM (
    SELECT ARRAY['schemas', n.name, 'operators'] AS path, oprname || ' ' || format_type(oprleft, NULL) || ' ' || format_type(oprright, NULL) AS name, 0 AS step,
        'CREATE OPERATOR ' || n.q || '.' || oprname || E' (\n    FUNCTION = ' || oprcode::regproc
        || CASE WHEN oprleft <> 0 THEN E',\n    LEFTARG = ' || format_type(oprleft, NULL) ELSE '' END
        || CASE WHEN oprright <> 0 THEN E',\n    RIGHTARG = ' || format_type(oprright, NULL) ELSE '' END
        || CASE WHEN oprcom <> 0 THEN E',\n    COMMUTATOR = OPERATOR(' || (SELECT quote_ident(x.nspname) || '.' || p.oprname FROM pg_operator p JOIN pg_namespace x ON x.oid = p.oprnamespace WHERE p.oid = o.oprcom) || ')' ELSE '' END
        || CASE WHEN oprnegate <> 0 THEN E',\n    NEGATOR = OPERATOR(' || (SELECT quote_ident(x.nspname) || '.' || p.oprname FROM pg_operator p JOIN pg_namespace x ON x.oid = p.oprnamespace WHERE p.oid = o.oprnegate) || ')' ELSE '' END
        || CASE WHEN oprrest <> 0 THEN E',\n    RESTRICT = ' || oprrest::regproc ELSE '' END
        || CASE WHEN oprjoin <> 0 THEN E',\n    JOIN = ' || oprjoin::regproc ELSE '' END
        || CASE WHEN oprcanhash THEN E',\n    HASHES' ELSE '' END || CASE WHEN oprcanmerge THEN E',\n    MERGES' ELSE '' END || E'\n);' AS statement
    FROM pg_operator o JOIN ns n ON n.oid = oprnamespace WHERE oprcode <> 0 AND NOT pg_temp.ext('pg_operator', o.oid)
    UNION ALL SELECT ARRAY['schemas', n.name, 'operators'], oprname || ' ' || format_type(oprleft, NULL) || ' ' || format_type(oprright, NULL), 1,
        'ALTER OPERATOR ' || n.q || '.' || oprname || ' (' || coalesce(nullif(format_type(oprleft, NULL), '-'), 'NONE') || ', ' || format_type(oprright, NULL) || ') OWNER TO ' || pg_temp.role(oprowner) || ';'
    FROM pg_operator o JOIN ns n ON n.oid = oprnamespace WHERE oprcode <> 0 AND oprowner <> 10 AND NOT pg_temp.ext('pg_operator', o.oid)
    UNION ALL SELECT ARRAY['casts'], format_type(castsource, NULL) || ' ' || format_type(casttarget, NULL), 0,
        'CREATE CAST (' || format_type(castsource, NULL) || ' AS ' || format_type(casttarget, NULL) || ') WITH'
        || CASE castmethod WHEN 'f' THEN ' FUNCTION ' || castfunc::regprocedure WHEN 'i' THEN ' INOUT' ELSE 'OUT FUNCTION' END
        || CASE castcontext WHEN 'a' THEN ' AS ASSIGNMENT' WHEN 'i' THEN ' AS IMPLICIT' ELSE '' END || ';'
    FROM pg_cast c WHERE oid >= 16384 AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_cast'::regclass AND objid = c.oid AND deptype IN ('e', 'i'))
    UNION ALL SELECT ARRAY['schemas', n.name, 'text-search'], '0' || dictname, 0, 'CREATE TEXT SEARCH DICTIONARY ' || n.q || '.' || quote_ident(dictname)
        || ' (TEMPLATE = ' || quote_ident(x.nspname) || '.' || quote_ident(tmplname) || coalesce(', ' || dictinitoption, '') || ');'
    FROM pg_ts_dict d JOIN ns n ON n.oid = dictnamespace JOIN pg_ts_template t ON t.oid = dicttemplate JOIN pg_namespace x ON x.oid = tmplnamespace WHERE NOT pg_temp.ext('pg_ts_dict', d.oid)
    UNION ALL SELECT ARRAY['schemas', n.name, 'text-search'], '1' || cfgname, 0, 'CREATE TEXT SEARCH CONFIGURATION ' || n.q || '.' || quote_ident(cfgname)
        || ' (PARSER = ' || quote_ident(x.nspname) || '.' || quote_ident(prsname) || ');'
    FROM pg_ts_config c JOIN ns n ON n.oid = cfgnamespace JOIN pg_ts_parser p ON p.oid = cfgparser JOIN pg_namespace x ON x.oid = prsnamespace WHERE NOT pg_temp.ext('pg_ts_config', c.oid)
    UNION ALL SELECT ARRAY['schemas', n.name, 'text-search'], '1' || cfgname, 1, 'ALTER TEXT SEARCH CONFIGURATION ' || n.q || '.' || quote_ident(cfgname)
        || ' ADD MAPPING FOR ' || (SELECT alias FROM ts_token_type(cfgparser) WHERE tokid = m.maptokentype) || ' WITH ' || string_agg(mapdict::regdictionary::text, ', ' ORDER BY mapseqno) || ';'
    FROM pg_ts_config c JOIN ns n ON n.oid = cfgnamespace JOIN pg_ts_config_map m ON m.mapcfg = c.oid WHERE NOT pg_temp.ext('pg_ts_config', c.oid)
    GROUP BY n.name, n.q, cfgname, cfgparser, m.maptokentype
    UNION ALL SELECT ARRAY['schemas', n.name, 'text-search'], '0' || dictname, 2, 'ALTER TEXT SEARCH DICTIONARY ' || n.q || '.' || quote_ident(dictname) || ' OWNER TO ' || pg_temp.role(dictowner) || ';'
    FROM pg_ts_dict d JOIN ns n ON n.oid = dictnamespace WHERE dictowner <> 10 AND NOT pg_temp.ext('pg_ts_dict', d.oid)
    UNION ALL SELECT ARRAY['schemas', n.name, 'text-search'], '1' || cfgname, 2, 'ALTER TEXT SEARCH CONFIGURATION ' || n.q || '.' || quote_ident(cfgname) || ' OWNER TO ' || pg_temp.role(cfgowner) || ';'
    FROM pg_ts_config c JOIN ns n ON n.oid = cfgnamespace WHERE cfgowner <> 10 AND NOT pg_temp.ext('pg_ts_config', c.oid)
) x ORDER BY path COLLATE "C", name COLLATE "C", step, statement COLLATE "C"
