//! The check for conflicts as a careful clerk makes it, or with one mistake. Unlike the verifier, whose rows are worked
//! out by hand, this follows the policy.

#![allow(dead_code)]

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::{Csv, Reader, Tools};

#[path = "../office.rs"]
mod office;

use office::{Client, Matter};

const REPORT: &str = "01 Clients/conflict check 2026-03-02.csv";
const LAST: &str = "01 Clients/conflict check 2026-02-02.csv";
const ENQUIRIES: &str = "01 Clients/new enquiries.md";
const RULES: [&str; 2] = ["00 Office/conventions.md", "00 Office/conflict policy.md"];
const LISTS: [&str; 2] = ["01 Clients/clients.csv", "02 Matters/register.csv"];
const OLD_LISTS: [&str; 2] = [
    "01 Clients/clients backup.csv",
    "02 Matters/register copy 2025-12.csv",
];
const SIX_YEARS_AGO: Date = Date::constant(2020, 3, 2);

/// What somebody can get wrong.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Compares with the names of clients alone, without trading and former names.
    NamesOnly,
    /// Refers whatever was ever closed to a partner.
    AllClosedMatters,
    /// All lines of a client hold.
    EveryLine,
    /// Goes by the copies of the lists.
    OldCopies,
    /// Names that begin alike are the same.
    SimilarNames,
    /// Notes all matters of a name, also those that do not make the result.
    AllMatters,
}

/// In which way the drive is read and the result written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    OneByOne,
    /// The lists before the rules.
    ListsFirst,
    /// All files with one call, once a search has found the notes on conflicts.
    SearchAndReadMany,
    /// Names without titles and legal forms, and a semicolon between matters.
    BareNames,
    /// All files with one call; the table as a spreadsheet program saves it, with a comma between matters.
    QuotedCells,
}

/// Makes the check.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    let lists = match mistake {
        Some(Mistake::OldCopies) => OLD_LISTS,
        _ => LISTS,
    };
    let [clients, register, enquiries] = match manner {
        Manner::SearchAndReadMany | Manner::QuotedCells => {
            if manner == Manner::SearchAndReadMany {
                tools.text(
                    "search_files",
                    &mcpmark_guest::serde_json::json!({"path": "", "pattern": "**/*conflict*"}),
                );
            } else {
                tools.list("00 Office");
            }
            let paths = [lists[0], lists[1], ENQUIRIES, RULES[0], RULES[1], LAST];
            let mut texts = tools.raw_all(&paths.map(str::to_owned)).into_iter();
            [(); 3].map(|()| mcpmark_guest::plain(&texts.next().expect("each file has a text")))
        }
        Manner::ListsFirst => {
            let texts = [lists[0], lists[1], ENQUIRIES].map(|path| Reader::text(tools, path));
            read_rules(tools);
            texts
        }
        Manner::OneByOne | Manner::BareNames => {
            read_rules(tools);
            [lists[0], lists[1], ENQUIRIES].map(|path| Reader::text(tools, path))
        }
    };
    let books = Books {
        clients: clients_of(&clients, mistake),
        matters: office::register(&register),
        mistake,
    };
    let mut rows = books.rows(&enquiries);
    for row in &mut rows {
        match manner {
            Manner::BareNames => {
                row[2] = bare(&row[2]);
                row[4] = row[4].replace(' ', "; ");
            }
            Manner::QuotedCells => row[4] = row[4].replace(' ', ", "),
            Manner::OneByOne | Manner::ListsFirst | Manner::SearchAndReadMany => {}
        }
    }
    let header = ["enquiry", "side", "name", "result", "matters"].map(str::to_owned);
    let lines = std::iter::once(&header).chain(&rows);
    let table: String = if manner == Manner::QuotedCells {
        let lines = lines.map(quoted);
        std::iter::once("\u{feff}".to_owned())
            .chain(lines)
            .collect()
    } else {
        lines.map(Csv::line).collect()
    };
    tools.write(REPORT, &table);
    format!("Checked {} names.", rows.len())
}

/// Returns the result for a name with its matters, by these lists and on the day of the check.
pub fn result(clients: &str, register: &str, name: &str, is_enquirer: bool) -> [String; 2] {
    let books = Books {
        clients: clients_of(clients, None),
        matters: office::register(register),
        mistake: None,
    };
    let (result, numbers) = books.judge(name, is_enquirer);
    [result.to_owned(), numbers.join(" ")]
}

/// A line with quotes around each cell and CRLF at its end.
fn quoted(cells: &[String; 5]) -> String {
    format!("\"{}\"\r\n", cells.join("\",\""))
}

fn read_rules(tools: &mut Tools) {
    tools.list("01 Clients");
    for path in [RULES[0], RULES[1], LAST] {
        tools.read_text(path);
    }
}

fn clients_of(text: &str, mistake: Option<Mistake>) -> Vec<(String, Client)> {
    if mistake != Some(Mistake::EveryLine) {
        return office::clients(text, true).into_iter().collect();
    }
    let (header, lines) = text.split_once('\n').expect("the list has a header");
    let clients = lines
        .lines()
        .map(|line| office::clients(&format!("{header}\n{line}\n"), true));
    clients.flatten().collect()
}

/// A name without its title and its legal form.
fn bare(name: &str) -> String {
    let name = ["Mrs. ", "Mr ", "Dr "]
        .iter()
        .fold(name, |name, title| name.trim_start_matches(title));
    let forms = [" Limited", " plc"];
    forms
        .iter()
        .fold(name, |name, form| name.trim_end_matches(form))
        .to_owned()
}

struct Books {
    clients: Vec<(String, Client)>,
    matters: BTreeMap<String, Matter>,
    mistake: Option<Mistake>,
}

impl Books {
    fn rows(&self, enquiries: &str) -> Vec<[String; 5]> {
        let mut rows = Vec::new();
        let mut enquiry = String::new();
        for line in enquiries.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                let number = heading.split(' ').next().unwrap_or_default();
                number.clone_into(&mut enquiry);
            }
            for (prefix, side) in [("- Enquirer: ", "enquirer"), ("- Other side: ", "other")] {
                let names = line.strip_prefix(prefix).map(office::list);
                for name in names.unwrap_or_default() {
                    let (result, numbers) = self.judge(&name, side == "enquirer");
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

    fn judge(&self, name: &str, is_enquirer: bool) -> (&'static str, Vec<String>) {
        let as_client: Vec<&Matter> = self
            .matters
            .values()
            .filter(|matter| {
                let mut lines = self.clients.iter();
                lines.any(|(number, client)| {
                    *number == matter.client && self.is_client(name, client)
                })
            })
            .collect();
        let against: Vec<&Matter> = self
            .matters
            .values()
            .filter(|matter| {
                matter
                    .other_parties
                    .iter()
                    .any(|party| self.is_same(party, name))
            })
            .collect();
        let is_client = self
            .clients
            .iter()
            .any(|(_, client)| self.is_client(name, client));
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
            matter.closed.is_some_and(|closed| {
                self.mistake == Some(Mistake::AllClosedMatters) || closed >= SIX_YEARS_AGO
            })
        });
        let noted = |numbers_of_result: Vec<String>| match self.mistake {
            Some(Mistake::AllMatters) => numbers(&harmful, &|_| true),
            _ => numbers_of_result,
        };
        if !open.is_empty() {
            ("conflict", noted(open))
        } else if !recent.is_empty() {
            ("refer", noted(recent))
        } else if is_known {
            ("known", numbers(&harmless, &|_| true))
        } else {
            ("clear", Vec::new())
        }
    }

    fn is_client(&self, name: &str, client: &Client) -> bool {
        let mut names = vec![&client.name];
        if self.mistake != Some(Mistake::NamesOnly) {
            names.extend(&client.also_known_as);
        }
        names.iter().any(|other| self.is_same(other, name))
    }

    fn is_same(&self, one: &str, other: &str) -> bool {
        let (one, other) = (key(one), key(other));
        let is_similar = self.mistake == Some(Mistake::SimilarNames)
            && (one.starts_with(&other) || other.starts_with(&one));
        one == other || is_similar
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
