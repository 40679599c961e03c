SELECT ARRAY['schemas', schema, dir, proname], statement FROM routine p CROSS JOIN LATERAL (VALUES
    (0, CASE WHEN prokind <> 'a' THEN pg_get_functiondef(p.oid) || ';' ELSE (
        SELECT 'CREATE AGGREGATE ' || n.q || '.' || quote_ident(p.proname) || '(' || CASE WHEN p.pronargs = 0 THEN '*' ELSE pg_get_function_arguments(p.oid) END
            || E') (\n    SFUNC = ' || aggtransfn::regproc || E',\n    STYPE = ' || format_type(aggtranstype, NULL)
            || CASE WHEN aggtransspace <> 0 THEN E',\n    SSPACE = ' || aggtransspace ELSE '' END
            || CASE WHEN aggfinalfn <> 0 THEN E',\n    FINALFUNC = ' || aggfinalfn::regproc || CASE WHEN aggfinalextra THEN E',\n    FINALFUNC_EXTRA' ELSE '' END
                || E',\n    FINALFUNC_MODIFY = ' || CASE aggfinalmodify WHEN 'r' THEN 'READ_ONLY' WHEN 's' THEN 'SHAREABLE' ELSE 'READ_WRITE' END ELSE '' END
            || CASE WHEN aggcombinefn <> 0 THEN E',\n    COMBINEFUNC = ' || aggcombinefn::regproc ELSE '' END
            || CASE WHEN aggserialfn <> 0 THEN E',\n    SERIALFUNC = ' || aggserialfn::regproc ELSE '' END
            || CASE WHEN aggdeserialfn <> 0 THEN E',\n    DESERIALFUNC = ' || aggdeserialfn::regproc ELSE '' END
            || coalesce(E',\n    INITCOND = ' || pg_temp.lit(agginitval), '')
            || CASE WHEN aggmtransfn <> 0 THEN E',\n    MSFUNC = ' || aggmtransfn::regproc || E',\n    MINVFUNC = ' || aggminvtransfn::regproc
                || E',\n    MSTYPE = ' || format_type(aggmtranstype, NULL)
                || CASE WHEN aggmtransspace <> 0 THEN E',\n    MSSPACE = ' || aggmtransspace ELSE '' END
                || CASE WHEN aggmfinalfn <> 0 THEN E',\n    MFINALFUNC = ' || aggmfinalfn::regproc || CASE WHEN aggmfinalextra THEN E',\n    MFINALFUNC_EXTRA' ELSE '' END ELSE '' END
                || coalesce(E',\n    MINITCOND = ' || pg_temp.lit(aggminitval), '') ELSE '' END
            || CASE WHEN aggsortop <> 0 THEN E',\n    SORTOP = OPERATOR(' || (SELECT quote_ident(x.nspname) || '.' || oprname FROM pg_operator o JOIN pg_namespace x ON x.oid = o.oprnamespace WHERE o.oid = aggsortop) || ')' ELSE '' END
            || CASE p.proparallel WHEN 's' THEN E',\n    PARALLEL = SAFE' WHEN 'r' THEN E',\n    PARALLEL = RESTRICTED' ELSE '' END
            || CASE aggkind WHEN 'h' THEN E',\n    HYPOTHETICAL' ELSE '' END || E'\n);'
        FROM pg_aggregate g JOIN ns n ON n.oid = p.pronamespace WHERE g.aggfnoid = p.oid) END),
    (1, CASE WHEN proowner <> 10 THEN 'ALTER ' || noun || ' ' || signature || ' OWNER TO ' || pg_temp.role(proowner) || ';' END),
    (2, 'COMMENT ON ' || noun || ' ' || signature || ' IS ' || pg_temp.lit(obj_description(p.oid, 'pg_proc')) || ';')
) s(step, statement) WHERE statement IS NOT NULL
ORDER BY schema COLLATE "C", dir, proname COLLATE "C", signature COLLATE "C", step
