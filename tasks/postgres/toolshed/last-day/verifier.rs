//! Rights of the account that leaves, and of the programs that worked through it, tried in a copy of the final state.

#[path = "../probes.rs"]
mod probes;
#[path = "../../rights.rs"]
mod rights;
#[path = "../../unchanged.rs"]
mod unchanged;

use std::collections::BTreeSet;

use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Condition, Verifier, numbers};
use mcpmark_guest_postgres::{Database, Membership};
use mcpmark_guest_sql::params;
use probes::{Counts, count, expected, failed, refused, saw};
use rights::{no_lost_right, no_member, no_right};
use unchanged::unchanged_except;

mcpmark_guest::verifier!(verify);

const SHOP: i64 = 7;
/// Tables that the group of the account reads.
const TABLES: [&str; 8] = [
    "customers",
    "deposits",
    "invoices",
    "rentals",
    "tenants",
    "tickets",
    "users",
    "team_notes",
];

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let mut copy = probes::copy();
    for role in ["arun", "hooks", "billing", "bram", "dl_fenwick", "vera"] {
        copy.login(role, role);
    }
    let mut own = Vec::new();
    for table in TABLES.iter().chain(&["webhooks"]) {
        own.push((
            copy.execute("arun", &format!("SELECT count(*) FROM {table}"), params![]),
            *table,
        ));
    }
    own.push((
        copy.execute("arun", &format!("SELECT unpaid({SHOP})"), params![]),
        "unpaid",
    ));
    let calls = count(&mut copy, "hooks", "webhooks");
    let addresses = copy.execute(
        "hooks",
        "SELECT tenant_id, count(url || secret) AS count FROM webhooks WHERE is_active GROUP BY 1 ORDER BY 1",
        params![],
    );
    let mut beyond = Vec::new();
    for table in TABLES {
        beyond.push((
            copy.execute("hooks", &format!("SELECT count(*) FROM {table}"), params![]),
            table,
        ));
    }
    let written = [
        copy.execute("hooks", "UPDATE webhooks SET is_active = false", params![]),
        copy.execute("hooks", "DELETE FROM webhooks", params![]),
    ];
    let debt = copy.execute("billing", &format!("SELECT unpaid({SHOP})"), params![]);
    let invoices = count(&mut copy, "bram", "invoices");
    let mut others = Vec::new();
    for role in ["dl_fenwick", "vera", "hooks"] {
        others.push((
            copy.execute(role, &format!("SELECT unpaid({SHOP})"), params![]),
            role,
        ));
    }
    let results = copy.run();

    task.check(
        "the account reads nothing",
        Condition::all(
            own.iter()
                .map(|(step, place)| failed(&results, *step, &["42501"], place)),
        ),
    );
    let members = end.memberships();
    let is_open =
        |it: &&Membership| it.member == "arun" || (it.group == "arun" && it.member != "ops");
    let left = members.iter().find(is_open);
    task.check("in no group, and no program is in it", no_member(left));
    let rights = end.grants("public");
    let right = rights.iter().find(|it| it.role == "arun");
    let policies = start_tables(&start)
        .into_iter()
        .flat_map(|table| end.statements("policies", &table));
    let policy = policies
        .into_iter()
        .find(|it| roles_of(it).contains("arun"));
    task.check(
        "no right and no policy is its own",
        no_right(right).and(Condition::when(
            policy.is_none(),
            format!("expected no {}", policy.unwrap_or_default()),
        )),
    );
    let owner = "ALTER FUNCTION public.unpaid(shop integer) OWNER TO ops";
    let statements = end.statements("functions", "unpaid");
    task.check(
        "its function belongs to ops",
        Condition::when(
            statements.iter().any(|it| it == owner),
            format!("expected {owner:?}, found {statements:?}"),
        ),
    );
    let active = active(&start);
    task.check(
        "the calls to the shops go on",
        saw(&results, addresses, &active, "hooks, active"),
    );
    task.check(
        "the program of the calls has what it needs alone",
        saw(&results, calls, &active, "hooks")
            .and(Condition::all(beyond.iter().map(|(step, place)| {
                failed(&results, *step, &["42501"], place)
            })))
            .and(Condition::all(
                written
                    .iter()
                    .map(|step| refused(&results, *step, "webhooks")),
            )),
    );
    let open = start.rows("invoices").required();
    let open: Decimal = open
        .iter()
        .filter(|it| it.integer("tenant_id") == SHOP && it.get("paid_on").is_none())
        .map(|it| it.decimal("total"))
        .sum();
    let found = results.of(debt).map_err(ToString::to_string);
    let found = found.and_then(|rows| rows.value::<String>().map_err(|error| error.to_string()));
    task.check(
        "the jobs at night go on",
        Condition::equal(&Ok(numbers::fixed(open, 2)), &found).and(Condition::all(
            others
                .iter()
                .map(|(step, place)| failed(&results, *step, &["42501"], place)),
        )),
    );
    task.check(
        "repairs go on",
        saw(
            &results,
            invoices,
            &expected(&start, "invoices", |_| true),
            "bram",
        ),
    );
    check_others(task, &start, &end);
    unchanged_except(
        task,
        [
            "roles.sql",
            "schemas/public/grants.sql",
            "schemas/public/policies/webhooks.sql",
            "schemas/public/policies/customers.sql",
            "schemas/public/functions/unpaid.sql",
        ],
    );
}

/// Active webhooks by shop.
fn active(start: &Database) -> Counts {
    let mut counts = Counts::new();
    for row in start
        .rows("webhooks")
        .required()
        .iter()
        .filter(|row| row.truth("is_active"))
    {
        *counts.entry(row.integer("tenant_id")).or_default() += 1;
    }
    counts
}

/// Returns the names of all tables.
fn start_tables(start: &Database) -> BTreeSet<String> {
    let grants = start.grants("public");
    let names = grants
        .iter()
        .filter_map(|it| it.object.strip_prefix("TABLE public."));
    names.map(str::to_owned).collect()
}

/// Returns the roles that a policy is for.
fn roles_of(policy: &str) -> BTreeSet<&str> {
    let lines = policy
        .lines()
        .filter_map(|line| line.trim().strip_prefix("TO "));
    lines.flat_map(|roles| roles.split(", ")).collect()
}

/// Everything that is not about the account or the program is as it was.
fn check_others(task: &mut Verifier, start: &Database, end: &Database) {
    let about =
        |it: &Membership| ["arun", "hooks"].contains(&it.member.as_str()) || it.group == "arun";
    let rest = |all: BTreeSet<Membership>| -> BTreeSet<Membership> {
        all.into_iter().filter(|it| !about(it)).collect()
    };
    task.check(
        "all other accounts and groups",
        Condition::equal(&rest(start.memberships()), &rest(end.memberships()))
            .and(Condition::equal(&start.roles(), &end.roles())),
    );
    let (before, now) = (start.grants("public"), end.grants("public"));
    let lost = before.difference(&now).find(|it| it.role != "arun");
    let new = now.difference(&before).find(|it| {
        let reads = it.privilege == "SELECT" || it.privilege.starts_with("SELECT (");
        !(it.role == "hooks" && it.object == "TABLE public.webhooks" && reads && !it.grantable)
    });
    task.check("all other rights", no_lost_right(lost).and(no_right(new)));
    let policies = |database: &Database, table: &str| -> BTreeSet<String> {
        let statements = database.statements("policies", table).into_iter();
        statements
            .filter(|it| !it.contains("POLICY arun_import "))
            .filter(|it| {
                let roles = roles_of(it);
                !(roles.contains("arun")
                    || roles.iter().all(|role| *role == "hooks") && !roles.is_empty())
            })
            .collect()
    };
    let unlike = ["webhooks", "customers"]
        .into_iter()
        .find(|table| policies(start, table) != policies(end, table));
    task.check(
        "all other policies",
        Condition::when(
            unlike.is_none(),
            format!("expected the other policies of {unlike:?} as they were"),
        ),
    );
}
