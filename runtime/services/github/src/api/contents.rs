//! Files and directories.

use serde_json::{Value, json};

use super::address::{file_path, query, written_path};
use super::{Answer, ApiError, Call, FieldError, Named};
use crate::git::{Draft, Edit, Entry, EntryKind, GitError, Identity, ObjectId};
use crate::view::Site;

/// What stands at a path.
pub(crate) enum At {
    File(Entry),
    Directory(Vec<Entry>),
}

/// What a symbolic link says.
pub(crate) struct Link {
    /// As it is written.
    pub(crate) target: String,
    /// From the root of the repository; none where it leads out of it.
    pub(crate) path: Option<String>,
    /// The file that it leads to; none where that is anything else, another link for one.
    pub(crate) file: Option<Entry>,
}

/// A file to be written.
#[derive(Debug, Clone)]
pub(crate) struct PutFile {
    pub(crate) path: String,
    pub(crate) content: Vec<u8>,
    pub(crate) message: String,
    pub(crate) branch: String,
    /// The blob that it replaces.
    pub(crate) sha: Option<String>,
    /// Whoever acts, where nobody is named.
    pub(crate) author: Option<Identity>,
    /// The web, where nobody is named.
    pub(crate) committer: Option<Identity>,
}

impl Site {
    /// What stands at a path of a branch, a tag or a commit.
    pub(crate) fn get_contents(
        &self,
        at: &Named,
        path: &str,
        reference: &str,
    ) -> Answer<(At, ObjectId)> {
        let asked = query(&[("ref", reference)]);
        let below = format!("/contents/{}{asked}", file_path(path.trim_end_matches('/')));
        let call = self.call(at, "GET", &below)?;
        let commit = self.commit_of_contents(&call, reference)?;
        let path = path.trim_matches('/');
        let entry = self.git.entry(self.git.tree_of(commit)?, path)?;
        let found = match entry.ok_or_else(|| call.not_found())? {
            entry if entry.kind == EntryKind::Directory => {
                let mut entries = self.git.entries(entry.id, path)?;
                // The API sorts by name alone, where trees sort directories as if they ended in a slash.
                entries.sort_by(|one, two| one.path.cmp(&two.path));
                At::Directory(entries)
            }
            entry => At::File(entry),
        };
        Ok((found, commit))
    }

    /// Where a symbolic link of a commit leads to.
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

    /// Writes a file in a commit of its own.
    pub(crate) fn put_contents(&mut self, at: &Named, file: &PutFile) -> Answer<Value> {
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

    /// Takes a file away in a commit of its own; the bytes of `file` are not looked at.
    pub(crate) fn delete_contents(&mut self, at: &Named, file: &PutFile) -> Answer<Value> {
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

    /// The tip of a branch that a file is written to.
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
        // Whoever is named as author alone has committed, too.
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

    /// Refuses a path that leads through a file.
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

/// Refuses a path that begins or ends with a slash, or has two in a row.
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

/// A refusal of the path of a file that is to be written.
fn of_path(call: &Call, message: &str) -> ApiError {
    let field = FieldError {
        resource: "Commit",
        field: "path",
        code: "invalid",
        message: String::new(),
    };
    call.refuse_field(message, field)
}

/// The path that a link at a path leads to; none out of the repository.
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
