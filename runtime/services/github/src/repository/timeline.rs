//! Events of issues and pull requests, as far as their times can be derived from the state.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::RepositoryState;
use crate::call;
use crate::git::{Commit, GitError, ObjectId};
use crate::hub::{
    Comment, Issue, Kind, Pull, Review, ReviewComment, State, Time, closes, mentioned,
};

/// Event of an issue or a pull request.
#[derive(Debug)]
pub(crate) struct Event<'a> {
    pub(crate) issue: &'a Issue,
    pub(crate) at: Time,
    pub(crate) what: EventKind<'a>,
}

/// Kind of an event. Events within the same second are sorted in the order of the variants.
#[derive(Debug)]
pub(crate) enum EventKind<'a> {
    /// Commit of the pull request.
    Committed(Commit),
    Commented(&'a Comment),
    Reviewed(&'a Review),
    /// Thread of review comments that belong to no review.
    LineCommented(Vec<&'a ReviewComment>),
    /// Mention by another issue or pull request.
    CrossReferenced {
        source: &'a Issue,
        by: &'a str,
    },
    /// Mention in a commit message.
    Referenced(ObjectId),
    Merged(&'a Pull),
    Closed(Option<ClosedBy>),
}

/// Cause of the closing of an issue that was not closed by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClosedBy {
    Commit(ObjectId),
    /// Pull request, by number, whose text closes the issue.
    Pull(u64),
}

/// Issues in a commit message.
#[derive(Debug)]
pub(crate) struct Message {
    at: Time,
    mentions: BTreeSet<u64>,
    closes: BTreeSet<u64>,
}

/// Cache of commit messages, by commit. `None` for a message without mentions.
pub(crate) type Messages = HashMap<ObjectId, Option<Arc<Message>>>;

/// Commit that mentions an issue.
struct Mentioning {
    id: ObjectId,
    message: Arc<Message>,
    is_on_default: bool,
}

/// Commits that mention an issue, oldest first, by the number of the issue.
type Mentions = HashMap<u64, Vec<Mentioning>>;

/// Pull requests that were merged into the default branch, by time.
type MergedPulls<'a> = HashMap<Time, MergedPull<'a>>;

/// Pull requests that were merged into the default branch in the same second.
#[derive(Default)]
struct MergedPull<'a> {
    pulls: Vec<(&'a Issue, &'a Pull)>,
    /// Number of the first pull request whose text closes an issue, by the number of the issue.
    closers: OnceCell<HashMap<u64, u64>>,
    /// Commits of the pull requests.
    commits: OnceCell<HashSet<ObjectId>>,
}

impl EventKind<'_> {
    fn rank(&self) -> u8 {
        match self {
            Self::Committed(_) => 0,
            Self::Commented(_) => 1,
            Self::Reviewed(_) => 2,
            Self::LineCommented(_) => 3,
            Self::CrossReferenced { .. } => 4,
            Self::Referenced(_) => 5,
            Self::Merged(_) => 6,
            Self::Closed(_) => 7,
        }
    }
}

impl Event<'_> {
    /// Id of the event, for kinds of events that have ids.
    pub(crate) fn id(&self) -> Option<(Kind, u64)> {
        let number = self.issue.number;
        let (kind, id) = match &self.what {
            EventKind::Closed(_) => (Kind::Closing, Kind::Closing.id(number)),
            EventKind::Merged(_) => (Kind::Merge, Kind::Merge.id(number)),
            EventKind::Referenced(commit) => {
                let name = format!("{number} {commit}");
                (Kind::Referring, Kind::Referring.wide_id_of_name(&name))
            }
            _ => return None,
        };
        Some((kind, id))
    }
}

impl RepositoryState {
    /// All events of an issue or a pull request, in order.
    pub(crate) fn timeline<'a>(&'a self, issue: &'a Issue) -> Result<Vec<Event<'a>>, GitError> {
        call::checkpoint()?;
        let mut events = self.own_events(issue, &self.mentions()?, &self.merged_pulls())?;
        let mut add = |at, what| events.push(Event { issue, at, what });
        for comment in &issue.comments {
            add(comment.created_at, EventKind::Commented(comment));
        }
        for it in self.hub.references(issue) {
            let (source, by) = (it.source, it.by);
            add(it.at, EventKind::CrossReferenced { source, by });
        }
        if let Some(pull) = &issue.pull {
            // Parents come first, even if their times are later.
            let mut last = Time(i64::MIN);
            for commit in self.pull_commits(pull)? {
                last = last.max(Time(commit.committer.seconds));
                add(last, EventKind::Committed(commit));
            }
            for review in &pull.reviews {
                if let Some(at) = review.submitted_at {
                    add(at, EventKind::Reviewed(review));
                }
            }
            for thread in threads(pull) {
                add(thread[0].created_at, EventKind::LineCommented(thread));
            }
        }
        events.sort_by_key(|event| (event.at, event.what.rank()));
        Ok(events)
    }

    /// Events of an issue or a pull request that have ids, in order.
    pub(crate) fn issue_events<'a>(&'a self, issue: &'a Issue) -> Result<Vec<Event<'a>>, GitError> {
        let mut events = self.own_events(issue, &self.mentions()?, &self.merged_pulls())?;
        events.sort_by_key(|event| (event.at, event.what.rank()));
        Ok(events)
    }

    /// Events with ids of all issues and pull requests, newest first.
    pub(crate) fn all_events(&self) -> Result<Vec<Event<'_>>, GitError> {
        let (mentions, merged_pulls) = (self.mentions()?, self.merged_pulls());
        let mut events = Vec::new();
        for issue in self.hub.issues.values() {
            call::checkpoint()?;
            events.append(&mut self.own_events(issue, &mentions, &merged_pulls)?);
        }
        events.sort_by_key(|event| (event.at, event.issue.number, event.what.rank()));
        events.reverse();
        Ok(events)
    }

    fn own_events<'a>(
        &'a self,
        issue: &'a Issue,
        mentions: &Mentions,
        merged_pulls: &MergedPulls<'_>,
    ) -> Result<Vec<Event<'a>>, GitError> {
        let mut events = Vec::new();
        let mut add = |at, what| events.push(Event { issue, at, what });
        let commits = mentions.get(&issue.number).map(Vec::as_slice);
        let commits = commits.unwrap_or_default();
        for commit in commits {
            // A mention in a commit before the creation of the issue refers to something else.
            if commit.message.at >= issue.created_at {
                add(commit.message.at, EventKind::Referenced(commit.id));
            }
        }
        if let Some(pull) = &issue.pull
            && let Some(at) = pull.merged_at
        {
            add(at, EventKind::Merged(pull));
        }
        if issue.state == State::Closed
            && let Some(at) = issue.closed_at
        {
            add(
                at,
                EventKind::Closed(self.closer(issue, at, commits, merged_pulls.get(&at))?),
            );
        }
        Ok(events)
    }

    /// Finds the cause of the closing of an issue: a pull request that was merged at that time, or a commit that
    /// reached the default branch at that time, whose text closes the issue.
    fn closer(
        &self,
        issue: &Issue,
        at: Time,
        commits: &[Mentioning],
        merged: Option<&MergedPull<'_>>,
    ) -> Result<Option<ClosedBy>, GitError> {
        if let Some(pull) = &issue.pull
            && pull.merged_at.is_some()
        {
            return Ok(None);
        }
        if let Some(by) = merged.and_then(|it| self.closers(it).get(&issue.number)) {
            return Ok(Some(ClosedBy::Pull(*by)));
        }
        let says = |commit: &&Mentioning| {
            commit.is_on_default && commit.message.closes.contains(&issue.number)
        };
        for commit in commits.iter().filter(says) {
            let came_then = commit.message.at == at
                || match merged {
                    Some(merged) => self.brought(merged)?.contains(&commit.id),
                    None => false,
                };
            if came_then {
                return Ok(Some(ClosedBy::Commit(commit.id)));
            }
        }
        Ok(None)
    }

    fn merged_pulls(&self) -> MergedPulls<'_> {
        let mut merged_pulls = MergedPulls::new();
        for (issue, pull) in self.hub.pulls() {
            if let Some(at) = pull.merged_at
                && pull.base == self.hub.repository.default_branch
            {
                let merged = merged_pulls.entry(at).or_default();
                merged.pulls.push((issue, pull));
            }
        }
        merged_pulls
    }

    fn closers<'l>(&self, merged: &'l MergedPull<'_>) -> &'l HashMap<u64, u64> {
        merged.closers.get_or_init(|| {
            let repository = &self.hub.repository;
            let mut closers = HashMap::new();
            for (by, _) in &merged.pulls {
                let text = by.body.as_deref().unwrap_or_default();
                for number in closes(text, &repository.owner, &repository.name) {
                    closers.entry(number).or_insert(by.number);
                }
            }
            closers
        })
    }

    fn brought<'l>(&self, merged: &'l MergedPull<'_>) -> Result<&'l HashSet<ObjectId>, GitError> {
        if let Some(known) = merged.commits.get() {
            return Ok(known);
        }
        let mut commits = HashSet::new();
        // Several pull requests can have the same base and head.
        let mut ends = HashSet::new();
        for (_, pull) in &merged.pulls {
            let (base, head) = self.ends(pull)?;
            if ends.insert((base, head)) {
                commits.extend(self.git.ahead(base, head)?);
            }
        }
        Ok(merged.commits.get_or_init(|| commits))
    }

    /// Commits that mention issues, from all branches and from the heads of all pull requests.
    fn mentions(&self) -> Result<Mentions, GitError> {
        let default = self.git.branch(&self.hub.repository.default_branch);
        let on_default = self.git.newest_first(default, [])?;
        let on_default: HashSet<ObjectId> = on_default.collect::<Result<_, _>>()?;
        let branches = self.git.refs_below("refs/heads/");
        let pulls = self.git.refs_below("refs/pull/");
        let heads = pulls.filter(|(name, _)| name.ends_with("/head"));
        let tips = branches.chain(heads).map(|(_, tip)| tip);
        let mut known = self.messages.borrow_mut();
        let mut found = Mentions::new();
        for id in self.git.newest_first(tips, [])? {
            let id = id?;
            let message = match known.get(&id) {
                Some(message) => message.clone(),
                None => {
                    let message = self.message(&self.git.commit(id)?);
                    known.insert(id, message.clone());
                    message
                }
            };
            let Some(message) = message else { continue };
            for number in &message.mentions {
                found.entry(*number).or_default().push(Mentioning {
                    id,
                    message: Arc::clone(&message),
                    is_on_default: on_default.contains(&id),
                });
            }
        }
        for commits in found.values_mut() {
            commits.reverse();
        }
        Ok(found)
    }

    /// Clears the cache of mentions in commit messages. The issues that a message mentions depend on the name of the
    /// repository, so this must be called before the repository is renamed.
    pub(crate) fn clear_mentions(&mut self) {
        self.messages.get_mut().clear();
    }

    fn message(&self, commit: &Commit) -> Option<Arc<Message>> {
        let repository = &self.hub.repository;
        let (owner, name) = (&repository.owner, &repository.name);
        let mentions = mentioned(&commit.message, owner, name);
        (!mentions.is_empty()).then(|| {
            Arc::new(Message {
                at: Time(commit.committer.seconds),
                mentions,
                closes: closes(&commit.message, owner, name).into_iter().collect(),
            })
        })
    }

    /// Login of the user who caused the event. Empty if unknown.
    pub(crate) fn actor(&self, event: &Event<'_>) -> Result<String, GitError> {
        let by = match &event.what {
            EventKind::Committed(_) => None,
            EventKind::Commented(comment) => Some(comment.user.as_str()),
            EventKind::Reviewed(review) => Some(review.user.as_str()),
            EventKind::LineCommented(thread) => thread.first().map(|comment| comment.user.as_str()),
            EventKind::CrossReferenced { by, .. } => Some(*by),
            EventKind::Referenced(commit) => self.pusher(*commit)?,
            EventKind::Merged(pull) => pull.merged_by.as_deref(),
            EventKind::Closed(_) => event.issue.closed_by.as_deref(),
        };
        Ok(by.unwrap_or_default().to_owned())
    }

    /// Login of the user who brought a commit into the repository. For the merge commit of a pull request this is the
    /// user who merged it, otherwise the committer. If the committer has no account, as for changes on the web, it is
    /// the author.
    fn pusher(&self, commit: ObjectId) -> Result<Option<&str>, GitError> {
        let sha = commit.to_string();
        let merges = |pull: &&Pull| pull.merge_commit_sha.as_ref() == Some(&sha);
        let mut pulls = self.hub.pulls().map(|(_, pull)| pull);
        if let Some(by) = pulls
            .find(merges)
            .and_then(|pull| pull.merged_by.as_deref())
        {
            return Ok(Some(by));
        }
        let commit = self.git.commit(commit)?;
        let people = [&commit.committer, &commit.author];
        let users = people
            .iter()
            .find_map(|it| self.hub.user_of_email(&it.email));
        Ok(users.map(|user| user.login.as_str()))
    }
}

/// Threads of the review comments that belong to no review.
fn threads(pull: &Pull) -> Vec<Vec<&ReviewComment>> {
    let mut threads: Vec<Vec<&ReviewComment>> = Vec::new();
    let mut known = HashMap::new();
    for comment in pull.review_comments.iter().filter(|it| it.review.is_none()) {
        let begins = comment.in_reply_to.unwrap_or(comment.id);
        let at = *known.entry(begins).or_insert(threads.len());
        match threads.get_mut(at) {
            Some(thread) => thread.push(comment),
            None => threads.push(vec![comment]),
        }
    }
    threads
}
