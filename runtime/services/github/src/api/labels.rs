//! Labels of the repository and of issues, assignees and milestones.

use super::issues::{is_too_long, too_long, unique};
use super::{Answer, Call, FieldError, RepositoryName};
use crate::hub::{Label, Milestone, State, Time};
use crate::repository::RepositoryState;

/// Changes of a milestone. Absent fields stay as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct MilestoneChange {
    pub(crate) title: Option<String>,
    pub(crate) description: Option<Option<String>>,
    pub(crate) state: Option<State>,
    pub(crate) due_on: Option<Option<Time>>,
}

/// Maximum number of characters of the name of a label.
const LONGEST_NAME: usize = 50;

/// Maximum number of characters of the description of a label.
const LONGEST_DESCRIPTION: usize = 100;

fn field(resource: &'static str, field: &'static str, code: &'static str) -> Vec<FieldError> {
    vec![FieldError {
        resource,
        field,
        code,
        message: String::new(),
    }]
}

/// Refuses a name or description of a label that is too long.
fn check_length(call: &Call, name: &'static str, text: &str, most: usize) -> Answer<()> {
    if !is_too_long(text, most) {
        return Ok(());
    }
    Err(call.invalid(vec![FieldError {
        resource: "Label",
        field: name,
        code: "custom",
        message: format!("{name} {}", too_long(most)),
    }]))
}

/// Refuses names that are too long for labels. Labels are created by their first use.
pub(super) fn check_labels(call: &Call, names: &[String]) -> Answer<()> {
    if names.iter().any(|name| is_too_long(name, LONGEST_NAME)) {
        Err(call.invalid(field("Label", "name", "invalid")))
    } else {
        Ok(())
    }
}

impl RepositoryState {
    /// Label with a name.
    pub(crate) fn find_label(&self, call: &Call, name: &str) -> Answer<&Label> {
        let known = self.hub.labels.get(&name.to_lowercase());
        known.ok_or_else(|| call.not_found())
    }

    /// Creates a label, or edits the name, colour and description of the label `before`.
    pub(crate) fn put_label(
        &mut self,
        at: &RepositoryName,
        before: Option<&str>,
        label: Label,
    ) -> Answer<Label> {
        let method = if before.is_some() { "PATCH" } else { "POST" };
        let call = self.call(at, method, "/labels")?;
        if let Some(before) = before {
            self.find_label(&call, before)?;
        }
        let colour = label.color.to_lowercase();
        if colour.len() != 6 || !colour.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(call.invalid(field("Label", "color", "invalid")));
        }
        if label.name.trim().is_empty() {
            return Err(call.invalid(field("Label", "name", "missing_field")));
        }
        check_length(&call, "name", &label.name, LONGEST_NAME)?;
        let description = label.description.as_deref().unwrap_or_default();
        check_length(&call, "description", description, LONGEST_DESCRIPTION)?;
        let key = label.name.to_lowercase();
        let own = before.is_some_and(|before| before.to_lowercase() == key);
        if self.hub.labels.contains_key(&key) && !own {
            return Err(call.invalid(field("Label", "name", "already_exists")));
        }
        let label = Label {
            color: colour,
            ..label
        };
        if let Some(before) = before {
            let old = self.hub.labels.remove(&before.to_lowercase());
            let old = old.map(|old| old.name).unwrap_or_default();
            for issue in self.hub.issues.values_mut() {
                let worn = issue.labels.iter_mut().filter(|name| **name == old);
                worn.for_each(|name| name.clone_from(&label.name));
            }
        }
        self.hub.labels.insert(key, label.clone());
        self.hub.tick();
        Ok(label)
    }

    /// Deletes a label, also from issues.
    pub(crate) fn delete_label(&mut self, at: &RepositoryName, name: &str) -> Answer<()> {
        let call = self.call(at, "DELETE", "/labels")?;
        let name = self.find_label(&call, name)?.name.clone();
        self.hub.labels.remove(&name.to_lowercase());
        for issue in self.hub.issues.values_mut() {
            issue.labels.retain(|worn| *worn != name);
        }
        self.hub.tick();
        Ok(())
    }

    /// Replaces the labels of an issue by the result of `change`.
    pub(crate) fn change_labels(
        &mut self,
        call: &Call,
        number: u64,
        change: impl FnOnce(Vec<String>) -> Vec<String>,
    ) -> Answer<()> {
        let before = self.find_issue(call, number)?.labels.clone();
        let names = change(before.clone());
        check_labels(call, &names)?;
        let names = unique(names.iter().map(|name| self.hub.label(name)).collect());
        let now = self.hub.now;
        if names != before
            && let Some(issue) = self.hub.issues.get_mut(&number)
        {
            issue.labels = names;
            issue.updated_at = now;
            self.hub.tick();
        }
        Ok(())
    }

    /// Replaces the assignees of an issue by the result of `change`. Unknown users are left out, as on GitHub.
    pub(crate) fn change_assignees(
        &mut self,
        call: &Call,
        number: u64,
        change: impl FnOnce(Vec<String>) -> Vec<String>,
    ) -> Answer<()> {
        let before = self.find_issue(call, number)?.assignees.clone();
        let mut people = change(before.clone());
        people.retain(|login| self.hub.user(login).is_some());
        let people = self.logins(&people);
        let now = self.hub.now;
        if people != before
            && let Some(issue) = self.hub.issues.get_mut(&number)
        {
            issue.assignees = people;
            issue.updated_at = now;
            self.hub.tick();
        }
        Ok(())
    }

    /// Milestone with a number.
    pub(crate) fn find_milestone(&self, call: &Call, number: u64) -> Answer<&Milestone> {
        let known = self.hub.milestones.get(&number);
        known.ok_or_else(|| call.not_found())
    }

    /// Creates or edits a milestone and returns its number.
    pub(crate) fn put_milestone(
        &mut self,
        at: &RepositoryName,
        number: Option<u64>,
        change: MilestoneChange,
    ) -> Answer<u64> {
        let method = if number.is_some() { "PATCH" } else { "POST" };
        let call = self.call(at, method, "/milestones")?;
        let (now, by) = (self.hub.now, self.viewer());
        let mut milestone = match number {
            Some(number) => self.find_milestone(&call, number)?.clone(),
            None => {
                let last = self.hub.milestones.keys().next_back().copied();
                Milestone {
                    number: last.unwrap_or(0) + 1,
                    title: String::new(),
                    description: None,
                    state: State::Open,
                    creator: Some(by),
                    due_on: None,
                    created_at: now,
                    updated_at: now,
                    closed_at: None,
                }
            }
        };
        if let Some(title) = change.title {
            milestone.title = title;
        }
        if milestone.title.trim().is_empty() {
            return Err(call.invalid(field("Milestone", "title", "missing_field")));
        }
        let mut others = self.hub.milestones.values();
        if others.any(|it| it.title == milestone.title && it.number != milestone.number) {
            return Err(call.invalid(field("Milestone", "title", "already_exists")));
        }
        if let Some(description) = change.description {
            milestone.description = description;
        }
        if let Some(due_on) = change.due_on {
            milestone.due_on = due_on;
        }
        if let Some(state) = change.state {
            milestone.closed_at = match (milestone.state, state) {
                (_, State::Open) => None,
                (State::Open, State::Closed) => Some(now),
                (State::Closed, State::Closed) => milestone.closed_at,
            };
            milestone.state = state;
        }
        milestone.updated_at = now;
        let number = milestone.number;
        self.hub.milestones.insert(number, milestone);
        self.hub.tick();
        Ok(number)
    }

    /// Deletes a milestone, also from issues.
    pub(crate) fn delete_milestone(&mut self, at: &RepositoryName, number: u64) -> Answer<()> {
        let call = self.call(at, "DELETE", "/milestones")?;
        self.find_milestone(&call, number)?;
        self.hub.milestones.remove(&number);
        for issue in self.hub.issues.values_mut() {
            issue.milestone = issue.milestone.filter(|it| *it != number);
        }
        self.hub.tick();
        Ok(())
    }
}
