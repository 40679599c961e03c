//! Pull requests: opening, editing and listing, with their commits, files and diffs.

use serde_json::Value;

use super::issues::{check_text, check_title};
use super::{Answer, Call, FieldError, Page, Paged, RepositoryName};
use crate::call;
use crate::git::{Change, GitError, ObjectId};
use crate::hub::{Issue, Pull, State};
use crate::repository::{RepositoryState, Threads};

/// Pull request to be opened.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewPull {
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    /// Branch, or `owner:branch`.
    pub(crate) head: String,
    pub(crate) base: String,
    pub(crate) draft: bool,
    pub(crate) maintainer_can_modify: bool,
    /// Issue to be converted into the pull request, with its title and text.
    pub(crate) issue: Option<u64>,
}

/// Changes of a pull request. Absent fields stay as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct PullChange {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) base: Option<String>,
    pub(crate) maintainer_can_modify: Option<bool>,
}

impl PullChange {
    pub(crate) fn is_empty(&self) -> bool {
        self.title.is_none()
            && self.body.is_none()
            && self.state.is_none()
            && self.base.is_none()
            && self.maintainer_can_modify.is_none()
    }
}

/// Filter and order of a list of pull requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct PullList {
    /// State: `open`, `closed` or `all`. `open` if empty.
    pub(crate) state: String,
    /// Head, as `owner:branch`.
    pub(crate) head: String,
    pub(crate) base: String,
    /// Sort key: `created`, `updated`, `popularity` or `long-running`.
    pub(crate) sort: String,
    /// Direction: `asc` or `desc`.
    pub(crate) direction: String,
}

fn field(field: &'static str, code: &'static str, message: impl Into<String>) -> Vec<FieldError> {
    vec![FieldError {
        resource: "PullRequest",
        field,
        code,
        message: message.into(),
    }]
}

impl RepositoryState {
    /// Pull request with a number.
    pub(crate) fn find_pull(&self, call: &Call, number: u64) -> Answer<(&Issue, &Pull)> {
        self.hub.pull(number).ok_or_else(|| call.not_found())
    }

    /// Pull request with all fields.
    pub(crate) fn get_pull(&self, at: &RepositoryName, number: u64) -> Answer<Value> {
        let call = self.call(at, "GET", &format!("/pulls/{number}"))?;
        let (issue, pull) = self.find_pull(&call, number)?;
        Ok(self.pull_in_full(issue, pull)?)
    }

    /// Page of pull requests.
    pub(crate) fn list_pulls(
        &self,
        at: &RepositoryName,
        list: &PullList,
        page: Page,
    ) -> Answer<Value> {
        let asked = page.query(&[
            ("state", &list.state),
            ("head", &list.head),
            ("base", &list.base),
            ("sort", &list.sort),
            ("direction", &list.direction),
        ]);
        let below = format!("/pulls{asked}");
        self.call(at, "GET", &below)?;
        let pulls = self.find_pulls(list).into_iter().page(page);
        Ok(pulls.map(|(issue, pull)| self.pull(issue, pull)).collect())
    }

    /// All pull requests that match a filter, in its order.
    pub(crate) fn find_pulls(&self, list: &PullList) -> Vec<(&Issue, &Pull)> {
        let mut pulls: Vec<(&Issue, &Pull)> = self
            .hub
            .pulls()
            .filter(|(issue, _)| match list.state.as_str() {
                "all" => true,
                "closed" => issue.state == State::Closed,
                _ => issue.state == State::Open,
            })
            .filter(|(_, pull)| list.base.is_empty() || pull.base == list.base)
            .filter(|(_, pull)| self.is_head(pull, &list.head))
            .collect();
        let now = self.hub.now;
        pulls.sort_by_key(|(issue, pull)| {
            let first = match list.sort.as_str() {
                "updated" => issue.updated_at.0,
                "popularity" => (issue.comments.len() + pull.review_comments.len()) as i64,
                "long-running" => now.0 - issue.created_at.0,
                _ => issue.created_at.0,
            };
            (first, issue.number)
        });
        let ascending = match list.direction.as_str() {
            "asc" => true,
            "desc" => false,
            _ => !matches!(list.sort.as_str(), "" | "created"),
        };
        if !ascending {
            pulls.reverse();
        }
        pulls
    }

    /// Reports whether a pull request matches a filter by head. GitHub ignores a filter without an owner.
    fn is_head(&self, pull: &Pull, head: &str) -> bool {
        let Some((owner, branch)) = head.split_once(':') else {
            return true;
        };
        let own = pull
            .fork_owner
            .as_ref()
            .unwrap_or(&self.hub.repository.owner);
        own.eq_ignore_ascii_case(owner) && pull.head == branch
    }

    /// Opens a pull request.
    pub(crate) fn create_pull(&mut self, at: &RepositoryName, new: NewPull) -> Answer<u64> {
        let call = self.call(at, "POST", "/pulls")?;
        match new.issue {
            Some(number) => self.check_convertible(&call, number)?,
            None => check_title(&call, "PullRequest", &new.title)?,
        }
        check_text(&call, "PullRequest", new.body.as_deref())?;
        let owner = self.hub.repository.owner.clone();
        let head = match new.head.split_once(':') {
            Some((of, branch)) if of.eq_ignore_ascii_case(&owner) => branch.to_owned(),
            Some(_) => return Err(call.invalid(field("head", "invalid", ""))),
            None => new.head.clone(),
        };
        let (Some(base_tip), head_tip) = (self.git.branch(&new.base), self.git.branch(&head))
        else {
            return Err(call.invalid(field("base", "invalid", "")));
        };
        let Some(head_tip) = head_tip else {
            return Err(call.invalid(field("head", "invalid", "")));
        };
        let same = |(issue, pull): (&Issue, &Pull)| {
            issue.state == State::Open
                && pull.fork_owner.is_none()
                && pull.head == head
                && pull.base == new.base
        };
        if self.hub.pulls().any(same) {
            let message = format!("A pull request already exists for {owner}:{head}.");
            return Err(call.invalid(field("", "custom", message)));
        }
        if self.git.is_ancestor(head_tip, base_tip)? {
            let message = format!("No commits between {} and {head}", new.base);
            return Err(call.invalid(field("", "custom", message)));
        }
        if self.git.merge_base(base_tip, head_tip)?.is_none() {
            let message = format!(
                "The {head} branch has no history in common with {}",
                new.base
            );
            return Err(call.invalid(field("", "custom", message)));
        }
        let now = self.hub.now;
        let number = match new.issue {
            Some(number) => number,
            None => self.hub.next_number(),
        };
        let pull = Pull {
            head,
            base: new.base,
            head_sha: head_tip.to_string(),
            base_sha: base_tip.to_string(),
            draft: new.draft,
            maintainer_can_modify: new.maintainer_can_modify,
            ..Pull::default()
        };
        let before = new.issue.and_then(|number| self.hub.issues.remove(&number));
        let issue = Issue {
            updated_at: now,
            pull: Some(Box::new(pull)),
            ..before.unwrap_or_else(|| Issue {
                number,
                title: new.title,
                body: new.body,
                user: self.viewer(),
                created_at: now,
                ..Issue::default()
            })
        };
        self.hub.issues.insert(number, issue);
        self.git
            .set_ref(format!("refs/pull/{number}/head"), head_tip);
        self.hub.tick();
        Ok(number)
    }

    /// Refuses to convert anything but an open issue into a pull request.
    fn check_convertible(&self, call: &Call, number: u64) -> Answer<()> {
        let issue = self.hub.issues.get(&number);
        match issue.filter(|it| it.state == State::Open && it.pull.is_none()) {
            Some(issue) if issue.sub_issues.is_empty() && self.hub.parent_of(number).is_none() => {
                Ok(())
            }
            // Pull requests cannot have or be sub-issues.
            _ => Err(call.invalid(field("issue", "invalid", ""))),
        }
    }

    /// Edits a pull request.
    pub(crate) fn edit_pull(
        &mut self,
        at: &RepositoryName,
        number: u64,
        change: PullChange,
    ) -> Answer<()> {
        let call = self.call(at, "PATCH", &format!("/pulls/{number}"))?;
        let (issue, pull) = self.find_pull(&call, number)?;
        if let Some(title) = &change.title {
            check_title(&call, "PullRequest", title)?;
        }
        check_text(&call, "PullRequest", change.body.as_deref())?;
        let merged = pull.merged_at.is_some();
        let was = issue.state;
        let state = match change.state.as_deref() {
            None => was,
            Some("open") => State::Open,
            Some("closed") => State::Closed,
            Some(_) => return Err(call.invalid(field("state", "invalid", ""))),
        };
        let reopened = was == State::Closed && state == State::Open;
        if reopened && merged {
            return Err(call.invalid(field(
                "",
                "custom",
                "state cannot be changed. The pull request cannot be reopened.",
            )));
        }
        if reopened && let Some(problem) = self.reopen_problem(pull)? {
            let message = format!("state cannot be changed. {problem}");
            return Err(call.invalid(field("", "custom", message)));
        }
        let base = match &change.base {
            Some(_) if was == State::Closed || state == State::Closed => {
                let message = "Cannot change the base branch of a closed pull request.";
                return Err(call.invalid(field("base", "invalid", message)));
            }
            Some(base) => Some((base.clone(), self.new_base(&call, number, base)?)),
            None => None,
        };
        let threads = match base {
            Some((_, tip)) => {
                let (_, head) = self.ends(pull)?;
                self.threads_of(number, tip, head)?
            }
            None if reopened => self.threads_after(None, Some(number))?,
            None => Threads::default(),
        };
        let (now, by) = (self.hub.now, self.viewer());
        call::changed();
        if let Some(issue) = self.hub.issues.get_mut(&number) {
            if let Some(title) = change.title {
                issue.title = title;
            }
            if let Some(body) = change.body {
                issue.body = Some(body);
            }
            if reopened {
                issue.state = State::Open;
                issue.closed_at = None;
                issue.closed_by = None;
            }
            issue.updated_at = now;
            if let Some(pull) = &mut issue.pull {
                if let Some((base, tip)) = base {
                    pull.base = base;
                    pull.base_sha = tip.to_string();
                }
                if let Some(allowed) = change.maintainer_can_modify {
                    pull.maintainer_can_modify = allowed;
                }
            }
        }
        if state == State::Closed {
            self.hub.close(number, &by, None);
        }
        if reopened {
            self.branches_moved(threads)?
        } else {
            self.set_threads(threads)
        }
        self.hub.tick();
        Ok(())
    }

    /// Reason why a closed pull request cannot be reopened.
    fn reopen_problem(&self, pull: &Pull) -> Result<Option<String>, GitError> {
        let (_, mut tip) = self.ends(pull)?;
        // The branch of a fork is neither deleted nor moved.
        if let Some(branch) = pull.head_branch() {
            let Some(now) = self.git.branch(branch) else {
                return Ok(Some(format!("The {branch} branch has been deleted.")));
            };
            if !self.git.is_ancestor(tip, now)? {
                return Ok(Some(format!(
                    "The {branch} branch was force-pushed or recreated."
                )));
            }
            tip = now;
        }
        let Some(base) = self.git.branch(&pull.base) else {
            return Ok(Some(format!("The {} branch has been deleted.", pull.base)));
        };
        let is_empty = self.git.is_ancestor(tip, base)?;
        let branch = pull.head_branch().unwrap_or(&pull.head);
        Ok(is_empty.then(|| format!("There are no new commits on the {branch} branch.")))
    }

    /// Checks whether a branch can be the new base of an open pull request, and returns its tip.
    fn new_base(&self, call: &Call, number: u64, base: &str) -> Answer<ObjectId> {
        let refuse = |message: String| Err(call.invalid(field("base", "invalid", message)));
        let Some(tip) = self.git.branch(base) else {
            return refuse(String::new());
        };
        let (_, pull) = self.find_pull(call, number)?;
        if pull.base == base {
            return Ok(tip);
        }
        let head = &pull.head;
        let same = |(issue, other): (&Issue, &Pull)| {
            issue.state == State::Open
                && issue.number != number
                && other.fork_owner == pull.fork_owner
                && other.head == *head
                && other.base == base
        };
        if self.hub.pulls().any(same) {
            return refuse(format!(
                "A pull request already exists for base branch '{base}' and head branch '{head}'"
            ));
        }
        let (_, head_tip) = self.ends(pull)?;
        if self.git.is_ancestor(head_tip, tip)? {
            return refuse(format!(
                "There are no new commits between base branch '{base}' and head branch '{head}'"
            ));
        }
        if self.git.merge_base(tip, head_tip)?.is_none() {
            return refuse(format!(
                "The {head} branch has no history in common with {base}"
            ));
        }
        Ok(tip)
    }

    /// Marks a pull request as draft or as ready for review.
    pub(crate) fn set_draft(&mut self, number: u64, draft: bool) {
        let now = self.hub.now;
        if let Some(issue) = self.hub.issues.get_mut(&number)
            && let Some(pull) = &mut issue.pull
            && pull.draft != draft
        {
            pull.draft = draft;
            issue.updated_at = now;
            self.hub.tick();
        }
    }

    /// Page of the files that a pull request changes.
    pub(crate) fn list_pull_files(
        &self,
        at: &RepositoryName,
        number: u64,
        page: Page,
    ) -> Answer<Value> {
        let below = format!("/pulls/{number}/files{}", page.query(&[]));
        let call = self.call(at, "GET", &below)?;
        let (_, pull) = self.find_pull(&call, number)?;
        let (_, head) = self.ends(pull)?;
        let changes = self.pull_changes(pull)?;
        Ok(changes
            .iter()
            .page(page)
            .map(|change| self.file(change, head))
            .collect())
    }

    /// Commits of a pull request in the format of `git format-patch`.
    pub(crate) fn pull_mails(&self, at: &RepositoryName, number: u64) -> Answer<String> {
        let call = self.call(at, "GET", &format!("/pulls/{number}"))?;
        let (_, pull) = self.find_pull(&call, number)?;
        let (base, head) = self.ends(pull)?;
        Ok(self.git.mails(&self.git.ahead(base, head)?)?)
    }

    /// Diff of a pull request in the format of `git diff`.
    pub(crate) fn pull_diff(&self, at: &RepositoryName, number: u64) -> Answer<String> {
        let call = self.call(at, "GET", &format!("/pulls/{number}"))?;
        let (_, pull) = self.find_pull(&call, number)?;
        Ok(self.pull_changes(pull)?.iter().map(Change::text).collect())
    }
}
