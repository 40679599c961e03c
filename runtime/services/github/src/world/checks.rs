//! What the documents of a world may not say.

use std::collections::{BTreeMap, BTreeSet};

use super::WorldError;
use super::documents::Documents;
use crate::git::{GIT_DIR, Git, GitError};
use crate::hub::{Gist, Hub, Issue, Label, Repository, State};

/// Refuses a default branch that is not there, unless there is none at all.
pub(super) fn check_default_branch(
    repository: &Repository,
    git: &Git,
    head: Option<&str>,
    documents: &Documents<'_>,
) -> Result<(), WorldError> {
    let name = &repository.default_branch;
    if git.branch(name).is_some() || git.refs_below("refs/heads/").next().is_none() {
        return Ok(());
    }
    let files = ["repository.json", "meta.json"];
    let file = files
        .into_iter()
        .find(|file| documents.dir.get(file).is_some());
    let problem = format!("the default branch {name:?} is not in the repository");
    Err(match file.filter(|_| head != Some(name)) {
        Some(file) => WorldError::value(file, "the document", problem),
        None => GitError::Damaged {
            file: format!("{GIT_DIR}/HEAD"),
            problem: format!(
                "{problem}; default_branch in repository.json says which one is meant"
            ),
        }
        .into(),
    })
}

/// Why an issue is in its state.
const REASONS: [&str; 4] = ["completed", "not_planned", "duplicate", "reopened"];

/// Refuses numbers that GitHub does not count to, after which there would be no next.
pub(super) fn check_number(file: &str, place: &str, number: u64) -> Result<(), WorldError> {
    const LAST: u64 = i32::MAX as u64;
    let problem = match number {
        0 => "numbers begin with 1".to_owned(),
        1..LAST => return Ok(()),
        _ => format!("numbers end below {LAST}"),
    };
    Err(WorldError::value(file, place, problem))
}

/// Refuses issues that are parts of what they cannot be parts of, or repeat what is not there.
pub(super) fn check_relations(hub: &Hub) -> Result<(), WorldError> {
    let issues = &hub.issues;
    let refused = |number: &u64, problem: String| {
        let is_pull = hub.pull(*number).is_some();
        let file = if is_pull { "pulls.json" } else { "issues.json" };
        Err(WorldError::value(file, format!("#{number}"), problem))
    };
    let mut parents = BTreeMap::new();
    for (number, issue) in issues {
        for part in &issue.sub_issues {
            if !issues.contains_key(part) {
                return refused(number, format!("its sub-issue #{part} is not there"));
            }
            if let Some(other) = parents.insert(part, number) {
                return refused(
                    number,
                    format!("its sub-issue #{part} is one of #{other} already"),
                );
            }
        }
        if let Some(other) = issue.duplicate_of
            && !issues.contains_key(&other)
        {
            return refused(number, format!("it repeats #{other}, which is not there"));
        }
    }
    let mut rooted = BTreeSet::<&u64>::new();
    for number in issues.keys() {
        let mut way = BTreeSet::<&u64>::new();
        let mut at = Some(number);
        while let Some(number) = at.filter(|it| !rooted.contains(it)) {
            if !way.insert(number) {
                return refused(number, "it is among its own sub-issues".to_owned());
            }
            at = parents.get(number).copied();
        }
        rooted.extend(way);
    }
    Ok(())
}

/// Refuses what no issue or pull request can say of itself.
pub(super) fn check_issue(file: &str, place: &str, issue: &Issue) -> Result<(), WorldError> {
    let refused = |problem: String| Err(WorldError::value(file, place, problem));
    check_number(file, place, issue.number)?;
    if let Some(reason) = &issue.state_reason
        && !REASONS.contains(&reason.to_lowercase().as_str())
    {
        return refused(format!(
            "state_reason {reason:?} is none of {}",
            REASONS.join(", ")
        ));
    }
    if let Some(pull) = &issue.pull {
        if issue.state == State::Open && pull.merged_at.is_some() {
            return refused("it is merged and still open".to_owned());
        }
        let merged = pull.merge_commit_sha.as_deref().unwrap_or_default();
        for (key, sha) in [
            ("head_sha", pull.head_sha.as_str()),
            ("base_sha", &pull.base_sha),
            ("merge_commit_sha", merged),
        ] {
            if !sha.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return refused(format!("{key} {sha:?} is no id of a commit"));
            }
        }
    }
    Ok(())
}

/// Refuses a label whose colour is none.
pub(super) fn check_color(label: &Label) -> Result<(), WorldError> {
    let is_color = |text: &str| text.len() == 6 && text.bytes().all(|it| it.is_ascii_hexdigit());
    if !is_color(&label.color) {
        let problem = format!("its color {:?} is not six hexadecimal digits", label.color);
        return Err(WorldError::value("labels.json", &label.name, problem));
    }
    Ok(())
}

/// What is wrong with a gist.
pub(super) fn gist_problem(gist: &Gist) -> Option<&'static str> {
    let is_digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    if !(20..=32).contains(&gist.id.len()) || !gist.id.bytes().all(is_digit) {
        return Some("its id is not 20 to 32 hexadecimal digits");
    }
    if gist.owner.is_empty() {
        return Some("it has no owner");
    }
    if gist.files.is_empty() {
        return Some("it has no file");
    }
    None
}
