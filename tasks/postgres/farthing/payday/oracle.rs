//! Payments that the rules ask for, in pennies and payslip by payslip, from the files of the starting state.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::HashMap;
use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest_postgres::{Database, Record};

/// What somebody whose last day is near always gets.
const LIMIT: i64 = 600_00;

/// Row of a result, as texts.
pub type Row = Vec<Option<String>>;

/// Account of a person.
struct Account {
    id: String,
    since: Date,
    until: Option<Date>,
    is_verified: bool,
}

/// Advance with what is outstanding.
struct Advance {
    id: i64,
    paid_on: Date,
    outstanding: i64,
}

/// Starting state, as far as payments are about it.
pub struct Office {
    payslips: Vec<(i64, String, String, i64)>,
    last_days: HashMap<String, Date>,
    accounts: HashMap<String, Vec<Account>>,
    advances: HashMap<String, Vec<Advance>>,
}

/// What a run leaves.
#[derive(Default)]
pub struct Outcome {
    /// Payslip, amount.
    pub amounts: Vec<Row>,
    /// Payslip, account, status.
    pub accounts: Vec<Row>,
    /// Advance, payslip, amount.
    pub kept: Vec<Row>,
    /// Payments that are not held, by run.
    pub due: BTreeMap<i64, i64>,
}

impl Office {
    /// Reads the starting state.
    pub fn of(start: &Database) -> Self {
        let rows = |table: &str| start.rows(table).required();
        let mut repaid: HashMap<String, i64> = HashMap::default();
        for row in rows("advance_repayments").iter() {
            let sum = repaid.entry(row.text("advance_id").to_owned()).or_default();
            *sum += pennies(row.text("amount"));
        }
        let mut office = Self {
            payslips: Vec::new(),
            last_days: HashMap::default(),
            accounts: HashMap::default(),
            advances: HashMap::default(),
        };
        for row in rows("advances").iter() {
            let outstanding = pennies(row.text("amount"))
                - repaid.get(row.text("id")).copied().unwrap_or_default();
            let own = office.advances.entry(row.text("employee_id").to_owned());
            own.or_default().push(Advance {
                id: row.integer("id"),
                paid_on: row.date("paid_on"),
                outstanding,
            });
        }
        for row in rows("payslips").iter() {
            office.payslips.push((
                row.integer("id"),
                row.text("run_id").to_owned(),
                row.text("employee_id").to_owned(),
                pennies(row.text("net")),
            ));
        }
        for row in rows("employees").iter() {
            if let Some(last) = day(&row, "left_on") {
                office.last_days.insert(row.text("id").to_owned(), last);
            }
        }
        for row in rows("bank_accounts").iter() {
            let own = office.accounts.entry(row.text("employee_id").to_owned());
            own.or_default().push(Account {
                id: row.text("id").to_owned(),
                since: row.date("since"),
                until: day(&row, "until"),
                is_verified: row.get("verified_on").is_some(),
            });
        }
        office
    }

    /// Adds an advance, which the copy gets as well.
    pub fn lend(&mut self, id: i64, employee: &str, paid_on: Date, pennies: i64) {
        let own = self.advances.entry(employee.to_owned());
        own.or_default().push(Advance {
            id,
            paid_on,
            outstanding: pennies,
        });
    }

    /// Returns the people of a run with a net above 0, in the order of their payslips.
    pub fn people(&self, run: i64) -> Vec<(i64, &str)> {
        let run = run.to_string();
        let own = self.payslips.iter().filter(|it| it.1 == run && it.3 > 0);
        own.map(|it| (it.0, it.2.as_str())).collect()
    }

    /// Pays runs out on a day. The second day is the last one of the month of the runs.
    pub fn pay_out(&mut self, runs: &[i64], on: Date, month_end: Date) -> Outcome {
        let mut outcome = Outcome::default();
        let mut kept: BTreeSet<(i64, i64, i64)> = BTreeSet::new();
        for (slip, run, employee, net) in &self.payslips {
            let Some(run) = runs.iter().find(|it| it.to_string() == *run) else {
                continue;
            };
            let due = outcome.due.entry(*run).or_default();
            if *net == 0 {
                continue;
            }
            let is_leaving = self
                .last_days
                .get(employee)
                .is_some_and(|last| *last <= month_end);
            let mut most = match is_leaving {
                true => (net - LIMIT).max(0),
                false => net / 5,
            };
            let mut amount = *net;
            let mut advances: Vec<&mut Advance> = self
                .advances
                .get_mut(employee)
                .into_iter()
                .flatten()
                .collect();
            advances.sort_by_key(|it| (it.paid_on, it.id));
            for advance in advances {
                let part = most.min(advance.outstanding);
                if part > 0 {
                    kept.insert((advance.id, *slip, part));
                    advance.outstanding -= part;
                    most -= part;
                    amount -= part;
                }
            }
            let accounts = self.accounts.get(employee).into_iter().flatten();
            let holds = accounts.filter(|it| {
                it.is_verified && it.since <= on && it.until.is_none_or(|last| on <= last)
            });
            let account = holds.max_by_key(|it| it.since).map(|it| it.id.clone());
            if account.is_some() {
                *due += 1;
            }
            let status = if account.is_some() { "due" } else { "held" };
            outcome
                .amounts
                .push(vec![Some(slip.to_string()), Some(in_pounds(amount))]);
            outcome.accounts.push(vec![
                Some(slip.to_string()),
                account,
                Some(status.to_owned()),
                Some(on.to_string()),
                None,
            ]);
        }
        outcome.kept = kept
            .into_iter()
            .map(|(advance, slip, part)| {
                vec![
                    Some(advance.to_string()),
                    Some(slip.to_string()),
                    Some(in_pounds(part)),
                ]
            })
            .collect();
        outcome
    }
}

fn day(row: &Record, column: &str) -> Option<Date> {
    row.get(column).map(|_| row.date(column))
}

fn pennies(text: &str) -> i64 {
    text.replace('.', "").parse().expect("two decimals")
}

fn in_pounds(pennies: i64) -> String {
    format!("{}.{:02}", pennies / 100, pennies % 100)
}
