//! Worlds that are almost right: a final state with one thing wrong, for the examination of
//! verifiers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mcpmark_snapshot::{Blobs, Store, Tree};

use crate::git::{Draft, Edit, EntryKind, Git, GitError, ObjectId};
use crate::hub::{Comment, Issue, State};
use crate::world::{self, ExportError, Exported, Opened, WorldError, export, export_like};

/// Issues and pull requests of the solution that are spoilt in each way.
const CHANGED: usize = 12;
/// Those that it was to leave alone.
const KEPT: usize = 6;
/// Branches of the solution that are spoilt.
const MOVED: usize = 6;
/// Those that it was to leave where they are.
const STILL: usize = 3;
/// Files of a branch that are spoilt, of those that it changed and of the others.
const FILES: usize = 6;
/// Branches on which files are spoilt that the solution was to leave alone.
const BESIDE: usize = 2;

/// What is wrong with a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wrong {
    /// A title differs by a character.
    Title,
    /// An issue or pull request is open that should be closed, or closed for another reason.
    State,
    /// A label is missing or too many.
    Labels,
    /// A comment is missing, or stands on another issue.
    Comment,
    /// A text links to another issue, or to none.
    Link,
    /// A pull request goes into another branch.
    Base,
    /// A pull request comes from another branch.
    Head,
    /// A pull request was merged in another way.
    MergeMethod,
    /// An issue is there that nobody asked for.
    StrayIssue,
    /// A file of a branch is missing, or stands at another path.
    File,
    /// A file that was to stay as it is was edited in a branch of the solution.
    EditInput,
    /// Such a file was deleted.
    DeleteInput,
    /// Such a file was moved.
    MoveInput,
    /// A file was committed that nobody asked for.
    StrayFile,
    /// A branch has a commit more.
    ExtraCommit,
    /// A branch was moved to another commit.
    MovedBranch,
    /// A branch is missing.
    MissingBranch,
    /// A branch is there that nobody asked for.
    StrayBranch,
}

/// A world with one thing wrong.
#[derive(Debug, Clone)]
pub struct Spoilt {
    /// What is wrong.
    pub wrong: Wrong,
    /// What it is wrong with: `#12`, a branch, a branch and a path.
    pub place: String,
    /// What was done to it.
    pub what: String,
    /// The world, with its blobs in the store.
    pub tree: Tree,
}

/// Why worlds cannot be spoilt.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpoilError {
    /// The solved world is none.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A commit cannot be written.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A spoilt world cannot be stored.
    #[error("cannot store a world: {0}")]
    Export(String),
}

impl From<ExportError> for SpoilError {
    fn from(error: ExportError) -> Self {
        Self::Export(error.to_string())
    }
}

/// Where worlds are read from and written to.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    /// The bytes of both worlds.
    pub blobs: &'a dyn Blobs,
    /// Takes the bytes of those that are made.
    pub store: &'a Store,
    /// Copies of repositories lie below it.
    pub scratch: &'a Path,
}

/// A text that the solution committed.
#[derive(Debug, Clone)]
pub struct Committed {
    /// The branch.
    pub branch: String,
    /// The file.
    pub path: String,
    /// What it was before.
    pub before: Option<String>,
    /// What it is.
    pub text: String,
}

/// At most so many of them, from all over.
fn some<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    let count = all.len().min(most);
    (0..count).map(move |at| &all[at * all.len() / count])
}

/// Spoils the world that a solution left.
pub struct Spoiler<'a> {
    start: Opened,
    end: Opened,
    /// What the latter is when it is written again.
    exported: Tree,
    places: Places<'a>,
    made: Vec<Spoilt>,
}

impl<'a> Spoiler<'a> {
    /// Opens the starting world and the one that a solution left.
    ///
    /// # Errors
    ///
    /// When one of the two is no world.
    pub fn new(start: &Tree, end: &Tree, places: Places<'a>) -> Result<Self, SpoilError> {
        let open = |tree| world::open(tree, places.blobs, places.scratch, 0);
        let (start, end) = (open(start)?, open(end)?);
        let exported = export(&end.hub, &end.git, &end.work_tree, places.store)?;
        Ok(Self {
            start,
            end,
            exported,
            places,
            made: Vec::new(),
        })
    }

    /// Spoils what the solution made of the starting world and what it was to leave alone. The
    /// same worlds give the same ones in the same order.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn spoil(&mut self) -> Result<Vec<Spoilt>, SpoilError> {
        let (changed, kept) = self.numbers();
        for number in some(&changed, CHANGED).chain(some(&kept, KEPT)) {
            self.texts(*number)?;
            self.marks(*number)?;
            self.comments(*number, &kept)?;
            self.pull(*number)?;
        }
        self.strays()?;
        let (moved, still) = self.branches();
        for branch in some(&moved, MOVED) {
            self.files(branch)?;
        }
        let default = [self.end.hub.repository.default_branch.clone()];
        let beside = if moved.is_empty() { &default } else { &*moved };
        for branch in some(beside, BESIDE) {
            self.beside(branch)?;
        }
        for branch in some(&moved, MOVED).chain(some(&still, STILL)) {
            self.refs(branch)?;
        }
        Ok(std::mem::take(&mut self.made))
    }

    /// The texts that the solution committed to the branches that it made or moved.
    ///
    /// # Errors
    ///
    /// When the repository is damaged.
    pub fn committed(&self) -> Result<Vec<Committed>, SpoilError> {
        let git = &self.end.git;
        let mut found = Vec::new();
        let (moved, _) = self.branches();
        for branch in some(&moved, MOVED) {
            let Some((tip, changes)) = self.changed(branch)? else {
                continue;
            };
            for (path, old) in some(&changes, FILES) {
                let Some(entry) = git.entry(git.tree_of(tip)?, path)? else {
                    continue;
                };
                let Ok(text) = String::from_utf8(git.blob(entry.id)?) else {
                    continue;
                };
                let before = old.map(|id| git.blob(id)).transpose()?;
                found.push(Committed {
                    branch: branch.clone(),
                    path: path.clone(),
                    before: before.and_then(|bytes| String::from_utf8(bytes).ok()),
                    text,
                });
            }
        }
        Ok(found)
    }

    /// The world with another text in the last commit of a branch.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn rewritten(&self, file: &Committed, text: &str) -> Result<Tree, SpoilError> {
        let name = format!("refs/heads/{}", file.branch);
        self.made_by(|world| {
            let Some(tip) = world.git.branch(&file.branch) else {
                return Ok(());
            };
            let change = Change::Text(text.as_bytes());
            let id = amend(&mut world.git, tip, &file.path, change)?;
            set_tip(world, &name, tip, id);
            Ok(())
        })
    }

    /// The world with something done to it.
    fn made_by(
        &self,
        act: impl FnOnce(&mut Opened) -> Result<(), GitError>,
    ) -> Result<Tree, SpoilError> {
        let mut world = Opened {
            hub: self.end.hub.clone(),
            git: self.end.git.fork(),
            work_tree: self.end.work_tree.clone(),
        };
        act(&mut world)?;
        let Opened {
            hub,
            git,
            work_tree,
        } = &world;
        let before = Exported {
            hub: &self.end.hub,
            tree: &self.exported,
        };
        let store = self.places.store;
        Ok(export_like(before, hub, git, work_tree, store)?)
    }

    /// Adds the world with something done to it.
    fn with(
        &mut self,
        wrong: Wrong,
        place: impl Into<String>,
        what: impl Into<String>,
        act: impl FnOnce(&mut Opened) -> Result<(), GitError>,
    ) -> Result<(), SpoilError> {
        let tree = self.made_by(act)?;
        self.made.push(Spoilt {
            wrong,
            place: place.into(),
            what: what.into(),
            tree,
        });
        Ok(())
    }

    /// The same for one issue or pull request.
    fn with_issue(
        &mut self,
        wrong: Wrong,
        number: u64,
        what: impl Into<String>,
        act: impl FnOnce(&mut Issue),
    ) -> Result<(), SpoilError> {
        self.with(wrong, format!("#{number}"), what, |world| {
            if let Some(issue) = world.hub.issues.get_mut(&number) {
                act(issue);
            }
            Ok(())
        })
    }

    /// The issues and pull requests that the solution made or changed, and the others.
    fn numbers(&self) -> (Vec<u64>, Vec<u64>) {
        let all = self.end.hub.issues.iter();
        let changed = |number: &u64, issue: &Issue| {
            let before = self.start.hub.issues.get(number).map(settled);
            before != Some(settled(issue))
        };
        let (changed, kept): (Vec<_>, Vec<_>) =
            all.partition(|(number, issue)| changed(number, issue));
        let numbers = |list: Vec<(&u64, &Issue)>| list.iter().map(|(number, _)| **number).collect();
        (numbers(changed), numbers(kept))
    }

    fn issue(&self, number: u64) -> Issue {
        let issue = self.end.hub.issues.get(&number);
        issue.cloned().unwrap_or_default()
    }

    fn texts(&mut self, number: u64) -> Result<(), SpoilError> {
        let issue = self.issue(number);
        self.with_issue(
            Wrong::Title,
            number,
            "a full stop at the end of the title",
            |it| {
                it.title.push('.');
            },
        )?;
        let before = self.start.hub.issues.get(&number);
        let is_new_text = before.is_none_or(|before| before.body != issue.body);
        let body = issue.body.unwrap_or_default();
        let links = body.match_indices('#');
        let linked = links
            .map(|(at, _)| (&body[..at], &body[at + 1..]))
            .find(|(_, rest)| is_new_text && rest.starts_with(|c: char| c.is_ascii_digit()));
        if let Some((head, rest)) = linked {
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            let other: u64 = rest[..end].parse().unwrap_or(0u64).saturating_add(1);
            let bodies = [
                ("the first link is gone", format!("{head}{}", &rest[end..])),
                (
                    "the first link names the next issue",
                    format!("{head}#{other}{}", &rest[end..]),
                ),
            ];
            for (what, body) in bodies {
                self.with_issue(Wrong::Link, number, what, |it| it.body = Some(body))?;
            }
        }
        Ok(())
    }

    fn marks(&mut self, number: u64) -> Result<(), SpoilError> {
        let issue = self.issue(number);
        let is_merged = issue
            .pull
            .as_ref()
            .is_some_and(|pull| pull.merged_at.is_some());
        match issue.state {
            State::Open => self.with_issue(Wrong::State, number, "closed", |it| {
                it.state = State::Closed;
                it.state_reason = Some("completed".to_owned());
                it.closed_at = Some(it.updated_at);
            })?,
            State::Closed if !is_merged => {
                self.with_issue(Wrong::State, number, "still open", |it| {
                    it.state = State::Open;
                    it.state_reason = None;
                    it.closed_at = None;
                })?;
            }
            State::Closed => {}
        }
        if let Some(reason) = issue.state_reason.filter(|_| issue.state == State::Closed) {
            let other = match reason.as_str() {
                "completed" => "not_planned",
                _ => "completed",
            };
            self.with_issue(Wrong::State, number, format!("closed as {other}"), |it| {
                it.state_reason = Some(other.to_owned());
            })?;
        }
        if let Some(label) = issue.labels.last() {
            let what = format!("without the label {label:?}");
            self.with_issue(Wrong::Labels, number, what, |it| {
                it.labels.pop();
            })?;
        }
        let labels = self.end.hub.labels.values().map(|label| label.name.clone());
        let other = labels.into_iter().find(|name| !issue.labels.contains(name));
        if let Some(other) = other {
            let what = format!("with the label {other:?}");
            self.with_issue(Wrong::Labels, number, what, |it| it.labels.push(other))?;
        }
        Ok(())
    }

    fn comments(&mut self, number: u64, others: &[u64]) -> Result<(), SpoilError> {
        let issue = self.issue(number);
        let before = self.start.hub.issues.get(&number);
        let old = before.map_or(0, |before| before.comments.len());
        let Some(last) = issue.comments.last().filter(|_| issue.comments.len() > old) else {
            let comment = Comment {
                id: u64::MAX >> 12,
                user: self.end.hub.repository.viewer.clone(),
                body: "Looking into it.".to_owned(),
                created_at: issue.updated_at,
                updated_at: issue.updated_at,
                ..Comment::default()
            };
            return self.with_issue(
                Wrong::Comment,
                number,
                "a comment that nobody asked for",
                |it| {
                    it.comments.push(comment);
                },
            );
        };
        self.with_issue(Wrong::Comment, number, "without the last comment", |it| {
            it.comments.pop();
        })?;
        self.with_issue(
            Wrong::Comment,
            number,
            "the last comment differs by a word",
            |it| {
                if let Some(comment) = it.comments.last_mut() {
                    comment.body.push_str(" Probably");
                }
            },
        )?;
        let Some(other) = others.first().copied() else {
            return Ok(());
        };
        let last = last.clone();
        let what = format!("the last comment stands on #{other}");
        self.with(Wrong::Comment, format!("#{number}"), what, |world| {
            if let Some(issue) = world.hub.issues.get_mut(&number) {
                issue.comments.pop();
            }
            if let Some(issue) = world.hub.issues.get_mut(&other) {
                issue.comments.push(last);
            }
            Ok(())
        })
    }

    fn pull(&mut self, number: u64) -> Result<(), SpoilError> {
        let Some(pull) = self.issue(number).pull else {
            return Ok(());
        };
        let branches: Vec<String> = names(&self.end.git).into_iter().collect();
        let other = |name: &str| {
            let fits = |branch: &&String| *branch != name && **branch != pull.base;
            branches.iter().find(fits).cloned()
        };
        if let Some(base) = other(&pull.head) {
            let what = format!("into {base}");
            self.with_issue(Wrong::Base, number, what, |it| {
                if let Some(pull) = &mut it.pull {
                    pull.base = base;
                }
            })?;
        }
        if let Some(head) = other(&pull.head) {
            let what = format!("from {head}");
            let tip = self.end.git.branch(&head).map(|id| id.to_string());
            self.with_issue(Wrong::Head, number, what, |it| {
                if let Some(pull) = &mut it.pull {
                    pull.head = head;
                    pull.head_sha = tip.unwrap_or_default();
                }
            })?;
        }
        if pull.merged_at.is_some() {
            let method = match pull.merge_method.as_deref() {
                Some("squash") => "merge",
                _ => "squash",
            };
            self.with_issue(
                Wrong::MergeMethod,
                number,
                format!("merged by {method}"),
                |it| {
                    if let Some(pull) = &mut it.pull {
                        pull.merge_method = Some(method.to_owned());
                    }
                },
            )?;
        }
        Ok(())
    }

    fn strays(&mut self) -> Result<(), SpoilError> {
        let number = self.end.hub.issues.keys().last().copied().unwrap_or(0) + 1;
        let user = self.end.hub.repository.viewer.clone();
        self.with(Wrong::StrayIssue, format!("#{number}"), "added", |world| {
            let issue = Issue {
                number,
                title: "Notes".to_owned(),
                user,
                ..Issue::default()
            };
            world.hub.issues.insert(number, issue);
            Ok(())
        })?;
        let default = self.end.hub.repository.default_branch.clone();
        if let Some(tip) = self.end.git.branch(&default) {
            self.with(Wrong::StrayBranch, "scratch", "added", |world| {
                world.git.set_ref("refs/heads/scratch", tip);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The branches that the solution made or moved, and the others.
    fn branches(&self) -> (Vec<String>, Vec<String>) {
        let moved = |name: &String| self.start.git.branch(name) != self.end.git.branch(name);
        names(&self.end.git).into_iter().partition(moved)
    }

    fn refs(&mut self, branch: &str) -> Result<(), SpoilError> {
        let Some(tip) = self.end.git.branch(branch) else {
            return Ok(());
        };
        let name = format!("refs/heads/{branch}");
        self.with(Wrong::ExtraCommit, branch, "a commit more", |world| {
            let commit = world.git.commit(tip)?;
            let id = world.git.write_commit(Draft {
                tree: commit.tree,
                parents: vec![tip],
                author: commit.author,
                committer: commit.committer,
                message: "wip\n".to_owned(),
            })?;
            set_tip(world, &name, tip, id);
            Ok(())
        })?;
        if let Some(parent) = self.end.git.commit(tip)?.parents.first().copied() {
            self.with(
                Wrong::MovedBranch,
                branch,
                "back at the commit before",
                |world| {
                    set_tip(world, &name, tip, parent);
                    Ok(())
                },
            )?;
        }
        if branch != self.end.hub.repository.default_branch {
            self.with(Wrong::MissingBranch, branch, "gone", |world| {
                world.git.remove_ref(&name);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The tip of a branch and the files that it changed, with the blobs that they were before.
    #[allow(clippy::type_complexity, reason = "a pair of what it says")]
    fn changed(
        &self,
        branch: &str,
    ) -> Result<Option<(ObjectId, Vec<(String, Option<ObjectId>)>)>, SpoilError> {
        let git = &self.end.git;
        let Some(tip) = git.branch(branch) else {
            return Ok(None);
        };
        let before = match self.start.git.branch(branch) {
            Some(before) => Some(before),
            None => git.commit(tip)?.parents.first().copied(),
        };
        let before = before.map(|id| git.tree_of(id)).transpose()?;
        let changes = git.changed(before, git.tree_of(tip)?)?;
        let files = changes.into_iter().filter_map(|change| {
            let (mode, _) = change.new?;
            (mode != "160000").then(|| (change.path, change.old.map(|(_, id)| id)))
        });
        Ok(Some((tip, files.collect())))
    }

    /// The files that a branch changed, each with something wrong in the last commit.
    fn files(&mut self, branch: &str) -> Result<(), SpoilError> {
        let Some((tip, changes)) = self.changed(branch)? else {
            return Ok(());
        };
        let name = format!("refs/heads/{branch}");
        for (path, _) in some(&changes, FILES) {
            let place = format!("{branch}:{path}");
            let ways = [
                ("not there", Change::Gone),
                ("at another path", Change::Elsewhere),
            ];
            for (what, change) in ways {
                self.with(Wrong::File, place.clone(), what, |world| {
                    let id = amend(&mut world.git, tip, path, change)?;
                    set_tip(world, &name, tip, id);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// What a branch has beside what the solution was to commit.
    fn beside(&mut self, branch: &str) -> Result<(), SpoilError> {
        let Some((tip, changes)) = self.changed(branch)? else {
            return Ok(());
        };
        let name = format!("refs/heads/{branch}");
        let git = &self.end.git;
        let (mut kept, mut strays) = (Vec::new(), BTreeSet::from(["scratch.txt".to_owned()]));
        for change in git.changed(None, git.tree_of(tip)?)? {
            let is_changed = changes.iter().any(|(path, _)| *path == change.path);
            let Some((mode, id)) = change.new.filter(|(mode, _)| *mode != "160000") else {
                continue;
            };
            if !is_changed && mode != "120000" {
                kept.push((change.path, id));
            } else if let Some((directory, _)) = change.path.rsplit_once('/') {
                strays.insert(format!("{directory}/scratch.txt"));
            }
        }
        let mut kept_files = Vec::new();
        for (path, id) in some(&kept, FILES) {
            let mut bytes = git.blob(*id)?;
            bytes.push(b'\n');
            kept_files.push((path.clone(), bytes));
        }
        for (path, longer) in &kept_files {
            let place = format!("{branch}:{path}");
            let ways = [
                (Wrong::EditInput, "a newline added", Change::Text(longer)),
                (Wrong::DeleteInput, "deleted", Change::Gone),
                (Wrong::MoveInput, "moved", Change::Elsewhere),
            ];
            for (wrong, what, change) in ways {
                self.with(wrong, place.clone(), what, |world| {
                    let id = amend(&mut world.git, tip, path, change)?;
                    set_tip(world, &name, tip, id);
                    Ok(())
                })?;
            }
        }
        for path in strays.iter().take(FILES) {
            let place = format!("{branch}:{path}");
            self.with(Wrong::StrayFile, place, "added", |world| {
                let stray = Change::Text(b"notes to self\n");
                let id = amend(&mut world.git, tip, path, stray)?;
                set_tip(world, &name, tip, id);
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// What is done to a file.
#[derive(Clone, Copy)]
enum Change<'a> {
    Text(&'a [u8]),
    Gone,
    Elsewhere,
}

/// Writes a commit anew, with another file at a path.
fn amend(
    git: &mut Git,
    tip: ObjectId,
    path: &str,
    change: Change<'_>,
) -> Result<ObjectId, GitError> {
    let commit = git.commit(tip)?;
    let entry = git.entry(commit.tree, path)?;
    let gone = Edit::Remove {
        path: path.to_owned(),
    };
    let edits = match (change, entry) {
        (Change::Text(bytes), entry) => {
            let kind = entry.map_or(EntryKind::File, |entry| entry.kind);
            let id = git.write_blob(bytes)?;
            let path = path.to_owned();
            vec![Edit::Put { path, kind, id }]
        }
        (_, None) => return Ok(tip),
        (Change::Gone, _) => vec![gone],
        (Change::Elsewhere, Some(entry)) => {
            let put = Edit::Put {
                path: format!("{path}.orig"),
                kind: entry.kind,
                id: entry.id,
            };
            vec![gone, put]
        }
    };
    let tree = git.edit_tree(commit.tree, &edits)?;
    git.write_commit(Draft {
        tree,
        parents: commit.parents,
        author: commit.author,
        committer: commit.committer,
        message: format!("{}\n", commit.message),
    })
}

/// Moves a branch, and with it the open pull requests that come from it.
fn set_tip(world: &mut Opened, name: &str, old: ObjectId, new: ObjectId) {
    world.git.set_ref(name, new);
    let (old, open) = (old.to_string(), State::Open);
    for (number, issue) in &mut world.hub.issues {
        if let Some(pull) = &mut issue.pull
            && issue.state == open
            && pull.head_sha == old
        {
            pull.head_sha = new.to_string();
            world.git.set_ref(format!("refs/pull/{number}/head"), new);
        }
    }
}

fn names(git: &Git) -> BTreeSet<String> {
    let branches: BTreeMap<&str, ObjectId> = git.refs_below("refs/heads/").collect();
    branches.into_keys().map(str::to_owned).collect()
}

/// An issue without what moves by itself.
fn settled(issue: &Issue) -> Issue {
    let mut issue = issue.clone();
    issue.updated_at = issue.created_at;
    if let Some(pull) = &mut issue.pull {
        pull.base_sha.clear();
    }
    issue
}
