//! How a release comes about. The wrong solutions bend one rule each.

use std::collections::{BTreeMap, BTreeSet};

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// A duplicate of a finished issue counts as unfinished.
    pub holds_duplicates_back: bool,
    /// In the files with the number every number that looks like it is replaced.
    pub replaces_every_number: bool,
}

/// A release.
pub struct Release {
    pub number: String,
    /// Files that change, with their new text.
    pub texts: BTreeMap<String, String>,
    /// The names of the fragments that are released.
    pub fragments: Vec<String>,
}

const OLD: &str = "2.3.1";
const DATE: &str = "2024-05-06";
const CHANGELOG: &str = "CHANGELOG.md";

/// Kinds with a heading, in the order of the headings.
const HEADINGS: [(&str, &str); 5] = [
    ("security", "Security"),
    ("feature", "Added"),
    ("change", "Changed"),
    ("fix", "Fixed"),
    ("docs", "Documentation"),
];

struct Fragment {
    name: String,
    issue: u32,
    kind: String,
    area: String,
    is_breaking: bool,
    undoes: Option<String>,
    text: String,
}

/// One or several fragments that say the same.
struct Entry<'a> {
    first: &'a Fragment,
    issues: BTreeSet<u32>,
}

/// Makes the release; `paths` are all files of the world, `read` gives the text of one.
pub fn release(
    paths: &[String],
    mut read: impl FnMut(&str) -> String,
    oversights: &Oversights,
) -> Release {
    let mut exports: Vec<&String> = paths
        .iter()
        .filter(|path| path.starts_with("tracker/export-"))
        .collect();
    exports.sort();
    let newest = read(exports.last().expect("there is an export"));
    let finished = finished(&newest, oversights);
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
    let log = read(CHANGELOG);
    texts.insert(
        CHANGELOG.to_owned(),
        changelog(&log, &number, &mentioned, &finished),
    );
    for (path, places) in places(&number) {
        let text = read(path);
        let mut new = text.clone();
        for (old, replacement) in places {
            assert!(new.contains(&old), "{path} has no {old:?}");
            new = new.replace(&old, &replacement);
        }
        if oversights.replaces_every_number {
            new = new.replace(OLD, &number);
        }
        texts.insert(path.to_owned(), new);
    }
    Release {
        number,
        texts,
        fragments: fragments
            .into_iter()
            .map(|fragment| fragment.name)
            .collect(),
    }
}

/// The numbers of the finished issues.
fn finished(export: &str, oversights: &Oversights) -> BTreeSet<u32> {
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
                _ if oversights.holds_duplicates_back => return false,
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
    let kinds = HEADINGS.map(|(kind, _)| kind);
    let is_kind = kinds.contains(kind) || ["internal", "revert"].contains(kind);
    let issue = issue.parse().ok()?;
    (is_kind && finished.contains(&issue)).then_some((issue, *kind, name))
}

fn parse(name: &str, issue: u32, kind: &str, text: &str) -> Fragment {
    let text = text.replace("\r\n", "\n");
    let (head, body) = text.split_once("\n\n").unwrap_or((&text, ""));
    let value = |wanted: &str| {
        head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.to_lowercase() == wanted).then(|| value.trim().to_owned())
        })
    };
    let mut text = body.split_whitespace().collect::<Vec<_>>().join(" ");
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    Fragment {
        name: name.to_owned(),
        issue,
        kind: kind.to_owned(),
        area: value("area").unwrap_or_default().to_lowercase(),
        is_breaking: value("breaking").is_some_and(|value| value == "yes"),
        undoes: value("undoes"),
        text,
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

/// The entries under the heading of a kind, in their order.
fn entries<'a>(kind: &str, mentioned: &[&'a Fragment]) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'a>> = Vec::new();
    for fragment in mentioned.iter().copied() {
        let is_written_like = |fragment: &Fragment| match fragment.kind.as_str() {
            "revert" => kind == "change",
            other => other == kind,
        };
        if !is_written_like(fragment) {
            continue;
        }
        let same = entries.iter_mut().find(|entry| {
            (
                &entry.first.area,
                &entry.first.text,
                entry.first.is_breaking,
            ) == (&fragment.area, &fragment.text, fragment.is_breaking)
        });
        match same {
            Some(entry) => drop(entry.issues.insert(fragment.issue)),
            None => entries.push(Entry {
                first: fragment,
                issues: BTreeSet::from([fragment.issue]),
            }),
        }
    }
    entries.sort_by_key(|entry| {
        (
            !entry.first.is_breaking,
            &entry.first.area,
            entry.issues.first().copied(),
            &entry.first.name,
        )
    });
    entries
}

impl Entry<'_> {
    fn line(&self) -> String {
        let numbers = self.issues.iter().map(|issue| format!("#{issue}"));
        let breaking = if self.first.is_breaking {
            "**Breaking:** "
        } else {
            ""
        };
        format!(
            "- **{}**: {breaking}{} ({})",
            self.first.area,
            self.first.text,
            numbers.collect::<Vec<_>>().join(", ")
        )
    }
}

fn changelog(log: &str, number: &str, mentioned: &[&Fragment], finished: &BTreeSet<u32>) -> String {
    let start = log
        .find("## Unreleased\n")
        .expect("the change log has its first section");
    let end = log
        .find(&format!("## {OLD} "))
        .expect("the change log has the last release");
    let mut waiting: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut by_hand: Vec<(&str, &str)> = Vec::new();
    let mut heading = "";
    for line in log[start..end].lines() {
        heading = line.strip_prefix("### ").unwrap_or(heading);
        if !line.starts_with("- ") {
            continue;
        }
        if finished.contains(&last_number(line)) {
            by_hand.push((heading, line));
        } else if let Some((_, lines)) = waiting.iter_mut().find(|(name, _)| *name == heading) {
            lines.push(line);
        } else {
            waiting.push((heading, vec![line]));
        }
    }

    let mut text = format!("{}## Unreleased\n\n", &log[..start]);
    if waiting.is_empty() {
        text += "Nothing yet.\n\n";
    }
    for (heading, lines) in waiting {
        text += &format!("### {heading}\n\n{}\n\n", lines.join("\n"));
    }
    text += &format!("## {number} - {DATE}\n\n");
    for (kind, heading) in HEADINGS {
        let entries = entries(kind, mentioned);
        let mut lines: Vec<String> = entries.iter().map(Entry::line).collect();
        for (_, line) in by_hand.iter().filter(|(name, _)| *name == heading) {
            let issue = last_number(line);
            if !entries.iter().any(|entry| entry.issues.contains(&issue)) {
                lines.push((*line).to_owned());
            }
        }
        if !lines.is_empty() {
            text += &format!("### {heading}\n\n{}\n\n", lines.join("\n"));
        }
    }
    let internal: BTreeSet<u32> = mentioned
        .iter()
        .filter(|fragment| fragment.kind == "internal")
        .map(|fragment| fragment.issue)
        .collect();
    if !internal.is_empty() {
        let numbers: Vec<String> = internal.iter().map(|issue| format!("#{issue}")).collect();
        text += &format!("Internal: {}\n\n", numbers.join(", "));
    }
    text + &log[end..]
}

/// The number of the issue at the end of an entry.
fn last_number(line: &str) -> u32 {
    let number = line
        .rsplit_once('#')
        .map(|(_, rest)| rest.trim_end_matches(')'));
    number
        .and_then(|number| number.parse().ok())
        .expect("an entry ends with its issue")
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
