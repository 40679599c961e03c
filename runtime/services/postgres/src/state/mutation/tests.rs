use mcpmark_snapshot::Blobs;

use super::*;
use crate::state::Files;

fn state(files: &[(&str, &str)]) -> Files {
    let file =
        |(path, text): &(&str, &str)| (TreePath::parse(path).unwrap(), text.as_bytes().to_vec());
    files.iter().map(file).collect()
}

const SCHEMAS: (&str, &str) = (
    "schemas.sql",
    "CREATE SCHEMA public AUTHORIZATION pg_database_owner;\n",
);

/// Returns the texts of a file in all mutants of a kind.
fn texts(start: &Files, end: &Files, kind: MutationKind) -> Vec<String> {
    let all = mutants(start, end).unwrap();
    let of_kind = all.iter().filter(|mutant| mutant.kind == kind);
    of_kind
        .flat_map(|mutant| mutant.files.values())
        .map(|content| String::from_utf8(content.clone().unwrap_or_default()).unwrap())
        .collect()
}

#[test]
fn changed_rows_are_mutated_and_others_are_not() {
    let table = (
        "schemas/public/tables/t.sql",
        "CREATE TABLE public.t (\n    id integer NOT NULL,\n    name text NOT NULL,\n    paid boolean\n);\n",
    );
    let key = (
        "schemas/public/constraints/t.sql",
        "ALTER TABLE ONLY public.t ADD CONSTRAINT t_pkey PRIMARY KEY (id);\n",
    );
    let path = "data/public/t.csv";
    let start = state(&[
        SCHEMAS,
        table,
        key,
        (path, "id,name,paid\n1,a,f\n2,b,f\n3,c,\n"),
    ]);
    let end = state(&[
        SCHEMAS,
        table,
        key,
        (path, "id,name,paid\n1,a,f\n2,x,t\n3,c,f\n"),
    ]);
    let row = |second: &str, third: &str| format!("id,name,paid\n1,a,f\n{second}{third}");
    assert_eq!(
        texts(&start, &end, MutationKind::LostRow),
        [row("", "3,c,f\n"), row("2,x,t\n", "")]
    );
    assert_eq!(
        texts(&start, &end, MutationKind::Value),
        [
            row("2,x.,t\n", "3,c,f\n"),
            row("2,x,f\n", "3,c,f\n"),
            row("2,x,t\n", "3,c.,f\n"),
            row("2,x,t\n", "3,c,t\n"),
        ]
    );
    assert_eq!(
        texts(&start, &end, MutationKind::NullValue),
        [row("2,x,\n", "3,c,f\n"), row("2,x,t\n", "3,c,\n")]
    );
    assert_eq!(
        texts(&start, &end, MutationKind::SwappedValues),
        [row("2,c,t\n", "3,x,f\n"), row("2,x,f\n", "3,c,t\n")]
    );
    assert_eq!(
        texts(&start, &end, MutationKind::StaleRow),
        [
            row("2,b,f\n", "3,c,f\n"),
            row("2,x,t\n", "3,c,\n"),
            row("2,b,f\n", "3,c,\n")
        ]
    );
    assert!(texts(&start, &end, MutationKind::DoubledRow).is_empty());
}

#[test]
fn changed_definitions_are_mutated() {
    let start = state(&[SCHEMAS]);
    let end = state(&[
        SCHEMAS,
        (
            "schemas/public/tables/t.sql",
            "CREATE TABLE public.t (\n    id integer NOT NULL,\n    at date DEFAULT now()\n);\nALTER TABLE public.t OWNER TO clerk;\n",
        ),
        (
            "schemas/public/constraints/t.sql",
            "ALTER TABLE public.t ADD CONSTRAINT positive CHECK ((id > 0));\n",
        ),
        (
            "schemas/public/foreign-keys/t.sql",
            "ALTER TABLE public.t ADD CONSTRAINT f FOREIGN KEY (id) REFERENCES public.u(id) ON DELETE CASCADE;\n",
        ),
        (
            "schemas/public/indexes/t.sql",
            "CREATE UNIQUE INDEX i ON public.t USING btree (at);\n",
        ),
        (
            "schemas/public/triggers/t.sql",
            "CREATE TRIGGER g BEFORE INSERT ON public.t FOR EACH ROW EXECUTE FUNCTION public.f();\n",
        ),
        (
            "schemas/public/functions/f.sql",
            "CREATE OR REPLACE FUNCTION public.f()\n RETURNS trigger\n LANGUAGE plpgsql\nAS $function$BEGIN IF NEW.id >= 5 THEN RETURN NULL; END IF; END$function$;\n",
        ),
        (
            "schemas/public/policies/t.sql",
            "CREATE POLICY p ON public.t\n    USING ((id > 1));\n",
        ),
        (
            "schemas/public/grants.sql",
            "GRANT SELECT ON TABLE public.t TO clerk;\n",
        ),
        (
            "schemas/public/sequence-values.csv",
            "sequence,last_value,is_called\ns,7,true\n",
        ),
    ]);
    let all = mutants(&start, &end).unwrap();
    let has = |kind: MutationKind, part: &str| {
        let mut texts = all
            .iter()
            .filter(|it| it.kind == kind)
            .flat_map(|it| it.files.values());
        texts.any(|content| {
            let text = String::from_utf8(content.clone().unwrap_or_default()).unwrap();
            if part.is_empty() {
                text.is_empty()
            } else {
                text.contains(part)
            }
        })
    };
    assert!(has(MutationKind::NotNull, "    id integer,\n"));
    assert!(has(MutationKind::ColumnType, "    id bigint NOT NULL,\n"));
    assert!(has(MutationKind::Default, "    at date\n"));
    assert!(has(MutationKind::Owner, "CREATE TABLE"));
    assert!(has(MutationKind::Constraint, "") && has(MutationKind::Constraint, "(id >= 0)"));
    assert!(has(MutationKind::ForeignKey, "") && has(MutationKind::ForeignKey, "public.u(id);"));
    assert!(has(MutationKind::Index, "") && has(MutationKind::Index, "CREATE INDEX i ON"));
    assert!(
        has(MutationKind::Trigger, "")
            && has(
                MutationKind::Trigger,
                "ALTER TABLE public.t DISABLE TRIGGER g;"
            )
    );
    assert!(has(MutationKind::Body, "NEW.id >= 6") && has(MutationKind::Body, "NEW.id > 5"));
    assert!(has(MutationKind::Policy, "") && has(MutationKind::Policy, "USING (true);"));
    assert!(has(MutationKind::Grant, "") && has(MutationKind::Grant, "TO PUBLIC;"));
    assert!(has(MutationKind::Sequence, "s,8,true"));
    assert!(has(
        MutationKind::StrayTable,
        "CREATE TABLE \"public\".tmp_0 ("
    ));
    assert!(all.iter().all(|mutant| !mutant.what.is_empty()));
}

#[test]
fn changed_roles_are_mutated() {
    const REST: &str = "NOCREATEROLE NOCREATEDB";
    let role = |name: &str, login: &str, row_security: &str| {
        format!(
            "CREATE ROLE {name} WITH NOSUPERUSER INHERIT {REST} {login} NOREPLICATION {row_security};\n"
        )
    };
    let staff = role("staff", "NOLOGIN", "NOBYPASSRLS");
    let start = [
        role("clerk", "LOGIN", "BYPASSRLS"),
        role("left", "LOGIN", "NOBYPASSRLS"),
        staff.clone(),
        "GRANT staff TO clerk;\nGRANT staff TO left;\nGRANT pg_monitor TO clerk;\n".to_owned(),
    ];
    let clerk = role("clerk", "LOGIN", "NOBYPASSRLS");
    let kept = "GRANT staff TO clerk;\n";
    let setting = "ALTER ROLE clerk SET work_mem TO '8MB';\n";
    let end = format!("{clerk}{staff}{setting}{kept}");
    let (start, after) = (start.concat(), end.as_str());
    let start = state(&[SCHEMAS, ("roles.sql", &start)]);
    let roles = |text: &str| state(&[SCHEMAS, ("roles.sql", text)]);
    let texts = |kind| texts(&start, &roles(after), kind);

    let other = role("clerk", "LOGIN", "BYPASSRLS");
    assert_eq!(
        texts(MutationKind::Role),
        [format!("{other}{staff}{setting}{kept}")]
    );
    assert_eq!(
        texts(MutationKind::Setting),
        [format!("{clerk}{staff}{kept}")]
    );
    // The role `left` no longer exists.
    assert_eq!(
        texts(MutationKind::Grant),
        [format!("{end}GRANT pg_monitor TO clerk;\n")]
    );

    let created = format!("{staff}{}", role("temp", "LOGIN", "NOBYPASSRLS"));
    let of_created = super::tests::texts(&roles(&staff), &roles(&created), MutationKind::Role);
    assert_eq!(of_created.len(), 5);
    assert!(of_created.contains(&format!(
        "{staff}{}",
        role("temp", "NOLOGIN", "NOBYPASSRLS")
    )));
}

#[test]
fn privileges_of_the_starting_state_can_remain() {
    let select = "GRANT SELECT ON TABLE public.t TO clerk;\n";
    let both = format!("{select}GRANT UPDATE ON TABLE public.t TO clerk;\n");
    let table = (
        "schemas/public/tables/t.sql",
        "CREATE TABLE public.t (\n    id integer\n);\n",
    );
    let grants = |text: &str| state(&[SCHEMAS, table, ("schemas/public/grants.sql", text)]);
    let found = texts(&grants(&both), &grants(select), MutationKind::Grant);
    assert_eq!(found, [both.as_str()]);
    let wider = "GRANT SELECT, UPDATE ON TABLE public.t TO clerk;\n";
    let found = texts(&grants(select), &grants(wider), MutationKind::Grant);
    assert!(!found.contains(&format!("{wider}{select}")), "{found:?}");
    let found = texts(&grants(wider), &grants(select), MutationKind::Grant);
    assert!(found.contains(&format!("{select}{wider}")), "{found:?}");
    let dropped = "GRANT SELECT ON TABLE public.gone TO clerk;\n";
    let found = texts(
        &grants(&format!("{dropped}{select}")),
        &grants(select),
        MutationKind::Grant,
    );
    assert!(found.is_empty(), "{found:?}");
    let as_owner = format!("SET ROLE boss;\n{both}RESET ROLE;\n");
    let found = texts(&grants(&as_owner), &grants(select), MutationKind::Grant);
    assert!(
        !found.iter().any(|text| text.contains("UPDATE")),
        "{found:?}"
    );
}

#[test]
fn equal_states_have_only_a_stray_table() {
    let same = state(&[SCHEMAS, ("data/public/t.csv", "a\n1\n")]);
    let all = mutants(&same, &same).unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].kind, MutationKind::StrayTable);
}

#[test]
fn trees_of_mutants_differ_in_the_mutated_files() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).unwrap();
    let mut builder = TreeBuilder::new();
    for (path, text) in [
        ("format", "mcpmark postgres state 1\n"),
        (
            "schemas/public/indexes/t.sql",
            "CREATE INDEX t_n ON public.t USING btree (n);\n",
        ),
        (
            "schemas/public/tables/t.sql",
            "CREATE TABLE public.t (\n    n integer\n);\n",
        ),
    ] {
        let file = File {
            size: text.len() as u64,
            executable: false,
            modified: None,
            content: store.put(text.as_bytes()).unwrap(),
        };
        builder
            .insert_file(&TreePath::parse(path).unwrap(), file)
            .unwrap();
    }
    let solved = builder.finish();
    let path = |text| TreePath::parse(text).unwrap();
    let mutant = |path: TreePath, content: Option<&str>| Mutant {
        kind: MutationKind::Index,
        place: path.to_string(),
        what: String::new(),
        files: BTreeMap::from([(path, content.map(|text| text.as_bytes().to_vec()))]),
    };

    let index = path("schemas/public/indexes/t.sql");
    let tree = mutant(index.clone(), None).tree(&solved, &store).unwrap();
    // A dump of a database without indexes has no directory for them.
    assert!(tree.get(&path("schemas/public/indexes")).is_none());
    assert!(tree.get(&path("schemas/public/tables/t.sql")).is_some());
    assert_eq!(store.load_tree(&tree.digest()).unwrap(), tree);

    let tree = mutant(index.clone(), Some("changed"))
        .tree(&solved, &store)
        .unwrap();
    let content = tree
        .get(&index)
        .and_then(|node| node.as_file())
        .unwrap()
        .content;
    assert_eq!(store.read(&content).unwrap(), b"changed");
    assert_eq!(tree.len(), solved.len());

    let new = path("data/public/t.csv");
    let tree = mutant(new.clone(), Some("n\n"))
        .tree(&solved, &store)
        .unwrap();
    assert!(tree.get(&new).is_some());
    let tree = mutant(new, None).tree(&solved, &store).unwrap();
    assert_eq!(tree, solved);
}

#[test]
fn removed_and_changed_definitions_can_remain() {
    let index = (
        "schemas/public/indexes/kept.sql",
        "CREATE INDEX kept_n ON public.kept USING btree (n);\n",
    );
    let kept = (
        "schemas/public/tables/kept.sql",
        "CREATE TABLE public.kept (\n    n integer\n);\n",
    );
    let function = |body: &str| {
        format!(
            "CREATE OR REPLACE FUNCTION public.f()\n RETURNS integer\n LANGUAGE sql\nAS $function$ SELECT {body} $function$;\n"
        )
    };
    let (old, new) = (function("1"), function("2"));
    let path = "schemas/public/functions/f.sql";
    let start = state(&[
        SCHEMAS,
        kept,
        index,
        (path, &old),
        (
            "schemas/public/tables/old.sql",
            "CREATE TABLE public.old (\n    n integer\n);\n",
        ),
        (
            "schemas/public/constraints/old.sql",
            "ALTER TABLE ONLY public.old ADD CONSTRAINT old_pkey PRIMARY KEY (n);\n",
        ),
        ("data/public/old.csv", "n\n1\n"),
    ]);
    let end = state(&[SCHEMAS, kept, (path, &new)]);
    let stale: Vec<(String, usize)> = mutants(&start, &end)
        .unwrap()
        .into_iter()
        .filter(|mutant| mutant.kind == MutationKind::Stale)
        .map(|mutant| (mutant.place, mutant.files.len()))
        .collect();
    assert_eq!(
        stale,
        [
            (path.to_owned(), 1),
            ("schemas/public/indexes/kept.sql".to_owned(), 1),
            ("schemas/public/tables/old.sql".to_owned(), 3),
        ]
    );
    assert!(texts(&start, &end, MutationKind::Stale).contains(&old));
}
