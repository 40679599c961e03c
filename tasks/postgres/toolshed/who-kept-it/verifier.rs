//! Changes by several accounts in a copy of the final state, and the lines that they leave in the audit log.

#[path = "../probes.rs"]
mod probes;
#[path = "../../rights.rs"]
mod rights;
#[path = "../../unchanged.rs"]
mod unchanged;

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_postgres::{Database, Record};
use mcpmark_guest_sql::{Results, Scratch, StepId, params};
use probes::{count, expected, refused, saw, worked};
use rights::{no_lost_right, no_right};
use unchanged::unchanged_except;

mcpmark_guest::verifier!(verify);

const SHOP: i64 = 7;
const USER: &str = "ada0@fenwick.example";
const TABLES: [&str; 2] = ["deposits", "charges"];

/// A line of the audit log: actor, shop, table, row, action, old and new amount.
type Line = [String; 7];

fn line(actor: &str, table: &str, row: &str, action: &str, old: &str, new: &str) -> Line {
    [actor, &SHOP.to_string(), table, row, action, old, new].map(str::to_owned)
}

/// Asks for the lines that are newer than those of the starting state.
fn lines(copy: &mut Scratch, last: i64) -> StepId {
    let text = format!(
        "SELECT actor, tenant_id, table_name, row_id, action, COALESCE(old_row ->> 'amount', old_row ->> 'state', '-') AS old,
            COALESCE(new_row ->> 'amount', new_row ->> 'state', '-') AS new
         FROM audit_log WHERE id > {last} ORDER BY id"
    );
    copy.execute("all", &text, params![])
}

/// Returns the lines about some tables.
fn about(results: &Results, step: StepId, tables: &[&str]) -> Result<Vec<Line>, String> {
    let rows = results.of(step).map_err(ToString::to_string)?;
    let lines = rows.texts().iter().filter_map(|values| {
        let values: Vec<String> = values
            .iter()
            .map(|it| it.clone().unwrap_or_default())
            .collect();
        Line::try_from(values).ok()
    });
    Ok(lines
        .filter(|it| tables.contains(&it[2].as_str()))
        .collect())
}

fn rows_of(start: &Database, table: &str, shop: i64) -> Vec<Record> {
    let rows = start.rows(table).required();
    rows.iter()
        .filter(|row| row.integer("tenant_id") == shop)
        .collect()
}

/// Statements about one table, with the lines that they have to leave.
struct Changes {
    table: &'static str,
    steps: Vec<StepId>,
    rows: Vec<Line>,
    all: StepId,
    idle: StepId,
    undone: StepId,
    others: StepId,
    /// Lines of accounts that name no user.
    logins: Vec<Line>,
}

fn change(copy: &mut Scratch, start: &Database, table: &'static str, last: i64) -> Changes {
    let own = rows_of(start, table, SHOP);
    let ids: Vec<&str> = own.iter().take(3).map(|row| row.text("id")).collect();
    let rental = if table == "deposits" {
        let deposits = start.rows("deposits").required();
        let taken: Vec<&str> = deposits
            .select(["rental_id"])
            .filter_map(|[id]| id)
            .collect();
        let rentals = rows_of(start, "rentals", SHOP);
        let free = rentals.iter().find(|row| !taken.contains(&row.text("id")));
        free.expect("a hire has no deposit").text("id").to_owned()
    } else {
        own[0].text("rental_id").to_owned()
    };
    let add = if table == "deposits" {
        format!(
            "INSERT INTO deposits (id, tenant_id, rental_id, amount, taken_on) VALUES (900001, {SHOP}, {rental}, 12, '2026-05-11')"
        )
    } else {
        format!(
            "INSERT INTO charges (id, tenant_id, rental_id, kind, amount, charged_on) VALUES (900001, {SHOP}, {rental}, 'late', 12, '2026-05-11')"
        )
    };
    let few = ids.join(", ");
    let mut steps = vec![copy.execute(
        "app",
        &format!("SELECT set_config('app.user', '{USER}', false)"),
        params![],
    )];
    for text in [
        add,
        format!("UPDATE {table} SET amount = 13.50 WHERE id = 900001"),
        format!("DELETE FROM {table} WHERE id = 900001"),
        format!("UPDATE {table} SET amount = amount + 1 WHERE id IN ({few})"),
    ] {
        steps.push(copy.execute("app", &text, params![]));
    }
    let mut rows = vec![
        line(USER, table, "900001", "insert", "-", "12.00"),
        line(USER, table, "900001", "update", "12.00", "13.50"),
        line(USER, table, "900001", "delete", "13.50", "-"),
    ];
    rows.extend(own.iter().take(3).map(|row| {
        let (old, new) = (
            row.decimal("amount"),
            row.decimal("amount") + mcpmark_guest::rust_decimal::Decimal::ONE,
        );
        let text = |amount| mcpmark_guest::numbers::fixed(amount, 2);
        line(
            USER,
            table,
            row.text("id"),
            "update",
            &text(old),
            &text(new),
        )
    }));
    let all = lines(copy, last);
    steps.push(copy.execute(
        "app",
        &format!("UPDATE {table} SET amount = amount, tenant_id = tenant_id WHERE id IN ({few})"),
        params![],
    ));
    let idle = lines(copy, last);
    for text in [
        "BEGIN".to_owned(),
        format!(
            "UPDATE {table} SET amount = amount + 5 WHERE id = {}",
            ids[0]
        ),
        "ROLLBACK".to_owned(),
    ] {
        steps.push(copy.execute("app", &text, params![]));
    }
    let undone = lines(copy, last);
    let first = &own[0];
    let at = first.decimal("amount");
    let by = |more: i64| {
        mcpmark_guest::numbers::fixed(at + mcpmark_guest::rust_decimal::Decimal::from(more), 2)
    };
    steps.push(copy.execute("app", "SELECT set_config('app.user', '', false)", params![]));
    for session in ["app", "ops"] {
        let text = format!(
            "UPDATE {table} SET amount = amount + 1 WHERE id = {}",
            ids[0]
        );
        steps.push(copy.execute(session, &text, params![]));
    }
    let logins = vec![
        line("app", table, ids[0], "update", &by(1), &by(2)),
        line("ops", table, ids[0], "update", &by(2), &by(3)),
    ];
    let others = lines(copy, last);
    Changes {
        table,
        steps,
        rows,
        all,
        idle,
        undone,
        others,
        logins,
    }
}

fn verify(task: &mut Verifier) {
    let start = Database::of(task.start());
    let end = Database::of(task.end());
    let old = start.rows("audit_log").required();
    let last = old
        .iter()
        .map(|row| row.integer("id"))
        .max()
        .unwrap_or_default();
    let mut copy = probes::copy();
    copy.login_superuser("all");
    for role in ["app", "ops", "billing", "vera", "bram", "dl_fenwick"] {
        copy.login(role, role);
    }
    probes::work_for(&mut copy, "app", SHOP);
    let reads = count(&mut copy, "app", "audit_log");
    let repairs = count(&mut copy, "bram", "audit_log");
    let support = count(&mut copy, "vera", "audit_log");
    let changes = TABLES.map(|table| change(&mut copy, &start, table, last));

    // Tables that had their triggers before.
    let rows = rows_of(&start, "tools", SHOP);
    let tool = rows
        .iter()
        .find(|row| row.text("state") == "in" && row.get("deposit").is_some());
    let tool = tool.expect("a tool is in");
    let customer = rows_of(&start, "customers", SHOP);
    let customer = customer
        .iter()
        .find(|row| !row.truth("is_blocked"))
        .expect("a customer");
    let mark = copy.execute(
        "app",
        &format!("SELECT set_config('app.user', '{USER}', false)"),
        params![],
    );
    let text = format!(
        "SELECT check_out({}, {}, 2)",
        tool.text("id"),
        customer.text("id")
    );
    let hire = copy.execute("app", &text, params![]);
    let text = format!(
        "UPDATE customers SET phone = '1' WHERE id = {}",
        customer.text("id")
    );
    let phone = copy.execute("app", &text, params![]);
    let known = lines(&mut copy, last);

    let mut forged = Vec::new();
    for role in ["app", "billing", "vera", "bram", "dl_fenwick"] {
        for text in [
            format!(
                "INSERT INTO audit_log (actor, tenant_id, table_name, row_id, action) VALUES ('x', {SHOP}, 'tools', 1, 'update')"
            ),
            "UPDATE audit_log SET actor = 'x'".to_owned(),
            "DELETE FROM audit_log".to_owned(),
        ] {
            forged.push((
                copy.execute(role, &text, params![]),
                format!("{role}: {text}"),
            ));
        }
    }
    let results = copy.run();

    for it in &changes {
        let found = about(&results, it.all, &[it.table]);
        task.check(
            format!("a line for each row of {}", it.table),
            worked(&results, &it.steps, "the changes")
                .and(Condition::equal(&Ok(it.rows.clone()), &found)),
        );
    }
    task.check(
        "no line if nothing changes",
        Condition::all(changes.iter().map(|it| {
            Condition::equal(&Ok(it.rows.clone()), &about(&results, it.idle, &[it.table]))
                .at(it.table)
        })),
    );
    task.check(
        "no line if the change is undone",
        Condition::all(changes.iter().map(|it| {
            Condition::equal(
                &Ok(it.rows.clone()),
                &about(&results, it.undone, &[it.table]),
            )
            .at(it.table)
        })),
    );
    task.check(
        "the login if the app names no user",
        Condition::all(changes.iter().map(|it| {
            let found = about(&results, it.others, &[it.table]);
            let newer =
                found.map(|lines| lines.into_iter().skip(it.rows.len()).collect::<Vec<_>>());
            Condition::equal(&Ok(it.logins.clone()), &newer).at(it.table)
        })),
    );
    let before = [
        line(USER, "tools", tool.text("id"), "update", "in", "out"),
        line(USER, "customers", customer.text("id"), "update", "-", "-"),
    ];
    task.check(
        "tools and customers as before",
        worked(&results, &[mark, hire, phone], "the changes").and(Condition::equal(
            &Ok(before.to_vec()),
            &about(&results, known, &["tools", "customers"]),
        )),
    );
    task.check(
        "nobody writes the log",
        Condition::all(
            forged
                .iter()
                .map(|(step, place)| refused(&results, *step, place)),
        ),
    );
    let agreed = start.rows("tenants").required();
    let agreed: Vec<i64> = agreed
        .iter()
        .filter(|row| {
            row.get("support_until")
                .is_some_and(|until| until >= probes::TODAY)
        })
        .map(|row| row.integer("id"))
        .collect();
    task.check(
        "who reads the log still does",
        saw(
            &results,
            reads,
            &expected(&start, "audit_log", |it| it == SHOP),
            "the app",
        )
        .and(saw(
            &results,
            repairs,
            &expected(&start, "audit_log", |_| true),
            "repairs",
        ))
        .and(saw(
            &results,
            support,
            &expected(&start, "audit_log", |it| agreed.contains(&it)),
            "support",
        )),
    );
    let (before, now) = (start.grants("public"), end.grants("public"));
    let new = now.difference(&before).next();
    let lost = before
        .difference(&now)
        .find(|it| it.object != "TABLE public.audit_log");
    task.check("no other rights", no_right(new).and(no_lost_right(lost)));
    unchanged_except(
        task,
        [
            "schemas/public/triggers/deposits.sql",
            "schemas/public/triggers/charges.sql",
            "schemas/public/functions/",
            "schemas/public/policies/audit_log.sql",
            "schemas/public/grants.sql",
        ],
    );
}
