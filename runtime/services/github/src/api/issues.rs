//! Issues: opening, editing and listing, and their comments and types.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Value, json};

use super::labels::check_labels;
use super::{Answer, Call, FieldError, Page, Paged, RepositoryName};
use crate::hub::{Comment, Issue, Kind, LONGEST_TITLE, State, Time};
use crate::repository::RepositoryState;

/// Issue to be opened.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewIssue {
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    pub(crate) labels: Vec<String>,
    pub(crate) assignees: Vec<String>,
    pub(crate) milestone: Option<u64>,
    pub(crate) kind: Option<String>,
}

/// Changes of an issue. Absent fields stay as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct IssueChange {
    pub(crate) title: Option<String>,
    /// `Some(None)` removes the text.
    pub(crate) body: Option<Option<String>>,
    pub(crate) labels: Option<Vec<String>>,
    pub(crate) assignees: Option<Vec<String>>,
    /// `Some(None)` removes the milestone.
    pub(crate) milestone: Option<Option<u64>>,
    /// `Some(None)` removes the type.
    pub(crate) kind: Option<Option<String>>,
}

/// Orders of a list of issues.
pub(crate) const ISSUE_ORDERS: [&str; 3] = ["CREATED_AT", "UPDATED_AT", "COMMENTS"];

/// Filter and order of a list of issues.
#[derive(Debug, Clone, Default)]
pub(crate) struct IssueList {
    /// True if pull requests are included.
    pub(crate) with_pulls: bool,
    pub(crate) state: Option<State>,
    /// Labels of which an issue needs at least one. Empty for all issues.
    pub(crate) labels: Vec<String>,
    pub(crate) since: Option<Time>,
    /// One of [`ISSUE_ORDERS`]. The first if empty.
    pub(crate) order: String,
    pub(crate) ascending: bool,
}

/// Maximum number of characters of the text of an issue, a pull request or a comment.
const LONGEST_TEXT: usize = 65_536;

pub(super) fn is_too_long(text: &str, most: usize) -> bool {
    // Fast check: a text has at most as many characters as bytes.
    text.len() > most && text.chars().count() > most
}

pub(super) fn too_long(most: usize) -> String {
    format!("is too long (maximum is {most} characters)")
}

/// Refuses a blank or too long title.
pub(super) fn check_title(call: &Call, resource: &'static str, title: &str) -> Answer<()> {
    let (code, message) = if title.trim().is_empty() {
        ("missing_field", String::new())
    } else if is_too_long(title, LONGEST_TITLE) {
        ("custom", format!("title {}", too_long(LONGEST_TITLE)))
    } else {
        return Ok(());
    };
    Err(call.invalid(vec![FieldError {
        resource,
        field: "title",
        code,
        message,
    }]))
}

/// Refuses a text that is too long.
pub(super) fn check_text(call: &Call, resource: &'static str, text: Option<&str>) -> Answer<()> {
    if text.is_some_and(|text| is_too_long(text, LONGEST_TEXT)) {
        Err(call.invalid(vec![FieldError {
            resource,
            field: "body",
            code: "custom",
            message: format!("body {}", too_long(LONGEST_TEXT)),
        }]))
    } else {
        Ok(())
    }
}

/// Error message of GraphQL for a blank or too long text of a review or a review comment.
pub(super) fn body_problem(body: &str) -> Option<&'static str> {
    if body.trim().is_empty() {
        Some("Body can't be blank")
    } else if is_too_long(body, LONGEST_TEXT) {
        Some("Body is too long (maximum is 65536 characters)")
    } else {
        None
    }
}

/// Refuses a blank or too long comment.
pub(super) fn check_comment(call: &Call, resource: &'static str, body: &str) -> Answer<()> {
    let message = if body.trim().is_empty() {
        "Body cannot be blank".to_owned()
    } else if is_too_long(body, LONGEST_TEXT) {
        format!("Body {}", too_long(LONGEST_TEXT))
    } else {
        return Ok(());
    };
    Err(call.invalid(vec![FieldError {
        resource,
        field: "data",
        code: "unprocessable",
        message,
    }]))
}

impl RepositoryState {
    /// Issue or pull request with a number.
    pub(crate) fn find_issue(&self, call: &Call, number: u64) -> Answer<&Issue> {
        self.hub.issues.get(&number).ok_or_else(|| call.not_found())
    }

    /// Issue or pull request, in the form of an issue.
    pub(crate) fn get_issue(&self, at: &RepositoryName, number: u64) -> Answer<Value> {
        let call = self.call(at, "GET", &format!("/issues/{number}"))?;
        Ok(self.issue(self.find_issue(&call, number)?))
    }

    /// All issues that match a filter, in its order.
    pub(crate) fn list_issues(&self, list: &IssueList) -> Vec<&Issue> {
        let lower = |name: &String| name.to_ascii_lowercase();
        let wanted: HashSet<String> = list.labels.iter().map(lower).collect();
        let labelled = |issue: &Issue| {
            let mut labels = issue.labels.iter();
            wanted.is_empty() || labels.any(|name| wanted.contains(&lower(name)))
        };
        let mut issues: Vec<&Issue> = self
            .hub
            .issues
            .values()
            .filter(|issue| (list.with_pulls || issue.pull.is_none()) && labelled(issue))
            .filter(|issue| list.state.is_none_or(|state| issue.state == state))
            .filter(|issue| list.since.is_none_or(|since| issue.updated_at >= since))
            .collect();
        let key = |issue: &&Issue| match list.order.as_str() {
            "UPDATED_AT" => (issue.updated_at.0, issue.number),
            "COMMENTS" => (issue.comments.len() as i64, issue.number),
            _ => (issue.created_at.0, issue.number),
        };
        issues.sort_by_key(key);
        if !list.ascending {
            issues.reverse();
        }
        issues
    }

    /// Opens an issue.
    pub(crate) fn create_issue(&mut self, at: &RepositoryName, new: NewIssue) -> Answer<u64> {
        let call = self.call(at, "POST", "/issues")?;
        check_title(&call, "Issue", &new.title)?;
        check_text(&call, "Issue", new.body.as_deref())?;
        self.check_kind(&call, new.kind.as_deref())?;
        self.check_people(&call, "Issue", &new.assignees)?;
        self.check_milestone(&call, new.milestone)?;
        check_labels(&call, &new.labels)?;
        let labels = new.labels.iter().map(|name| self.hub.label(name));
        let labels = unique(labels.collect());
        let now = self.hub.now;
        let number = self.hub.next_number();
        let assignees = self.logins(&new.assignees);
        let issue = Issue {
            number,
            title: new.title,
            body: new.body,
            user: self.viewer(),
            labels,
            assignees,
            milestone: new.milestone,
            kind: new.kind,
            created_at: now,
            updated_at: now,
            ..Issue::default()
        };
        self.hub.issues.insert(number, issue);
        self.hub.tick();
        Ok(number)
    }

    /// Edits an issue or a pull request.
    pub(crate) fn edit_issue(
        &mut self,
        at: &RepositoryName,
        number: u64,
        change: IssueChange,
    ) -> Answer<()> {
        let call = self.call(at, "PATCH", &format!("/issues/{number}"))?;
        self.find_issue(&call, number)?;
        if let Some(title) = &change.title {
            check_title(&call, "Issue", title)?;
        }
        check_text(
            &call,
            "Issue",
            change.body.as_ref().and_then(|body| body.as_deref()),
        )?;
        if let Some(people) = &change.assignees {
            self.check_people(&call, "Issue", people)?;
        }
        self.check_milestone(&call, change.milestone.flatten())?;
        self.check_kind(&call, change.kind.as_ref().and_then(|kind| kind.as_deref()))?;
        check_labels(&call, change.labels.as_deref().unwrap_or_default())?;
        let labels = change
            .labels
            .map(|names| unique(names.iter().map(|name| self.hub.label(name)).collect()));
        let assignees = change.assignees.map(|people| self.logins(&people));
        let now = self.hub.now;
        if let Some(issue) = self.hub.issues.get_mut(&number) {
            let before = issue.clone();
            if let Some(title) = change.title {
                issue.title = title;
            }
            if let Some(body) = change.body {
                issue.body = body;
            }
            issue.labels = labels.unwrap_or_else(|| issue.labels.clone());
            issue.assignees = assignees.unwrap_or_else(|| issue.assignees.clone());
            issue.milestone = change.milestone.unwrap_or(issue.milestone);
            if let Some(kind) = change.kind {
                issue.kind = kind;
            }
            if *issue != before {
                issue.updated_at = now;
                self.hub.tick();
            }
        }
        Ok(())
    }

    /// Closes or reopens an issue.
    pub(crate) fn set_issue_state(
        &mut self,
        number: u64,
        state: State,
        reason: &str,
        duplicate_of: Option<u64>,
    ) {
        let (now, by) = (self.hub.now, self.viewer());
        let known = self.hub.issues.get_mut(&number);
        let Some(issue) = known else { return };
        match (issue.state, state) {
            (State::Closed, State::Open) => {
                issue.state = State::Open;
                issue.state_reason = Some("reopened".to_owned());
                issue.closed_at = None;
                issue.closed_by = None;
                issue.duplicate_of = None;
                issue.updated_at = now;
            }
            (State::Open, State::Closed) => {
                issue.duplicate_of = duplicate_of;
                self.hub.close(number, &by, Some(reason));
            }
            // Change of the reason of a closed issue.
            (State::Closed, State::Closed) if issue.state_reason.as_deref() != Some(reason) => {
                issue.state_reason = Some(reason.to_owned());
                issue.duplicate_of = duplicate_of;
                issue.updated_at = now;
            }
            _ => return,
        }
        self.hub.tick();
    }

    /// Adds a comment to an issue or a pull request.
    pub(crate) fn create_comment(
        &mut self,
        at: &RepositoryName,
        number: u64,
        body: &str,
    ) -> Answer<Value> {
        let call = self.call(at, "POST", &format!("/issues/{number}/comments"))?;
        self.find_issue(&call, number)?;
        check_comment(&call, "IssueComment", body)?;
        let (now, user) = (self.hub.now, self.viewer());
        let comment = Comment {
            id: self.hub.next_comment(),
            user,
            body: body.to_owned(),
            created_at: now,
            updated_at: now,
            reactions: Vec::new(),
        };
        if let Some(issue) = self.hub.issues.get_mut(&number) {
            issue.comments.push(comment.clone());
            issue.updated_at = now;
        }
        self.hub.tick();
        Ok(self.comment(self.find_issue(&call, number)?, &comment))
    }

    /// Page of the comments on an issue or a pull request, oldest first.
    pub(crate) fn list_comments(
        &self,
        at: &RepositoryName,
        number: u64,
        page: Page,
    ) -> Answer<Value> {
        let below = format!("/issues/{number}/comments{}", page.query(&[]));
        let call = self.call(at, "GET", &below)?;
        let issue = self.find_issue(&call, number)?;
        let comments = issue.comments.iter().page(page);
        Ok(comments
            .map(|comment| self.comment(issue, comment))
            .collect())
    }

    /// Refuses unknown logins.
    pub(super) fn check_people(
        &self,
        call: &Call,
        resource: &'static str,
        people: &[String],
    ) -> Answer<()> {
        if people.iter().all(|login| self.hub.user(login).is_some()) {
            Ok(())
        } else {
            Err(call.invalid(vec![FieldError {
                resource,
                field: "assignees",
                code: "invalid",
                message: String::new(),
            }]))
        }
    }

    /// Issue types of the owner, which are the types of the issues in the world.
    fn issue_types(&self) -> BTreeSet<&str> {
        let issues = self.hub.issues.values();
        issues.filter_map(|issue| issue.kind.as_deref()).collect()
    }

    /// Issue types of an owner. Not found if the owner has none, as for owners without this feature.
    pub(crate) fn list_issue_types(&self, call: &Call, owner: &str) -> Answer<Value> {
        let types = self.issue_types();
        if types.is_empty() || !owner.eq_ignore_ascii_case(&self.hub.repository.owner) {
            return Err(call.not_found());
        }
        let view = |name: &str| {
            let id = Kind::IssueType.of_name(name);
            json!({"id": id, "node_id": Kind::IssueType.node_id(id), "name": name})
        };
        Ok(types.into_iter().map(view).collect())
    }

    /// Refuses an unknown issue type.
    fn check_kind(&self, call: &Call, kind: Option<&str>) -> Answer<()> {
        match kind {
            Some(kind) if !self.issue_types().contains(kind) => {
                Err(call.invalid(vec![FieldError {
                    resource: "Issue",
                    field: "type",
                    code: "invalid",
                    message: String::new(),
                }]))
            }
            _ => Ok(()),
        }
    }

    fn check_milestone(&self, call: &Call, number: Option<u64>) -> Answer<()> {
        match number {
            Some(number) if !self.hub.milestones.contains_key(&number) => {
                Err(call.invalid(vec![FieldError {
                    resource: "Issue",
                    field: "milestone",
                    code: "invalid",
                    message: String::new(),
                }]))
            }
            _ => Ok(()),
        }
    }

    /// Logins in the spelling of the accounts, without duplicates.
    pub(crate) fn logins(&self, people: &[String]) -> Vec<String> {
        let login = |name: &String| match self.hub.user(name) {
            Some(user) => user.login.clone(),
            None => name.clone(),
        };
        unique(people.iter().map(login).collect())
    }
}

pub(super) fn unique(names: Vec<String>) -> Vec<String> {
    let mut known = HashSet::new();
    let is_new = |name: &String| known.insert(name.clone());
    names.into_iter().filter(is_new).collect()
}
