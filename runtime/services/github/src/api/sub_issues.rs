//! Sub-issues.

use std::collections::HashMap;

use serde_json::Value;

use super::{Answer, Call, Page, Paged, RepositoryName};
use crate::hub::Kind;
use crate::repository::RepositoryState;

/// Maximum number of sub-issues of an issue.
const MAX_SUB_ISSUES: usize = 100;

impl RepositoryState {
    /// Page of the sub-issues of an issue, by descending priority.
    pub(crate) fn list_sub_issues(
        &self,
        at: &RepositoryName,
        number: u64,
        page: Page,
    ) -> Answer<Value> {
        let below = format!("/issues/{number}/sub_issues{}", page.query(&[]));
        let call = self.call(at, "GET", &below)?;
        let issue = self.find_issue(&call, number)?;
        let sub_issues = issue
            .sub_issues
            .iter()
            .filter_map(|it| self.hub.issues.get(it));
        Ok(sub_issues.page(page).map(|it| self.issue(it)).collect())
    }

    /// Number of the issue with an id.
    fn by_issue_id(&self, call: &Call, id: u64) -> Answer<u64> {
        let number = Kind::Issue.ordinal(id);
        number
            // Pull requests cannot be sub-issues.
            .filter(|number| {
                self.hub
                    .issues
                    .get(number)
                    .is_some_and(|it| it.pull.is_none())
            })
            .ok_or_else(|| call.refuse(404, "The provided sub-issue does not exist"))
    }

    /// Adds a sub-issue to an issue. `replace` permits removing it from another parent.
    pub(crate) fn add_sub_issue(
        &mut self,
        at: &RepositoryName,
        number: u64,
        id: u64,
        replace: bool,
    ) -> Answer<Value> {
        let call = self.call(at, "POST", &format!("/issues/{number}/sub_issues"))?;
        let issue = self.find_issue(&call, number)?;
        let child = self.by_issue_id(&call, id)?;
        let parent = self.hub.parent_of(child).map(|parent| parent.number);
        if issue.sub_issues.contains(&child) || (parent.is_some() && !replace) {
            return Err(call.refuse(
                422,
                "An error occurred while adding the sub-issue to the parent issue. Issue may not contain duplicate \
                 sub-issues and Sub issue may only have one parent",
            ));
        }
        if self.is_below(number, child) {
            return Err(call.refuse(
                422,
                "An error occurred while adding the sub-issue to the parent issue. Sub issue cannot be an ancestor \
                 of its parent",
            ));
        }
        if issue.sub_issues.len() >= MAX_SUB_ISSUES {
            return Err(call.refuse(422, "Parent cannot have more than 100 sub-issues"));
        }
        let now = self.hub.now;
        if let Some(parent) = parent
            && let Some(parent) = self.hub.issues.get_mut(&parent)
        {
            parent.sub_issues.retain(|it| *it != child);
            parent.updated_at = now;
        }
        if let Some(issue) = self.hub.issues.get_mut(&number) {
            issue.sub_issues.push(child);
            issue.updated_at = now;
        }
        self.hub.tick();
        Ok(self.issue(self.find_issue(&call, number)?))
    }

    /// Reports whether an issue is another one or its descendant.
    fn is_below(&self, number: u64, of: u64) -> bool {
        let mut parents = HashMap::new();
        for issue in self.hub.issues.values() {
            for child in &issue.sub_issues {
                parents.entry(*child).or_insert(issue.number);
            }
        }
        // Ends because the sub-issues of a world contain no cycle.
        let up = |number: &u64| parents.get(number).copied();
        std::iter::successors(Some(number), up).any(|number| number == of)
    }

    /// Removes a sub-issue from an issue.
    pub(crate) fn remove_sub_issue(
        &mut self,
        at: &RepositoryName,
        number: u64,
        id: u64,
    ) -> Answer<Value> {
        let call = self.call(at, "DELETE", &format!("/issues/{number}/sub_issue"))?;
        let issue = self.find_issue(&call, number)?;
        let child = self.by_issue_id(&call, id)?;
        if !issue.sub_issues.contains(&child) {
            return Err(call.not_found());
        }
        let now = self.hub.now;
        if let Some(issue) = self.hub.issues.get_mut(&number) {
            issue.sub_issues.retain(|it| *it != child);
            issue.updated_at = now;
        }
        self.hub.tick();
        Ok(self.issue(self.find_issue(&call, number)?))
    }

    /// Moves a sub-issue after or before another one.
    pub(crate) fn move_sub_issue(
        &mut self,
        at: &RepositoryName,
        number: u64,
        id: u64,
        next_to: u64,
        after: bool,
    ) -> Answer<Value> {
        let call = self.call(
            at,
            "PATCH",
            &format!("/issues/{number}/sub_issues/priority"),
        )?;
        let mut order = self.find_issue(&call, number)?.sub_issues.clone();
        let child = self.by_issue_id(&call, id)?;
        let other = self.by_issue_id(&call, next_to)?;
        if !order.contains(&child) || !order.contains(&other) || child == other {
            return Err(call.refuse(
                422,
                "The provided sub-issue is not a sub-issue of the parent issue",
            ));
        }
        order.retain(|it| *it != child);
        let place = order.iter().position(|it| *it == other).unwrap_or(0);
        order.insert(place + usize::from(after), child);
        let now = self.hub.now;
        if let Some(issue) = self.hub.issues.get_mut(&number) {
            issue.sub_issues = order;
            issue.updated_at = now;
        }
        self.hub.tick();
        Ok(self.issue(self.find_issue(&call, number)?))
    }
}
