use super::*;
use crate::state::Files;

fn state(files: &[(&str, &str)]) -> Files {
    let file =
        |(path, text): &(&str, &str)| (TreePath::parse(path).unwrap(), text.as_bytes().to_vec());
    files.iter().map(file).collect()
}

fn shop() -> Overview {
    let files = state(&[
        ("format", "mcpmark postgres state 1\n"),
        (
            "schemas.sql",
            "CREATE SCHEMA public AUTHORIZATION pg_database_owner;\nCREATE SCHEMA \"Odd \"\"one\" AUTHORIZATION SESSION_USER;\n",
        ),
        (
            "roles.sql",
            "CREATE ROLE clerk WITH NOSUPERUSER INHERIT LOGIN;\nCREATE ROLE boss WITH SUPERUSER NOINHERIT;\nGRANT boss TO clerk;\n",
        ),
        (
            "schemas/public/tables/customer.sql",
            "CREATE TABLE public.customer (\n    id integer GENERATED ALWAYS AS IDENTITY NOT NULL,\n    \"full name\" character varying(20) DEFAULT 'a, b)'::character varying NOT NULL,\n    price numeric(10,2)\n);\n",
        ),
        (
            "schemas/public/constraints/customer.sql",
            "ALTER TABLE ONLY public.customer ADD CONSTRAINT customer_pkey PRIMARY KEY (id);\nALTER TABLE public.customer ADD CONSTRAINT positive CHECK ((price > (0)::numeric));\n",
        ),
        (
            "schemas/public/tables/orders.sql",
            "CREATE TABLE public.orders (\n    id bigint NOT NULL,\n    customer integer\n)\nPARTITION BY RANGE (id);\n",
        ),
        (
            "schemas/public/foreign-keys/orders.sql",
            "ALTER TABLE public.orders ADD CONSTRAINT orders_customer_fkey FOREIGN KEY (customer) REFERENCES public.customer(id) ON DELETE CASCADE;\n",
        ),
        (
            "schemas/public/indexes/orders.sql",
            "CREATE INDEX by_customer ON ONLY public.orders USING btree (customer);\n",
        ),
        (
            "schemas/public/tables/orders_1.sql",
            "CREATE TABLE public.orders_1 (\n    id bigint NOT NULL,\n    customer integer\n);\nALTER TABLE public.orders ATTACH PARTITION public.orders_1 FOR VALUES FROM ('1') TO ('9');\n",
        ),
        (
            "schemas/public/policies/customer.sql",
            "ALTER TABLE public.customer ENABLE ROW LEVEL SECURITY;\n\nCREATE POLICY own ON public.customer\n    USING (true);\n",
        ),
        (
            "schemas/public/views/names.sql",
            "CREATE VIEW public.names AS\n SELECT customer.id\n   FROM public.customer;\n",
        ),
        (
            "schemas/public/functions/f.sql",
            "CREATE OR REPLACE FUNCTION public.f()\n RETURNS integer\n LANGUAGE sql\nBEGIN ATOMIC\n SELECT 1;\nEND;\n",
        ),
        (
            "data/public/customer.csv",
            "id,full name,price\n1,\"a\nb\",\n2,\"\"\"\",3\n",
        ),
        ("data/public/orders_1.csv", "id,customer\n1,1\n"),
    ]);
    Overview::read(&files).unwrap()
}

#[test]
fn definitions_are_read_without_a_server() {
    let overview = shop();
    assert_eq!(overview.schemas, ["public", "Odd \"one"]);
    let key = |name: &str| ("public".to_owned(), name.to_owned());
    let customer = &overview.relations[&key("customer")];
    assert_eq!(customer.rows, Some(2));
    let columns: Vec<_> = customer
        .columns
        .iter()
        .map(|it| (it.name.as_str(), it.data_type.as_str(), it.not_null))
        .collect();
    assert_eq!(
        columns,
        [
            ("id", "integer", true),
            ("full name", "character varying(20)", true),
            ("price", "numeric(10,2)", false),
        ]
    );
    assert_eq!(customer.primary_key, ["id"]);
    assert_eq!(customer.constraints, ["positive"]);
    assert!(customer.row_security);
    let orders = &overview.relations[&key("orders")];
    assert_eq!(orders.kind, RelationKind::Partitioned);
    assert_eq!(orders.foreign_keys[0].references, key("customer"));
    assert_eq!(
        overview.relations[&key("orders_1")].partition_of,
        Some(key("orders"))
    );
    assert_eq!(overview.relations[&key("names")].kind, RelationKind::View);
    assert_eq!(overview.routines[&key("f")], 1);
}

#[test]
fn sections_are_tables() {
    let sections = shop().sections();
    let titles: Vec<&str> = sections.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(
        titles,
        ["schema public, 1 function", "row security", "roles"]
    );
    assert_eq!(
        sections[0].rows[0],
        ["customer", "table", "2", "id", "", "0"]
    );
    assert_eq!(
        sections[0].rows[2],
        ["orders", "partitioned table", "", "", "customer", "1"]
    );
    assert_eq!(
        sections[0].rows[3],
        ["orders_1", "partition of orders", "1", "", "", "0"]
    );
    assert_eq!(sections[1].rows, [["public.customer", "enabled", "own"]]);
    assert_eq!(
        sections[2].rows,
        [
            ["boss", "superuser, noinherit", ""],
            ["clerk", "login", "boss"]
        ]
    );
    for section in sections {
        assert!(
            section
                .rows
                .iter()
                .all(|row| row.len() == section.columns.len())
        );
    }
}

#[test]
fn the_diagram_shows_keys_and_references() {
    assert_eq!(
        shop().mermaid(),
        "\
erDiagram
    \"customer\" {
        integer id PK
        character_varying_20_ full_name \"full name\"
        numeric_10_2_ price
    }
    \"orders\" {
        bigint id
        integer customer FK
    }
    \"orders\" }o--o| \"customer\" : \"customer\"
"
    );
}

#[test]
fn other_spellings_are_left_out() {
    let files = state(&[
        ("schemas/public/tables/t.sql", "create table t (a int)"),
        (
            "schemas/public/constraints/t.sql",
            "ALTER TABLE public.t ADD CONSTRAINT",
        ),
        ("schemas/public/policies/t.sql", "\"\n"),
        ("roles.sql", "GRANT"),
    ]);
    let overview = Overview::read(&files).unwrap();
    assert_eq!(overview.relations.len(), 1);
    assert!(overview.relations.values().all(|it| it.columns.is_empty()));
}
