//! Tools for sub-issues.

use super::arguments::Arguments;
use super::{Failure, Outcome, shaped, tool_error};
use crate::repository::RepositoryState;

fn id(with: &Arguments, name: &str) -> Result<u64, Failure> {
    Ok(u64::try_from(with.number(name)?).unwrap_or(0))
}

pub(super) fn list(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("issue_number")?;
    let page = with.page_sized("per_page")?;
    let list = repo
        .list_sub_issues(&at, number, page)
        .map_err(tool_error("failed to list sub-issues"))?;
    shaped("Issue", list)
}

pub(super) fn add(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("issue_number")?;
    let child = id(with, "sub_issue_id")?;
    let replace = with.given_bool("replace_parent")?.unwrap_or(false);
    let parent = repo
        .add_sub_issue(&at, number, child, replace)
        .map_err(tool_error("failed to add sub-issue"))?;
    shaped("Issue", parent)
}

pub(super) fn remove(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("issue_number")?;
    let child = id(with, "sub_issue_id")?;
    let parent = repo
        .remove_sub_issue(&at, number, child)
        .map_err(tool_error("failed to remove sub-issue"))?;
    shaped("Issue", parent)
}

pub(super) fn reprioritize(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("issue_number")?;
    let child = id(with, "sub_issue_id")?;
    let after = with.optional_number("after_id")?;
    let before = with.optional_number("before_id")?;
    let (next_to, is_after) = match (after, before) {
        (0, 0) => {
            return Err(Failure::tool_error(
                "either after_id or before_id must be specified",
            ));
        }
        (after, 0) => (after, true),
        (0, before) => (before, false),
        _ => {
            return Err(Failure::tool_error(
                "only one of after_id or before_id should be specified, not both",
            ));
        }
    };
    let next_to = u64::try_from(next_to).unwrap_or(0);
    let parent = repo
        .move_sub_issue(&at, number, child, next_to, is_after)
        .map_err(tool_error("failed to reprioritize sub-issue"))?;
    shaped("Issue", parent)
}
