//! Statements that restricted mode allows.
//!
//! The published server parses statements with the parser of PostgreSQL, and allows lists of node types and functions.
//! That parser is a large library in C. Here the server of the session parses the statements, so this module gets only
//! text with valid syntax, and needs no grammar: it looks for the tokens of which nodes outside the lists consist, and
//! for names that are followed by a parenthesis. A name that it cannot classify counts as a function, and functions
//! outside the list are refused. Whatever it lets through still runs in a read-only transaction.

mod keywords;
mod lexer;
mod query;

use std::collections::HashSet;
use std::sync::LazyLock;

use lexer::Token;

fn lines(text: &'static str) -> HashSet<&'static str> {
    text.lines().collect()
}

/// Functions that statements may call.
static FUNCTIONS: LazyLock<HashSet<&str>> = LazyLock::new(|| lines(include_str!("functions.txt")));

/// Extensions that may be created, as far as the read-only transaction allows.
static EXTENSIONS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| lines(include_str!("extensions.txt")));

/// Reports whether statements, whose syntax is valid, are allowed.
pub(super) fn is_allowed(sql: &str) -> bool {
    let Some(tokens) = lexer::tokens(sql) else {
        return false;
    };
    tokens
        .split(|token| token.is(';'))
        .all(|statement| is_allowed_statement(statement).is_some())
}

/// Returns `None` if a statement is refused.
fn is_allowed_statement(statement: &[Token]) -> Option<()> {
    let Some(first) = statement.first() else {
        return Some(());
    };
    let rest = &statement[1..];
    let word = |index: usize| rest.get(index).and_then(Token::word);
    match first.word() {
        Some("select" | "values" | "table" | "with") => query::check(statement),
        None if first.is('(') => query::check(statement),
        Some("explain") => explained(rest),
        Some("show" | "deallocate" | "close" | "fetch" | "move") => Some(()),
        Some("vacuum" | "analyze" | "analyse") => without_tables(rest),
        Some("prepare") => {
            let start = rest.iter().position(|token| token.word() == Some("as"))?;
            is_allowed_statement(&rest[start + 1..])
        }
        Some("declare") => {
            let start = rest.iter().position(|token| token.word() == Some("for"))?;
            query::check(&rest[start + 1..])
        }
        Some("create") if word(0) == Some("extension") => {
            let name = if word(1) == Some("if") { 4 } else { 1 };
            match rest.get(name)? {
                Token::Word(name) | Token::Quoted(name) => {
                    EXTENSIONS.contains(name.as_str()).then_some(())
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Checks what follows `EXPLAIN`. The option `ANALYZE` is refused, whatever its value.
fn explained(rest: &[Token]) -> Option<()> {
    let is_analyze = |token: &Token| match token {
        Token::Word(word) | Token::Quoted(word) => {
            word == "analyze" || token.word() == Some("analyse")
        }
        _ => false,
    };
    let statement = match rest.first()? {
        token if token.is('(') && !starts_query(rest.get(1)?) => {
            let end = query::closing(rest, 0)?;
            let mut options = rest[1..end].split(|token| token.is(','));
            if options.any(|option| option.first().is_some_and(is_analyze)) {
                return None;
            }
            &rest[end + 1..]
        }
        token if token.word() == Some("verbose") => &rest[1..],
        token if is_analyze(token) => return None,
        _ => rest,
    };
    match statement.first()?.word() {
        Some("declare" | "select" | "values" | "table" | "with") => is_allowed_statement(statement),
        None if statement.first()?.is('(') => query::check(statement),
        _ => None,
    }
}

fn starts_query(token: &Token) -> bool {
    token.is('(') || matches!(token.word(), Some("select" | "values" | "table" | "with"))
}

/// Checks what follows `VACUUM` or `ANALYZE`. Only statements about all tables are allowed.
fn without_tables(rest: &[Token]) -> Option<()> {
    let rest = match rest.first() {
        Some(token) if token.is('(') => &rest[query::closing(rest, 0)? + 1..],
        _ => rest,
    };
    let is_option = |token: &Token| {
        matches!(
            token.word(),
            Some("full" | "freeze" | "verbose" | "analyze" | "analyse")
        )
    };
    rest.iter().all(is_option).then_some(())
}

/// Reports whether a function may be called. `name` may be qualified.
fn is_allowed_function(name: &str) -> bool {
    let name = name.to_lowercase();
    let name = name.strip_prefix("pg_catalog.").unwrap_or(&name);
    FUNCTIONS.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    // The expected decisions are those of the published server.
    #[test]
    fn statements_that_read_are_allowed() {
        for sql in [
            "",
            "select 1; select 2;",
            "with a (x) as (select 1), b as materialized (values (2)) select * from a, b",
            "with recursive t(n) as (values (1) union all select n + 1 from t) select * from t",
            "vacuum",
            "analyze",
            "vacuum (verbose)",
            "show all",
            "prepare p (int, numeric(3,2)) as select $1",
            "declare c cursor with hold for select 1",
            "explain (costs off) select 1",
            "explain verbose values (1)",
            "create extension if not exists hypopg",
            "select * from t tablesample bernoulli(10) repeatable (1)",
            "select extract(year from now()), trim(both ' ' from a), position('a' in 'b') from t",
            "select count(*) filter (where a > 1) over w from t window w as (partition by b)",
            "select row_number() over (partition by (a) order by (b)) from t",
            "select a from t group by rollup (a), cube (b), grouping sets ((a), ())",
            "select 1.5::numeric(10,2), cast(x as varchar(10)), x::character varying(5) from t",
            "select * from unnest(array[1]) g(x), (select 1) s(y), t as u(a, b)",
            "select a like 'b%', a not like ('c'), a ilike any (array['x']), not a like 'b' from t",
            "select pg_catalog.lower('A'), \"Lower\"('x'), left('abc', 2) from a left join b on (true)",
            "select * from rows from (unnest(array[1])) with ordinality",
            "select distinct on (a) lower(b) from t order by a",
            "select * from generate_series(1, 2) g(x) join generate_series(1, 2) h(y) on true",
            "select * from t fetch first (1) rows with ties",
            "select '; drop table t; f(x)' -- g(x)",
            "values (default), (pg_sleep(0))",
            "values (1) union all values ((select pg_sleep(0)))",
            "select (values (a like b)) from (values (xmlelement(name a)), (1)) t",
            "with a as (values (pg_sleep(0)), (2)) values (now() at time zone 'utc')",
        ] {
            assert!(is_allowed(sql), "{sql}");
        }
    }

    #[test]
    fn other_statements_are_refused() {
        for sql in [
            "insert into t values (1)",
            "select 1; delete from t",
            "begin",
            "copy t to '/tmp/x'",
            "execute p",
            "with a as (insert into t values (1) returning *) select * from a",
            "with a as (select 1) delete from t",
            "explain analyze select 1",
            "explain (verbose, analyze false) select 1",
            "explain insert into t values (1)",
            "vacuum t",
            "create extension unknown_one",
            "create table t ()",
            "select 1 into t",
            "select * from t for update",
            "select * from t for no key update",
            "select pg_sleep(1)",
            "select pg_catalog.pg_read_file('x')",
            "select public.lower('a')",
            "select distinct on (a) pg_sleep(1) from t",
            "select a is distinct from pg_sleep(1)",
            "select extract(year from pg_sleep(1))",
            "select 1 operator(pg_catalog.+) pg_sleep(1)",
            "select now() at time zone 'utc'",
            "select a similar to 'b' from t",
            "select a like b from t",
            "select a like 'b' || 'c' from t",
            "select a like 'b' escape 'c' from t",
            "select a like ('b' || 'c') from t",
            "select * from json_to_record('{}') as x(a int)",
            "select * from json_to_record('{}') as (a int)",
            "select xmlelement(name a)",
            "select (a, b) overlaps (c, d) from t",
            "with recursive t(n) as (values (1)) search depth first by n set o select * from t",
            "select lower /* ( */ (a), lo_import /* x */ ('y') from t",
            "values (1) order by pg_sleep(0)",
            "values (1), (2) offset pg_sleep(1)",
            "values (1) for update",
            "select * from json_to_record('{}') as values (a int)",
        ] {
            assert!(!is_allowed(sql), "{sql}");
        }
    }
}
