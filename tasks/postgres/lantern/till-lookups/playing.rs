//! The indexes, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::json;

#[path = "../desk.rs"]
mod desk;

use desk::{run, run_all};

/// Deviation from what the programs ask.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Indexes on the columns, which the comparison does not use.
    PlainColumns,
    /// The other one of `upper` and `lower`.
    OneForBoth,
    /// Only the lookup of the tills.
    TillsOnly,
    /// More indexes, to be safe.
    ToBeSafe,
    /// The old index on the address is dropped.
    DropsTheOld,
    /// Only bookings that are paid.
    PaidOnly,
    /// The data is changed, so that the old indexes would serve.
    RewritesTheData,
    /// An index that stores columns beside its key.
    StoresColumns,
    /// An index that refuses equal references.
    RefusesEquals,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Description of the tables and a plan, then the indexes.
    Plain,
    /// Customers first.
    CustomersFirst,
    /// The catalogue in place of descriptions, and hash indexes.
    ByHash,
    /// Accounts without an address are not in the index, because no comparison finds them.
    LeavesOutEmpty,
}

/// Adds the indexes.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    match manner {
        Manner::Plain | Manner::LeavesOutEmpty => {
            desk::describe(tools, "bookings");
            desk::describe(tools, "customers");
            plan(
                tools,
                "SELECT * FROM bookings WHERE upper(reference) = upper('abc234')",
            );
            plan(
                tools,
                "SELECT * FROM customers WHERE lower(email) = lower('Ada@post.example')",
            );
        }
        Manner::CustomersFirst => {
            desk::describe(tools, "customers");
            desk::describe(tools, "bookings");
            plan(
                tools,
                "SELECT * FROM customers WHERE lower(email) = lower('Ada@post.example')",
            );
            plan(
                tools,
                "SELECT * FROM bookings WHERE upper(reference) = upper('abc234')",
            );
        }
        Manner::ByHash => {
            run(
                tools,
                "SELECT indexdef FROM pg_indexes WHERE tablename IN ('bookings', 'customers')",
            );
        }
    }
    desk::section(tools, "definitions");
    let bookings = "CREATE INDEX bookings_upper_reference_idx ON bookings (upper(reference))";
    let customers = "CREATE INDEX customers_lower_email_idx ON customers (lower(email))";
    match (mistake, manner) {
        (None, Manner::Plain) => run_all(tools, &[bookings, customers]),
        (None, Manner::CustomersFirst) => run_all(tools, &[customers, bookings]),
        (None, Manner::ByHash) => run_all(
            tools,
            &[
                "CREATE INDEX ON bookings USING hash (upper(reference))",
                "CREATE INDEX ON customers USING hash (lower(email))",
            ],
        ),
        (None, Manner::LeavesOutEmpty) => run_all(
            tools,
            &[
                bookings,
                "CREATE INDEX ON customers (lower(email)) WHERE email IS NOT NULL",
            ],
        ),
        (Some(mistake), _) => run_all(tools, &wrong(mistake, bookings, customers)),
    }
    plan(
        tools,
        "SELECT * FROM bookings WHERE upper(reference) = upper('abc234')",
    );
    "Both lookups have their index.".to_owned()
}

fn wrong<'a>(mistake: Mistake, bookings: &'a str, customers: &'a str) -> Vec<&'a str> {
    match mistake {
        Mistake::PlainColumns => vec![
            "CREATE INDEX ON bookings (reference)",
            "CREATE INDEX ON customers (email)",
        ],
        Mistake::OneForBoth => vec![
            "CREATE INDEX ON bookings (lower(reference))",
            "CREATE INDEX ON customers (lower(email))",
        ],
        Mistake::TillsOnly => vec![bookings],
        Mistake::ToBeSafe => vec![
            bookings,
            customers,
            "CREATE INDEX ON bookings (customer_id)",
            "CREATE INDEX ON customers (lower(full_name))",
        ],
        Mistake::DropsTheOld => vec![bookings, customers, "DROP INDEX customers_email_idx"],
        Mistake::PaidOnly => vec![
            "CREATE INDEX ON bookings (upper(reference)) WHERE status = 'paid'",
            customers,
        ],
        Mistake::RewritesTheData => vec![
            bookings,
            customers,
            "UPDATE customers SET email = lower(email)",
        ],
        Mistake::StoresColumns => vec![
            bookings,
            "CREATE INDEX ON customers (lower(email)) INCLUDE (full_name, phone)",
        ],
        Mistake::RefusesEquals => vec![
            "CREATE UNIQUE INDEX ON bookings (upper(reference))",
            customers,
        ],
    }
}

fn plan(tools: &mut Tools, sql: &str) {
    tools.text("explain_query", &json!({"sql": sql}));
}
