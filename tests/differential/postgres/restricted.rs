//! Generated calls for restricted mode.

use serde_json::json;

use crate::calls::{Call, call, sql};
use crate::draw::Draw;

const STATEMENTS: &[&str] = &[
    "select {}",
    "select {} as a, {} as b",
    "values ({}), ({})",
    "table pg_am",
    "select * from pg_am a where a.amname = {}",
    "with a (x) as (select {}) select * from a",
    "with a as (select 1 as x), b as materialized (select {} as y from a) select * from b",
    "select {}; select {}",
    "show timezone",
    "explain select {}",
    "explain (costs off) select {}",
    "explain analyze select {}",
    "explain verbose select {}",
    "explain (analyze) select {}",
    "insert into t values ({})",
    "delete from t",
    "update t set a = {}",
    "create table t (a int)",
    "drop table t",
    "begin",
    "commit; select {}",
    "set work_mem = '1MB'",
    "vacuum",
    "vacuum t",
    "analyze",
    "analyze pg_class",
    "copy t to stdout",
    "prepare p as select {}",
    "execute p",
    "deallocate all",
    "declare c cursor for select {}",
    "fetch 1 from c",
    "close c",
    "create extension hypopg",
    "create extension plperl",
    "select {} from pg_am for update",
    "select {} into x",
    "select count(*) filter (where {} is null) from pg_am",
    "select row_number() over (order by {}) from pg_am limit 1",
    "select {} from pg_am group by rollup(1)",
    "select distinct on ({}) 1 from pg_am",
    "(select {}) union all (select {}) order by 1",
    "select * from generate_series(1, 2) g(x), lateral (select {}) s(y)",
    "select case when {} is null then {} else {} end",
    "select exists (select {})",
    "selec {}",
    "select {} +",
    "",
    "select {}::text like 'a%'",
    "select {}::text like {}",
    "select 'a' not ilike ('b')",
    "select 'a' like any (array['a'])",
    "select 'a' similar to 'b'",
    "select 'a' like 'b' escape 'c'",
    "select coalesce({}, {})",
    "select * from json_to_record('{\"a\":1}') as x(a int)",
    "listen x",
    "notify x",
    "do $$ begin end $$",
    "lock table pg_am",
    "with a as (delete from t returning *) select * from a",
    "grant select on t to x",
    "select array[{}, {}]",
    "select ({}, {})",
    "select * from pg_am tablesample bernoulli (10) limit 0",
    "select greatest({}, {})",
    "select nullif({}, {})",
];

const EXPRESSIONS: &[&str] = &[
    "1",
    "'text'",
    "null",
    "lower('A')",
    "upper('a' || 'b')",
    "pg_catalog.lower('A')",
    "public.lower('A')",
    "\"lower\"('A')",
    "length('abc')",
    "abs(-1)",
    "round(1.5)",
    "count(*)",
    "pg_sleep(0)",
    "pg_read_file('x')",
    "current_setting('x')",
    "set_config('a.b', 'c', false)",
    "version()",
    "now() is null",
    "now() at time zone 'utc' is null",
    "current_date is null",
    "extract(year from date '2025-01-01')",
    "substring('abc' from 1 for 2)",
    "position('a' in 'b')",
    "trim(both ' ' from ' a ')",
    "overlay('abc' placing 'x' from 1)",
    "cast('1' as int)",
    "1::numeric(10,2)",
    "cast('a' as varchar(10))",
    "left('abc', 2)",
    "replace('a', 'b', 'c')",
    "(select 1)",
    "array_length(array[1], 1)",
    "pg_backend_pid() is null",
    "nextval('s')",
    "lo_import('x')",
    "dblink('x')",
    "coalesce(1, 2)",
    "json_build_object('a', 1)",
    "to_char(1, '9')",
    "md5('a')",
    "$1",
    "xmlelement(name a)",
    "1 operator(pg_catalog.+) 2",
    "generate_series(1, 2)",
    "(1, 2) = (1, 2)",
    "date '2025-01-01' overlaps_x",
    "'a' is normalized",
    "interval '1 day'",
    "x'ff'",
    "true and not false",
    "regexp_replace('a', 'b', 'c')",
    "string_agg('a', 'b')",
    "random() is null",
    "format('%s', 1)",
    "quote_literal('a')",
    "has_table_privilege('pg_am', 'select')",
    "pg_table_size('pg_am') > 0",
    "pg_terminate_backend(0)",
    "txid_current() is null",
    "pg_advisory_lock(1)",
    "row(1, 2)",
];

/// Draws a sequence of calls.
pub(crate) fn sequence(seed: u64, length: usize) -> Vec<Call> {
    let mut draw = Draw::new(seed ^ 0x5eed);
    (0..length).map(|_| next(&mut draw)).collect()
}

fn next(draw: &mut Draw) -> Call {
    match draw.below(12) {
        0 => call("list_schemas", json!({})),
        1 => call(
            "list_objects",
            json!({"schema_name": *draw.of(&["public", "pg_catalog"]), "object_type": *draw.of(&["table", "view", "extension"])}),
        ),
        2 => call(
            "get_object_details",
            json!({"schema_name": "pg_catalog", "object_name": *draw.of(&["pg_am", "pg_class"])}),
        ),
        3 => call(
            "explain_query",
            json!({"sql": statement(draw), "analyze": draw.below(2) == 0}),
        ),
        _ => sql(statement(draw)),
    }
}

/// Draws a statement whose places are filled with expressions.
fn statement(draw: &mut Draw) -> String {
    let mut statement = (*draw.of(STATEMENTS)).to_owned();
    while statement.contains("{}") {
        let expression = *draw.of(EXPRESSIONS);
        statement = statement.replacen("{}", expression, 1);
    }
    statement
}
