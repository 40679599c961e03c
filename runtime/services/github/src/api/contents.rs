//! Files and directories of the contents API.

use serde_json::{Value, json};

use super::address::{file_path, query, written_path};
use super::{Answer, ApiError, Call, FieldError, RepositoryName};
use crate::git::{Draft, Edit, Entry, EntryKind, GitError, Identity, ObjectId};
use crate::repository::RepositoryState;

/// File or directory at a path.
pub(crate) enum FileOrDirectory {
    File(Entry),
    Directory(Vec<Entry>),
}

/// Symbolic link.
pub(crate) struct Link {
    /// Target as it is written in the link.
    pub(crate) target: String,
    /// Target as a path from the root of the repository. `None` if it is outside of the repository.
    pub(crate) path: Option<String>,
    /// Target file. `None` if the target is anything else, such as another link.
    pub(crate) file: Option<Entry>,
}

/// File to be written or deleted.
#[derive(Debug, Clone)]
pub(crate) struct PutFile {
    pub(crate) path: String,
    pub(crate) content: Vec<u8>,
    pub(crate) message: String,
    pub(crate) branch: String,
    /// Blob that it replaces.
    pub(crate) sha: Option<String>,
    /// Author. The viewer by default.
    pub(crate) author: Option<Identity>,
    /// Committer. By default the author if one is given, otherwise GitHub as for changes on the web.
    pub(crate) committer: Option<Identity>,
}

impl RepositoryState {
    /// File or directory at a path in a branch, a tag or a commit, with the commit.
    pub(crate) fn get_contents(
        &self,
        at: &RepositoryName,
        path: &str,
        reference: &str,
    ) -> Answer<(FileOrDirectory, ObjectId)> {
        let asked = query(&[("ref", reference)]);
        let below = format!("/contents/{}{asked}", file_path(path.trim_end_matches('/')));
        let call = self.call(at, "GET", &below)?;
        let commit = self.commit_of_contents(&call, reference)?;
        let path = path.trim_matches('/');
        let entry = self.git.entry(self.git.tree_of(commit)?, path)?;
        let found = match entry.ok_or_else(|| call.not_found())? {
            entry if entry.kind == EntryKind::Directory => {
                let mut entries = self.git.entries(entry.id, path)?;
                // The API sorts by name. Git trees sort directories as if their names ended with a slash.
                entries.sort_by(|one, two| one.path.cmp(&two.path));
                FileOrDirectory::Directory(entries)
            }
            entry => FileOrDirectory::File(entry),
        };
        Ok((found, commit))
    }

    /// Resolves a symbolic link of a commit.
    pub(crate) fn link(&self, commit: ObjectId, entry: &Entry) -> Result<Link, GitError> {
        let target = String::from_utf8_lossy(&self.git.blob(entry.id)?).into_owned();
        let path = path_of_link(&entry.path, &target);
        let tree = self.git.tree_of(commit)?;
        let file = match &path {
            Some(path) => self.git.entry(tree, path)?,
            None => None,
        };
        let is_file = |it: &Entry| matches!(it.kind, EntryKind::File | EntryKind::Executable);
        let file = file.filter(is_file);
        Ok(Link { target, path, file })
    }

    fn commit_of_contents(&self, call: &Call, reference: &str) -> Answer<ObjectId> {
        match self.find_commit(call, reference) {
            Err(ApiError::Refused(_)) if reference.is_empty() => {
                Err(call.refuse(404, "This repository is empty."))
            }
            Err(ApiError::Refused(_)) => {
                Err(call.refuse(404, format!("No commit found for the ref {reference}")))
            }
            other => other,
        }
    }

    /// Writes a file in a new commit.
    pub(crate) fn put_contents(&mut self, at: &RepositoryName, file: &PutFile) -> Answer<Value> {
        let call = self.call(
            at,
            "PUT",
            &format!("/contents/{}", written_path(&file.path)),
        )?;
        let tip = self.tip_to_write(&call, &file.branch)?;
        check_form(&call, &file.path)?;
        let before = self.git.tree_of(tip)?;
        let known = if file.path.is_empty() {
            None
        } else {
            self.git.entry(before, &file.path)?
        };
        let kind = match (&known, &file.sha) {
            (Some(known), _) if known.kind == EntryKind::Directory => {
                return Err(call.refuse(422, format!("{} is a directory", file.path)));
            }
            (Some(_), None) => {
                return Err(call.refuse(422, "Invalid request.\n\n\"sha\" wasn't supplied."));
            }
            (Some(known), Some(sha))
                if ObjectId::from_hex(sha.as_bytes()).ok() != Some(known.id) =>
            {
                return Err(call.refuse(409, format!("{} does not match {sha}", file.path)));
            }
            (Some(known), Some(_)) => known.kind,
            (None, Some(sha)) if !sha.is_empty() => {
                return Err(call.refuse(409, format!("{} does not match {sha}", file.path)));
            }
            (None, _) => EntryKind::File,
        };
        self.check_parents(&call, before, &file.path)?;
        let written = self.git.write_blob(&file.content);
        let id = written.map_err(|error| call.refused_by_git(error))?;
        let path = file.path.clone();
        let tree = match self.git.edit_tree(before, &[Edit::Put { path, kind, id }]) {
            Ok(tree) => tree,
            Err(GitError::Path(_)) => return Err(malformed(&call)),
            Err(error) => return Err(call.refused_by_git(error)),
        };
        let commit = self.commit_contents(tip, tree, file)?;
        let entry = Entry {
            path: file.path.clone(),
            kind,
            id,
        };
        Ok(json!({
            "content": self.content(&entry, &file.branch)?,
            "commit": self.git_commit(&self.git.commit(commit)?),
        }))
    }

    /// Deletes a file in a new commit. The content of `file` is ignored.
    pub(crate) fn delete_contents(&mut self, at: &RepositoryName, file: &PutFile) -> Answer<Value> {
        let call = self.call(
            at,
            "DELETE",
            &format!("/contents/{}", written_path(&file.path)),
        )?;
        let tip = self.tip_to_write(&call, &file.branch)?;
        let before = self.git.tree_of(tip)?;
        let known = if file.path.is_empty() {
            None
        } else {
            self.git.entry(before, &file.path)?
        };
        let known = known
            .filter(|known| known.kind != EntryKind::Directory)
            .ok_or_else(|| call.not_found())?;
        let sha = file.sha.as_deref().unwrap_or_default();
        if ObjectId::from_hex(sha.as_bytes()).ok() != Some(known.id) {
            return Err(call.refuse(409, format!("{} does not match {sha}", file.path)));
        }
        let path = file.path.clone();
        let tree = self.git.edit_tree(before, &[Edit::Remove { path }])?;
        let commit = self.commit_contents(tip, tree, file)?;
        Ok(json!({"content": null, "commit": self.git_commit(&self.git.commit(commit)?)}))
    }

    /// Tip of a branch to which a file is written.
    fn tip_to_write(&self, call: &Call, branch: &str) -> Answer<ObjectId> {
        let tip = self
            .git
            .branch(branch)
            .ok_or_else(|| call.refuse(404, format!("Branch {branch} not found")))?;
        if self.is_closed_to_pushes(branch) {
            let problem = format!(
                "Repository rule violations found\n\nChanges must be made through a pull request.\n\n{branch}"
            );
            return Err(call.refuse(409, problem));
        }
        Ok(tip)
    }

    fn commit_contents(
        &mut self,
        tip: ObjectId,
        tree: ObjectId,
        file: &PutFile,
    ) -> Answer<ObjectId> {
        let author = file
            .author
            .clone()
            .unwrap_or_else(|| self.identity(&self.viewer()));
        // An author without a committer is also the committer.
        let committer = file.committer.clone().or_else(|| file.author.clone());
        let commit = self.git.write_commit(Draft {
            tree,
            parents: vec![tip],
            author,
            committer: committer.unwrap_or_else(|| self.web_flow()),
            message: file.message.clone(),
        })?;
        self.move_branch(&file.branch, commit)?;
        Ok(commit)
    }

    /// Refuses a path if one of its parents is not a directory.
    fn check_parents(&self, call: &Call, tree: ObjectId, path: &str) -> Answer<()> {
        for (end, _) in path.match_indices('/').filter(|(end, _)| *end > 0) {
            match self.git.entry(tree, &path[..end])? {
                Some(entry) if entry.kind != EntryKind::Directory => {
                    return Err(malformed(call));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Refuses a path that begins or ends with a slash, or that contains an empty component.
fn check_form(call: &Call, path: &str) -> Answer<()> {
    if path.starts_with('/') {
        return Err(of_path(call, "path cannot start with a slash"));
    }
    if path.split('/').any(str::is_empty) {
        Err(malformed(call))
    } else {
        Ok(())
    }
}

fn malformed(call: &Call) -> ApiError {
    of_path(call, "path contains a malformed path component")
}

/// Error response for the path of a file to be written.
fn of_path(call: &Call, message: &str) -> ApiError {
    let field = FieldError {
        resource: "Commit",
        field: "path",
        code: "invalid",
        message: String::new(),
    };
    call.refuse_field(message, field)
}

/// Resolves the target of a link to a path. Returns `None` if it is outside of the repository.
fn path_of_link(link: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let dir = link.rsplit_once('/').map_or("", |(dir, _)| dir);
    let mut names: Vec<&str> = Vec::new();
    for name in dir.split('/').chain(target.split('/')) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    if names.is_empty() {
        Some(".".to_owned())
    } else {
        Some(names.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::path_of_link;

    #[test]
    fn links_lead_to_paths_of_the_repository_or_out_of_it() {
        for (link, target, path) in [
            ("link", "a/b", Some("a/b")),
            ("dir/link", "b", Some("dir/b")),
            ("dir/link", "../b", Some("b")),
            ("dir/link", "./x/..//b", Some("dir/b")),
            ("dir/link", "..", Some(".")),
            ("dir/link", "../../b", None),
            ("link", "../demo/b", None),
            ("link", "/etc/passwd", None),
        ] {
            assert_eq!(
                path_of_link(link, target).as_deref(),
                path,
                "{link} -> {target}"
            );
        }
    }
}
