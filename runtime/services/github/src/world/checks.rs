//! Validation of the documents of a world.

use std::collections::{BTreeMap, BTreeSet};

use super::WorldError;
use super::documents::Documents;
use super::people::{check_logins, named_by};
use super::published::FIRST_OF_GITHUB;
use super::schema::DOCUMENTS;
use crate::git::{GIT_DIR, Git, GitError};
use crate::hub::{
    Gist, Hub, Issue, LONGEST_TITLE, Label, Pull, REACTIONS, Reaction, Repository, State,
};

/// Returns an error if the default branch does not exist, unless the repository has no branches at all.
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
    let problem = format!("the default branch {name:?} does not exist in the repository");
    Err(match file.filter(|_| head != Some(name)) {
        Some(file) => WorldError::value(file, "the document", problem),
        None => GitError::Damaged {
            file: format!("{GIT_DIR}/HEAD"),
            problem: format!("{problem}; set default_branch in repository.json"),
        }
        .into(),
    })
}

/// Returns an error if a document is named in the singular, such as `issue.json`, because it would not be read.
pub(super) fn check_names(documents: &Documents<'_>) -> Result<(), WorldError> {
    for name in DOCUMENTS {
        let Some(stem) = name.strip_suffix("s.json") else {
            continue;
        };
        let singular = format!("{stem}.json");
        if documents.dir.get(&singular).is_some() {
            let problem = format!("is not read; rename it to {name}");
            return Err(WorldError::value(&singular, "the document", problem));
        }
    }
    Ok(())
}

/// Accepted values of `state_reason` of an issue.
const REASONS: [&str; 4] = ["completed", "not_planned", "duplicate", "reopened"];

/// Returns an error if a number is 0, or too large for GitHub to have a next one.
pub(super) fn check_number(file: &str, place: &str, number: u64) -> Result<(), WorldError> {
    const LAST: u64 = i32::MAX as u64;
    let problem = match number {
        0 => "the number must be at least 1".to_owned(),
        1..LAST => return Ok(()),
        _ => format!("the number must be less than {LAST}"),
    };
    Err(WorldError::value(file, place, problem))
}

/// Returns an error if a sub-issue is missing, is a pull request, has two parents or is its own ancestor, or if
/// `duplicate_of` names a missing issue.
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
            match issues.get(part) {
                None => return refused(number, format!("its sub-issue #{part} does not exist")),
                Some(part) if part.pull.is_some() => {
                    let problem = format!("its sub-issue #{} is a pull request", part.number);
                    return refused(number, problem);
                }
                Some(_) => {}
            }
            if let Some(other) = parents.insert(part, number) {
                return refused(
                    number,
                    format!("its sub-issue #{part} is already a sub-issue of #{other}"),
                );
            }
        }
        if let Some(other) = issue.duplicate_of
            && !issues.contains_key(&other)
        {
            return refused(
                number,
                format!("it is a duplicate of #{other}, which does not exist"),
            );
        }
    }
    let mut rooted = BTreeSet::<&u64>::new();
    for number in issues.keys() {
        let mut way = BTreeSet::<&u64>::new();
        let mut at = Some(number);
        while let Some(number) = at.filter(|it| !rooted.contains(it)) {
            if !way.insert(number) {
                return refused(
                    number,
                    "it is below itself in the hierarchy of sub-issues".to_owned(),
                );
            }
            at = parents.get(number).copied();
        }
        rooted.extend(way);
    }
    Ok(())
}

/// Validates the values of one issue or pull request, independently of others.
pub(super) fn check_issue(file: &str, place: &str, issue: &Issue) -> Result<(), WorldError> {
    let refused = |problem: String| Err(WorldError::value(file, place, problem));
    check_number(file, place, issue.number)?;
    check_logins(file, place, named_by(issue))?;
    let length = issue.title.chars().count();
    if issue.title.trim().is_empty() {
        return refused("its title is empty".to_owned());
    }
    if length > LONGEST_TITLE {
        return refused(format!(
            "its title has {length} characters, but the limit is {LONGEST_TITLE}"
        ));
    }
    if let Some(Reaction { content, .. }) = unknown_reaction(issue) {
        return refused(format!(
            "unknown reaction {content:?}; expected one of {}",
            REACTIONS.join(", ")
        ));
    }
    if let Some(reason) = &issue.state_reason
        && !REASONS.contains(&reason.to_lowercase().as_str())
    {
        return refused(format!(
            "unknown state_reason {reason:?}; expected one of {}",
            REASONS.join(", ")
        ));
    }
    if let Some(pull) = &issue.pull {
        if issue.state == State::Open && pull.merged_at.is_some() {
            return refused("it is merged but still open".to_owned());
        }
        if issue.state == State::Open && pull.head_branch() == Some(pull.base.as_str()) {
            return refused(format!("its head and its base are both {:?}", pull.base));
        }
        if let Some(answered) = unknown_answered(pull) {
            return refused(format!(
                "a comment replies to comment {answered}, which does not exist"
            ));
        }
        let merged = pull.merge_commit_sha.as_deref().unwrap_or_default();
        for (key, sha) in [
            ("head_sha", pull.head_sha.as_str()),
            ("base_sha", &pull.base_sha),
            ("merge_commit_sha", merged),
        ] {
            if !sha.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return refused(format!("{key} {sha:?} is not a commit id"));
            }
        }
    }
    Ok(())
}

/// Returns the first reaction with an unknown content.
fn unknown_reaction(issue: &Issue) -> Option<&Reaction> {
    let pull = issue.pull.iter();
    let on_lines = pull.flat_map(|pull| &pull.review_comments);
    let on_lines = on_lines.flat_map(|comment| &comment.reactions);
    let on_comments = issue.comments.iter().flat_map(|it| &it.reactions);
    let mut all = issue.reactions.iter().chain(on_comments).chain(on_lines);
    all.find(|reaction| !REACTIONS.contains(&reaction.content.as_str()))
}

/// Returns the first `in_reply_to` of a review comment that names an id which cannot have existed. Ids that GitHub
/// assigned are not kept, so replies to them are accepted. So are the replies of comments that have an id, because the
/// comment that they answer may have been deleted.
fn unknown_answered(pull: &Pull) -> Option<u64> {
    let comments = &pull.review_comments;
    let is_there = |id: u64| comments.iter().any(|comment| comment.id == id);
    let new = comments.iter().filter(|comment| comment.id == 0);
    let mut answered = new.filter_map(|comment| comment.in_reply_to);
    answered.find(|id| *id < FIRST_OF_GITHUB && !is_there(*id))
}

/// Returns an error if the colour of a label is not six hexadecimal digits.
pub(super) fn check_color(label: &Label) -> Result<(), WorldError> {
    let is_color = |text: &str| text.len() == 6 && text.bytes().all(|it| it.is_ascii_hexdigit());
    if !is_color(&label.color) {
        let problem = format!("its color {:?} is not six hexadecimal digits", label.color);
        return Err(WorldError::value("labels.json", &label.name, problem));
    }
    Ok(())
}

/// Describes the first invalid value of a gist.
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
