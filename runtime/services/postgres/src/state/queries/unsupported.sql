-- Objects that the canonical form cannot represent.
SELECT 'function ' || p.signature, 'it is written in ' || l.lanname FROM routine p JOIN pg_language l ON l.oid = p.prolang
    WHERE l.lanname IN ('c', 'internal') AND p.prokind <> 'a'
UNION ALL SELECT 'type ' || n.q || '.' || quote_ident(t.typname), 'it is a base type' FROM pg_type t JOIN ns n ON n.oid = t.typnamespace
    WHERE (t.typtype = 'p' OR t.typtype = 'b' AND t.typelem = 0) AND NOT pg_temp.ext('pg_type', t.oid)
UNION ALL SELECT 'foreign table ' || n.q || '.' || quote_ident(c.relname), 'its rows are outside of the database'
    FROM pg_class c JOIN ns n ON n.oid = c.relnamespace WHERE c.relkind = 'f' AND NOT pg_temp.ext('pg_class', c.oid)
UNION ALL SELECT 'foreign server ' || quote_ident(srvname), 'its data is outside of the database' FROM pg_foreign_server
    WHERE NOT pg_temp.ext('pg_foreign_server', oid)
UNION ALL SELECT 'foreign-data wrapper ' || quote_ident(fdwname), 'its data is outside of the database'
    FROM pg_foreign_data_wrapper WHERE NOT pg_temp.ext('pg_foreign_data_wrapper', oid)
UNION ALL SELECT 'language ' || quote_ident(lanname), 'it does not belong to an extension' FROM pg_language
    WHERE oid >= 16384 AND NOT pg_temp.ext('pg_language', oid)
UNION ALL SELECT 'access method ' || quote_ident(amname), 'it does not belong to an extension' FROM pg_am
    WHERE oid >= 16384 AND NOT pg_temp.ext('pg_am', oid)
UNION ALL SELECT 'operator class ' || n.q || '.' || quote_ident(opcname), 'it does not belong to an extension'
    FROM pg_opclass c JOIN ns n ON n.oid = c.opcnamespace WHERE NOT pg_temp.ext('pg_opclass', c.oid)
UNION ALL SELECT 'operator family ' || n.q || '.' || quote_ident(opfname), 'it does not belong to an extension'
    FROM pg_opfamily c JOIN ns n ON n.oid = c.opfnamespace WHERE NOT pg_temp.ext('pg_opfamily', c.oid)
UNION ALL SELECT 'conversion ' || n.q || '.' || quote_ident(conname), 'it does not belong to an extension'
    FROM pg_conversion c JOIN ns n ON n.oid = c.connamespace WHERE NOT pg_temp.ext('pg_conversion', c.oid)
UNION ALL SELECT 'text search parser ' || n.q || '.' || quote_ident(prsname), 'it does not belong to an extension'
    FROM pg_ts_parser c JOIN ns n ON n.oid = c.prsnamespace WHERE NOT pg_temp.ext('pg_ts_parser', c.oid)
UNION ALL SELECT 'text search template ' || n.q || '.' || quote_ident(tmplname), 'it does not belong to an extension'
    FROM pg_ts_template c JOIN ns n ON n.oid = c.tmplnamespace WHERE NOT pg_temp.ext('pg_ts_template', c.oid)
UNION ALL SELECT 'transform for type ' || format_type(trftype, NULL), 'it does not belong to an extension'
    FROM pg_transform WHERE NOT pg_temp.ext('pg_transform', oid)
UNION ALL SELECT 'subscription ' || quote_ident(subname), 'its data is outside of the database' FROM pg_subscription
    WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())
UNION ALL SELECT 'table ' || r.q, 'it uses the access method ' || a.amname FROM rel r JOIN pg_am a ON a.oid = r.relam
    WHERE r.relkind IN ('r', 'm', 'p') AND a.amname <> 'heap'
UNION ALL SELECT 'relation ' || r.q, 'it is in a tablespace' FROM rel r WHERE r.reltablespace <> 0
UNION ALL SELECT 'table ' || r.q, 'some triggers of its foreign keys are disabled and others are not'
    FROM rel r JOIN pg_trigger t ON t.tgrelid = r.oid AND t.tgisinternal
    GROUP BY r.q HAVING count(*) FILTER (WHERE t.tgenabled <> 'O') NOT IN (0, count(*))
ORDER BY 1, 2
