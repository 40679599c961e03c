//! What a paper says about itself, by the filing plan.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::{dates, plain};

use crate::office::{self, Matter};

/// Kind and folder by the words of a first line, in small letters.
pub type Kinds = BTreeMap<String, (String, String)>;

pub fn kinds(plan: &str) -> Kinds {
    let mut kinds = Kinds::new();
    let code = |cell: &str| cell.trim_matches('`').to_owned();
    for cells in office::markdown_rows(plan) {
        let value = (code(&cells[1]), code(&cells[2]));
        kinds.extend(
            cells[0]
                .split(", ")
                .map(|words| (words.to_owned(), value.clone())),
        );
    }
    kinds.remove("first line");
    kinds
}

pub struct Paper {
    pub kind: String,
    /// The folder of the kind.
    pub folder: String,
    /// ISO; `None` for a paper without a date.
    pub date: Option<String>,
    party: Option<String>,
    head: BTreeMap<String, String>,
}

impl Paper {
    /// Reads a text; `None` for a file that is no paper of a case.
    pub fn read(text: &str, kinds: &Kinds, ours: &BTreeSet<String>) -> Option<Self> {
        let text = plain(text);
        let mut lines = text.lines();
        let (kind, folder) = kinds.get(&lines.next()?.to_lowercase())?.clone();
        let head: BTreeMap<String, String> = lines
            .take_while(|line| !line.is_empty())
            .filter_map(|line| line.split_once(": "))
            .map(|(word, value)| (word.to_owned(), value.to_owned()))
            .collect();
        let date = match (head.get("Date"), head.get("Sent")) {
            (Some(date), _) => Some(office::day(date)),
            (None, sent) => sent.map(|sent| office::in_london(sent).date()),
        };
        let party = ["From", "By", "Of", "With", "To"]
            .iter()
            .filter_map(|word| head.get(*word))
            .map(|value| value.split(" <").next().unwrap_or_default())
            .find(|name| !ours.contains(*name));
        Some(Self {
            kind,
            folder,
            date: date.map(dates::iso),
            party: party.map(|name| name.replace('/', "-")),
            head,
        })
    }

    /// The number of its matter; `None` where it cannot be identified.
    pub fn matter(
        &self,
        matters: &BTreeMap<String, Matter>,
        wrong: &BTreeMap<String, String>,
    ) -> Option<String> {
        if let Some(reference) = self.head.get("Our ref") {
            let reference = reference.trim_start_matches("TK/").trim_end_matches("/TK");
            let number = office::matter_number(reference)?;
            let number = wrong.get(&number).cloned().unwrap_or(number);
            return matters.contains_key(&number).then_some(number);
        }
        let client = self.head.get("Client")?;
        let mut open = matters
            .values()
            .filter(|matter| matter.client == *client && matter.is_open());
        match (open.next(), open.next()) {
            (Some(matter), None) => Some(matter.number.clone()),
            _ => None,
        }
    }

    pub fn draft(&self) -> Option<&str> {
        let is_draft = self
            .head
            .get("Status")
            .is_some_and(|status| status == "draft");
        self.head
            .get("Version")
            .filter(|_| is_draft)
            .map(String::as_str)
    }

    /// Its new name without the ending.
    pub fn stem(&self) -> String {
        let date = self.date.as_deref().unwrap_or("undated");
        let mut stem = format!("{date} {}", self.kind);
        if let Some(party) = &self.party {
            stem += &format!(" {party}");
        }
        if let Some(version) = self.draft() {
            stem += &format!(" draft {version}");
        }
        stem
    }
}
