//! Makes the repository of a new world, commit by commit.

use std::collections::BTreeSet;
use std::path::Path;

use crate::git::{Base, Draft, Edit, EntryKind, GIT_DIR, Git, GitError, Identity, ObjectId};
use crate::git::{check_path, check_ref_name};
use crate::world::CONFIG;

/// Who made a commit or a tag, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The full name.
    pub name: String,
    /// The address.
    pub email: String,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub time: i64,
    /// Minutes east of Greenwich.
    pub offset: i32,
}

/// What a commit changes.
#[derive(Debug, Clone)]
pub enum Step {
    /// Adds or replaces a file.
    Write {
        /// Its path from the root of the repository.
        path: String,
        /// Its bytes.
        content: Vec<u8>,
        /// Whether it is a program.
        executable: bool,
    },
    /// Removes a file, or a directory with all below it.
    Remove(String),
}

/// A file or an empty directory of the world that is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Its path from the root of the world.
    pub path: String,
    /// Its bytes; none for an empty directory.
    pub content: Option<Vec<u8>>,
    /// Whether it is a program.
    pub executable: bool,
}

/// Why the repository cannot be made so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A path, a name or a signature breaks the rules of git.
    #[error("{0}")]
    Invalid(String),
    /// There is no such commit, path or branch.
    #[error("{0}")]
    NotFound(String),
    /// The host cannot go on.
    #[error(transparent)]
    Git(GitError),
}

impl From<GitError> for BuildError {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Path(_) => Self::Invalid(error.to_string()),
            error => Self::Git(error),
        }
    }
}

/// A repository that is being made. Equal calls make equal files.
pub struct Builder {
    git: Git,
    head: String,
    bytes: u64,
}

impl Builder {
    /// An empty repository, with a place of its own below `scratch`.
    ///
    /// # Errors
    ///
    /// When nothing can be written there.
    pub fn new(scratch: &Path) -> Result<Self, GitError> {
        Ok(Self {
            git: Git::new(Base::empty(scratch)?),
            head: "main".to_owned(),
            bytes: 0,
        })
    }

    /// About how many bytes the repository has.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes a commit and gives its id. Its files are those of the first parent with these
    /// changes.
    ///
    /// # Errors
    ///
    /// When a parent or a path to be removed is not there, or a path or signature is none.
    pub fn commit(
        &mut self,
        parents: &[String],
        steps: Vec<Step>,
        author: &Signature,
        committer: &Signature,
        message: &str,
    ) -> Result<String, BuildError> {
        let parents: Vec<ObjectId> = parents
            .iter()
            .map(|id| self.known(id))
            .collect::<Result<_, _>>()?;
        let tree = match parents.first() {
            Some(parent) => self.git.tree_of(*parent)?,
            None => ObjectId::empty_tree(gix::hash::Kind::Sha1),
        };
        let (edits, bytes) = self.edits(tree, steps)?;
        let (author, committer) = (identity(author)?, identity(committer)?);
        let tree = match edits.is_empty() {
            true => tree,
            false => self.git.edit_tree(tree, &edits)?,
        };
        self.bytes += bytes + message.len() as u64 + 512 + self.directories(tree, &edits)?;
        let id = self.git.write_commit(Draft {
            tree,
            parents,
            author,
            committer,
            message: message.to_owned(),
        })?;
        Ok(id.to_string())
    }

    /// Bytes of the directories that were written anew for these edits.
    fn directories(&self, tree: ObjectId, edits: &[Edit]) -> Result<u64, BuildError> {
        let mut above = BTreeSet::from([""]);
        for edit in edits {
            let (Edit::Put { path, .. } | Edit::Remove { path }) = edit;
            above.extend(path.match_indices('/').map(|(end, _)| &path[..end]));
        }
        let mut bytes = 0;
        for dir in above {
            let entry = self.git.entry(tree, dir)?;
            if let Some(entry) = entry.filter(|entry| entry.kind == EntryKind::Directory) {
                bytes += self.git.size(entry.id)?;
            }
        }
        Ok(bytes)
    }

    fn edits(&self, tree: ObjectId, steps: Vec<Step>) -> Result<(Vec<Edit>, u64), BuildError> {
        let (mut edits, mut bytes, mut written) = (Vec::new(), 0, BTreeSet::new());
        for step in steps {
            match step {
                Step::Write {
                    path,
                    content,
                    executable,
                } => {
                    check(&path)?;
                    bytes += content.len() as u64;
                    let id = self.git.write_blob(&content)?;
                    let kind = match executable {
                        true => EntryKind::Executable,
                        false => EntryKind::File,
                    };
                    written.insert(path.clone());
                    edits.push(Edit::Put { path, kind, id });
                }
                Step::Remove(path) => {
                    check(&path)?;
                    if !written.contains(&path) && self.git.entry(tree, &path)?.is_none() {
                        let message = format!("there is no {path:?} to be removed");
                        return Err(BuildError::NotFound(message));
                    }
                    edits.push(Edit::Remove { path });
                }
            }
        }
        Ok((edits, bytes))
    }

    /// Sets a branch, a tag or the head of a pull request (`refs/pull/7/head`) by its whole name.
    ///
    /// # Errors
    ///
    /// When the name is none that git allows, or the commit is not there.
    pub fn set_reference(&mut self, name: &str, target: &str) -> Result<(), BuildError> {
        let target = self.known(target)?;
        self.set(name, target)
    }

    fn set(&mut self, name: &str, target: ObjectId) -> Result<(), BuildError> {
        let is_known =
            name.starts_with("refs/heads/") || name.starts_with("refs/tags/") || is_pull_head(name);
        if !is_known {
            let message = format!("{name:?} is no branch, no tag and no head of a pull request");
            return Err(BuildError::Invalid(message));
        }
        check_ref_name(name).map_err(BuildError::Invalid)?;
        if self.git.ref_clashes(name) {
            let message = format!("{name:?} lies below another ref, or another below it");
            return Err(BuildError::Invalid(message));
        }
        self.git.set_ref(name, target);
        Ok(())
    }

    /// Sets a tag that has a text, and gives the id of its object.
    ///
    /// # Errors
    ///
    /// As [`Builder::set_reference`].
    pub fn annotate(
        &mut self,
        name: &str,
        target: &str,
        tagger: &Signature,
        message: &str,
    ) -> Result<String, BuildError> {
        let target = self.known(target)?;
        let whole = format!("refs/tags/{name}");
        check_ref_name(&whole).map_err(BuildError::Invalid)?;
        let id = self
            .git
            .write_tag(name, target, &identity(tagger)?, message)?;
        self.bytes += message.len() as u64 + 256;
        self.set(&whole, id)?;
        Ok(id.to_string())
    }

    /// Names the default branch.
    ///
    /// # Errors
    ///
    /// When git allows no such name.
    pub fn set_head(&mut self, branch: &str) -> Result<(), BuildError> {
        check_ref_name(&format!("refs/heads/{branch}")).map_err(BuildError::Invalid)?;
        branch.clone_into(&mut self.head);
        Ok(())
    }

    /// The files of the repository and its work tree.
    ///
    /// # Errors
    ///
    /// When the default branch is not there.
    pub fn finish(&self) -> Result<Vec<NewFile>, BuildError> {
        let head = &self.head;
        let tip = self.git.branch(head).ok_or_else(|| {
            BuildError::NotFound(format!("the default branch {head:?} was not made"))
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
        // Without it git sees no repository.
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

    /// A commit that was written here.
    fn known(&self, id: &str) -> Result<ObjectId, BuildError> {
        let found = ObjectId::from_hex(id.as_bytes()).ok();
        found
            .filter(|id| self.git.commit(*id).is_ok())
            .ok_or_else(|| BuildError::NotFound(format!("there is no commit {id:?}")))
    }
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
        let message = format!("{name:?} <{email:?}> is no signature that git can write");
        return Err(BuildError::Invalid(message));
    }
    if *time < 0 || offset.unsigned_abs() > 24 * 60 {
        let message = format!("{time} with an offset of {offset} minutes is no time for git");
        return Err(BuildError::Invalid(message));
    }
    Ok(Identity {
        name: name.clone(),
        email: email.clone(),
        seconds: *time,
        offset: offset * 60,
    })
}

/// Whether a ref is that of a pull request: `refs/pull/7/head`.
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
