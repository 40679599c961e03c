//! The check for conflicts of interest, by the policy.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::{Csv, Reader};

use crate::office::{self, Client, Matter};

pub const REPORT: &str = "01 Clients/conflict check 2026-03-02.csv";
pub const HEADER: [&str; 5] = ["enquiry", "side", "name", "result", "matters"];
const SIX_YEARS_AGO: Date = Date::constant(2020, 3, 2);

/// Which rules of the policy are followed.
#[derive(Clone, Copy)]
pub struct Rules {
    /// Trading names and former names count like the name.
    pub compare_other_names: bool,
    /// A matter that was closed more than six years ago refers to nobody.
    pub heed_six_years: bool,
}

impl Rules {
    pub const ALL: Self = Self {
        compare_other_names: true,
        heed_six_years: true,
    };
}

/// The rows of the report.
pub fn check(drive: &mut impl Reader, rules: Rules) -> Vec<[String; 5]> {
    drive.text("00 Office/conventions.md");
    drive.text("00 Office/conflict policy.md");
    let enquiries = drive.text("01 Clients/new enquiries.md");
    let clients = office::clients(&drive.text("01 Clients/clients.csv"), true);
    let matters = office::register(&drive.text("02 Matters/register.csv"));
    let books = Books {
        clients,
        matters,
        rules,
    };

    let mut rows = Vec::new();
    let mut enquiry = String::new();
    for line in enquiries.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            heading
                .split(' ')
                .next()
                .unwrap_or_default()
                .clone_into(&mut enquiry);
        }
        for (prefix, side) in [("- Enquirer: ", "enquirer"), ("- Other side: ", "other")] {
            for name in line
                .strip_prefix(prefix)
                .map(office::list)
                .unwrap_or_default()
            {
                let (result, numbers) = books.judge(&name, side == "enquirer");
                rows.push([
                    enquiry.clone(),
                    side.into(),
                    name,
                    result.into(),
                    numbers.join(" "),
                ]);
            }
        }
    }
    rows
}

pub fn report(rows: &[[String; 5]]) -> String {
    std::iter::once(Csv::line(HEADER))
        .chain(rows.iter().map(Csv::line))
        .collect()
}

struct Books {
    clients: BTreeMap<String, Client>,
    matters: BTreeMap<String, Matter>,
    rules: Rules,
}

impl Books {
    fn judge(&self, name: &str, is_enquirer: bool) -> (&'static str, Vec<String>) {
        let as_client: Vec<&Matter> = self
            .matters
            .values()
            .filter(|matter| {
                self.clients
                    .get(&matter.client)
                    .is_some_and(|client| self.is_client(name, client))
            })
            .collect();
        let against: Vec<&Matter> = self
            .matters
            .values()
            .filter(|matter| {
                matter
                    .other_parties
                    .iter()
                    .any(|party| key(party) == key(name))
            })
            .collect();
        let is_client = self
            .clients
            .values()
            .any(|client| self.is_client(name, client));
        let (harmful, harmless, is_known) = if is_enquirer {
            (against, as_client, is_client)
        } else {
            let is_party = !against.is_empty();
            (as_client, against, is_party)
        };
        let numbers = |matters: &[&Matter], fits: &dyn Fn(&Matter) -> bool| -> Vec<String> {
            let fitting = matters.iter().filter(|matter| fits(matter));
            fitting.map(|matter| matter.number.clone()).collect()
        };
        let open = numbers(&harmful, &|matter| matter.is_open());
        let recent = numbers(&harmful, &|matter| {
            matter
                .closed
                .is_some_and(|closed| !self.rules.heed_six_years || closed >= SIX_YEARS_AGO)
        });
        if !open.is_empty() {
            ("conflict", open)
        } else if !recent.is_empty() {
            ("refer", recent)
        } else if is_known {
            ("known", numbers(&harmless, &|_| true))
        } else {
            ("clear", Vec::new())
        }
    }

    fn is_client(&self, name: &str, client: &Client) -> bool {
        let mut names = vec![&client.name];
        if self.rules.compare_other_names {
            names.extend(&client.also_known_as);
        }
        names.iter().any(|other| key(other) == key(name))
    }
}

/// What two names must have in common.
fn key(name: &str) -> String {
    let mut text = String::new();
    for letter in name.to_lowercase().chars() {
        match letter {
            '.' | '\'' | '’' => {}
            '&' => text.push_str(" and "),
            '-' => text.push(' '),
            'ë' | 'é' | 'è' => text.push('e'),
            'ş' => text.push('s'),
            'ŷ' => text.push('y'),
            other => text.push(other),
        }
    }
    let mut words: Vec<&str> = text.split_whitespace().collect();
    if words
        .first()
        .is_some_and(|word| ["mr", "mrs", "ms", "miss", "dr"].contains(word))
    {
        words.remove(0);
    }
    if words
        .last()
        .is_some_and(|word| ["ltd", "limited", "llp", "plc", "cic"].contains(word))
    {
        words.pop();
    }
    words.join(" ")
}
