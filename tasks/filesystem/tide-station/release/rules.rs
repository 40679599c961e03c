//! Contents of a release: its number, its fragments and what they mention.

use std::collections::{BTreeMap, BTreeSet};

/// A release.
pub struct Release {
    pub number: String,
    /// Files that have the number, with their new text.
    pub texts: BTreeMap<String, String>,
    /// The names of the fragments that are released.
    pub fragments: Vec<String>,
    /// Issues that the notes mention.
    pub mentioned: BTreeSet<u32>,
}

const OLD: &str = "2.3.1";
const DATE: &str = "2024-05-06";
const CHANGELOG: &str = "CHANGELOG.md";

/// Kinds of fragments.
const KINDS: [&str; 7] = [
    "security", "feature", "change", "fix", "docs", "internal", "revert",
];

struct Fragment {
    name: String,
    issue: u32,
    kind: String,
    is_breaking: bool,
    undoes: Option<String>,
}

/// Makes the release; `paths` are all files of the world, `read` gives the text of one.
pub fn release(paths: &[String], mut read: impl FnMut(&str) -> String) -> Release {
    let mut exports: Vec<&String> = paths
        .iter()
        .filter(|path| path.starts_with("tracker/export-"))
        .collect();
    exports.sort();
    let newest = read(exports.last().expect("there is an export"));
    let finished = finished(&newest);
    let fragments: Vec<Fragment> = paths
        .iter()
        .filter_map(|path| path.strip_prefix("changes/"))
        .filter_map(|name| named(name, &finished))
        .map(|(issue, kind, name)| parse(name, issue, kind, &read(&format!("changes/{name}"))))
        .collect();

    let is_released = |name: &str| fragments.iter().any(|fragment| fragment.name == name);
    let mut silent: BTreeSet<&str> = BTreeSet::new();
    for fragment in fragments
        .iter()
        .filter(|fragment| fragment.kind == "revert")
    {
        let undone = fragment.undoes.as_deref().unwrap_or_default();
        if is_released(undone) {
            silent.extend([fragment.name.as_str(), undone]);
        }
    }
    let mentioned: Vec<&Fragment> = fragments
        .iter()
        .filter(|fragment| !silent.contains(fragment.name.as_str()))
        .collect();
    let number = number(&mentioned);

    let mut texts = BTreeMap::new();
    for (path, places) in places(&number) {
        let text = read(path);
        let mut new = text.clone();
        for (old, replacement) in places {
            assert!(new.contains(&old), "{path} has no {old:?}");
            new = new.replace(&old, &replacement);
        }
        texts.insert(path.to_owned(), new);
    }
    let log = read(CHANGELOG);
    let by_hand = unreleased(&log).filter(|issue| finished.contains(issue));
    let issues = mentioned.iter().filter(|it| it.kind != "internal");
    let mentioned = issues.map(|it| it.issue).chain(by_hand).collect();
    Release {
        number,
        texts,
        mentioned,
        fragments: fragments
            .into_iter()
            .map(|fragment| fragment.name)
            .collect(),
    }
}

/// The numbers of the finished issues.
fn finished(export: &str) -> BTreeSet<u32> {
    let mut states: BTreeMap<u32, &str> = BTreeMap::new();
    let mut issue = 0;
    let mut after_rule = false;
    for line in export.lines() {
        if let (true, Some(title)) = (after_rule, line.strip_prefix('#')) {
            let number = title.split(' ').next().unwrap_or_default();
            issue = number.parse().expect("an issue has a number");
        }
        if let Some(state) = line.strip_prefix("State:") {
            states.entry(issue).or_insert(state.trim());
        }
        after_rule = line.starts_with("====");
    }
    let is_finished = |issue: &u32| {
        let mut issue = *issue;
        // Duplicates of duplicates end at the latest when every issue was met.
        for _ in 0..=states.len() {
            match states.get(&issue).copied().unwrap_or_default() {
                "closed" | "done" => return true,
                state => match state.strip_prefix("duplicate of #") {
                    Some(other) => issue = other.parse().expect("an issue has a number"),
                    None => return false,
                },
            }
        }
        false
    };
    states.keys().copied().filter(is_finished).collect()
}

/// Issue, kind and name of a fragment whose issue is finished.
fn named<'a>(name: &'a str, finished: &BTreeSet<u32>) -> Option<(u32, &'a str, &'a str)> {
    let parts: Vec<&str> = name.strip_suffix(".md")?.split('.').collect();
    let (issue, kind) = match parts.as_slice() {
        [issue, kind] => (issue, kind),
        [issue, kind, number] if number.parse::<u32>().is_ok() => (issue, kind),
        _ => return None,
    };
    let issue = issue.parse().ok()?;
    (KINDS.contains(kind) && finished.contains(&issue)).then_some((issue, *kind, name))
}

fn parse(name: &str, issue: u32, kind: &str, text: &str) -> Fragment {
    let text = text.replace("\r\n", "\n");
    let head = text.split("\n\n").next().unwrap_or_default();
    let value = |wanted: &str| {
        head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.to_lowercase() == wanted).then(|| value.trim().to_owned())
        })
    };
    Fragment {
        name: name.to_owned(),
        issue,
        kind: kind.to_owned(),
        is_breaking: value("breaking").is_some_and(|value| value == "yes"),
        undoes: value("undoes"),
    }
}

fn number(mentioned: &[&Fragment]) -> String {
    let mut parts: Vec<u32> = OLD
        .split('.')
        .filter_map(|part| part.parse().ok())
        .collect();
    let raised = if mentioned.iter().any(|fragment| fragment.is_breaking) {
        0
    } else if mentioned.iter().any(|fragment| fragment.kind == "feature") {
        1
    } else {
        2
    };
    parts[raised] += 1;
    parts[raised + 1..].fill(0);
    parts
        .iter()
        .map(u32::to_string)
        .collect::<Vec<_>>()
        .join(".")
}

/// The issues of the entries that people wrote by hand.
fn unreleased(log: &str) -> impl Iterator<Item = u32> {
    let (_, below) = log
        .split_once("## Unreleased\n")
        .expect("the change log has its first section");
    let section = below.split("\n## ").next().unwrap_or_default();
    let entries = section.lines().filter(|line| line.starts_with("- "));
    entries.map(|line| {
        let number = line
            .rsplit_once('#')
            .map(|(_, rest)| rest.trim_end_matches(')'));
        number
            .and_then(|number| number.parse().ok())
            .expect("an entry ends with its issue")
    })
}

/// In which file what is replaced by what.
fn places(number: &str) -> Vec<(&'static str, Vec<(String, String)>)> {
    let parts: Vec<&str> = number.split('.').collect();
    let with = |pattern: &str| (pattern.replace('@', OLD), pattern.replace('@', number));
    let define = |name: &str, old: &str, new: &str| {
        let line = format!("#define EBB_VERSION_{name} ");
        (format!("{line}{old}\n"), format!("{line}{new}\n"))
    };
    vec![
        ("VERSION", vec![with("@\n")]),
        (
            "README.md",
            vec![(
                format!("Current release: **{OLD}** (2024-02-19)"),
                format!("Current release: **{number}** ({DATE})"),
            )],
        ),
        (
            "firmware/include/version.h",
            vec![
                define("MAJOR", "2", parts[0]),
                define("MINOR", "3", parts[1]),
                define("PATCH", "1", parts[2]),
                with("#define EBB_VERSION \"@\""),
            ],
        ),
        (
            "tools/pyproject.toml",
            vec![with("name = \"ebbline\"\nversion = \"@\"")],
        ),
        (
            "tools/ebbline/__init__.py",
            vec![with("__version__ = \"@\"")],
        ),
        ("config/defaults.ini", vec![with("software = @")]),
        ("docs/installation/linux.md", vec![with("@")]),
        (
            "docs/installation/field unit (arm).md",
            vec![with("ebbline-field-@.img")],
        ),
    ]
}
