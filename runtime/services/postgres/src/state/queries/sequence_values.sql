SELECT schema, relname, q FROM rel WHERE relkind = 'S' ORDER BY schema COLLATE "C", relname COLLATE "C"
