//! Tools for issues and their comments.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::commits::unresolved;
use super::{Failure, Outcome, minimal, protocol_error, shaped, tool_error, written};
use crate::api::{ISSUE_ORDERS, IssueChange, IssueList, NewIssue, cursor, position};
use crate::hub::{Issue, Kind, State, Time};
use crate::profile::Profile;
use crate::repository::RepositoryState;

pub(super) fn get_issue(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("issue_number")?;
    let issue = repo
        .get_issue(&at, number)
        .map_err(protocol_error("failed to get issue"))?;
    shaped("Issue", issue)
}

pub(super) fn get_issue_comments(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("issue_number")?;
    let page = with.page()?;
    let comments = repo
        .list_comments(&at, number, page)
        .map_err(protocol_error("failed to get issue comments"))?;
    shaped("IssueComment", comments)
}

pub(super) fn add_issue_comment(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("issue_number")?;
    let body = with.text("body")?;
    let comment = repo
        .create_comment(&at, number, &body)
        .map_err(protocol_error("failed to create comment"))?;
    shaped("IssueComment", comment)
}

pub(super) fn create_issue(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let title = with.text("title")?;
    let body = with.optional_text("body")?;
    let assignees = with.texts("assignees")?;
    let labels = with.texts("labels")?;
    let milestone = with.optional_number("milestone")?;
    let kind = with.optional_text("type")?;
    let new = NewIssue {
        title,
        // The client sends an empty text if there is none.
        body: Some(body),
        labels,
        assignees,
        milestone: u64::try_from(milestone).ok().filter(|number| *number > 0),
        kind: Some(kind).filter(|kind| !kind.is_empty()),
    };
    let number = repo
        .create_issue(&at, new)
        .map_err(protocol_error("failed to create issue"))?;
    let page = repo.html(&format!("/issues/{number}"));
    minimal(Kind::Issue.id(number), &page.into())
}

pub(super) fn update_issue(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("issue_number")?;
    let given = |name: &str| -> Result<Option<String>, Failure> {
        Ok(Some(with.optional_text(name)?).filter(|text| !text.is_empty()))
    };
    let list = |name: &str| -> Result<Option<Vec<String>>, Failure> {
        Ok(Some(with.texts(name)?).filter(|texts| !texts.is_empty()))
    };
    let change = IssueChange {
        title: given("title")?,
        body: given("body")?.map(Some),
        labels: list("labels")?,
        assignees: list("assignees")?,
        milestone: u64::try_from(with.optional_number("milestone")?)
            .ok()
            .filter(|number| *number > 0)
            .map(Some),
        kind: given("type")?.map(Some),
    };
    let state = NewState::read(with)?;
    repo.edit_issue(&at, number, change)
        .map_err(tool_error("failed to update issue"))?;
    state.check_duplicate()?;
    state.set(repo, number)?;
    minimal(Kind::Issue.id(number), &repo.issue_page(number).into())
}

/// Requested state of an issue. It stays unchanged if `state` is neither `open` nor `closed`.
pub(super) struct NewState {
    state: String,
    reason: String,
    duplicate_of: i64,
}

impl NewState {
    pub(super) fn read(with: &Arguments) -> Result<Self, Failure> {
        let state = with.optional_text("state")?;
        let reason = with.optional_text("state_reason")?;
        let duplicate_of = with.optional_number("duplicate_of")?;
        if duplicate_of != 0 && reason != "duplicate" {
            return Err(Failure::tool_error(
                "duplicate_of can only be used when state_reason is 'duplicate'",
            ));
        }
        Ok(Self {
            state,
            reason,
            duplicate_of,
        })
    }

    /// Returns an error if an issue is closed as a duplicate without an original. The versions of the server check this
    /// before or after the other changes.
    pub(super) fn check_duplicate(&self) -> Result<(), Failure> {
        if self.state == "closed" && self.reason == "duplicate" && self.duplicate_of == 0 {
            Err(Failure::tool_error(
                "duplicate_of must be provided when state_reason is 'duplicate'",
            ))
        } else {
            Ok(())
        }
    }

    pub(super) fn set(&self, repo: &mut RepositoryState, number: u64) -> Result<(), Failure> {
        let state = match self.state.as_str() {
            "open" => State::Open,
            "closed" => State::Closed,
            _ => return Ok(()),
        };
        let target = u64::try_from(self.duplicate_of).ok().filter(|it| *it > 0);
        check_closing(repo, number, target)?;
        let reason = match self.reason.as_str() {
            reason @ ("not_planned" | "duplicate") => reason,
            _ => "completed",
        };
        repo.set_issue_state(number, state, reason, target);
        Ok(())
    }
}

/// Returns an error if an issue cannot be closed, or cannot be closed as a duplicate of the given one.
pub(super) fn check_closing(
    repo: &RepositoryState,
    number: u64,
    duplicate_of: Option<u64>,
) -> Result<(), Failure> {
    let is_issue = |number: u64| {
        let issue = repo.hub.issues.get(&number);
        issue.is_some_and(|issue| issue.pull.is_none())
    };
    if !is_issue(number) || duplicate_of.is_some_and(|target| !is_issue(target)) {
        return Err(Failure::tool_error(
            "Failed to find issues: failed to get issue ID",
        ));
    }
    if duplicate_of == Some(number) {
        return Err(Failure::tool_error(
            "Failed to close issue: An issue cannot be marked as a duplicate of itself",
        ));
    }
    Ok(())
}

impl RepositoryState {
    /// URL of the page of an issue or a pull request.
    pub(super) fn issue_page(&self, number: u64) -> String {
        match self.hub.pull(number) {
            Some(_) => self.html(&format!("/pull/{number}")),
            None => self.html(&format!("/issues/{number}")),
        }
    }
}

/// Choice of an argument with a fixed set of values.
#[derive(Debug, PartialEq)]
enum Choice {
    Nothing,
    One(&'static str),
    Other(String),
}

/// Reads an argument with a fixed set of values. The newer version ignores case, and treats an unknown value like an
/// absent one.
fn chosen(
    with: &Arguments,
    name: &str,
    words: &[&'static str],
    profile: Profile,
) -> Result<Choice, Failure> {
    let text = with.optional_text(name)?;
    let newer = profile == Profile::V1_10_1;
    let is = |word: &&&str| **word == text || (newer && word.eq_ignore_ascii_case(&text));
    Ok(match words.iter().find(is) {
        Some(word) => Choice::One(word),
        None if newer || text.is_empty() => Choice::Nothing,
        None => Choice::Other(text),
    })
}

pub(super) fn list_issues(repo: &RepositoryState, with: &Arguments, profile: Profile) -> Outcome {
    let at = with.repository()?;
    let state = match chosen(with, "state", &["OPEN", "CLOSED"], profile)? {
        Choice::Nothing => None,
        Choice::One("OPEN") => Some(State::Open),
        Choice::One(_) => Some(State::Closed),
        Choice::Other(other) => {
            let problem = format!(
                "Variable $states of type [IssueState!] was provided invalid value for 0 (Expected \"{other}\" to be one of: OPEN, CLOSED)"
            );
            return Err(Failure::ToolError(problem));
        }
    };
    let labels = with.texts("labels")?;
    let order = chosen(with, "orderBy", &ISSUE_ORDERS, profile)?;
    let direction = chosen(with, "direction", &["ASC", "DESC"], profile)?;
    let since = match with.optional_text("since")?.as_str() {
        "" => None,
        text => Some(parse_since(text).ok_or_else(|| {
            Failure::ToolError(format!(
                "failed to list issues: invalid ISO 8601 timestamp: {text} (supported formats: \
                 YYYY-MM-DDThh:mm:ssZ or YYYY-MM-DD)"
            ))
        })?),
    };
    let size = with.optional_number("perPage")?;
    let after = with.optional_text("after")?;
    if with.has("page") {
        return Err(Failure::tool_error(
            "This tool uses cursor-based pagination. Use the 'after' parameter with the 'endCursor' value from the \
             previous response instead of 'page'.",
        ));
    }
    let size = match size {
        0 => 30,
        size if size > 100 => {
            return Err(Failure::Protocol(format!(
                "perPage value {size} exceeds maximum of 100"
            )));
        }
        size => usize::try_from(size)
            .map_err(|_| Failure::Protocol(format!("perPage value {size} cannot be negative")))?,
    };
    for (variable, choice) in [
        ("$orderBy of type IssueOrderField", &order),
        ("$direction of type OrderDirection", &direction),
    ] {
        if let Choice::Other(_) = choice {
            let problem = format!("Variable {variable}! was provided invalid value");
            return Err(Failure::ToolError(problem));
        }
    }
    unresolved(repo, &at)?;
    let list = IssueList {
        with_pulls: false,
        state,
        labels,
        since,
        order: match order {
            Choice::One(order) => order.to_owned(),
            _ => String::new(),
        },
        ascending: direction == Choice::One("ASC"),
    };
    let issues = repo.list_issues(&list);
    let skipped = match after.as_str() {
        "" => 0,
        cursor => position(cursor).ok_or_else(|| {
            Failure::ToolError(format!("`{cursor}` does not appear to be a valid cursor."))
        })?,
    };
    let total = issues.len();
    let page: Vec<&Issue> = issues.into_iter().skip(skipped).take(size).collect();
    let first = page.first().map_or(String::new(), |_| cursor(skipped + 1));
    let last = page
        .first()
        .map_or(String::new(), |_| cursor(skipped + page.len()));
    let views: Vec<Value> = page.iter().map(|issue| fragment(repo, issue)).collect();
    written(&json!({
        "issues": if views.is_empty() { Value::Null } else { views.into() },
        "pageInfo": {
            "endCursor": last,
            "hasNextPage": skipped + page.len() < total,
            "hasPreviousPage": skipped > 0 && total > 0,
            "startCursor": first,
        },
        "totalCount": total,
    }))
}

/// Issue with the fields that the list requests from GraphQL.
fn fragment(repo: &RepositoryState, issue: &Issue) -> Value {
    let view = repo.issue(issue);
    let label = |label: &Value| {
        json!({
            "name": label["name"],
            "description": label["description"].as_str().unwrap_or_default(),
            "node_id": label["node_id"],
        })
    };
    let labels: Vec<Value> = view["labels"]
        .as_array()
        .into_iter()
        .flatten()
        .map(label)
        .collect();
    let kept = json!({
        "id": view["id"],
        "number": issue.number,
        "state": issue.state.as_str().to_uppercase(),
        "title": issue.title,
        "body": issue.body.as_deref().unwrap_or_default(),
        "user": {"login": issue.user},
        "labels": labels,
        "comments": issue.comments.len(),
        "created_at": issue.created_at,
        "updated_at": issue.updated_at,
    });
    super::go::shaped("Issue", kept)
}

pub(super) fn parse_since(text: &str) -> Option<Time> {
    Time::parse(text).or_else(|| Time::parse(&format!("{text}T00:00:00Z")))
}
