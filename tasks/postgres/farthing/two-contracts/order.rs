//! Contracts as the rules of the office put them in order.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest_postgres::Database;

/// Columns of a contract, without its number.
pub const COLUMNS: [&str; 10] = [
    "employee_id",
    "since",
    "until",
    "temporary",
    "pattern",
    "pay_kind",
    "pay",
    "annual_leave",
    "signed_on",
    "source",
];

/// Contract of the starting state.
#[derive(Clone)]
pub struct Contract {
    pub id: String,
    pub employee: String,
    pub since: Date,
    pub until: Option<Date>,
    temporary: bool,
    signed: Date,
    row: Vec<Option<String>>,
}

impl Contract {
    fn is_called_off(&self) -> bool {
        self.until.is_some_and(|until| until < self.since)
    }
}

/// Difference between the starting state and the state that the rules ask for.
#[derive(Default)]
pub struct Ordered {
    /// All numbers of the starting state.
    pub ids: Vec<String>,
    /// Contracts that are deleted, with the number of the one that holds in their place.
    pub replaced: BTreeMap<String, String>,
    /// New last days by number.
    pub ends: BTreeMap<String, String>,
    /// New contracts, sorted.
    pub continued: Vec<Vec<Option<String>>>,
    /// Contracts that stay, by person and first day.
    people: BTreeMap<String, Vec<Contract>>,
}

impl Ordered {
    /// Puts the contracts of a state in order.
    pub fn of(start: &Database) -> Self {
        let mut ordered = Self::default();
        let mut people: BTreeMap<String, Vec<Contract>> = BTreeMap::new();
        for row in start.rows("contracts").required().iter() {
            let contract = Contract {
                id: row.text("id").to_owned(),
                employee: row.text("employee_id").to_owned(),
                since: row.date("since"),
                until: row.get("until").map(|_| row.date("until")),
                temporary: row.truth("temporary"),
                signed: row.date("signed_on"),
                row: COLUMNS
                    .iter()
                    .map(|name| row.get(name).map(str::to_owned))
                    .collect(),
            };
            ordered.ids.push(contract.id.clone());
            if !contract.is_called_off() {
                let own = people.entry(contract.employee.clone()).or_default();
                own.push(contract);
            }
        }
        for own in people.values_mut() {
            ordered.person(own);
        }
        ordered.continued.sort();
        ordered.people = people;
        ordered
    }

    fn person(&mut self, own: &mut Vec<Contract>) {
        // Rows come in the order of their numbers, and sorting keeps it, so that the lower one of two equals is first.
        own.sort_by_key(|it| (it.since, std::cmp::Reverse(it.signed)));
        let mut at = 1;
        while at < own.len() {
            if own[at].since == own[at - 1].since {
                let loser = own.remove(at);
                self.replaced.insert(loser.id, own[at - 1].id.clone());
            } else {
                at += 1;
            }
        }
        for at in 1..own.len() {
            let (since, is_temporary) = (own[at].since, own[at].temporary);
            let (until, next) = (own[at].until, own.get(at + 1).map(|it| it.since));
            let before = &mut own[at - 1];
            if before.until.is_some_and(|until| until < since) {
                continue;
            }
            if let Some(until) = until.filter(|_| is_temporary) {
                let goes_on = before.until.is_none_or(|end| end > until);
                assert!(next.is_none(), "a temporary contract is the last one");
                if goes_on {
                    let mut row = before.row.clone();
                    row[1] = Some((until + 1.day()).to_string());
                    self.continued.push(row);
                }
            }
            let end = since - 1.day();
            before.until = Some(end);
            self.ends.insert(before.id.clone(), end.to_string());
        }
    }

    /// Returns the open contract of somebody who has one only, the last one of somebody who has left, and two contracts of
    /// one person, the second of which follows on the first and is open.
    pub fn examples(&self) -> Option<(Contract, Contract, (Contract, Contract))> {
        let one = |is_open: bool| {
            let mut people = self.people.values();
            let own = people.find(|own| {
                own.len() == 1 && own[0].until.is_none() == is_open && !self.has_new(&own[0])
            });
            own.map(|own| own[0].clone())
        };
        let follows = |own: &&Vec<Contract>| {
            own.len() == 2
                && own[1].until.is_none()
                && own[0]
                    .until
                    .is_some_and(|until| until + 1.day() == own[1].since)
        };
        let pair = self.people.values().find(follows)?;
        Some((one(true)?, one(false)?, (pair[0].clone(), pair[1].clone())))
    }

    fn has_new(&self, contract: &Contract) -> bool {
        self.continued
            .iter()
            .any(|row| row[0].as_deref() == Some(contract.employee.as_str()))
    }
}
