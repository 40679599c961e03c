//! What has happened to issues and pull requests, as far as the state tells when it was.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::call;
use crate::git::{Commit, GitError, ObjectId};
use crate::hub::{
    Comment, Issue, Kind, Pull, Review, ReviewComment, State, Time, closes, mentioned,
};
use crate::view::Site;

/// Something that happened to an issue or a pull request.
#[derive(Debug)]
pub(crate) struct Event<'a> {
    pub(crate) issue: &'a Issue,
    pub(crate) at: Time,
    pub(crate) what: What<'a>,
}

/// What happened. Of what happened in one second, this is the order.
#[derive(Debug)]
pub(crate) enum What<'a> {
    /// A commit of the pull request.
    Committed(Commit),
    Commented(&'a Comment),
    Reviewed(&'a Review),
    /// A thread on lines that belongs to no review.
    LineCommented(Vec<&'a ReviewComment>),
    /// Another issue or pull request mentioned it.
    CrossReferenced {
        source: &'a Issue,
        by: &'a str,
    },
    /// The message of a commit mentioned it.
    Referenced(ObjectId),
    Merged(&'a Pull),
    Closed(Option<Closer>),
}

/// What closed an issue, where nobody did it by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closer {
    Commit(ObjectId),
    /// The pull request of a number, by its text.
    Pull(u64),
}

/// What the message of a commit says of issues.
#[derive(Debug)]
pub(crate) struct Message {
    at: Time,
    mentions: BTreeSet<u64>,
    closes: BTreeSet<u64>,
}

/// What is known of the messages of commits; nothing of those that mention no issue.
pub(crate) type Messages = HashMap<ObjectId, Option<Arc<Message>>>;

/// A commit that mentions an issue.
struct Mentioning {
    id: ObjectId,
    message: Arc<Message>,
    is_on_default: bool,
}

/// By the numbers of issues: the commits that mention them, the oldest first.
type Mentions = HashMap<u64, Vec<Mentioning>>;

/// What was merged into the default branch, by when.
type Landings<'a> = HashMap<Time, Landing<'a>>;

/// The pull requests that were merged into the default branch in one second.
#[derive(Default)]
struct Landing<'a> {
    pulls: Vec<(&'a Issue, &'a Pull)>,
    /// By the numbers of issues: the first that says that it closes it.
    closers: OnceCell<HashMap<u64, u64>>,
    /// The commits that they brought.
    commits: OnceCell<HashSet<ObjectId>>,
}

impl What<'_> {
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
    /// The id of an event that has one of its own.
    pub(crate) fn id(&self) -> Option<(Kind, u64)> {
        let number = self.issue.number;
        let (kind, id) = match &self.what {
            What::Closed(_) => (Kind::Closing, Kind::Closing.id(number)),
            What::Merged(_) => (Kind::Merge, Kind::Merge.id(number)),
            What::Referenced(commit) => {
                let name = format!("{number} {commit}");
                (Kind::Referring, Kind::Referring.of_one_of_many(&name))
            }
            _ => return None,
        };
        Some((kind, id))
    }
}

impl Site {
    /// All that happened to an issue or a pull request, in order.
    pub(crate) fn timeline<'a>(&'a self, issue: &'a Issue) -> Result<Vec<Event<'a>>, GitError> {
        call::checkpoint()?;
        let mut events = self.own_events(issue, &self.mentions()?, &self.landings())?;
        let mut add = |at, what| events.push(Event { issue, at, what });
        for comment in &issue.comments {
            add(comment.created_at, What::Commented(comment));
        }
        for it in self.hub.references(issue) {
            let (source, by) = (it.source, it.by);
            add(it.at, What::CrossReferenced { source, by });
        }
        if let Some(pull) = &issue.pull {
            // Whatever their times say, parents come first.
            let mut last = Time(i64::MIN);
            for commit in self.pull_commits(pull)? {
                last = last.max(Time(commit.committer.seconds));
                add(last, What::Committed(commit));
            }
            for review in &pull.reviews {
                if let Some(at) = review.submitted_at {
                    add(at, What::Reviewed(review));
                }
            }
            for thread in threads(pull) {
                add(thread[0].created_at, What::LineCommented(thread));
            }
        }
        events.sort_by_key(|event| (event.at, event.what.rank()));
        Ok(events)
    }

    /// What happened to an issue or a pull request that has an id of its own, in order.
    pub(crate) fn issue_events<'a>(&'a self, issue: &'a Issue) -> Result<Vec<Event<'a>>, GitError> {
        let mut events = self.own_events(issue, &self.mentions()?, &self.landings())?;
        events.sort_by_key(|event| (event.at, event.what.rank()));
        Ok(events)
    }

    /// The same of all issues and pull requests, the last first.
    pub(crate) fn all_events(&self) -> Result<Vec<Event<'_>>, GitError> {
        let (mentions, landings) = (self.mentions()?, self.landings());
        let mut events = Vec::new();
        for issue in self.hub.issues.values() {
            call::checkpoint()?;
            events.append(&mut self.own_events(issue, &mentions, &landings)?);
        }
        events.sort_by_key(|event| (event.at, event.issue.number, event.what.rank()));
        events.reverse();
        Ok(events)
    }

    fn own_events<'a>(
        &'a self,
        issue: &'a Issue,
        mentions: &Mentions,
        landings: &Landings<'_>,
    ) -> Result<Vec<Event<'a>>, GitError> {
        let mut events = Vec::new();
        let mut add = |at, what| events.push(Event { issue, at, what });
        let commits = mentions.get(&issue.number).map(Vec::as_slice);
        let commits = commits.unwrap_or_default();
        for commit in commits {
            // What was there before the issue meant another.
            if commit.message.at >= issue.created_at {
                add(commit.message.at, What::Referenced(commit.id));
            }
        }
        if let Some(pull) = &issue.pull
            && let Some(at) = pull.merged_at
        {
            add(at, What::Merged(pull));
        }
        if issue.state == State::Closed
            && let Some(at) = issue.closed_at
        {
            add(
                at,
                What::Closed(self.closer(issue, at, commits, landings.get(&at))?),
            );
        }
        Ok(events)
    }

    /// What closed an issue at a time: a pull request that was merged then and says so, or a commit that came
    /// into the default branch then and says so.
    fn closer(
        &self,
        issue: &Issue,
        at: Time,
        commits: &[Mentioning],
        landing: Option<&Landing<'_>>,
    ) -> Result<Option<Closer>, GitError> {
        if let Some(pull) = &issue.pull
            && pull.merged_at.is_some()
        {
            return Ok(None);
        }
        if let Some(by) = landing.and_then(|it| self.closers(it).get(&issue.number)) {
            return Ok(Some(Closer::Pull(*by)));
        }
        let says = |commit: &&Mentioning| {
            commit.is_on_default && commit.message.closes.contains(&issue.number)
        };
        for commit in commits.iter().filter(says) {
            let came_then = commit.message.at == at
                || match landing {
                    Some(landing) => self.brought(landing)?.contains(&commit.id),
                    None => false,
                };
            if came_then {
                return Ok(Some(Closer::Commit(commit.id)));
            }
        }
        Ok(None)
    }

    fn landings(&self) -> Landings<'_> {
        let mut landings = Landings::new();
        for (issue, pull) in self.hub.pulls() {
            if let Some(at) = pull.merged_at
                && pull.base == self.hub.repository.default_branch
            {
                let landing = landings.entry(at).or_default();
                landing.pulls.push((issue, pull));
            }
        }
        landings
    }

    fn closers<'l>(&self, landing: &'l Landing<'_>) -> &'l HashMap<u64, u64> {
        landing.closers.get_or_init(|| {
            let repository = &self.hub.repository;
            let mut closers = HashMap::new();
            for (by, _) in &landing.pulls {
                let text = by.body.as_deref().unwrap_or_default();
                for number in closes(text, &repository.owner, &repository.name) {
                    closers.entry(number).or_insert(by.number);
                }
            }
            closers
        })
    }

    fn brought<'l>(&self, landing: &'l Landing<'_>) -> Result<&'l HashSet<ObjectId>, GitError> {
        if let Some(known) = landing.commits.get() {
            return Ok(known);
        }
        let mut commits = HashSet::new();
        // Many may have been merged from one place to another.
        let mut ends = HashSet::new();
        for (_, pull) in &landing.pulls {
            let (base, head) = self.ends(pull)?;
            if ends.insert((base, head)) {
                commits.extend(self.git.ahead(base, head)?);
            }
        }
        Ok(landing.commits.get_or_init(|| commits))
    }

    /// The commits that mention issues, of all branches and of the heads of all pull requests.
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

    /// Who did it, by the login; nobody where that is not known.
    pub(crate) fn actor(&self, event: &Event<'_>) -> Result<String, GitError> {
        let by = match &event.what {
            What::Committed(_) => None,
            What::Commented(comment) => Some(comment.user.as_str()),
            What::Reviewed(review) => Some(review.user.as_str()),
            What::LineCommented(thread) => thread.first().map(|comment| comment.user.as_str()),
            What::CrossReferenced { by, .. } => Some(*by),
            What::Referenced(commit) => self.pusher(*commit)?,
            What::Merged(pull) => pull.merged_by.as_deref(),
            What::Closed(_) => event.issue.closed_by.as_deref(),
        };
        Ok(by.unwrap_or_default().to_owned())
    }

    /// Who brought a commit here: who merged the pull request that it merges, or who committed it; of what is
    /// done on the web that is the author.
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

/// The comments on lines that belong to no review, by what they answer.
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
