//! Branches of all hires, followed back from those of today, and hires that several accounts add to a copy.

#[path = "../probes.rs"]
mod probes;
#[path = "../../rights.rs"]
mod rights;
#[path = "../../unchanged.rs"]
mod unchanged;

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_postgres::{ConstraintKind, Database, Record, RowsExt};
use mcpmark_guest_sql::{Results, Scratch, StepId, params};
use probes::{failed, worked};
use rights::{no_lost_right, no_right};
use unchanged::unchanged_except;

mcpmark_guest::verifier!(verify);

const SHOP: i64 = 7;
const OTHER: i64 = 3;
/// Codes of constraints and of exceptions that a trigger raises.
const INVALID: [&str; 4] = ["23503", "23514", "23502", "P0001"];

/// Checks that need a copy of the final state.
const TRIED: [&str; 7] = [
    "a new hire gets the branch of its tool",
    "the branch that the app names counts",
    "no branch of another shop",
    "a branch is never empty",
    "a hire keeps its branch",
    "the view of the figures",
    "the view is for analytics alone",
];

/// Files that the work changes.
const CHANGED: [&str; 11] = [
    "data/public/rentals.csv",
    "schemas/public/tables/rentals.sql",
    "schemas/public/constraints/rentals.sql",
    "schemas/public/constraints/branches.sql",
    "schemas/public/foreign-keys/rentals.sql",
    "schemas/public/indexes/rentals.sql",
    "schemas/public/indexes/branches.sql",
    "schemas/public/triggers/rentals.sql",
    "schemas/public/functions/",
    "schemas/public/views/hires_by_branch.sql",
    "schemas/public/grants.sql",
];

/// Checks that each reference of hires leads to a key. A state without it cannot be restored.
fn references(end: &Database) -> Condition {
    let broken = end.constraints("rentals").into_iter().find(|it| {
        it.references.as_ref().is_some_and(|(table, columns)| {
            let wanted: BTreeSet<&String> = columns.iter().collect();
            let constraints = end.constraints(table);
            let mut keys = constraints
                .iter()
                .filter(|key| {
                    matches!(
                        key.kind,
                        ConstraintKind::PrimaryKey | ConstraintKind::Unique
                    )
                })
                .map(|key| key.columns.clone())
                .chain(
                    end.indexes(table)
                        .into_iter()
                        .filter(|index| index.unique)
                        .map(|index| index.keys),
                );
            !keys.any(|key| key.iter().collect::<BTreeSet<_>>() == wanted)
        })
    });
    Condition::when(
        broken.is_none(),
        format!("expected a key that {broken:?} leads to"),
    )
}

/// Returns the branch of each hire: that of today, with each move taken back that was made on the day of the hire or later.
fn began(start: &Database) -> BTreeMap<String, String> {
    let mut moves: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for it in start.rows("tool_moves").required().iter() {
        moves
            .entry(it.text("tool_id").to_owned())
            .or_default()
            .push(it);
    }
    for of_tool in moves.values_mut() {
        of_tool.sort_by_key(|it| std::cmp::Reverse(it.date("moved_on")));
    }
    let tools = start.rows("tools").required();
    let today: BTreeMap<String, String> = tools
        .iter()
        .map(|it| (it.text("id").to_owned(), it.text("branch_id").to_owned()))
        .collect();
    let rentals = start.rows("rentals").required();
    let branches = rentals.iter().map(|hire| {
        let tool = hire.text("tool_id");
        let mut branch = today[tool].clone();
        for it in moves.get(tool).into_iter().flatten() {
            if it.date("moved_on") < hire.date("out_on") {
                break;
            }
            branch = it.text("from_branch").to_owned();
        }
        (hire.text("id").to_owned(), branch)
    });
    branches.collect()
}

fn first(start: &Database, table: &str, keep: impl Fn(&Record) -> bool) -> Record {
    let rows = start.rows(table).required();
    rows.iter()
        .find(|row| keep(row))
        .expect("the world has such a row")
}

/// Adds a hire, with a branch or without one.
fn hire(
    copy: &mut Scratch,
    session: &str,
    id: i64,
    tool: &Record,
    customer: &Record,
    branch: Option<&str>,
) -> StepId {
    let (column, value) = match branch {
        Some(branch) => (", branch_id", format!(", {branch}")),
        None => ("", String::new()),
    };
    let text = format!(
        "INSERT INTO rentals (id, tenant_id, tool_id, customer_id, out_on, due_on, daily_rate{column}) VALUES ({id}, {SHOP}, {}, {}, '2026-05-11', '2026-05-12', 9{value})",
        tool.text("id"),
        customer.text("id")
    );
    copy.execute(session, &text, params![])
}

fn branch_of(copy: &mut Scratch, condition: &str) -> StepId {
    let text = format!("SELECT branch_id FROM rentals WHERE {condition}");
    copy.execute("all", &text, params![])
}

fn is(results: &Results, step: StepId, branch: &str, place: &str) -> Condition {
    let found = results.of(step).map_err(ToString::to_string);
    let found = found.and_then(|rows| rows.value::<String>().map_err(|error| error.to_string()));
    Condition::equal(&Ok(branch.to_owned()), &found).at(place)
}

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let restorable = check_rows(task, &start, &end).and(references(&end));
    if !restorable.passed() {
        for name in TRIED {
            task.check(name, restorable.clone());
        }
        unchanged_except(task, CHANGED);
        return;
    }

    let own = |row: &Record| row.integer("tenant_id") == SHOP;
    let tool = first(&start, "tools", |row| own(row) && row.text("state") == "in");
    let here = tool.text("branch_id").to_owned();
    let customer = first(&start, "customers", |row| {
        own(row) && !row.truth("is_blocked")
    });
    let there = first(&start, "branches", |row| own(row) && row.text("id") != here);
    let there = there.text("id").to_owned();
    let foreign = first(&start, "branches", |row| row.integer("tenant_id") == OTHER);
    let foreign = foreign.text("id").to_owned();

    let mut copy = probes::copy();
    copy.login_superuser("all");
    for role in ["app", "lena", "vera", "dl_fenwick", "ops"] {
        copy.login(role, role);
    }
    probes::work_for(&mut copy, "app", SHOP);
    let figures = copy.execute(
        "lena",
        "SELECT branch_id, month::date AS month, hires FROM hires_by_branch ORDER BY 1, 2",
        params![],
    );
    let mut readers = Vec::new();
    for role in ["app", "vera", "dl_fenwick"] {
        readers.push((
            copy.execute(role, "SELECT count(*) FROM hires_by_branch", params![]),
            role,
        ));
    }
    let mut added = vec![hire(&mut copy, "app", 900_001, &tool, &customer, None)];
    let by_itself = branch_of(&mut copy, "id = 900001");
    added.push(hire(
        &mut copy,
        "app",
        900_002,
        &tool,
        &customer,
        Some(&there),
    ));
    let named = branch_of(&mut copy, "id = 900002");
    let mut wrong = Vec::new();
    for (at, session) in ["app", "ops", "all"].into_iter().enumerate() {
        let id = 900_010 + i64::try_from(at).unwrap_or(0);
        wrong.push((
            hire(&mut copy, session, id, &tool, &customer, Some(&foreign)),
            session,
        ));
        let text = format!("UPDATE rentals SET branch_id = {foreign} WHERE id = 900001");
        wrong.push((copy.execute(session, &text, params![]), session));
    }
    wrong.push((
        hire(&mut copy, "all", 900_020, &tool, &customer, Some("99999")),
        "an unknown branch",
    ));
    copy.execute(
        "all",
        "UPDATE rentals SET branch_id = NULL WHERE id = 900002",
        params![],
    );
    let kept = copy.execute(
        "all",
        "SELECT count(*) FROM rentals WHERE branch_id IS NULL",
        params![],
    );
    let call = format!(
        "SELECT check_out({}, {}, 2)",
        tool.text("id"),
        customer.text("id")
    );
    let call = copy.execute("app", &call, params![]);
    let called = branch_of(
        &mut copy,
        &format!(
            "tool_id = {} AND out_on = '2026-05-11' AND id < 900000",
            tool.text("id")
        ),
    );
    let moved = copy.execute(
        "app",
        &format!(
            "UPDATE tools SET branch_id = {there} WHERE id = {}",
            tool.text("id")
        ),
        params![],
    );
    let later = branch_of(&mut copy, "id = 900001");
    let back = copy.execute(
        "app",
        "UPDATE rentals SET back_on = '2026-05-11' WHERE id = 900001",
        params![],
    );
    let finally = branch_of(&mut copy, "id = 900001");
    let results = copy.run();

    task.check(
        "a new hire gets the branch of its tool",
        worked(&results, &added[..1], "a hire without a branch")
            .and(is(&results, by_itself, &here, "a hire without a branch"))
            .and(worked(&results, &[call], "check_out"))
            .and(is(&results, called, &here, "check_out")),
    );
    task.check(
        "the branch that the app names counts",
        worked(&results, &added[1..], "a hire with a branch").and(is(
            &results,
            named,
            &there,
            "a hire with a branch",
        )),
    );
    task.check(
        "no branch of another shop",
        Condition::all(wrong.iter().map(|(step, place)| {
            let refused = failed(&results, *step, &INVALID, place);
            match results.error(*step) {
                // A trigger may raise any code of its own.
                Some(error) if !error.code.starts_with("42") => Condition::pass("refused"),
                _ => refused,
            }
        })),
    );
    let empty = results.of(kept).map_err(ToString::to_string);
    let empty = empty.and_then(|rows| rows.value::<i64>().map_err(|error| error.to_string()));
    task.check("a branch is never empty", Condition::equal(&Ok(0), &empty));
    task.check(
        "a hire keeps its branch",
        worked(&results, &[moved, back], "a move and a return")
            .and(is(&results, later, &here, "after a move"))
            .and(is(&results, finally, &here, "after the return")),
    );
    check_figures(task, &start, &results, figures);
    let others = readers
        .iter()
        .map(|(step, role)| failed(&results, *step, &["42501"], role));
    let (before, now) = (start.grants("public"), end.grants("public"));
    let view = "TABLE public.hires_by_branch";
    let stray = now.difference(&before).find(|it| {
        let is_view = it.object == view && it.role == "analytics" && it.privilege == "SELECT";
        !is_view && !it.object.starts_with("FUNCTION ")
    });
    let lost = before.difference(&now).next();
    task.check(
        "the view is for analytics alone",
        Condition::all(others)
            .and(no_right(stray))
            .and(no_lost_right(lost)),
    );
    unchanged_except(task, CHANGED);
}

/// Checks the rows and the columns, and returns the condition on those that were there.
fn check_rows(task: &mut Verifier, start: &Database, end: &Database) -> Condition {
    let branches = began(start);
    let before = start.rows("rentals").required();
    let mut expected = before.expected(["id"]);
    expected.add_column("branch_id", |get| branches.get(&get("id")?).cloned());
    let found = end.rows("rentals");
    task.check(
        "the branch of every hire",
        found.columns_equal(&expected, &["branch_id"]),
    );
    let old: Vec<&str> = before.columns().iter().map(String::as_str).collect();
    let columns = end.columns("rentals").satisfies(|columns| {
        let kept: Vec<_> = columns
            .iter()
            .filter(|it| it.name != "branch_id")
            .cloned()
            .collect();
        Condition::equal(&start.columns("rentals").required(), &kept)
    });
    let lost = start
        .constraints("rentals")
        .into_iter()
        .find(|it| !end.constraints("rentals").contains(it));
    let lost_key = start
        .constraints("branches")
        .into_iter()
        .find(|it| !end.constraints("branches").contains(it));
    let kept = found
        .columns_equal(&expected, &old)
        .and(columns)
        .and(Condition::when(
            lost.is_none() && lost_key.is_none(),
            format!("expected {lost:?} {lost_key:?}"),
        ))
        .and(end.same_statements(
            start,
            "tables",
            "rentals",
            &["CREATE TABLE", "COMMENT ON COLUMN public.rentals.branch_id"],
        ));
    task.check("hires are otherwise as they were", kept.clone());
    let column = end.column("rentals", "branch_id");
    task.check(
        "a branch is a number like those of branches",
        column.satisfies(|it| Condition::equal(&"integer", &it.data_type.as_str())),
    );
    kept
}

fn check_figures(task: &mut Verifier, start: &Database, results: &Results, step: StepId) {
    let branches = began(start);
    let mut expected: BTreeMap<(i64, String), i64> = BTreeMap::new();
    for row in start.rows("rentals").required().iter() {
        let branch = branches[row.text("id")].parse().expect("a number");
        let month = row.date("out_on").first_of_month().to_string();
        *expected.entry((branch, month)).or_default() += 1;
    }
    let found = results
        .of(step)
        .map_err(ToString::to_string)
        .and_then(|rows| {
            let lines = rows.iter().map(|row| {
                let (branch, month, hires) = (
                    row.get::<i64>("branch_id"),
                    row.get::<String>("month"),
                    row.get::<i64>("hires"),
                );
                match (branch, month, hires) {
                    (Ok(branch), Ok(month), Ok(hires)) => Ok(((branch, month), hires)),
                    other => Err(format!("{other:?}")),
                }
            });
            lines.collect::<Result<Vec<_>, _>>()
        });
    // Months without a hire may be there with 0.
    let found = found.map(|lines| {
        lines
            .into_iter()
            .filter(|(_, hires)| *hires != 0)
            .collect::<Vec<_>>()
    });
    task.check(
        "the view of the figures",
        Condition::equal(&Ok(expected.into_iter().collect::<Vec<_>>()), &found),
    );
}
