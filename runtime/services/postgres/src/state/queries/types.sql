-- Enumerated types, domains, ranges and composite types.
SELECT ARRAY['schemas', schema, 'types', name], statement FROM (
    SELECT schema, typname AS name, 0 AS step, '' AS part, 'CREATE TYPE ' || q || ' AS ENUM (' || coalesce((
        SELECT E'\n    ' || string_agg(pg_temp.lit(enumlabel), E',\n    ' ORDER BY enumsortorder) || E'\n'
        FROM pg_enum WHERE enumtypid = t.oid), '') || ');' AS statement
    FROM typ t WHERE typtype = 'e'
    UNION ALL
    SELECT schema, typname, 0, '', 'CREATE DOMAIN ' || q || ' AS ' || format_type(typbasetype, typtypmod)
        || CASE WHEN typcollation <> (SELECT typcollation FROM pg_type WHERE oid = t.typbasetype)
            THEN E'\n    COLLATE ' || typcollation::regcollation ELSE '' END
        || coalesce(E'\n    DEFAULT ' || pg_get_expr(typdefaultbin, 0), E'\n    DEFAULT ' || pg_temp.lit(typdefault), '')
        || CASE WHEN typnotnull THEN E'\n    NOT NULL' ELSE '' END
        || coalesce((SELECT string_agg(E'\n    CONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(c.oid), ''
            ORDER BY conname COLLATE "C") FROM pg_constraint c WHERE contypid = t.oid AND contype = 'c' AND convalidated), '') || ';'
    FROM typ t WHERE typtype = 'd'
    UNION ALL
    SELECT schema, typname, 0, '', 'CREATE TYPE ' || q || E' AS RANGE (\n    SUBTYPE = ' || format_type(rngsubtype, NULL)
        || CASE WHEN NOT o.opcdefault THEN E',\n    SUBTYPE_OPCLASS = ' || quote_ident(ons.nspname) || '.' || quote_ident(o.opcname) ELSE '' END
        || CASE WHEN rngcollation <> (SELECT typcollation FROM pg_type WHERE oid = rngsubtype)
            THEN E',\n    COLLATION = ' || rngcollation::regcollation ELSE '' END
        || CASE WHEN rngsubdiff <> 0 THEN E',\n    SUBTYPE_DIFF = ' || rngsubdiff::regproc ELSE '' END
        || E',\n    MULTIRANGE_TYPE_NAME = ' || rngmultitypid::regtype || E'\n);'
    FROM typ t JOIN pg_range r ON r.rngtypid = t.oid JOIN pg_opclass o ON o.oid = rngsubopc JOIN pg_namespace ons ON ons.oid = o.opcnamespace
    UNION ALL
    SELECT schema, typname, 0, '', 'CREATE TYPE ' || q || ' AS (' || coalesce((
        SELECT E'\n    ' || string_agg(quote_ident(attname) || ' ' || format_type(atttypid, atttypmod)
            || CASE WHEN attcollation <> (SELECT typcollation FROM pg_type WHERE oid = atttypid)
                THEN ' COLLATE ' || attcollation::regcollation ELSE '' END, E',\n    ' ORDER BY attnum) || E'\n'
        FROM pg_attribute WHERE attrelid = t.typrelid AND attnum > 0 AND NOT attisdropped), '') || ');'
    FROM typ t WHERE typtype = 'c'
    UNION ALL
    SELECT schema, typname, 1, '', 'ALTER ' || CASE typtype WHEN 'd' THEN 'DOMAIN ' ELSE 'TYPE ' END || q || ' OWNER TO ' || pg_temp.role(typowner) || ';'
    FROM typ WHERE typowner <> 10
    UNION ALL
    SELECT schema, typname, 2, '', 'COMMENT ON ' || CASE typtype WHEN 'd' THEN 'DOMAIN ' ELSE 'TYPE ' END || q || ' IS ' || pg_temp.lit(obj_description(oid, 'pg_type')) || ';'
    FROM typ WHERE obj_description(oid, 'pg_type') IS NOT NULL
    UNION ALL
    SELECT schema, typname, 3, conname, 'COMMENT ON CONSTRAINT ' || quote_ident(conname) || ' ON DOMAIN ' || q || ' IS ' || pg_temp.lit(obj_description(c.oid, 'pg_constraint')) || ';'
    FROM typ t JOIN pg_constraint c ON c.contypid = t.oid WHERE contype = 'c' AND convalidated AND obj_description(c.oid, 'pg_constraint') IS NOT NULL
) x ORDER BY schema COLLATE "C", name COLLATE "C", step, part COLLATE "C"
