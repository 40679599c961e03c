//! Invoices counted anew from the tools, the plans and the days on which shops signed up, and answers judged by facts.

mod answers;
#[path = "../../days.rs"]
mod days;
#[path = "../../unchanged.rs"]
mod unchanged;

use std::collections::BTreeSet;

use answers::{Invoice, Stock, fixed};
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_postgres::{Database, Record, Rows, RowsExt};

mcpmark_guest::verifier!(verify);

const TODAY: &str = "2026-05-11";
const APRIL: Date = date(2026, 4, 1);
const MARCH: Date = date(2026, 3, 1);
/// Shops that signed up before this day keep the old fee until June 2026.
const NEW_SHOPS: Date = date(2024, 1, 1);

const HOLLIS: i64 = 3;
const FENWICK: i64 = 7;
const MARSH: i64 = 11;
/// Tickets by shop.
const TICKETS: [(i64, &str); 3] = [(HOLLIS, "407"), (FENWICK, "408"), (MARSH, "409")];

/// Counts an invoice, tool by tool.
fn counted(start: &Database, shop: i64, month: Date) -> Invoice {
    let last = month.last_of_month();
    let tools = start.rows("tools").required();
    let count = tools.iter().filter(|tool| {
        let is_there = tool.date("added_on") <= last;
        let is_gone = tool
            .get("sold_on")
            .is_some_and(|_| tool.date("sold_on") <= last);
        tool.integer("tenant_id") == shop && is_there && !is_gone
    });
    let count = i64::try_from(count.count()).unwrap_or(i64::MAX);
    let plans = start.rows("tenant_plans").required();
    let plan = plans
        .iter()
        .filter(|it| it.integer("tenant_id") == shop && it.date("from_on") <= month)
        .max_by_key(|it| it.date("from_on"))
        .expect("a shop has a plan");
    let plan = find(start, "plans", |it| it.text("code") == plan.text("plan"));
    let included = plan.integer("tools_included");
    let signed_up = signed_up(start, shop);
    let is_new = month >= APRIL && signed_up >= NEW_SHOPS;
    let sent = find(start, "invoices", |it| {
        it.integer("tenant_id") == shop && it.date("month") == month
    });
    Invoice {
        base: plan.decimal("monthly"),
        included,
        tools: count,
        extra_tools: (count - included).max(0),
        fee: Decimal::new(if is_new { 180 } else { 150 }, 2),
        sent_tools: sent.integer("extra_tools"),
        sent_extra: sent.decimal("extra"),
        sent_total: sent.decimal("total"),
        stock: stock(start, shop, month),
    }
}

/// Collects the tools that came or went around a month.
fn stock(start: &Database, shop: i64, month: Date) -> Stock {
    let last = month.last_of_month();
    let mut stock = Stock {
        days: BTreeSet::from([
            month,
            last,
            last.saturating_add(1.day()),
            APRIL,
            signed_up(start, shop),
        ]),
        ..Stock::default()
    };
    let around = month.saturating_sub(1.month())..=last.saturating_add(1.month());
    let (mut added, mut sold, mut early) = (0, 0, 0);
    for tool in start.rows("tools").required().iter() {
        if tool.integer("tenant_id") != shop {
            continue;
        }
        let came = tool.date("added_on");
        let went = tool.get("sold_on").map(|_| tool.date("sold_on"));
        let of_month = |day: Date| day.first_of_month() == month;
        added += i64::from(of_month(came));
        sold += i64::from(went.is_some_and(of_month));
        early += i64::from(went.is_some_and(|day| of_month(day) && day < last));
        let days: Vec<Date> = [Some(came), went]
            .into_iter()
            .flatten()
            .filter(|day| around.contains(day))
            .collect();
        if !days.is_empty() {
            stock.days.extend(days);
            stock
                .tools
                .push((tool.integer("id"), tool.text("label").to_owned()));
        }
    }
    for plan in start.rows("tenant_plans").required().iter() {
        if plan.integer("tenant_id") == shop {
            stock.days.insert(plan.date("from_on"));
        }
    }
    stock.counts = vec![added, sold, early];
    stock
}

fn signed_up(start: &Database, shop: i64) -> Date {
    find(start, "tenants", |it| it.integer("id") == shop).date("signed_up_on")
}

fn find(start: &Database, table: &str, keep: impl Fn(&Record) -> bool) -> Record {
    let rows = start.rows(table).required();
    rows.iter()
        .find(|row| keep(row))
        .expect("the world has such a row")
}

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let invoices = TICKETS.map(|(shop, _)| counted(&start, shop, APRIL));
    let before = TICKETS.map(|(shop, _)| counted(&start, shop, MARCH));
    let [hollis, fenwick, marsh] = &invoices;
    assert!(hollis.difference() > Decimal::ZERO, "Hollis paid too much");
    assert!(
        fenwick.difference() + marsh.difference() == Decimal::ZERO,
        "the others did not"
    );

    check_credits(task, &start, &end, hollis);
    check_tickets(task, &start, &end);
    let old = start.rows("ticket_replies").required();
    let replies = end.rows("ticket_replies");
    let (kept, new) = split(&old, &replies);
    task.check(
        "the answers that were there",
        kept.equal(&old.expected(["id"])),
    );
    let known: Vec<&str> = TICKETS.iter().map(|it| it.1).collect();
    task.check(
        "an answer to each of the three",
        new.satisfies(|rows| {
            let mut found: Vec<&str> = rows.select(["ticket_id"]).filter_map(|[id]| id).collect();
            found.sort_unstable();
            Condition::equal(&known, &found)
        }),
    );
    let facts = [
        ("the answer to Hollis", answers::hollis(hollis, &before[0])),
        (
            "the answer to Fenwick",
            answers::fenwick(fenwick, &before[1], signed_up(&start, FENWICK)),
        ),
        ("the answer to Marsh", answers::marsh(marsh, &before[2])),
    ];
    for (((label, facts), invoice), (_, ticket)) in facts.iter().zip(&invoices).zip(TICKETS) {
        let body = body(&new, ticket);
        for (name, condition) in answers::conditions(&body, invoice, facts) {
            task.check(format!("{label}: {name}"), condition);
        }
    }
    let go_on = ["credits", "ticket_replies"].map(|table| unchanged::goes_on(task, table));
    task.check("the numbers go on", Condition::all(go_on));
    unchanged::unchanged_except(
        task,
        [
            "data/public/credits.csv",
            "data/public/tickets.csv",
            "data/public/ticket_replies.csv",
        ],
    );
}

/// Returns the rows whose number the starting state has, and the others.
fn split(old: &Rows, found: &Found<Rows>) -> (Found<Rows>, Found<Rows>) {
    let known: BTreeSet<String> = old.iter().map(|row| row.text("id").to_owned()).collect();
    let is_old = |row: &Record| row.get("id").is_some_and(|id| known.contains(id));
    (
        found.map(|rows| rows.filtered(is_old)),
        found.map(|rows| rows.filtered(|row| !is_old(row))),
    )
}

fn check_credits(task: &mut Verifier, start: &Database, end: &Database, hollis: &Invoice) {
    let old = start.rows("credits").required();
    let (kept, new) = split(&old, &end.rows("credits"));
    task.check(
        "the credits that were there",
        kept.equal(&old.expected(["id"])),
    );
    let amount = fixed(hollis.difference());
    let shop = HOLLIS.to_string();
    let columns = ["tenant_id", "month", "amount", "entered_on"];
    let expected = vec![[shop.as_str(), "2026-04-01", &amount, TODAY].map(Some)];
    task.check(
        "the credit of Hollis, and no other",
        new.satisfies(|rows| {
            Condition::equal(&expected, &rows.select(columns).collect::<Vec<_>>())
        }),
    );
    task.check(
        "the reason of the credit",
        new.satisfies(|rows| {
            let short = rows.iter().find(|row| {
                row.get("reason")
                    .unwrap_or_default()
                    .split_whitespace()
                    .count()
                    < 2
            });
            Condition::when(
                !rows.is_empty() && short.is_none(),
                format!("expected a few words, found {short:?}"),
            )
        }),
    );
}

fn check_tickets(task: &mut Verifier, start: &Database, end: &Database) {
    let mut expected = start.rows("tickets").required().expected(["id"]);
    for (_, ticket) in TICKETS {
        expected.set([ticket], "state", Some("answered"));
    }
    task.check(
        "the three tickets are answered",
        end.rows("tickets").equal(&expected),
    );
}

/// Returns the text of the answer to a ticket.
fn body(new: &Found<Rows>, ticket: &str) -> Found<String> {
    new.try_map(|rows| {
        let row = rows.iter().find(|row| row.get("ticket_id") == Some(ticket));
        let body = row.and_then(|row| row.get("body").map(str::to_owned));
        body.ok_or_else(|| format!("there is no answer to ticket {ticket}"))
    })
}
