//! Reads and writes of all accounts, tried in a copy of the final state and compared with the rows of the shops.

#[path = "../probes.rs"]
mod probes;
#[path = "../../rights.rs"]
mod rights;
#[path = "../../unchanged.rs"]
mod unchanged;

use std::collections::BTreeSet;

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_postgres::{Database, Grant, Membership, Record};
use mcpmark_guest_sql::{Results, Scratch, StepId, params};
use probes::{Counts, changed, count, expected, failed, refused, saw};
use rights::no_right;
use unchanged::unchanged_except;

mcpmark_guest::verifier!(verify);

const FENWICK: i64 = 7;
const HOLLIS: i64 = 3;

/// Tables that a data login, the app, support, repairs and the jobs at night read.
const READ_BY_ALL: [&str; 8] = [
    "branches",
    "charges",
    "customers",
    "deposits",
    "rentals",
    "tools",
    "invoices",
    "credits",
];

/// Tables of shops that the app writes.
const WRITTEN: [&str; 8] = [
    "branches",
    "charges",
    "customers",
    "deposits",
    "rentals",
    "tools",
    "users",
    "webhooks",
];

const SEARCH: &str = "find_customer('')";
/// Session of the program that calls the webhooks of shops.
const CALLS: &str = "the calls to shops";

/// Question about rows by shop, with the right answer.
struct Read {
    step: StepId,
    expected: Counts,
    place: String,
}

/// Sessions and questions.
struct Probe<'a> {
    start: &'a Database,
    copy: Scratch,
}

impl Probe<'_> {
    fn read(&mut self, session: &str, relations: &[&str], keep: impl Fn(i64) -> bool) -> Vec<Read> {
        let reads = relations.iter().map(|relation| {
            let expected = match *relation {
                SEARCH => expected(self.start, "customers", &keep),
                "open_rentals" => open(self.start, &keep),
                table => expected(self.start, table, &keep),
            };
            Read {
                step: count(&mut self.copy, session, relation),
                expected,
                place: format!("{session}, {relation}"),
            }
        });
        reads.collect()
    }

    fn execute(&mut self, session: &str, text: &str) -> StepId {
        self.copy.execute(session, text, params![])
    }
}

fn verify(task: &mut Verifier) {
    let start = Database::of(task.start());
    let mut probe = Probe {
        start: &start,
        copy: probes::copy(),
    };
    for (session, role) in [
        ("Fenwick's data login", "dl_fenwick"),
        ("Hollis' data login", "dl_hollis"),
        ("the app", "app"),
        ("support", "vera"),
        ("billing", "billing"),
        ("analytics", "lena"),
        ("repairs", "bram"),
        (CALLS, "hooks"),
    ] {
        probe.copy.login(session, role);
    }
    let with_views = [&READ_BY_ALL[..], &["open_rentals", SEARCH]].concat();
    let of_readers = [&with_views[..], &["tenant_plans"]].concat();
    let of_app = [
        &of_readers[..],
        &["users", "webhooks", "tickets", "audit_log"],
    ]
    .concat();

    let mut logins = probe.read("Fenwick's data login", &of_readers, |it| it == FENWICK);
    logins.extend(probe.read("Hollis' data login", &of_readers, |it| it == HOLLIS));
    let nothing = probe.read("the app", &of_app, |_| false);
    let consent = consenting(&start);
    let of_support = [&with_views[..], &["users"]].concat();
    let mut support = probe.read("support", &of_support, |it| consent.contains(&it));
    support.extend(probe.read("support", &["tickets"], |_| true));
    let mut all = probe.read("billing", &READ_BY_ALL, |_| true);
    all.extend(probe.read("repairs", &READ_BY_ALL, |_| true));
    let addresses = probe.execute(
        CALLS,
        "SELECT tenant_id, count(url || secret) AS count FROM webhooks WHERE is_active GROUP BY 1 ORDER BY 1",
    );
    let called = count(&mut probe.copy, CALLS, "webhooks");
    let figures = probe.execute("analytics", "SELECT sum(tools) AS n FROM branch_load");
    let people = probe.execute("analytics", "SELECT full_name FROM customers");
    let early = probe.execute("the app", &insert("charges", FENWICK, &start));
    probes::work_for(&mut probe.copy, "the app", FENWICK);
    let app = probe.read("the app", &of_app, |it| it == FENWICK);
    let by_name = probe.execute(
        "the app",
        "SELECT id FROM find_customer('WEIR') ORDER BY id",
    );

    let stray = stray_writes(&mut probe);
    let readers = reader_writes(&mut probe);
    let right = right_writes(&mut probe);
    let results = probe.copy.run();

    let all_of = |reads: &[Read]| {
        Condition::all(
            reads
                .iter()
                .map(|it| saw(&results, it.step, &it.expected, &it.place)),
        )
    };
    task.check("a data login reads its shop alone", all_of(&logins));
    task.check("a data login writes nothing", refusals(&results, &readers));
    task.check("the app reads the shop it works for", all_of(&app));
    task.check(
        "the app without a shop has nothing",
        all_of(&nothing).and(refused(&results, early, "a charge without a shop")),
    );
    task.check(
        "the app writes for no other shop",
        refusals(&results, &stray),
    );
    let matching = start.rows("customers").required();
    let matching: Vec<i64> = matching
        .iter()
        .filter(|row| row.integer("tenant_id") == FENWICK)
        .filter(|row| row.text("full_name").to_lowercase().contains("weir"))
        .map(|row| row.integer("id"))
        .collect();
    let search = match results.of(by_name) {
        Ok(rows) => Condition::equal(&Ok(matching), &rows.column::<i64>("id")),
        Err(error) => Condition::fail(error.to_string()),
    };
    let writes = right
        .iter()
        .map(|(step, place)| changed(&results, *step, 1, place));
    task.check(
        "the counters go on working",
        Condition::all(writes).and(search.at("the search for a name")),
    );
    task.check("support reads the shops that agreed", all_of(&support));
    task.check("billing and repairs read all shops", all_of(&all));
    let tools = start.rows("tools").required();
    let in_use = tools
        .iter()
        .filter(|row| row.text("state") != "sold")
        .count();
    let sum = match results.of(figures) {
        Ok(rows) => Condition::equal(&Ok(in_use.to_string()), &rows.value::<String>()),
        Err(error) => Condition::fail(error.to_string()),
    };
    task.check(
        "analytics has its figures and no people",
        sum.and(failed(&results, people, &["42501"], "people for analytics")),
    );
    let end = Database::of(task.end());
    let is_freed = works_without_arun(&start, &end);
    let active = webhooks(&start, |row| row.truth("is_active"));
    let seen = if is_freed {
        active.clone()
    } else {
        webhooks(&start, |_| true)
    };
    task.check(
        "the calls to the shops go on",
        saw(&results, addresses, &active, "active webhooks").and(saw(
            &results,
            called,
            &seen,
            "all webhooks that the program sees",
        )),
    );
    let (before, now) = (start.grants("public"), end.grants("public"));
    task.check(
        "no new rights",
        no_right(now.difference(&before).find(|it| !is_allowed(it))),
    );
    let mut paths = vec![
        "schemas/public/policies/",
        "schemas/public/functions/",
        "schemas/public/views/open_rentals.sql",
        "schemas/public/grants.sql",
    ];
    if is_freed {
        paths.push("roles.sql");
    }
    unchanged_except(task, paths);
}

/// Returns true for a right that an account may get: to a function, or that of the program of the calls to read webhooks,
/// which it has through the account of a colleague so far.
fn is_allowed(right: &Grant) -> bool {
    let reads = right.privilege == "SELECT" || right.privilege.starts_with("SELECT (");
    let is_of_calls = right.role == "hooks" && right.object == "TABLE public.webhooks" && reads;
    (right.object.starts_with("FUNCTION ") && right.role != "PUBLIC")
        || (is_of_calls && !right.grantable)
}

/// Returns true if the program of the calls left the account of the colleague, and nothing else changed about accounts.
fn works_without_arun(start: &Database, end: &Database) -> bool {
    let mut left: BTreeSet<Membership> = start.memberships();
    left.retain(|it| !(it.group == "arun" && it.member == "hooks"));
    left == end.memberships() && start.roles() == end.roles()
}

/// Counts webhooks by shop.
fn webhooks(start: &Database, keep: impl Fn(&Record) -> bool) -> Counts {
    let mut counts = Counts::new();
    for row in start.rows("webhooks").required().iter().filter(keep) {
        *counts.entry(row.integer("tenant_id")).or_default() += 1;
    }
    counts
}

fn refusals(results: &Results, steps: &[(StepId, String)]) -> Condition {
    Condition::all(
        steps
            .iter()
            .map(|(step, place)| refused(results, *step, place)),
    )
}

/// Shops that allow support to read their rows today.
fn consenting(start: &Database) -> BTreeSet<i64> {
    let rows = start.rows("tenants").required();
    let agreed = rows.iter().filter(|row| {
        row.get("support_until")
            .is_some_and(|until| until >= probes::TODAY)
    });
    agreed.map(|row| row.integer("id")).collect()
}

/// Hires that are not back, by shop.
fn open(start: &Database, keep: impl Fn(i64) -> bool) -> Counts {
    let mut counts = Counts::new();
    for row in start.rows("rentals").required().iter() {
        let shop = row.integer("tenant_id");
        if row.get("back_on").is_none() && keep(shop) {
            *counts.entry(shop).or_default() += 1;
        }
    }
    counts
}

fn stray_writes(probe: &mut Probe<'_>) -> Vec<(StepId, String)> {
    let mut steps = Vec::new();
    for table in WRITTEN {
        let (own, foreign) = (
            first(probe.start, table, FENWICK),
            first(probe.start, table, HOLLIS),
        );
        let own = own.text("id").to_owned();
        let foreign = foreign.text("id").to_owned();
        for text in [
            insert(table, HOLLIS, probe.start),
            format!("UPDATE {table} SET tenant_id = {HOLLIS} WHERE id = {own}"),
            format!("UPDATE {table} SET tenant_id = {FENWICK} WHERE id = {foreign}"),
            format!("UPDATE {table} SET tenant_id = tenant_id WHERE id = {foreign}"),
            format!("DELETE FROM {table} WHERE id = {foreign}"),
        ] {
            steps.push((probe.execute("the app", &text), text));
        }
    }
    steps
}

fn right_writes(probe: &mut Probe<'_>) -> Vec<(StepId, String)> {
    let mut steps = Vec::new();
    for table in WRITTEN {
        let own = first(probe.start, table, FENWICK).text("id").to_owned();
        for text in [
            insert(table, FENWICK, probe.start),
            format!("UPDATE {table} SET tenant_id = tenant_id WHERE id = {own}"),
        ] {
            steps.push((probe.execute("the app", &text), text));
        }
    }
    let tool = idle(probe.start, FENWICK);
    let customer = first(probe.start, "customers", FENWICK)
        .text("id")
        .to_owned();
    let text = format!("SELECT check_out({tool}, {customer}, 2)");
    steps.push((probe.execute("the app", &text), text));
    steps
}

fn reader_writes(probe: &mut Probe<'_>) -> Vec<(StepId, String)> {
    let mut steps = Vec::new();
    for table in WRITTEN {
        let own = first(probe.start, table, FENWICK).text("id").to_owned();
        for text in [
            insert(table, FENWICK, probe.start),
            format!("UPDATE {table} SET tenant_id = tenant_id WHERE id = {own}"),
        ] {
            steps.push((probe.execute("Fenwick's data login", &text), text));
        }
    }
    steps
}

/// Returns the first row of a shop.
fn first(start: &Database, table: &str, shop: i64) -> Record {
    let rows = start.rows(table).required();
    let mut own = rows.iter().filter(|row| row.integer("tenant_id") == shop);
    own.next().expect("a shop has rows in each table")
}

/// Returns a tool that is in.
fn idle(start: &Database, shop: i64) -> i64 {
    let rows = start.rows("tools").required();
    let mut idle = rows
        .iter()
        .filter(|row| row.integer("tenant_id") == shop && row.text("state") == "in");
    idle.next()
        .expect("a shop has a tool that is in")
        .integer("id")
}

/// Returns a statement that adds a right row of a shop, with a number that nothing has.
fn insert(table: &str, shop: i64, start: &Database) -> String {
    let id = |table: &str| first(start, table, shop).integer("id");
    let number = 900_000 + shop;
    match table {
        "branches" => format!("INSERT INTO branches VALUES ({number}, {shop}, 'Kiosk', 'Marl')"),
        "charges" => format!(
            "INSERT INTO charges (tenant_id, rental_id, kind, amount, charged_on) VALUES ({shop}, {}, 'late', 5, '2026-05-11')",
            id("rentals")
        ),
        "customers" => format!(
            "INSERT INTO customers VALUES ({number}, {shop}, 'Jo Nordin', NULL, NULL, false, '2026-05-11')"
        ),
        "deposits" => {
            let deposits = start.rows("deposits").required();
            let taken: BTreeSet<&str> = deposits
                .select(["rental_id"])
                .filter_map(|[id]| id)
                .collect();
            let rentals = start.rows("rentals").required();
            let mut without = rentals
                .iter()
                .filter(|row| row.integer("tenant_id") == shop && !taken.contains(row.text("id")));
            let rental = without.next().expect("a hire has no deposit");
            format!(
                "INSERT INTO deposits (tenant_id, rental_id, amount, taken_on) VALUES ({shop}, {}, 10, '2026-05-11')",
                rental.text("id")
            )
        }
        "rentals" => format!(
            "INSERT INTO rentals (tenant_id, tool_id, customer_id, out_on, due_on, daily_rate) VALUES ({shop}, {}, {}, '2026-05-11', '2026-05-12', 9)",
            id("tools"),
            id("customers")
        ),
        "tools" => format!(
            "INSERT INTO tools VALUES ({number}, {shop}, {}, 'ladder 99', 'ladder', 8, NULL, '2026-05-11', NULL, 'in')",
            id("branches")
        ),
        "users" => format!(
            "INSERT INTO users VALUES ({number}, {shop}, 'jo@shop.example', 'Jo Nordin', 'counter', true)"
        ),
        _ => format!(
            "INSERT INTO webhooks VALUES ({number}, {shop}, 'https://shop.example/x', 'whs_x', true)"
        ),
    }
}
