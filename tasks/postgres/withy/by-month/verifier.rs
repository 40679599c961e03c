//! The parts of the table, their rows, and all that belongs to the whole.

#[path = "../log.rs"]
mod log;

use std::collections::BTreeSet;

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_postgres::{Column, Constraint, Database, Expected, Rows, RowsExt, normalized};

mcpmark_guest::verifier!(verify);

const TABLE: &str = "readings";
const MONTHS: std::ops::RangeInclusive<u32> = 1..=9;
const KINDS: [&str; 3] = ["tables", "constraints", "indexes"];

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    task.check("one part for each month until September", parts(&end));
    task.check("the readings", rows(&start, &end));
    task.check("columns, defaults and comments", columns(&start, &end));
    task.check(
        "keys, checks and references",
        constraints(&start, &end, TABLE).and(indexes(&start, &end)),
    );
    let (before, after) = (start.grants("public"), end.grants("public"));
    let other = before.symmetric_difference(&after).next();
    task.check(
        "rights",
        Condition::when(
            other.is_none(),
            format!("expected the rights of the beginning, found another {other:?}"),
        )
        .and(Condition::when(
            start.other_grants("public") == end.other_grants("public"),
            "expected nothing but rights that are given",
        )),
    );
    task.check(
        "the alerts and the map",
        constraints(&start, &end, "alerts").and(end.same_statements(
            &start,
            "views",
            "latest_levels",
            &[],
        )),
    );
    let may_be = |object: &str| {
        ["alerts", "latest_levels"].contains(&object) || MONTHS.map(part).any(|name| name == object)
    };
    task.check(
        "the log has a line about it",
        log::has_lines_or(&start, &end, &[TABLE], may_be),
    );
    task.check("the other lines of the log", log::keeps_lines(&start, &end));

    let of_parts = MONTHS.map(part).flat_map(|name| {
        let definitions = KINDS.map(|kind| Database::definition_path(kind, &name));
        definitions.into_iter().chain([Database::rows_path(&name)])
    });
    let mut paths: Vec<String> = of_parts.collect();
    paths.extend(KINDS.map(|kind| Database::definition_path(kind, TABLE)));
    paths.extend([
        Database::rows_path(TABLE),
        Database::definition_path("foreign-keys", TABLE),
        Database::definition_path("foreign-keys", "alerts"),
        Database::definition_path("views", "latest_levels"),
        "schemas/public/grants.sql".to_owned(),
        "data/public/schema_log.csv".to_owned(),
    ]);
    task.unchanged_except(paths);
}

fn part(month: u32) -> String {
    format!("{TABLE}_2026_{month:02}")
}

/// Checks that the whole is in parts by time, each with its month.
fn parts(end: &Database) -> Condition {
    let whole = end.statements("tables", TABLE);
    let is_in_parts = whole.first().is_some_and(|it| {
        it.starts_with("CREATE TABLE") && it.ends_with("PARTITION BY RANGE (taken_at)")
    });
    let mut condition = Condition::when(is_in_parts, "expected a table in parts by taken_at");
    for month in MONTHS {
        let name = part(month);
        let bounds = format!(
            "ALTER TABLE public.{TABLE} ATTACH PARTITION public.{name} FOR VALUES FROM ('2026-{month:02}-01 00:00:00+00') TO ('2026-{:02}-01 00:00:00+00')",
            month + 1
        );
        let statements = end.statements("tables", &name);
        let owner = format!("ALTER TABLE public.{name} OWNER TO gauging");
        condition = condition.and(Condition::when(
            statements.contains(&bounds) && statements.contains(&owner),
            format!(
                "expected a part {name} of its month, found {:?}",
                statements.get(1..)
            ),
        ));
    }
    condition
}

/// Checks that each part has the rows of its month.
fn rows(start: &Database, end: &Database) -> Condition {
    let all = start.rows(TABLE).required();
    let names: Vec<&str> = all.columns().iter().map(String::as_str).collect();
    let mut condition = Condition::when(
        end.rows(TABLE).get().is_err(),
        "expected no rows of the whole beside those of its parts",
    );
    for month in MONTHS {
        let mut expected = Expected::new(&names, &["id", "taken_at"]);
        for row in of_month(&all, month) {
            expected.add(row);
        }
        condition = condition.and(end.rows(&part(month)).equal(&expected));
    }
    condition
}

fn of_month(all: &Rows, month: u32) -> impl Iterator<Item = Vec<Option<String>>> {
    let start = format!("2026-{month:02}-");
    let rows = all.select([
        "id",
        "device",
        "station",
        "quantity",
        "taken_at",
        "value",
        "quality",
        "import_id",
    ]);
    rows.filter(move |row| row[4].is_some_and(|at| at.starts_with(&start)))
        .map(|row| row.map(|cell| cell.map(str::to_owned)).to_vec())
}

/// Checks that the columns of the whole and its comments are those of the beginning, and that parts have these columns.
fn columns(start: &Database, end: &Database) -> Condition {
    let before = start.columns(TABLE).required();
    let mut condition = end
        .columns(TABLE)
        .satisfies(|after| Condition::equal(&before, after));
    let about = |database: &Database| -> BTreeSet<String> {
        let statements = database.statements("tables", TABLE).into_iter();
        statements
            .filter(|it| it.starts_with("COMMENT ") || it.contains(" OWNER TO "))
            .collect()
    };
    condition = condition.and(Condition::equal(&about(start), &about(end)));
    // Only defaults of the whole count, since rows come in by the whole.
    let parts = |columns: &[Column]| -> BTreeSet<(String, String, bool, String)> {
        let all = columns.iter().cloned();
        all.map(|it| (it.name, it.data_type, it.not_null, it.rest))
            .collect()
    };
    for name in MONTHS.map(part) {
        condition = condition.and(
            end.columns(&name)
                .satisfies(|columns| Condition::equal(&parts(&before), &parts(columns))),
        );
    }
    condition
}

/// Checks that the constraints are those of the beginning, whatever their names.
fn constraints(start: &Database, end: &Database, table: &str) -> Condition {
    let parts = |database: &Database| -> Vec<String> {
        let all = database.constraints(table).into_iter();
        let mut all: Vec<String> = all
            .map(|it: Constraint| normalized(&it.definition))
            .collect();
        all.sort();
        all
    };
    Condition::equal(&parts(start), &parts(end))
}

/// Checks that the index of the whole is there and has its parts, that no other is there, and that each part has the key.
fn indexes(start: &Database, end: &Database) -> Condition {
    let keys = |database: &Database, table: &str| -> Vec<(bool, Vec<String>, Option<String>)> {
        let all = database.indexes(table).into_iter();
        all.map(|index| (index.unique, index.keys, index.predicate))
            .collect()
    };
    let before = keys(start, TABLE);
    let mut condition = Condition::equal(&before, &keys(end, TABLE));
    for name in MONTHS.map(part) {
        let attached = end.statements("indexes", &name);
        let attached = attached
            .iter()
            .filter(|it| it.contains(" ATTACH PARTITION "))
            .count();
        condition = condition
            .and(Condition::equal(&before, &keys(end, &name)))
            .and(Condition::when(
                attached == 2,
                format!("{name}: expected that both indexes belong to the whole, found {attached}"),
            ))
            .and(Condition::when(
                end.constraints(&name).len() == 1,
                format!("{name}: expected its key and no other constraint"),
            ));
    }
    condition
}
