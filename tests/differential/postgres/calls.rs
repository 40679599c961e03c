//! Generated calls.

use serde_json::{Value, json};

use crate::draw::Draw;

/// Call of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

pub(crate) fn call(tool: &'static str, arguments: Value) -> Call {
    Call { tool, arguments }
}

pub(crate) fn sql(text: impl Into<String>) -> Call {
    let text: String = text.into();
    call("execute_sql", json!({"sql": text}))
}

/// Calls that every run makes first: the tables of the generated calls, and rare cases.
pub(crate) fn fixed() -> Vec<Call> {
    let mut calls = vec![
        sql(
            "create schema shop; create table shop.people (id serial primary key, name text not null, email text unique, born date, score numeric(6,2) check (score >= 0)); create table shop.orders (id int generated always as identity primary key, person int references shop.people (id) on delete cascade, total numeric(10,2) default 0, at timestamptz, tags text[], detail jsonb)",
        ),
        sql(
            "insert into shop.people (name, email, born, score) select 'name ' || i, 'p' || i || '@x.org', date '1980-01-01' + i, i * 1.5 from generate_series(1, 300) i",
        ),
        sql(
            "insert into shop.orders (person, total, at, tags, detail) select 1 + i % 300, i * 0.37, timestamptz '2025-01-01 00:00:00+00' + i * interval '1 hour', array['a', 'b' || i % 3], jsonb_build_object('i', i, 'list', array[1, i]) from generate_series(1, 2000) i",
        ),
        sql(
            "create view shop.totals as select person, sum(total) as total from shop.orders group by person; create index orders_person on shop.orders (person); create index orders_person_at on shop.orders (person, at); create sequence shop.numbers start 5 increment 2",
        ),
        sql(
            "create type mood as enum ('sad', 'happy'); create type pair as (a int, b text); create domain posint as int check (value > 0)",
        ),
        sql(
            "create function fail(text) returns int language plpgsql as $$ begin raise exception 'failed with %', $1 using detail = 'a detail', hint = 'a hint'; end $$",
        ),
        sql("analyze shop.people, shop.orders"),
        sql(""),
        sql(";"),
        sql("-- nothing"),
        sql("all"),
        sql("vacuum"),
        sql("begin; create table left_open (a int)"),
        sql("rollback"),
        sql("commit; select 1"),
        sql("select 1; select 2 as b, 3 as b, 4 as c"),
        sql("select 1; create table t1 ()"),
        sql("create table t2 (); select 1"),
        sql("copy shop.people to stdout"),
        sql("copy shop.people from stdin"),
        sql("select set_config('x.y', 'z', false)"),
        sql("select current_setting('x.y')"),
        sql("select * from missing"),
        sql("select current_setting('x.y', true)"),
        sql("create temp table temporary (a int)"),
        sql("select * from temporary"),
        sql("select 1/0"),
        sql("select * from temporary"),
        sql("select pg_terminate_backend(pg_backend_pid())"),
        sql("select 1 as after_loss"),
        sql("do $$ begin perform fail('x'); end $$"),
        sql(
            "create table deferred (a int primary key deferrable initially deferred); insert into deferred values (1)",
        ),
        sql("insert into deferred values (1) returning a"),
        sql("insert into shop.people (name, born) values ('late', 'infinity') returning born"),
        sql("select count(*) from shop.people where name = 'late'"),
        sql("prepare q as select $1::int + 1"),
        sql("execute q(41)"),
        sql("notify channel, 'x'"),
        sql("select '\u{1f600}', 'ünïcode', U&'\\200B', chr(7)"),
        sql("explain select 1"),
        sql("explain (format json) select 1"),
        sql("show timezone"),
        sql("select format('%s', 'a%b') as \"100%\", '%s'"),
    ];
    for name in [
        "DateStyle",
        "IntervalStyle",
        "TimeZone",
        "bytea_output",
        "extra_float_digits",
    ] {
        let values: &[&str] = match name {
            "DateStyle" => &[
                "German",
                "SQL, MDY",
                "SQL, DMY",
                "Postgres, MDY",
                "Postgres, DMY",
                "ISO, MDY",
            ],
            "IntervalStyle" => &["postgres_verbose", "iso_8601", "sql_standard", "postgres"],
            "TimeZone" => &[
                "America/New_York",
                "Asia/Kolkata",
                "+05:30",
                "UTC",
                "Etc/UTC",
                "Europe/London",
            ],
            "bytea_output" => &["escape", "hex"],
            _ => &["0", "3", "1"],
        };
        for value in values {
            calls.push(sql(format!("set {name} to '{value}'")));
            for query in [
                "select date '2025-02-03' as d",
                "select timestamp '2025-02-03 04:05:06.789' as t",
                "select timestamptz '2025-11-02 05:30:00+00' as a, timestamptz '2025-11-02 06:30:00+00' as b",
                "select time '04:05' as t, timetz '04:05:06+02' as z",
                "select interval '1 year 2 mons 3 days 04:05:06.7' as i",
                "select interval '-1 day -00:00:01' as i",
                "select '\\x00ff4127'::bytea as b, float8 '0.1' as f, float4 '0.1' as g",
                "select timestamptz '9999-12-31 23:59:59+00' as t",
                "select timestamptz '0001-01-01 00:00:00+00' as t",
                "select array[date '2025-02-03', null] as d, daterange('2025-01-01', '2025-02-01') as r",
            ] {
                calls.push(sql(query));
            }
        }
    }
    calls.push(sql("set TimeZone to 'Etc/UTC'"));
    calls
}

/// Expressions of all types.
const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "1",
    "-32768::int2",
    "9223372036854775807",
    "12.50",
    "0.0000001",
    "-0.00",
    "'NaN'::numeric",
    "'Infinity'::numeric",
    "1e20::numeric",
    "1e-20::numeric",
    "0.1::float8",
    "1e16::float8",
    "1e-5::float8",
    "'-0'::float8",
    "'inf'::float8",
    "'nan'::float4",
    "3.14159::float4",
    "16777216::float4",
    "'text'",
    "''",
    "'it''s'",
    "E'a\\nb\\tc\\\\d'",
    "'say \"x\"'",
    "E'\\'\"'",
    "'x'::varchar(5)",
    "'x'::char(5)",
    "'n'::name",
    "'c'::\"char\"",
    "'\\xdeadbeef'::bytea",
    "''::bytea",
    "'\\x275c22'::bytea",
    "date '2025-01-02'",
    "date 'infinity'",
    "date '-infinity'",
    "date '0044-03-15 BC'",
    "date '10000-01-01'",
    "time '00:00'",
    "time '24:00'",
    "time '12:34:56.789'",
    "timetz '01:02:03+05:30'",
    "timetz '01:02-00:30'",
    "timestamp '2025-01-02 03:04:05.000001'",
    "timestamp 'infinity'",
    "timestamp '12345-01-01'",
    "timestamp '0001-01-01 BC'",
    "timestamptz '2025-07-01 12:00:00+00'",
    "timestamptz '-infinity'",
    "timestamptz '1900-01-01 00:00:00+00'",
    "interval '0'",
    "interval '1 month'",
    "interval '-1 mon +3 days -04:00:00.5'",
    "interval '178000000 years'",
    "interval '100:00:00'",
    "'11111111-2222-3333-4444-555555555555'::uuid",
    "'{\"a\": [1, 2.50, null, true], \"b\": {\"c\": \"d''e\"}}'::json",
    "'{\"a\":1,\"a\":2}'::json",
    "'{\"a\":1,\"a\":2}'::jsonb",
    "'[]'::jsonb",
    "'\"s\"'::jsonb",
    "'null'::jsonb",
    "'1e3'::json",
    "'1.10'::jsonb",
    "'12345678901234567890'::jsonb",
    "'\"\\u00e9\\ud83d\\ude00\"'::json",
    "array[1,2,3]",
    "array[]::int[]",
    "'{}'::text[]",
    "array['a','b c',null,'NULL','\"','\\']",
    "array[[1,2],[3,4]]",
    "'[0:1]={5,6}'::int[]",
    "array[1.5, 'NaN'::numeric]",
    "array[true,false]",
    "array[date '2025-01-01']",
    "array[row(1,'x')]",
    "array['a'::\"char\"]",
    "array['\\x01'::bytea]",
    "array['{\"a\":1}'::jsonb]",
    "'{(1,1),(0,0);(3,3),(2,2)}'::box[]",
    "point '(1,2)'",
    "box '((0,0),(1,1))'",
    "array[point '(1,2)']",
    "'10.0.0.1'::inet",
    "'10.0.0.1/8'::inet",
    "'::1'::inet",
    "'::ffff:1.2.3.4'::inet",
    "'2001:db8::/32'::cidr",
    "'10.0.0.0/8'::cidr",
    "array['10.0.0.1'::inet]",
    "'08:00:2b:01:02:03'::macaddr",
    "int4range(1,5)",
    "int4range(null,5)",
    "'empty'::int4range",
    "numrange(1.5,2.50,'[]')",
    "tsrange('2025-01-01','2025-01-02')",
    "tstzrange('2025-01-01 00:00+00',null)",
    "daterange('2025-01-01','2025-02-01')",
    "'{[1,3),[5,9)}'::int4multirange",
    "'{}'::nummultirange",
    "array[int4range(1,2)]",
    "row(1,'x',null)",
    "row()",
    "row('a,b','c\"d','e\\f')",
    "row(row(1,2),'{1}'::int[])",
    "'happy'::mood",
    "array['sad'::mood]",
    "row(1,'x')::pair",
    "array[row(1,'x')::pair]",
    "5::posint",
    "12.34::money",
    "B'101'",
    "'101'::varbit",
    "'<a>b</a>'::xml",
    "'a b'::tsvector",
    "'a & b'::tsquery",
    "'$.a'::jsonpath",
    "pg_typeof(1)",
    "'pg_class'::regclass",
    "'0/16B3748'::pg_lsn",
    "'1 2'::int2vector",
    "'(1,2)'::tid",
    "'5'::xid",
    "12::oid",
    "array[1::oid]",
    "current_schema",
    "version() like 'PostgreSQL%'",
    "pg_sleep(0)",
    "'a'::text collate \"C\"",
    "'100'::xid8",
];

const TABLES: &[&str] = &["shop.people", "shop.orders", "shop.totals"];

const CONDITIONS: &[&str] = &[
    "id = 5",
    "id < 10",
    "id between 3 and 40",
    "total > 100",
    "name like 'name 1%'",
    "person = 7 and total > 5",
    "born is null",
    "email = 'p7@x.org'",
    "at > '2025-02-01'",
    "tags @> array['b1']",
    "detail->>'i' = '4'",
    "missing = 1",
    "id = 'x'",
    "sum(id) > 1",
    "person in (select id from shop.people where score > 10)",
    "true",
    "lower(name) = 'name 3'",
];

const ERRORS: &[&str] = &[
    "selec 1",
    "select",
    "select 1 +",
    "select from where",
    "select 'unterminated",
    "select \"unterminated",
    "select 1 /* open",
    "select missing",
    "select missing()",
    "select lower(1, 2)",
    "select 'a' + 1",
    "select 1::mood",
    "select 'x'::int",
    "select 1/0",
    "select * from shop.missing",
    "select p.missing from shop.people p",
    "select sum(id), name from shop.people",
    "select fail('x')",
    "insert into shop.people (id, name) values (1, 'x')",
    "insert into shop.people (name) values (null)",
    "insert into shop.people (name, score) values ('x', -1)",
    "insert into shop.people (name, score) values ('x', 1e9)",
    "insert into shop.orders (person) values (100000)",
    "insert into shop.orders (id) values (1)",
    "delete from shop.totals",
    "create table shop.people (a int)",
    "drop table shop.people",
    "drop type mood; drop table missing",
    "alter table shop.people add column name text",
    "create index on shop.people (missing)",
    "create view v as select 1 as a, 2 as a",
    "grant select on shop.people to nobody_here",
    "set role nobody_here",
    "set missing_setting to 1",
    "select * from generate_series(1, 'x')",
    "with a as (select 1) select * from b",
    "select 1 limit -1",
    "select 1 order by 2",
    "select array[1, 'x']",
    "select ('{1,2'::int[])",
    "select '{'::json",
    "select 'x'::uuid",
    "select '25:00'::time",
    "select 5::posint + 0::posint",
    "select $1",
    "savepoint a; rollback to b",
    "fetch all from nothing",
    "do $$ begin raise notice 'hello'; raise exception 'a\nb'; end $$",
    "do $$ begin execute 'select missing from t'; end $$",
    "do $$ declare x int; begin x := 'y'; end $$",
    "do $$ begin if end $$",
    "create function f() returns int language sql as 'select missing'",
    "select 日本語 from shop.people",
    "select\n\t'日本', missing\nfrom shop.people",
    "call fail('x')",
    "truncate shop.people",
    "lock table missing",
    "update shop.people set name = null where id = 1",
    "update shop.people set id = 2 where id = 1",
    "explain selec 1",
    "copy missing to stdout",
    "alter system set work_mem = '1MB'; select 1",
    "create database x",
    "vacuum shop.people",
    "select pg_read_file('/missing')",
];

/// Draws a sequence of calls.
pub(crate) fn sequence(seed: u64, length: usize) -> Vec<Call> {
    let mut draw = Draw::new(seed);
    (0..length)
        .map(|index| next(&mut draw, seed, index))
        .collect()
}

fn next(draw: &mut Draw, seed: u64, index: usize) -> Call {
    match draw.below(20) {
        0..=5 => values(draw),
        6..=7 => sql(text_values(draw)),
        8..=9 => sql(padded(draw)),
        10 => sql(table_query(draw)),
        11 => change(draw, seed, index),
        12..=13 => listing(draw),
        14..=15 => explanation(draw),
        16 => health(draw),
        17 => call(
            "get_top_queries",
            json!({"sort_by": draw.of(&["resources", "mean_time", "total_time", "other"]), "limit": draw.below(5)}),
        ),
        18 => advice(draw),
        _ => malformed(draw),
    }
}

fn values(draw: &mut Draw) -> Call {
    let count = 1 + draw.below(5);
    let columns: Vec<String> = (0..count)
        .map(|_| {
            let value = *draw.of(VALUES);
            let name = *draw.of(&["a", "b", "c", "\"it's\"", "\"Q\"\"\"", "\"ü\""]);
            if draw.below(4) == 0 {
                value.to_owned()
            } else {
                format!("{value} as {name}")
            }
        })
        .collect();
    let tail = *draw.of(&[
        "",
        "",
        "",
        " from generate_series(1, 3)",
        " where false",
        ";",
        "; select 1",
        "; set local work_mem = '4MB'",
    ]);
    sql(format!("select {}{tail}", columns.join(", ")))
}

/// Draws a query for strings and numbers from random bits.
fn text_values(draw: &mut Draw) -> String {
    let float = f64::from_bits(draw.bits());
    let number = if float.is_nan() { 0.5 } else { float };
    let characters: Vec<String> = (0..1 + draw.below(8))
        .map(|_| {
            let end = *draw.of(&[0x80, 0x300, 0x3000, 0x11000]);
            let point = 1 + u32::try_from(draw.below(end)).expect("a code point");
            // Characters that Unicode assigned lately are unknown to some versions of Python.
            let known = char::from_u32(point).filter(|it| u32::from(*it) < 0x2e00);
            format!("chr({})", u32::from(known.unwrap_or('x')))
        })
        .collect();
    let scale = draw.below(20);
    let micros = i64::try_from(draw.below(4_000_000_000_000_000)).expect("a time");
    format!(
        "select '{number:e}'::float8 as f, '{:e}'::float4 as g, {} as s, round({} * 1.0 / 7, {scale}) as n, timestamp '1970-01-01' + {micros} * interval '1 microsecond' as t, timestamptz '1970-01-01 00:00+00' + {micros} * interval '1 microsecond' as z, {micros} * interval '-1 microsecond' as i",
        f32::from_bits(u32::try_from(draw.below(0x7f00_0000)).expect("bits")),
        characters.join(" || "),
        draw.below(1_000_000_007),
    )
}

/// Draws a wrong statement, perhaps in a long or many-lined text.
fn padded(draw: &mut Draw) -> String {
    let error = *draw.of(ERRORS);
    let long =
        "'padding of the line' as p, ".repeat(usize::try_from(draw.below(5)).expect("a count"));
    match draw.below(5) {
        0 => format!("select {long}1;\n\n  {error}"),
        1 => format!("{error}\n-- {long}"),
        2 => error.replacen("select ", &format!("select {long}"), 1),
        3 => format!("/* {long}\r\n */\t{error} "),
        _ => error.to_owned(),
    }
}

fn table_query(draw: &mut Draw) -> String {
    let table = *draw.of(TABLES);
    let condition = *draw.of(CONDITIONS);
    let columns = *draw.of(&[
        "*",
        "count(*)",
        "id, id",
        "t.*, 1 as id",
        "max(t)",
        "array_agg(t.id order by t.id)",
    ]);
    format!("select {columns} from {table} t where {condition} order by 1 limit 4")
}

/// Draws a statement that changes the database.
fn change(draw: &mut Draw, seed: u64, index: usize) -> Call {
    let name = format!("t_{seed}_{index}");
    sql(match draw.below(6) {
        0 => format!(
            "create table {name} (id serial primary key, a int not null default 7, b text unique, c numeric check (c > 0), foreign key (a) references shop.people (id))"
        ),
        1 => format!(
            "create table {name} as select i as id, i % 7 as a from generate_series(1, 50) i; create index {name}_a on {name} (a); create unique index on {name} (id)"
        ),
        2 => format!(
            "update shop.people set score = score + 1 where id = {} returning id, score",
            1 + draw.below(300)
        ),
        3 => format!(
            "insert into shop.people (name, email) values ('{name}', '{name}') returning id, name"
        ),
        4 => format!(
            "create view {name} as select * from shop.people where id < {}",
            draw.below(50)
        ),
        _ => format!(
            "create sequence {name} minvalue 2 maxvalue 100; select nextval('{name}'), setval('{name}', 99)"
        ),
    })
}

fn listing(draw: &mut Draw) -> Call {
    let schema = *draw.of(&[
        "shop",
        "public",
        "pg_catalog",
        "missing",
        "it's",
        "back\\slash",
        "",
    ]);
    let kind = *draw.of(&["table", "view", "sequence", "extension", "index", "TABLE"]);
    match draw.below(4) {
        0 => call("list_schemas", json!({})),
        1 => call(
            "list_objects",
            json!({"schema_name": schema, "object_type": kind}),
        ),
        2 => call("list_objects", json!({"schema_name": schema})),
        _ => {
            let name = *draw.of(&[
                "people", "orders", "totals", "numbers", "plpgsql", "hypopg", "t_1_3", "it's",
                "pg_class",
            ]);
            call(
                "get_object_details",
                json!({"schema_name": schema, "object_name": name, "object_type": kind}),
            )
        }
    }
}

fn explanation(draw: &mut Draw) -> Call {
    let query = match draw.below(4) {
        0 => (*draw.of(ERRORS)).to_owned(),
        1 => (*draw.of(&[
            "select p.name, sum(o.total) from shop.people p join shop.orders o on o.person = p.id where o.at > '2025-01-10' group by p.name order by 2 desc limit 3",
            "insert into shop.people (name) values ('explained')",
            "select 1; select 2",
            "create table x ()",
            "update shop.orders set total = 1 where id = 3",
            "select * from shop.orders where person = 3 and total > 1 and tags @> array['b1'] and detail->>'list' is not null and at > '2025-01-10'",
        ])).to_owned(),
        _ => table_query(draw),
    };
    match draw.below(4) {
        0 => call("explain_query", json!({"sql": query, "analyze": true})),
        1 => {
            let indexes = [
                json!({"table": "shop.people", "columns": ["name"]}),
                json!({"table": "shop.orders", "columns": ["total", "at"], "using": "btree"}),
                json!({"table": "shop.orders", "columns": ["total"], "using": "hash"}),
                json!({"table": "shop.people", "columns": ["lower(name)"]}),
                json!({"table": "shop.missing", "columns": ["a"]}),
                json!({"columns": ["a"]}),
                json!({"table": "shop.people"}),
                json!({"table": "shop.people", "columns": "id"}),
                json!({"table": "shop.people", "columns": [1]}),
            ];
            let index = draw.of(&indexes);
            call(
                "explain_query",
                json!({"sql": query, "hypothetical_indexes": [index]}),
            )
        }
        _ => call("explain_query", json!({"sql": query})),
    }
}

fn health(draw: &mut Draw) -> Call {
    let kind = *draw.of(&[
        "all",
        "index",
        "connection",
        "vacuum",
        "sequence",
        "replication",
        "buffer",
        "constraint",
        "index, sequence",
        "wrong",
        "",
        "all,wrong",
    ]);
    call("analyze_db_health", json!({"health_type": kind}))
}

fn advice(draw: &mut Draw) -> Call {
    match draw.below(4) {
        0 => sql(*draw.of(&[
            "create extension if not exists hypopg",
            "drop extension if exists hypopg",
        ])),
        1 => call("analyze_query_indexes", json!({"queries": []})),
        2 => call(
            "analyze_query_indexes",
            json!({"queries": vec!["select 1"; 11]}),
        ),
        _ => call(
            "explain_query",
            json!({"sql": "select 1", "analyze": true, "hypothetical_indexes": [{"table": "t", "columns": ["a"]}]}),
        ),
    }
}

/// Draws a call with unknown or malformed arguments.
fn malformed(draw: &mut Draw) -> Call {
    let tool = *draw.of(&[
        "list_objects",
        "get_object_details",
        "explain_query",
        "analyze_workload_indexes",
        "analyze_query_indexes",
        "analyze_db_health",
        "get_top_queries",
        "execute_sql",
        "unknown_tool",
    ]);
    let name = *draw.of(&[
        "sql",
        "schema_name",
        "object_name",
        "object_type",
        "analyze",
        "hypothetical_indexes",
        "max_index_size_mb",
        "method",
        "queries",
        "health_type",
        "sort_by",
        "limit",
        "other",
    ]);
    let values = [
        json!(null),
        json!(5),
        json!(2.5),
        json!(true),
        json!("x"),
        json!("[1, 2]"),
        json!([1, "a"]),
        json!({"a": [null, "it's"]}),
        json!("{\"a\": 1}"),
        json!("a text that is so long that it is cut in the middle of the message"),
    ];
    let value = draw.of(&values);
    let mut arguments = json!({});
    arguments[name] = value.clone();
    if draw.below(2) == 0 {
        arguments["schema_name"] = json!("shop");
    }
    // The index advisers differ where they can analyze; see the documentation of the tools.
    if matches!(tool, "analyze_workload_indexes" | "analyze_query_indexes") {
        arguments["method"] = json!("wrong");
    }
    call(tool, arguments)
}
