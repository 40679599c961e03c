//! Merging of pull requests, and checks whether they can be merged.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Answer, Call, RepositoryName};
use crate::git::{Commit, Draft, Identity, Merged, ObjectId};
use crate::hub::{Issue, Pull, State};
use crate::repository::RepositoryState;

/// Merge method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Merge,
    Squash,
    Rebase,
}

impl Method {
    /// Parses the name in requests. An empty name is a merge commit.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "" | "merge" => Some(Self::Merge),
            "squash" => Some(Self::Squash),
            "rebase" => Some(Self::Rebase),
            _ => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Squash => "squash",
            Self::Rebase => "rebase",
        }
    }
}

/// Request to merge a pull request.
#[derive(Debug, Clone)]
pub(crate) struct MergeRequest {
    pub(crate) method: Method,
    /// First line of the message. GitHub's default if empty.
    pub(crate) title: String,
    /// Rest of the message. GitHub's default if empty.
    pub(crate) message: String,
}

impl RepositoryState {
    /// Merges a pull request.
    pub(crate) fn merge_pull(
        &mut self,
        at: &RepositoryName,
        number: u64,
        request: &MergeRequest,
    ) -> Answer<Value> {
        let call = self.call(at, "PUT", &format!("/pulls/{number}/merge"))?;
        let (issue, pull) = self.find_pull(&call, number)?;
        let (issue, pull) = (issue.clone(), pull.clone());
        if issue.state == State::Closed {
            return Err(call.refuse(405, "Pull Request is not mergeable"));
        }
        if pull.draft {
            return Err(call.refuse(405, "Pull Request is still a draft"));
        }
        let repository = &self.hub.repository;
        let (allowed, word) = match request.method {
            Method::Merge => (repository.allow_merge_commit, "Merge commits"),
            Method::Squash => (repository.allow_squash_merge, "Squash merges"),
            Method::Rebase => (repository.allow_rebase_merge, "Rebase merges"),
        };
        if !allowed {
            return Err(call.refuse(405, format!("{word} are not allowed on this repository.")));
        }
        let missing = self.missing_approvals(&issue, &pull);
        if missing > 0 {
            let plural = if missing == 1 { " is" } else { "s are" };
            let message = format!(
                "At least {missing} approving review{plural} required by reviewers with write access."
            );
            return Err(call.refuse(405, message));
        }
        let (base, head) = self.ends(&pull)?;
        if let Some(problem) = unmet(self.unmet_checks(&pull.base, head)) {
            return Err(call.refuse(405, problem));
        }
        if self.is_behind(&pull, base, head)? {
            return Err(call.refuse(
                405,
                "Head branch is out of date. Review and try the merge again.",
            ));
        }
        let tip = self.merged_tip(&call, &issue, &pull, (base, head), request)?;
        let tip = match tip {
            Some(tip) => tip,
            None if request.method == Method::Rebase => {
                return Err(call.refuse(405, "This branch can't be rebased"));
            }
            None => return Err(call.refuse(405, "Pull Request is not mergeable")),
        };
        self.settle(number, &issue, &pull, tip, request.method)?;
        Ok(json!({
            "sha": tip.to_string(),
            "merged": true,
            "message": "Pull Request successfully merged",
        }))
    }

    /// Merges two commits. A refusal by git becomes an error response.
    pub(super) fn merge(&self, call: &Call, into: ObjectId, from: ObjectId) -> Answer<Merged> {
        let merged = self.git.merge(into, from);
        merged.map_err(|error| call.refused_by_git(error))
    }

    /// Creates the new tip of the base. Returns `None` if there are conflicts.
    fn merged_tip(
        &mut self,
        call: &Call,
        issue: &Issue,
        pull: &Pull,
        (base, head): (ObjectId, ObjectId),
        request: &MergeRequest,
    ) -> Answer<Option<ObjectId>> {
        let committer = self.web_flow();
        if request.method == Method::Rebase {
            let committer = self.identity(&self.viewer());
            let rebased = self.git.rebase(base, head, &committer);
            let rebased = rebased.map_err(|error| call.refused_by_git(error))?;
            return Ok(match rebased {
                Merged::Clean(tip) => Some(tip),
                Merged::Conflicts(_) => None,
            });
        }
        let Merged::Clean(tree) = self.merge(call, base, head)? else {
            return Ok(None);
        };
        let (parents, author, message) = match request.method {
            Method::Squash => {
                let commits = self.pull_commits(pull)?;
                let author = self.identity(&issue.user);
                let message = squash_message(issue, &commits, &author, request);
                (vec![base], author, message)
            }
            _ => {
                let owner = pull
                    .fork_owner
                    .as_ref()
                    .unwrap_or(&self.hub.repository.owner);
                let title = format!(
                    "Merge pull request #{} from {owner}/{}",
                    issue.number, pull.head
                );
                let message = joined(request, title, issue.title.clone());
                (vec![base, head], self.identity(&self.viewer()), message)
            }
        };
        let draft = Draft {
            tree,
            parents,
            author,
            committer,
            message,
        };
        Ok(Some(self.git.write_commit(draft)?))
    }

    /// Completes a merge: closes the pull request, moves its base, and closes the issues that its text closes.
    fn settle(
        &mut self,
        number: u64,
        issue: &Issue,
        pull: &Pull,
        tip: ObjectId,
        method: Method,
    ) -> Answer<()> {
        let moving = self.moving(&pull.base, tip)?;
        let (now, by) = (self.hub.now, self.viewer());
        self.hub.close(number, &by, None);
        if let Some(pull) = self
            .hub
            .issues
            .get_mut(&number)
            .and_then(|it| it.pull.as_mut())
        {
            pull.merged_at = Some(now);
            pull.merged_by = Some(by);
            pull.merge_method = Some(method.as_str().to_owned());
            pull.merge_commit_sha = Some(tip.to_string());
        }
        if pull.base == self.hub.repository.default_branch
            && let Some(body) = &issue.body
        {
            self.close_mentioned(body);
        }
        self.finish_move(moving)
    }

    /// Merges the base of a pull request into its head.
    pub(crate) fn update_branch(
        &mut self,
        at: &RepositoryName,
        number: u64,
        expected: &str,
    ) -> Answer<()> {
        let call = self.call(at, "PUT", &format!("/pulls/{number}/update-branch"))?;
        let (issue, pull) = self.find_pull(&call, number)?;
        let pull = pull.clone();
        if issue.state == State::Closed {
            return Err(call.refuse(422, "Cannot update a closed pull request's branch."));
        }
        let Some(branch) = pull.head_branch().map(str::to_owned) else {
            // The fork is not part of the world.
            let problem = "user doesn't have permission to update head repository";
            return Err(call.refuse(403, problem));
        };
        if self.git.branch(&branch).is_none() {
            return Err(call.refuse(422, format!("The {branch} branch has been deleted.")));
        }
        if !expected.is_empty() && expected != pull.head_sha {
            return Err(call.refuse(
                422,
                "expected head sha didn\u{2019}t match current head ref.",
            ));
        }
        let (base, head) = self.ends(&pull)?;
        if self.git.is_ancestor(base, head)? {
            return Err(call.refuse(422, "There are no new commits on the base branch."));
        }
        let Merged::Clean(tree) = self.merge(&call, head, base)? else {
            return Err(call.refuse(422, "merge conflict between base and head"));
        };
        if self.is_closed_to_pushes(&branch) {
            return Err(call.refuse(422, "Changes must be made through a pull request."));
        }
        let commit = self.git.write_commit(Draft {
            tree,
            parents: vec![head, base],
            author: self.identity(&self.viewer()),
            committer: self.web_flow(),
            message: format!("Merge branch '{}' into {}", pull.base, pull.head),
        })?;
        self.move_branch(&branch, commit)
    }
}

fn joined(request: &MergeRequest, title: String, message: String) -> String {
    let title = if request.title.is_empty() {
        title
    } else {
        request.title.clone()
    };
    let message = if request.message.is_empty() {
        message
    } else {
        request.message.clone()
    };
    if message.is_empty() {
        title
    } else {
        format!("{title}\n\n{message}")
    }
}

/// Message of a squash: the message of the only commit, or the title of the pull request with all messages. Authors
/// other than the author of the squash are added as trailers, unless the request contains a message.
fn squash_message(
    issue: &Issue,
    commits: &[Commit],
    author: &Identity,
    request: &MergeRequest,
) -> String {
    let (title, message) = match commits {
        [only] => {
            let rest = only.message.split_once('\n').map_or("", |(_, rest)| rest);
            (
                only.title().to_owned(),
                rest.trim_start_matches('\n').to_owned(),
            )
        }
        _ => {
            let each: Vec<String> = commits
                .iter()
                .map(|it| format!("* {}", it.message))
                .collect();
            (issue.title.clone(), each.join("\n\n"))
        }
    };
    let mut trailers: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    for other in commits.iter().map(|commit| &commit.author) {
        let trailer = format!("Co-authored-by: {} <{}>", other.name, other.email);
        if other.email != author.email && known.insert(trailer.clone()) {
            trailers.push(trailer);
        }
    }
    let trailers = trailers.join("\n");
    let message = if message.is_empty() || trailers.is_empty() {
        message + &trailers
    } else if ends_in_trailers(&message) {
        format!("{}\n{trailers}", message.trim_end())
    } else {
        format!("{message}\n\n---------\n\n{trailers}")
    };
    joined(request, format!("{title} (#{})", issue.number), message)
}

/// Reports whether the last paragraph of a message consists of trailers, such as `Signed-off-by: Ann
/// <ann@example.org>`.
fn ends_in_trailers(message: &str) -> bool {
    let is_trailer = |line: &str| {
        let token = |c: char| c.is_ascii_alphanumeric() || c == '-';
        line.split_once(": ").is_some_and(|(name, value)| {
            !name.is_empty() && name.chars().all(token) && !value.is_empty()
        })
    };
    let last = message.trim_end().rsplit("\n\n").next();
    last.is_some_and(|last| last.lines().all(is_trailer))
}

/// GitHub's error message for required checks that are missing or failed. `None` if there are none.
fn unmet((missing, failed): (Vec<&str>, Vec<&str>)) -> Option<String> {
    match (missing.as_slice(), failed.as_slice()) {
        ([], []) => None,
        ([name], []) => Some(format!("Required status check \"{name}\" is expected.")),
        ([], [name]) => Some(format!("Required status check \"{name}\" is failing.")),
        (missing, failed) => {
            let parts = [(missing.len(), "expected"), (failed.len(), "failing")];
            let parts = parts.iter().filter(|(count, _)| *count > 0);
            let parts: Vec<String> = parts
                .map(|(count, what)| format!("{count} {what}"))
                .collect();
            let all = missing.len() + failed.len();
            Some(format!(
                "{all} required status checks have not succeeded: {}.",
                parts.join(" and ")
            ))
        }
    }
}
