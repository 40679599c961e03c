//! What the notes in `i18n` say, applied to the texts. The wrong solutions bend one rule each.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::serde_json::{self, Value};

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// `{{name}}` is read as a placeholder.
    pub doubled_braces: bool,
    /// White space is a translation like any other.
    pub blanks_are_text: bool,
}

/// What is to be told about the languages.
pub struct Report {
    /// Language, path, problem, English text; sorted.
    pub gaps: Vec<[String; 4]>,
    /// Language and its number of texts without a problem; sorted.
    pub good: Vec<(String, usize)>,
    /// How many texts English has.
    pub texts: usize,
}

impl Report {
    /// The lines of the coverage.
    pub fn coverage(&self) -> Vec<String> {
        let all = self.texts;
        let mut lines: Vec<String> = self
            .good
            .iter()
            .map(|(language, good)| {
                let thousandths = good * 1000 / all;
                let (whole, tenth) = (thousandths / 10, thousandths % 10);
                format!("{language}: {good} of {all} ({whole}.{tenth} %)")
            })
            .collect();
        let complete: Vec<&str> = self
            .good
            .iter()
            .map(|(language, _)| language.as_str())
            .filter(|language| !self.gaps.iter().any(|gap| gap[0] == *language))
            .collect();
        lines.push(match complete.as_slice() {
            [] => "Complete: none".to_owned(),
            some => format!("Complete: {}", some.join(", ")),
        });
        lines
    }
}

/// Compares the languages among some paths; `read` gives the text of a file.
pub fn compare(
    paths: &[String],
    mut read: impl FnMut(&str) -> String,
    oversights: &Oversights,
) -> Report {
    let english = texts(&read("i18n/en.json"));
    let kept = kept(&read("i18n/keep.txt"));
    let languages: BTreeSet<&str> = paths
        .iter()
        .filter_map(|path| path.strip_prefix("i18n/")?.strip_suffix(".json"))
        .filter(|name| *name != "en" && !name.contains('/'))
        .collect();
    let mut report = Report {
        gaps: Vec::new(),
        good: Vec::new(),
        texts: english.len(),
    };
    for language in languages {
        let theirs = texts(&read(&format!("i18n/{language}.json")));
        let mut gaps = BTreeMap::new();
        for (path, text) in &english {
            let keeps = kept.iter().any(|rule| covers(rule, path));
            if let Some(problem) = problem(text, theirs.get(path), keeps, oversights) {
                gaps.insert(path.clone(), (problem, text.clone()));
            }
        }
        report
            .good
            .push((language.to_owned(), english.len() - gaps.len()));
        for path in theirs.keys().filter(|path| !english.contains_key(*path)) {
            gaps.insert(path.clone(), ("obsolete", String::new()));
        }
        report.gaps.extend(
            gaps.into_iter().map(|(path, (problem, text))| {
                [language.to_owned(), path, problem.to_owned(), text]
            }),
        );
    }
    report
}

fn problem(
    english: &str,
    theirs: Option<&String>,
    keeps: bool,
    oversights: &Oversights,
) -> Option<&'static str> {
    let Some(text) = theirs else {
        return Some("missing");
    };
    let is_empty = if oversights.blanks_are_text {
        text.is_empty()
    } else {
        text.trim().is_empty()
    };
    let names = |text: &str| placeholders(text, oversights.doubled_braces);
    if is_empty {
        Some("empty")
    } else if names(text) != names(english) {
        Some("placeholders")
    } else if text == english && !keeps {
        Some("untranslated")
    } else {
        None
    }
}

/// All texts by their paths, without notes.
fn texts(json: &str) -> BTreeMap<String, String> {
    let json = json.strip_prefix('\u{feff}').unwrap_or(json);
    let value: Value = match serde_json::from_str(json) {
        Ok(value) => value,
        Err(error) => panic!("a language is no JSON: {error}"),
    };
    let mut texts = BTreeMap::new();
    collect(&value, "", &mut texts);
    texts
}

fn collect(value: &Value, path: &str, texts: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members.iter().filter(|(name, _)| !name.starts_with('_')) {
                let dot = if path.is_empty() { "" } else { "." };
                collect(value, &format!("{path}{dot}{name}"), texts);
            }
        }
        Value::String(text) => {
            texts.insert(path.to_owned(), text.clone());
        }
        other => panic!("{path}: expected a text, found {other}"),
    }
}

fn kept(list: &str) -> Vec<String> {
    list.lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim().to_owned())
        .filter(|rule| !rule.is_empty())
        .collect()
}

fn covers(rule: &str, path: &str) -> bool {
    match rule.strip_suffix('*') {
        Some(group) => path.starts_with(group),
        None => path == rule,
    }
}

fn placeholders(text: &str, doubled_braces: bool) -> BTreeSet<String> {
    // No text has this character.
    let text = if doubled_braces {
        text.to_owned()
    } else {
        text.replace("{{", "\u{0}").replace("}}", "\u{0}")
    };
    let mut names = BTreeSet::new();
    for part in text.split('{').skip(1) {
        if let Some((name, _)) = part.split_once('}') {
            let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
            if !name.is_empty() && name.chars().all(is_name) {
                names.insert(name.to_owned());
            }
        }
    }
    names
}
