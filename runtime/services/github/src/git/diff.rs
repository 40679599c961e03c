//! What changed between two trees.

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::object::tree::diff::ChangeDetached;
use gix::objs::tree::EntryMode;

use super::{Git, GitError, Meter, Paid, Stop, patch};

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It was not there.
    Added,
    /// It is no longer there.
    Removed,
    /// Its bytes or its mode differ.
    Modified,
    /// It has another path, and perhaps other bytes.
    Renamed,
}

impl Status {
    /// As GitHub writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Modified => "modified",
            Self::Renamed => "renamed",
        }
    }
}

/// One side of a change: the mode as git writes it, and the blob.
pub type Side = (String, ObjectId);

/// A file that changed.
#[derive(Debug, Clone)]
pub struct Change {
    /// What happened to it.
    pub status: Status,
    /// Where it is now, or was.
    pub path: String,
    /// Where a renamed file was.
    pub previous: Option<String>,
    /// What it was.
    pub old: Option<Side>,
    /// What it is.
    pub new: Option<Side>,
    /// The number of lines that were added.
    pub additions: usize,
    /// The number of lines that were removed.
    pub deletions: usize,
    /// The hunks, without the header of the file; none where a side is no text or nothing differs.
    pub hunks: Option<String>,
    /// Whether a side is no text.
    pub binary: bool,
    /// For a renamed file, how similar it is, in per cent.
    similarity: u32,
    /// Where it is now of another type, a link where a file was: that the one went and the other came.
    halves: Option<Box<[Change; 2]>>,
}

impl Git {
    /// The files that differ between two trees, by path, with renames found and their lines compared; no tree
    /// stands for the empty one.
    pub fn changes(&self, old: Option<ObjectId>, new: ObjectId) -> Result<Vec<Change>, GitError> {
        let mut changes = self.changed(old, new)?;
        for change in &mut changes {
            self.draw(change)?;
        }
        Ok(changes)
    }

    /// The same with no lines compared.
    pub fn changed(&self, old: Option<ObjectId>, new: ObjectId) -> Result<Vec<Change>, GitError> {
        // The engine keeps all that differs before it tells of the first: it must have an end.
        let free: Meter<'_> = &mut |_| true;
        match Paid::new(self, free).replaced(old, new) {
            Ok(replaced) if replaced.is_empty() => return Ok(replaced),
            Ok(_) => {}
            Err(Stop::Git(error)) => return Err(error),
            Err(Stop::TooMany(most)) => {
                return Err(GitError::objects(format!("more than {most} files differ")));
            }
            Err(Stop::Spent) => return Err(GitError::objects("the comparison was broken off")),
        }
        self.compared(old, new, gix::diff::Rewrites::default())
    }

    /// The same with renames found only where the bytes are equal.
    pub(crate) fn moved(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<Vec<Change>, GitError> {
        let equal = gix::diff::Rewrites {
            percentage: None,
            ..gix::diff::Rewrites::default()
        };
        self.compared(old, new, equal)
    }

    fn compared(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
        renames: gix::diff::Rewrites,
    ) -> Result<Vec<Change>, GitError> {
        let old = match old {
            Some(id) => self.repo.find_tree(id)?,
            None => self.repo.empty_tree(),
        };
        let new = self.repo.find_tree(new)?;
        let mut options = gix::diff::Options::default();
        options.track_rewrites(Some(renames));
        let changes = self.repo.diff_tree_to_tree(&old, &new, options)?;
        let mut changes: Vec<Change> = changes.into_iter().filter_map(change).collect();
        changes.sort_by(|one, two| one.path.cmp(&two.path));
        Ok(changes)
    }

    /// Compares the lines of a file that changed.
    fn draw(&self, change: &mut Change) -> Result<(), GitError> {
        let content = |side: &Option<Side>| match side {
            None => Ok(Vec::new()),
            Some((mode, id)) if mode == "160000" => {
                Ok(format!("Subproject commit {id}\n").into_bytes())
            }
            Some((_, id)) => self.blob(*id),
        };
        let drawn = patch::draw(&content(&change.old)?, &content(&change.new)?);
        change.additions = drawn.additions;
        change.deletions = drawn.deletions;
        change.hunks = (!drawn.hunks.is_empty()).then_some(drawn.hunks);
        change.binary = drawn.binary;
        if change.is_of_another_type() {
            let half = |status, old, new| Change {
                status,
                previous: None,
                old,
                new,
                halves: None,
                ..change.clone()
            };
            let mut halves = [
                half(Status::Removed, change.old.clone(), None),
                half(Status::Added, None, change.new.clone()),
            ];
            for half in &mut halves {
                self.draw(half)?;
            }
            change.halves = Some(Box::new(halves));
        }
        Ok(())
    }
}

/// A change of gix's, without its lines; none for a directory.
pub(super) fn change(change: ChangeDetached) -> Option<Change> {
    let text = |path: &[u8]| path.to_str_lossy().into_owned();
    let mut similarity = 100;
    let (status, path, previous, old, new) = match change {
        ChangeDetached::Addition {
            location,
            entry_mode,
            id,
            ..
        } => (
            Status::Added,
            text(&location),
            None,
            None,
            Some((entry_mode, id)),
        ),
        ChangeDetached::Deletion {
            location,
            entry_mode,
            id,
            ..
        } => (
            Status::Removed,
            text(&location),
            None,
            Some((entry_mode, id)),
            None,
        ),
        ChangeDetached::Modification {
            location,
            previous_entry_mode,
            previous_id,
            entry_mode,
            id,
        } => (
            Status::Modified,
            text(&location),
            None,
            Some((previous_entry_mode, previous_id)),
            Some((entry_mode, id)),
        ),
        ChangeDetached::Rewrite {
            source_location,
            source_entry_mode,
            source_id,
            location,
            entry_mode,
            id,
            diff,
            ..
        } => {
            if let Some(stats) = diff {
                similarity = (stats.similarity * 100.0) as u32;
            }
            (
                Status::Renamed,
                text(&location),
                Some(text(&source_location)),
                Some((source_entry_mode, source_id)),
                Some((entry_mode, id)),
            )
        }
    };
    // Directories are listed too; what changed in them is listed for itself.
    let is_tree =
        |side: &Option<(EntryMode, ObjectId)>| side.is_some_and(|(mode, _)| mode.is_tree());
    if is_tree(&old) || is_tree(&new) {
        return None;
    }
    let side = |(mode, id): (EntryMode, ObjectId)| (format!("{mode:06o}"), id);
    Some(Change {
        status,
        path,
        previous,
        old: old.map(side),
        new: new.map(side),
        additions: 0,
        deletions: 0,
        hunks: None,
        binary: false,
        similarity,
        halves: None,
    })
}

impl Change {
    /// Whether it was a file and is a link, or the like.
    fn is_of_another_type(&self) -> bool {
        let kind = |side: &Option<Side>| side.as_ref().map(|(mode, _)| mode[..3].to_owned());
        match (kind(&self.old), kind(&self.new)) {
            (Some(old), Some(new)) => old != new,
            _ => false,
        }
    }

    /// What happened to it, as GitHub writes it.
    pub(crate) fn status_name(&self) -> &'static str {
        match self.status {
            Status::Modified if self.is_of_another_type() => "changed",
            status => status.as_str(),
        }
    }

    /// The change as `git diff` writes it, with its header.
    pub fn text(&self) -> String {
        if let Some(halves) = &self.halves {
            return halves.iter().map(Self::text).collect();
        }
        let before = self.previous.as_deref().unwrap_or(&self.path);
        let mut text = format!(
            "diff --git {} {}\n",
            quoted("a/", before),
            quoted("b/", &self.path)
        );
        let mode = |side: &Option<Side>| side.as_ref().map(|(mode, _)| mode.clone());
        let id = |side: &Option<Side>| match side {
            Some((_, id)) => id.to_hex_with_len(7).to_string(),
            None => "0000000".to_owned(),
        };
        let (old, new) = (mode(&self.old), mode(&self.new));
        match (&old, &new) {
            (None, Some(mode)) => text += &format!("new file mode {mode}\n"),
            (Some(mode), None) => text += &format!("deleted file mode {mode}\n"),
            (Some(old), Some(new)) if old != new => {
                text += &format!("old mode {old}\nnew mode {new}\n");
            }
            _ => {}
        }
        if let Some(previous) = &self.previous {
            text += &format!(
                "similarity index {}%\nrename from {}\nrename to {}\n",
                self.similarity,
                quoted("", previous),
                quoted("", &self.path)
            );
        }
        if id(&self.old) == id(&self.new) {
            return text;
        }
        text += &format!("index {}..{}", id(&self.old), id(&self.new));
        match (&old, &new) {
            (Some(old), Some(new)) if old == new => text += &format!(" {new}\n"),
            _ => text.push('\n'),
        }
        let side = |there: bool, prefix: &str, path: &str| match there {
            true => quoted(prefix, path),
            false => "/dev/null".to_owned(),
        };
        let from = side(self.old.is_some(), "a/", before);
        let to = side(self.new.is_some(), "b/", &self.path);
        match (&self.hunks, self.binary) {
            (_, true) => text += &format!("Binary files {from} and {to} differ\n"),
            (Some(hunks), false) => {
                // Where a name with a blank ends is told by a tab.
                let end = |name: &str| if name.contains(' ') { "\t" } else { "" };
                let (from_end, to_end) = (end(&from), end(&to));
                text += &format!("--- {from}{from_end}\n+++ {to}{to_end}\n{hunks}\n");
            }
            (None, false) => {}
        }
        text
    }
}

/// A path as git writes it in a header: in quotes where it has bytes that would be misread.
fn quoted(prefix: &str, path: &str) -> String {
    let plain = |byte: u8| (b' '..0x7f).contains(&byte) && byte != b'"' && byte != b'\\';
    if path.bytes().all(plain) {
        return format!("{prefix}{path}");
    }
    let mut text = format!("\"{prefix}");
    for byte in path.bytes() {
        match byte {
            b'"' => text += "\\\"",
            b'\\' => text += "\\\\",
            b'\n' => text += "\\n",
            b'\t' => text += "\\t",
            byte if plain(byte) => text.push(char::from(byte)),
            byte => text += &format!("\\{byte:03o}"),
        }
    }
    text.push('"');
    text
}
