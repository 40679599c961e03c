//! The rules of `docs/triage.md`, as the solution and the wrong ones apply them.

use std::collections::BTreeMap;

use mcpmark_guest::serde_json::Value;

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Slips {
    /// Takes closed issues for such that can be repeated.
    pub repeats_closed: bool,
    /// Names the youngest issue with the code in place of the oldest.
    pub names_youngest: bool,
}

/// An issue as the tools tell it.
pub struct Issue {
    pub number: u64,
    pub body: String,
    pub labels: Vec<String>,
    pub is_open: bool,
}

pub struct Decision {
    pub number: u64,
    pub labels: Vec<String>,
    pub repeats: Option<u64>,
}

/// The value of a line of the form.
fn field<'a>(body: &'a str, name: &str) -> Option<&'a str> {
    let (form, _) = body.split_once("\n\n").unwrap_or((body, ""));
    form.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        .map(str::trim)
}

/// What the tables of the rules say: a word, in small letters, and its label.
pub fn tables(rules: &str) -> BTreeMap<String, String> {
    let mut words = BTreeMap::new();
    for line in rules.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        if let [names, label] = cells.as_slice()
            && let Some(label) = label.strip_prefix('`')
        {
            for name in names.split(',') {
                let label = label.trim_end_matches('`').to_owned();
                words.insert(name.trim().to_lowercase(), label);
            }
        }
    }
    words
}

pub fn decide(issues: &[Issue], rules: &str, slips: &Slips) -> Vec<Decision> {
    let words = tables(rules);
    let fresh = issues
        .iter()
        .filter(|it| it.is_open && it.labels.is_empty());
    let mut decisions: Vec<Decision> = fresh
        .map(|issue| {
            let label = |name: &str| {
                let word = field(&issue.body, name).unwrap_or_default().to_lowercase();
                words.get(&word).cloned()
            };
            let mut labels: Vec<String> = label("Kind").into_iter().collect();
            labels.push(label("Component").unwrap_or_else(|| "needs info".to_owned()));
            let code = field(&issue.body, "Code");
            let mut same = issues.iter().filter(|other| {
                code.is_some()
                    && field(&other.body, "Code") == code
                    && !other.labels.is_empty()
                    && (other.is_open || slips.repeats_closed)
            });
            let repeated = if slips.names_youngest {
                same.next_back()
            } else {
                same.next()
            };
            if repeated.is_some() {
                labels.push("duplicate".to_owned());
            }
            labels.sort();
            Decision {
                number: issue.number,
                labels,
                repeats: repeated.map(|it| it.number),
            }
        })
        .collect();
    decisions.sort_by_key(|it| it.number);
    decisions
}

pub fn read(issue: &Value) -> Issue {
    let labels = issue["labels"].as_array().into_iter().flatten();
    Issue {
        number: issue["number"].as_u64().expect("an issue has a number"),
        body: issue["body"].as_str().unwrap_or_default().to_owned(),
        labels: labels
            .filter_map(|label| Some(label["name"].as_str()?.to_owned()))
            .collect(),
        is_open: issue["state"]
            .as_str()
            .is_some_and(|it| it.eq_ignore_ascii_case("open")),
    }
}
