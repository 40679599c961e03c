//! Settings of the repository: name, description, default branch, topics, and the names of branches.

use super::{Answer, Call, FieldError, RepositoryName};
use crate::git::check_new_ref_name;
use crate::hub::{Issue, Pull, State, is_repository_name};
use crate::repository::RepositoryState;

/// Changes of the repository. Absent fields stay as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct RepositoryChange {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<Option<String>>,
    pub(crate) private: Option<bool>,
    pub(crate) default_branch: Option<String>,
    pub(crate) allow_merge_commit: Option<bool>,
    pub(crate) allow_squash_merge: Option<bool>,
    pub(crate) allow_rebase_merge: Option<bool>,
}

/// Error of one field of the repository.
fn field(field: &'static str, message: impl Into<String>) -> Vec<FieldError> {
    vec![FieldError {
        resource: "Repository",
        field,
        code: "custom",
        message: message.into(),
    }]
}

impl RepositoryState {
    /// Edits the repository. After renaming, its old name is not found.
    pub(crate) fn edit_repository(&mut self, call: &Call, change: RepositoryChange) -> Answer<()> {
        if let Some(name) = &change.name
            && !is_repository_name(name)
        {
            return Err(call.invalid(field("name", "is invalid")));
        }
        if let Some(branch) = &change.default_branch
            && self.git.branch(branch).is_none()
        {
            let problem = format!(
                "The branch {branch} was not found. Please push that ref first or create it via the Git Data API."
            );
            return Err(call.invalid(field("default_branch", problem)));
        }
        if let Some(branch) = &change.default_branch
            && let Some(tip) = self.git.branch(branch)
        {
            self.grow_default_branch(tip)?;
        }
        let mut changed = self.hub.repository.clone();
        let RepositoryChange {
            name,
            description,
            private,
            default_branch,
            allow_merge_commit,
            allow_squash_merge,
            allow_rebase_merge,
        } = change;
        changed.name = name.unwrap_or(changed.name);
        changed.description = description.unwrap_or(changed.description);
        changed.private = private.unwrap_or(changed.private);
        changed.default_branch = default_branch.unwrap_or(changed.default_branch);
        changed.allow_merge_commit = allow_merge_commit.unwrap_or(changed.allow_merge_commit);
        changed.allow_squash_merge = allow_squash_merge.unwrap_or(changed.allow_squash_merge);
        changed.allow_rebase_merge = allow_rebase_merge.unwrap_or(changed.allow_rebase_merge);
        let merges = [
            changed.allow_merge_commit,
            changed.allow_squash_merge,
            changed.allow_rebase_merge,
        ];
        if merges == [false; 3] {
            let problem = "Sorry, you need to allow at least one merge strategy.";
            return Err(call.refuse(422, problem));
        }
        if changed.name != self.hub.repository.name {
            self.clear_mentions();
        }
        if changed != self.hub.repository {
            self.hub.repository = changed;
            self.hub.tick();
        }
        Ok(())
    }

    /// Sets the topics of the repository.
    pub(crate) fn set_topics(&mut self, call: &Call, topics: Vec<String>) -> Answer<()> {
        let may_stand = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_topic = |topic: &String| {
            (1..=50).contains(&topic.len())
                && !topic.starts_with('-')
                && topic.chars().all(may_stand)
        };
        if topics.len() > 20 || !topics.iter().all(is_topic) {
            let problem = "Topics must start with a lowercase letter or number, consist of 50 characters or less, \
                           and can include hyphens; 20 at most";
            return Err(call.refuse(422, problem));
        }
        if topics != self.hub.repository.topics {
            self.hub.repository.topics = topics;
            self.hub.tick();
        }
        Ok(())
    }

    /// Renames a branch. Its protection rules and the open pull requests into it follow. Open pull requests from it are
    /// closed.
    pub(crate) fn rename_branch(
        &mut self,
        at: &RepositoryName,
        old: &str,
        new: &str,
    ) -> Answer<()> {
        let call = self.call(at, "POST", &format!("/branches/{old}/rename"))?;
        let tip = self.git.branch(old);
        let tip = tip.ok_or_else(|| call.refuse(404, "Branch not found"))?;
        if old == new {
            return Ok(());
        }
        let (before, after) = (format!("refs/heads/{old}"), format!("refs/heads/{new}"));
        if check_new_ref_name(&after).is_err() {
            return Err(call.refuse(422, format!("{new} is not a valid branch name.")));
        }
        if self.git.branch(new).is_some() {
            return Err(call.refuse(422, format!("Branch {new} already exists.")));
        }
        if self.git.ref_clashes_without(&after, &before) {
            return Err(call.refuse(422, "Reference update failed"));
        }
        self.git.remove_ref(&before);
        self.git.set_ref(after, tip);
        let hub = &mut self.hub;
        if hub.repository.default_branch == old {
            new.clone_into(&mut hub.repository.default_branch);
        }
        if let Some(rules) = hub.repository.protected_branches.remove(old) {
            let rules_of = &mut hub.repository.protected_branches;
            rules_of.insert(new.to_owned(), rules);
        }
        let drafts = hub.releases.values_mut().filter(|release| release.draft);
        for release in drafts.filter(|release| release.target_commitish == old) {
            new.clone_into(&mut release.target_commitish);
        }
        let (now, by) = (hub.now, hub.repository.viewer.clone());
        let is_from = |(issue, pull): (&Issue, &Pull)| {
            (issue.state == State::Open && pull.head_branch() == Some(old)).then_some(issue.number)
        };
        let from: Vec<u64> = hub.pulls().filter_map(is_from).collect();
        for number in from {
            hub.close(number, &by, None);
        }
        for issue in hub.issues.values_mut() {
            if issue.state == State::Open
                && let Some(pull) = issue.pull.as_mut().filter(|pull| pull.base == old)
            {
                new.clone_into(&mut pull.base);
                issue.updated_at = now;
            }
        }
        if let Some(requests) = &mut self.run_requests {
            let names = [old.to_owned(), new.to_owned()];
            requests.renamed_branches.push(names);
        }
        self.hub.tick();
        Ok(())
    }
}
