//! Builder of the repository of a new world, commit by commit.

use std::collections::BTreeSet;
use std::path::Path;

use gix::objs::Kind;

use crate::git::{
    Base, Cost, Draft, Edit, Entry, EntryKind, GIT_DIR, Git, GitError, Identity, MAX_RECORD, Meter,
    Metered, OBJECT_BYTES, ObjectId, Stop, check_path, check_ref_name,
};
use crate::world::CONFIG;

/// Maximum number of parents of a commit. Real merges have few.
const MAX_PARENTS: usize = 64;
/// Maximum number of refs of a repository.
const MAX_REFERENCES: usize = 10_000;
/// Maximum length of the name of a ref, in bytes.
const MAX_NAME: usize = 1_000;
/// Size in bytes that is counted for an object or a ref in addition to its content.
const RECORD_BYTES: u64 = 256;

/// Author, committer or tagger with the time of the action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Full name.
    pub name: String,
    /// Email address.
    pub email: String,
    /// Time, in seconds since 1970-01-01T00:00:00Z.
    pub time: i64,
    /// Offset of the local time from UTC, in minutes.
    pub offset: i32,
}

/// Change of a file in a commit.
#[derive(Debug, Clone)]
pub enum Step {
    /// Adds or replaces a file.
    Write {
        /// Path from the root of the repository.
        path: String,
        /// Content of the file.
        content: Vec<u8>,
        /// True if the file is executable.
        executable: bool,
    },
    /// Removes a file, or a directory with its content.
    Remove(String),
}

/// File or empty directory of the new world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Path from the root of the world.
    pub path: String,
    /// Content of the file, `None` for an empty directory.
    pub content: Option<Vec<u8>>,
    /// True if the file is executable.
    pub executable: bool,
}

/// Error of building a repository.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A path, name or signature is invalid in git, or a limit is exceeded.
    #[error("{0}")]
    Invalid(String),
    /// The commit, path or branch does not exist.
    #[error("{0}")]
    NotFound(String),
    /// An operation on the repository failed.
    #[error(transparent)]
    Git(GitError),
    /// The meter refused the cost.
    #[error("the budget is used up")]
    OverBudget,
}

impl From<Stop> for BuildError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::OverBudget => Self::OverBudget,
            Stop::TooMany(most) => {
                Self::Invalid(format!("the limit of {most} entries is exceeded"))
            }
            Stop::Git(error) => error.into(),
        }
    }
}

impl From<GitError> for BuildError {
    fn from(error: GitError) -> Self {
        if error.is_refusal() || matches!(error, GitError::Path(_)) {
            Self::Invalid(error.to_string())
        } else {
            Self::Git(error)
        }
    }
}

/// Repository under construction. Equal calls create equal files.
pub struct Builder {
    git: Git,
    head: String,
    bytes: u64,
    objects: u64,
    references: usize,
}

impl Builder {
    /// Creates an empty repository with its own directory below `scratch`.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be written.
    pub fn new(scratch: &Path) -> Result<Self, GitError> {
        Ok(Self {
            git: Git::new(Base::empty(scratch)?),
            head: "main".to_owned(),
            bytes: 0,
            objects: 0,
            references: 0,
        })
    }

    /// Returns the approximate number of bytes that were written, including those of calls that failed.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes a commit and returns its id. Its tree is that of the first parent with the changes applied.
    ///
    /// # Errors
    ///
    /// Returns an error if a parent or a path to be removed does not exist, a path or signature is invalid, there are
    /// more than 64 parents, the message is too long, or the meter refuses the cost.
    pub fn commit(
        &mut self,
        parents: &[String],
        steps: Vec<Step>,
        author: &Signature,
        committer: &Signature,
        message: &str,
        meter: Meter<'_>,
    ) -> Result<String, BuildError> {
        let metered = Metered::new(&self.git, meter);
        if parents.len() > MAX_PARENTS {
            let count = parents.len();
            let message = format!("the commit has {count} parents, but the limit is {MAX_PARENTS}");
            return Err(BuildError::Invalid(message));
        }
        let parents: Vec<ObjectId> = parents
            .iter()
            .map(|id| known(&metered, id))
            .collect::<Result<_, _>>()?;
        let (author, committer) = (identity(author)?, identity(committer)?);
        text(message)?;
        let tree = match parents.first() {
            Some(parent) => {
                metered.object(*parent)?;
                self.git.tree_of(*parent)?
            }
            None => ObjectId::empty_tree(gix::hash::Kind::Sha1),
        };
        // All steps are checked before the first byte is written.
        let content = Overlay::new(&metered, tree).check(&steps)?;
        metered.objects(1 + steps.len() as u64 + content / OBJECT_BYTES)?;
        let directories = directories(&metered, tree, &steps)?;

        self.objects += 1 + steps.len() as u64 + directories.count;
        self.bytes += content + directories.bytes + message.len() as u64;
        self.bytes += RECORD_BYTES * (1 + steps.len() as u64 + directories.count);
        let mut edits = Vec::new();
        for step in steps {
            edits.push(match step {
                Step::Remove(path) => Edit::Remove { path },
                Step::Write {
                    path,
                    content,
                    executable,
                } => Edit::Put {
                    path,
                    kind: if executable {
                        EntryKind::Executable
                    } else {
                        EntryKind::File
                    },
                    id: self.git.write_blob(&content)?,
                },
            });
        }
        let tree = if edits.is_empty() {
            tree
        } else {
            self.git.edit_tree(tree, &edits)?
        };
        let id = self.git.write_commit(Draft {
            tree,
            parents,
            author,
            committer,
            message: message.to_owned(),
        })?;
        Ok(id.to_string())
    }

    /// Sets a branch, a tag or the head of a pull request (`refs/pull/7/head`) by its full name.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is invalid in git, longer than 1,000 bytes or in conflict with another ref, if the
    /// commit does not exist, if there are already 10,000 refs, or if the meter refuses the cost.
    pub fn set_reference(
        &mut self,
        name: &str,
        target: &str,
        meter: Meter<'_>,
    ) -> Result<(), BuildError> {
        let metered = Metered::new(&self.git, meter);
        let target = known(&metered, target)?;
        self.may_set(&metered, name)?;
        self.set(name, target);
        Ok(())
    }

    /// Checks that a ref can be set, and charges for the check. Comes before any object is written.
    fn may_set(&self, metered: &Metered<'_>, name: &str) -> Result<(), BuildError> {
        let is_known =
            name.starts_with("refs/heads/") || name.starts_with("refs/tags/") || is_pull_head(name);
        let length = name.len();
        let problem = if length > MAX_NAME {
            Some(format!(
                "the name of a reference has {length} bytes, but the limit is {MAX_NAME}"
            ))
        } else if !is_known {
            Some(format!(
                "invalid reference {name:?}: expected a branch, a tag or the head of a pull request"
            ))
        } else {
            check_ref_name(name).err()
        };
        if let Some(problem) = problem {
            return Err(BuildError::Invalid(problem));
        }
        // Each directory of the name is looked up.
        metered.objects(1 + name.split('/').count() as u64 / 16)?;
        let problem = if self.git.ref_clashes(name) {
            format!("{name:?} conflicts with a reference above or below it")
        } else if self.references >= MAX_REFERENCES && self.git.find_ref(name).is_none() {
            format!("{name:?}: the limit of {MAX_REFERENCES} references is reached")
        } else {
            return Ok(());
        };
        Err(BuildError::Invalid(problem))
    }

    fn set(&mut self, name: &str, target: ObjectId) {
        if self.git.find_ref(name).is_none() {
            self.references += 1;
            self.bytes += name.len() as u64 + RECORD_BYTES;
        }
        self.git.set_ref(name, target);
    }

    /// Writes an annotated tag, sets its ref, and returns the id of the tag object.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Builder::set_reference`], and an error if the message is too long.
    pub fn annotate(
        &mut self,
        name: &str,
        target: &str,
        tagger: &Signature,
        message: &str,
        meter: Meter<'_>,
    ) -> Result<String, BuildError> {
        let metered = Metered::new(&self.git, meter);
        let target = known(&metered, target)?;
        let whole = format!("refs/tags/{name}");
        self.may_set(&metered, &whole)?;
        let tagger = identity(tagger)?;
        text(message)?;
        metered.objects(1 + message.len() as u64 / OBJECT_BYTES)?;
        self.objects += 1;
        self.bytes += message.len() as u64 + name.len() as u64 + RECORD_BYTES;
        let id = self.git.write_tag(name, target, &tagger, message)?;
        self.set(&whole, id);
        Ok(id.to_string())
    }

    /// Sets the default branch.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is invalid in git or longer than 1,000 bytes.
    pub fn set_head(&mut self, branch: &str) -> Result<(), BuildError> {
        if branch.len() > MAX_NAME {
            let message = format!("the name of a branch exceeds the limit of {MAX_NAME} bytes");
            return Err(BuildError::Invalid(message));
        }
        check_ref_name(&format!("refs/heads/{branch}")).map_err(BuildError::Invalid)?;
        branch.clone_into(&mut self.head);
        Ok(())
    }

    /// Returns the files of the `.git` directory and of the work tree.
    ///
    /// # Errors
    ///
    /// Returns an error if the default branch does not exist or the meter refuses the cost.
    pub fn finish(&self, meter: Meter<'_>) -> Result<Vec<NewFile>, BuildError> {
        let head = &self.head;
        // Each object is read for the pack and for the work tree, and written to both.
        let objects = self.objects + self.references as u64 + self.bytes / OBJECT_BYTES;
        if !meter(Cost::Objects(4 * objects)) {
            return Err(BuildError::OverBudget);
        }
        let tip = self.git.branch(head).ok_or_else(|| {
            BuildError::NotFound(format!("the default branch {head:?} does not exist"))
        })?;
        let pack = self.git.pack()?;
        let mut files = Vec::new();
        let mut add = |path: String, content: Option<Vec<u8>>| {
            files.push(NewFile {
                path: format!("{GIT_DIR}/{path}"),
                content,
                executable: false,
            });
        };
        add(
            "HEAD".to_owned(),
            Some(format!("ref: refs/heads/{head}\n").into()),
        );
        add("config".to_owned(), Some(CONFIG.into()));
        // Git recognises a repository only if it has this directory.
        add("refs".to_owned(), None);
        let refs = self.git.packed_refs()?;
        add("packed-refs".to_owned(), Some(refs.into()));
        let name = pack.name;
        add(format!("objects/pack/pack-{name}.pack"), Some(pack.pack));
        add(format!("objects/pack/pack-{name}.idx"), Some(pack.index));
        for entry in self.git.walk(self.git.tree_of(tip)?)? {
            if !matches!(entry.kind, EntryKind::File | EntryKind::Executable) {
                continue;
            }
            files.push(NewFile {
                path: format!("repo/{}", entry.path),
                content: Some(self.git.blob(entry.id)?),
                executable: entry.kind == EntryKind::Executable,
            });
        }
        Ok(files)
    }
}

/// Parses the id of an existing commit.
fn known(metered: &Metered<'_>, id: &str) -> Result<ObjectId, BuildError> {
    let unknown = || BuildError::NotFound(format!("commit {id:?} does not exist"));
    let found = ObjectId::from_hex(id.as_bytes()).map_err(|_| unknown())?;
    match metered.header(found)? {
        Some(header) if header.kind == Kind::Commit => Ok(found),
        _ => Err(unknown()),
    }
}

/// Checks the length of a message. The limit leaves room for the names in a commit or a tag.
fn text(message: &str) -> Result<(), BuildError> {
    let (bytes, limit) = (message.len() as u64, MAX_RECORD / 2);
    if bytes > limit {
        let message = format!("the message has {bytes} bytes, but the limit is {limit}");
        return Err(BuildError::Invalid(message));
    }
    Ok(())
}

/// Number and size of the directories that a commit rewrites.
struct Directories {
    count: u64,
    bytes: u64,
}

/// Charges for reading the directories above the changed paths, and computes an upper bound of their size after the
/// changes.
fn directories(
    metered: &Metered<'_>,
    tree: ObjectId,
    steps: &[Step],
) -> Result<Directories, BuildError> {
    let mut above = BTreeSet::new();
    let mut bytes = 0;
    for step in steps {
        let path = step.path();
        // An entry consists of a mode, a name and an id.
        bytes += path.len() as u64 + 32;
        above.insert("");
        above.extend(self::above(path));
    }
    for dir in &above {
        metered.objects(1)?;
        if let Some(entry) = entry(metered, tree, dir)?
            && entry.kind == EntryKind::Directory
        {
            bytes += metered.object(entry.id)?.size;
        }
        bytes += 32 + dir.len() as u64;
    }
    Ok(Directories {
        count: above.len() as u64,
        bytes,
    })
}

/// Looks up the entry at a path below a tree.
fn entry(metered: &Metered<'_>, tree: ObjectId, path: &str) -> Result<Option<Entry>, Stop> {
    let mut at = Entry {
        path: String::new(),
        kind: EntryKind::Directory,
        id: tree,
    };
    for name in path.split('/').filter(|name| !name.is_empty()) {
        if at.kind != EntryKind::Directory {
            return Ok(None);
        }
        match metered.entry(at.id, name)? {
            Some(entry) => at = entry,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

impl Step {
    fn path(&self) -> &str {
        let (Self::Write { path, .. } | Self::Remove(path)) = self;
        path
    }
}

/// View of a tree during the check of the steps of a commit, before any of them is applied.
struct Overlay<'a> {
    metered: &'a Metered<'a>,
    tree: ObjectId,
    /// Files that the steps write.
    written: BTreeSet<String>,
    /// Paths of the tree that the steps remove, with everything below.
    removed: BTreeSet<String>,
}

impl<'a> Overlay<'a> {
    fn new(metered: &'a Metered<'a>, tree: ObjectId) -> Self {
        Self {
            metered,
            tree,
            written: BTreeSet::new(),
            removed: BTreeSet::new(),
        }
    }

    /// Checks the steps in order, and returns the number of bytes that they write.
    fn check(mut self, steps: &[Step]) -> Result<u64, BuildError> {
        let mut bytes = 0;
        for step in steps {
            let path = step.path();
            check(path)?;
            // The lookups concern the directories above and below the path.
            self.metered
                .objects(1 + path.split('/').count() as u64 / 16)?;
            match step {
                Step::Write { content, .. } => {
                    bytes += content.len() as u64;
                    for above in above(path) {
                        // This path was a file and becomes a directory.
                        self.written.remove(above);
                    }
                    self.clear(path);
                    self.written.insert(path.to_owned());
                }
                Step::Remove(_) => {
                    if !self.stands(path)? {
                        let message = format!("cannot remove {path:?}: it does not exist");
                        return Err(BuildError::NotFound(message));
                    }
                    self.clear(path);
                }
            }
        }
        Ok(bytes)
    }

    fn stands(&self, path: &str) -> Result<bool, BuildError> {
        if self.written_below(path).next().is_some() || self.written.contains(path) {
            return Ok(true);
        }
        let gone = self.removed.contains(path)
            || above(path).any(|it| self.removed.contains(it) || self.written.contains(it));
        Ok(!gone && entry(self.metered, self.tree, path)?.is_some())
    }

    /// Removes a path and everything below it.
    fn clear(&mut self, path: &str) {
        let below: Vec<String> = self.written_below(path).cloned().collect();
        for path in below {
            self.written.remove(&path);
        }
        self.written.remove(path);
        self.removed.insert(path.to_owned());
    }

    fn written_below<'b>(&'b self, path: &str) -> impl Iterator<Item = &'b String> + use<'b> {
        let below = format!("{path}/");
        self.written
            .range(below.clone()..)
            .take_while(move |it| it.starts_with(&below))
    }
}

/// Returns the directories above a path, outermost first.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}

fn check(path: &str) -> Result<(), BuildError> {
    check_path(path).map_err(|error| BuildError::Invalid(error.to_string()))
}

fn identity(signature: &Signature) -> Result<Identity, BuildError> {
    let Signature {
        name,
        email,
        time,
        offset,
    } = signature;
    let bad = |text: &str| text.is_empty() || text.contains(['<', '>', '\n', '\0']);
    if bad(name) || bad(email) {
        let message = format!(
            "invalid signature {name:?} <{email:?}>: name and email must not be empty or contain <, >, newlines or NUL \
             bytes"
        );
        return Err(BuildError::Invalid(message));
    }
    if *time < 0 || offset.unsigned_abs() > 24 * 60 {
        let message = format!(
            "invalid time {time} with an offset of {offset} minutes: expected a time since 1970 and an offset of \
             at most 24 hours"
        );
        return Err(BuildError::Invalid(message));
    }
    Ok(Identity {
        name: name.clone(),
        email: email.clone(),
        seconds: *time,
        offset: offset * 60,
    })
}

/// Returns true if a ref is the head of a pull request, such as `refs/pull/7/head`.
fn is_pull_head(name: &str) -> bool {
    name.strip_prefix("refs/pull/")
        .and_then(|rest| rest.strip_suffix("/head"))
        .is_some_and(|number| {
            !number.starts_with('0')
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && number.parse::<u64>().is_ok()
        })
}

#[cfg(test)]
mod tests {
    use super::is_pull_head;

    #[test]
    fn heads_of_pull_requests_have_a_number() {
        assert!(is_pull_head("refs/pull/7/head"));
        for name in [
            "refs/pull/0/head",
            "refs/pull/07/head",
            "refs/pull/+7/head",
            "refs/pull/7/merge",
            "refs/pull//head",
            "refs/pull/head",
        ] {
            assert!(!is_pull_head(name), "{name}");
        }
    }
}
