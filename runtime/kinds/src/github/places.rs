//! Texts at places of a repository, which the declared checks of tasks cite.

use mcpmark_github::GitError;
use mcpmark_github::git::EntryKind;
use mcpmark_github::hub::Issue;
use mcpmark_github::world::Opened;

/// Returns the text at a place of a repository:
///
/// - `#12`: title, text and all comments of an issue or pull request
/// - `label NAME`, `milestone TITLE`: the description
/// - `release TAG`: name and text
/// - `PATH`, `BRANCH:PATH`: a file of the default branch or of another one
pub(super) fn text_at(opened: &Opened, place: &str) -> Result<Option<String>, GitError> {
    let hub = &opened.hub;
    if let Some(number) = place.strip_prefix('#') {
        let issue = number.parse().ok().and_then(|it: u64| hub.issues.get(&it));
        return Ok(issue.map(texts_of_issue));
    }
    if let Some(name) = place.strip_prefix("label ") {
        let label = hub.labels.get(&name.to_lowercase());
        return Ok(label.and_then(|label| label.description.clone()));
    }
    if let Some(title) = place.strip_prefix("milestone ") {
        let milestone = hub.milestones.values().find(|it| it.title == title);
        return Ok(milestone.and_then(|it| it.description.clone()));
    }
    if let Some(tag) = place.strip_prefix("release ") {
        let release = hub.releases.values().find(|it| it.tag_name == tag);
        return Ok(release.map(|it| joined([&it.name, &it.body].into_iter().flatten())));
    }
    match place.split_once(':') {
        Some((branch, path)) => file(opened, branch, path),
        None => file(opened, &hub.repository.default_branch, place),
    }
}

/// Returns the text of a file of a branch.
fn file(opened: &Opened, branch: &str, path: &str) -> Result<Option<String>, GitError> {
    let git = &opened.git;
    let Some(tip) = git.branch(branch) else {
        return Ok(None);
    };
    let Some(entry) = git.entry(git.tree_of(tip)?, path)? else {
        return Ok(None);
    };
    if !matches!(entry.kind, EntryKind::File | EntryKind::Executable) {
        return Ok(None);
    }
    Ok(String::from_utf8(git.blob(entry.id)?).ok())
}

/// Returns all texts of an issue or pull request, each on lines of its own.
fn texts_of_issue(issue: &Issue) -> String {
    let pull = issue.pull.as_deref();
    let reviews = pull.into_iter().flat_map(|pull| &pull.reviews);
    let remarks = pull.into_iter().flat_map(|pull| &pull.review_comments);
    let texts = std::iter::once(&issue.title)
        .chain(&issue.body)
        .chain(issue.comments.iter().map(|it| &it.body))
        .chain(reviews.map(|it| &it.body))
        .chain(remarks.map(|it| &it.body));
    joined(texts)
}

fn joined<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let texts: Vec<&str> = texts.map(String::as_str).collect();
    texts.join("\n\n")
}
