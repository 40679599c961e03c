//! The five versions, and the code of every show by the rules of the handbook and of later notes.

#[path = "../chain.rs"]
mod chain;

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Condition, Verifier, numbers};
use mcpmark_guest_postgres::{Column, Constraint, ConstraintKind, Database, RowsExt, normalized};

use chain::Show;

mcpmark_guest::verifier!(verify);

/// Surcharges in cents. That of 3D is the one of the note of 23 February.
const VERSIONS: [(&str, i64); 5] = [
    ("2D", 0),
    ("3D", 300),
    ("3D-SUB", 300),
    ("OV", 0),
    ("SUB", 0),
];
/// Privileges that let the web shop read the table, as a whole or by column.
const READS: [&str; 3] = ["SELECT", "SELECT (code)", "SELECT (surcharge)"];
/// Endings of constraints that are not checked for rows that exist or for any, and of references that delete shows.
const WEAK: [&str; 3] = ["NOT VALID", "NOT ENFORCED", "ON DELETE CASCADE"];

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    check_versions(task, &end);
    check_screenings(task, &start, &end);
    check_rights(task, &start, &end);

    let mut paths = vec![
        Database::rows_path("versions"),
        Database::rows_path("screenings"),
        "schemas/public/grants.sql".to_owned(),
    ];
    for table in ["versions", "screenings"] {
        for kind in ["tables", "constraints", "foreign-keys", "indexes"] {
            paths.push(Database::definition_path(kind, table));
        }
    }
    task.unchanged_except(paths);
}

fn check_versions(task: &mut Verifier, end: &Database) {
    let rows = end.rows("versions");
    task.check(
        "the columns of versions",
        rows.has_columns(&["code", "surcharge"]),
    );
    task.check(
        "the five versions with their surcharges",
        rows.satisfies(|rows| {
            let columns: BTreeSet<&str> = rows.columns().iter().map(String::as_str).collect();
            if !columns.is_superset(&BTreeSet::from(["code", "surcharge"])) {
                return Condition::fail(format!(
                    "expected the columns code and surcharge, found {columns:?}"
                ));
            }
            let found: BTreeMap<String, Option<Decimal>> = rows
                .select(["code", "surcharge"])
                .map(|[code, surcharge]| {
                    let surcharge = surcharge.and_then(|text| numbers::parse(text).ok());
                    (code.unwrap_or_default().to_owned(), surcharge)
                })
                .collect();
            let expected =
                VERSIONS.map(|(code, cents)| (code.to_owned(), Some(Decimal::new(cents, 2))));
            Condition::equal(&BTreeMap::from(expected), &found)
        }),
    );
    let is_text = |column: &Column| {
        column.data_type == "text" || column.data_type.starts_with("character varying")
    };
    let is_amount = |column: &Column| {
        column.data_type.starts_with("numeric") && column.data_type != "numeric(4,0)"
    };
    task.check(
        "the table of versions belongs to us",
        owner_is_desk(end, "versions"),
    );
    task.check(
        "codes are texts and surcharges are amounts",
        end.column("versions", "code")
            .satisfies(|column| {
                Condition::when(is_text(column), format!("expected text, found {column:?}"))
            })
            .and(end.column("versions", "surcharge").satisfies(|column| {
                Condition::when(
                    is_amount(column),
                    format!("expected an amount, found {column:?}"),
                )
            })),
    );
    let keys = end.constraints("versions");
    let is_key = |it: &&Constraint| {
        matches!(it.kind, ConstraintKind::PrimaryKey | ConstraintKind::Unique)
            && it.columns == ["code"]
    };
    let not_null = end
        .column("versions", "code")
        .satisfies(|column| Condition::when(column.not_null, "expected NOT NULL"));
    task.check(
        "each code once",
        Condition::when(
            keys.iter().any(|it| is_key(&it)),
            format!("expected a key on code, found {keys:?}"),
        )
        .and(not_null),
    );
}

fn owner_is_desk(end: &Database, table: &str) -> Condition {
    let owner = format!("ALTER TABLE public.{table} OWNER TO desk");
    let statements = end.statements("tables", table);
    Condition::when(statements.contains(&owner), format!("expected {owner:?}"))
}

fn check_screenings(task: &mut Verifier, start: &Database, end: &Database) {
    let shows = chain::shows(start);
    let films = chain::by(start, "films", "id");
    let screens = chain::by(start, "screens", "id");
    let before = start.rows("screenings").required();
    let mut expected = before.expected(["id"]);
    expected.add_column("version_code", |get| {
        let show = &shows[&get("id")?];
        let is_english = films[&show.film].text("language") == "en";
        Some(code(show, is_english, screens[&show.screen].truth("can_3d")).to_owned())
    });
    let found = end.rows("screenings");
    task.check(
        "the version of every show",
        found.columns_equal(&expected, &["version_code"]),
    );
    let old: Vec<&str> = before.columns().iter().map(String::as_str).collect();
    task.check(
        "the shows are otherwise as they were",
        found.columns_equal(&expected, &old),
    );

    let old_constraints = start.constraints("screenings");
    let constraints = end.constraints("screenings");
    let new: Vec<&Constraint> = constraints
        .iter()
        .filter(|it| !old_constraints.contains(it))
        .collect();
    let conditions: Vec<BTreeSet<String>> = new.iter().filter_map(|it| conditions(it)).collect();
    let is_filled = conditions
        .iter()
        .any(|all| all.contains("version_code IS NOT NULL"));
    let column = end.column("screenings", "version_code");
    task.check(
        "a version is never empty",
        column.satisfies(|column| {
            Condition::when(
                column.not_null || is_filled,
                format!("expected NOT NULL, found {column:?}"),
            )
        }),
    );
    task.check(
        "no version by default",
        column.satisfies(|column| {
            Condition::when(
                column.default.is_none() && column.rest.is_empty(),
                format!("expected a column without a default, found {column:?}"),
            )
        }),
    );
    let refers = |it: &Constraint| {
        it.kind == ConstraintKind::ForeignKey
            && it.columns == ["version_code"]
            && it.references == Some(("versions".to_owned(), vec!["code".to_owned()]))
            && !is_weak(it)
    };
    let lists = conditions
        .iter()
        .any(|all| all.iter().any(|condition| lists_the_codes(condition)));
    task.check(
        "nothing but these five can get in",
        Condition::when(
            lists || new.iter().any(|it| refers(it)),
            format!("expected a foreign key to versions or a check of the codes, which holds for all shows and deletes none, found {new:?}"),
        ),
    );
    task.check(
        "no index that nobody asked for",
        end.same_statements(start, "indexes", "screenings", &[])
            .and(end.same_statements(start, "indexes", "versions", &[])),
    );
    let before = start.columns("screenings").required();
    let columns_kept = end.columns("screenings").satisfies(|columns| {
        let kept: Vec<&Column> = columns
            .iter()
            .filter(|column| column.name != "version_code")
            .collect();
        Condition::equal(&before.iter().collect::<Vec<_>>(), &kept)
    });
    let lost = old_constraints.iter().find(|it| !constraints.contains(it));
    task.check(
        "the old column and all rules stay",
        columns_kept
            .and(Condition::when(
                lost.is_none(),
                format!("expected {lost:?}"),
            ))
            .and(end.same_statements(
                start,
                "tables",
                "screenings",
                &[
                    "CREATE TABLE",
                    "COMMENT ON COLUMN public.screenings.version_code",
                ],
            )),
    );
}

fn is_weak(constraint: &Constraint) -> bool {
    WEAK.iter()
        .any(|option| constraint.definition.contains(option))
}

/// Returns the conditions that a check demands together, without parentheses and casts.
fn conditions(constraint: &Constraint) -> Option<BTreeSet<String>> {
    if constraint.kind != ConstraintKind::Check || is_weak(constraint) {
        return None;
    }
    let text = normalized(&constraint.definition);
    let text = text.strip_prefix("CHECK ")?;
    // Without parentheses, a mix of AND and OR has several meanings.
    if text.contains(" AND ") && text.contains(" OR ") {
        return None;
    }
    Some(text.split(" AND ").map(str::to_owned).collect())
}

/// Returns true if a condition holds for the five codes alone, written as a list or as comparisons.
fn lists_the_codes(condition: &str) -> bool {
    let list = condition
        .strip_prefix("version_code = ANY ARRAY [ ")
        .and_then(|list| list.strip_suffix(" ]"));
    let codes: BTreeSet<&str> = match list {
        Some(list) => list.split(" , ").collect(),
        None => condition
            .split(" OR ")
            .map(|part| part.strip_prefix("version_code = ").unwrap_or_default())
            .collect(),
    };
    let expected = VERSIONS.map(|(code, _)| format!("'{code}'"));
    codes == expected.iter().map(String::as_str).collect()
}

/// Returns the code of a show.
fn code(show: &Show, is_english: bool, can_3d: bool) -> &'static str {
    let typed = show.version.as_deref().unwrap_or_default();
    let typed: String = typed
        .chars()
        .filter(|c| ![' ', '.', '-'].contains(c))
        .collect();
    match (typed.to_lowercase().as_str(), is_english, can_3d) {
        ("", true, _) | ("2d" | "imax", _, _) | ("3d", _, false) | ("ov", true, _) => "2D",
        ("", false, _) | ("sub" | "omu", _, _) | ("3dsub" | "3domu", _, false) => "SUB",
        ("3d", _, true) => "3D",
        ("3dsub" | "3domu", _, true) => "3D-SUB",
        ("ov", false, _) => "OV",
        (other, ..) => panic!("{other:?} has no rule"),
    }
}

fn check_rights(task: &mut Verifier, start: &Database, end: &Database) {
    let (before, now) = (start.grants("public"), end.grants("public"));
    let new: Vec<_> = now.difference(&before).collect();
    let reads: BTreeSet<&str> = new
        .iter()
        .filter(|it| it.role == "web_shop" && it.object == "TABLE public.versions")
        .map(|it| it.privilege.as_str())
        .collect();
    let shop = reads.contains("SELECT") || READS[1..].iter().all(|column| reads.contains(column));
    task.check(
        "the web shop can read the versions",
        Condition::when(
            shop,
            format!("expected SELECT on versions for web_shop, found {new:?}"),
        ),
    );
    let stray = new.iter().find(|it| {
        it.object != "TABLE public.versions"
            || !READS.contains(&it.privilege.as_str())
            || it.grantable
            || it.role != "web_shop"
    });
    let lost = before.difference(&now).next();
    task.check(
        "no other rights",
        Condition::when(stray.is_none(), format!("expected no {stray:?}"))
            .and(Condition::when(
                lost.is_none(),
                format!("expected {lost:?}"),
            ))
            .and(Condition::equal(
                &start.other_grants("public"),
                &end.other_grants("public"),
            )),
    );
}
