//! Differences between two trees, with rename detection.

use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::objs::tree::EntryMode;

use super::similar::{self, File, Search};
use super::{Cost, Git, GitError, Meter, Metered, Stop, patch};
use crate::call;

/// Maximum number of files on each side for inexact rename detection, as git's `diff.renameLimit`.
const RENAME_LIMIT: usize = 1_000;

/// Number of copies of a change's text in memory until an answer is complete.
const COPIES: u64 = 4;

/// Kind of a change to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The file was added.
    Added,
    /// The file was removed.
    Removed,
    /// The content or the mode changed.
    Modified,
    /// The path changed, and perhaps the content.
    Renamed,
}

impl Status {
    /// Returns the name that GitHub uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Modified => "modified",
            Self::Renamed => "renamed",
        }
    }
}

/// One side of a change: file mode as git writes it, and id of the blob.
pub type Side = (String, ObjectId);

/// Change of a file between two trees.
#[derive(Debug, Clone)]
pub struct Change {
    /// Kind of the change.
    pub status: Status,
    /// Path after the change, or path of the removed file.
    pub path: String,
    /// Path before the change, for a renamed file.
    pub previous: Option<String>,
    /// Old mode and blob, `None` if the file was added.
    pub old: Option<Side>,
    /// New mode and blob, `None` if the file was removed.
    pub new: Option<Side>,
    /// Number of added lines.
    pub additions: usize,
    /// Number of removed lines.
    pub deletions: usize,
    /// Hunks without the file header. `None` if a side is binary or the content is equal.
    pub hunks: Option<String>,
    /// True if a side is binary.
    pub binary: bool,
    /// Similarity of a renamed file, in per cent.
    similarity: u64,
    /// Removal and addition that replace the change in `git diff` if the file type changed, such as from file to link.
    halves: Option<Box<[Change; 2]>>,
}

impl Change {
    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        let texts = [
            Some(&self.path),
            self.previous.as_ref(),
            self.hunks.as_ref(),
        ];
        let texts = texts.into_iter().flatten().map(String::len).sum::<usize>();
        let halves = self.halves.iter().flat_map(|halves| halves.iter());
        size_of::<Self>() + texts + halves.map(Self::size).sum::<usize>()
    }
}

impl Git {
    /// Returns the files that differ between two trees, by path, with renames and line diffs. `None` is the empty tree.
    pub fn changes(&self, old: Option<ObjectId>, new: ObjectId) -> Result<Vec<Change>, GitError> {
        let mut changes = self.changed(old, new)?;
        let mut held = call::reserve(0)?;
        for change in &mut changes {
            self.add_hunks(change)?;
            held.grow(COPIES * change.size() as u64)?;
        }
        Ok(changes)
    }

    /// Returns the same changes as [`Git::changes`] without line diffs.
    pub fn changed(&self, old: Option<ObjectId>, new: ObjectId) -> Result<Vec<Change>, GitError> {
        let search = Search {
            limit: RENAME_LIMIT,
            ..Search::default()
        };
        self.renamed(old, new, search)
    }

    /// Returns the same changes as [`Git::changed`], but with renames only between files of equal content.
    pub(crate) fn moved(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<Vec<Change>, GitError> {
        let search = Search {
            only_equal: true,
            ..Search::default()
        };
        self.renamed(old, new, search)
    }

    /// Returns the files that differ between two trees, by path, without rename detection. Refuses more files than the
    /// limit of an answer, unless `any_number` is set.
    pub(crate) fn replaced(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
        any_number: bool,
    ) -> Result<Vec<Change>, GitError> {
        let mut held = call::reserve(0)?;
        let mut stopped = None;
        let meter: Meter<'_> = &mut |cost| {
            let outcome = match cost {
                Cost::Objects(_) => call::checkpoint(),
                Cost::Bytes(bytes) => held.grow(bytes + size_of::<Change>() as u64),
            };
            stopped = outcome.err();
            stopped.is_none()
        };
        let metered = if any_number {
            Metered::new(self, meter).of_any_length()
        } else {
            Metered::new(self, meter)
        };
        match metered.replaced(old, new) {
            Ok(replaced) => Ok(replaced),
            Err(_) if let Some(stopped) = stopped => Err(stopped.into()),
            Err(Stop::Git(error)) => Err(error),
            Err(Stop::TooMany(most)) => Err(GitError::Refused(format!(
                "more than {most} files differ, which are too many to compare"
            ))),
            Err(Stop::OverBudget) => Err(GitError::objects("the comparison was interrupted")),
        }
    }

    fn renamed(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
        mut search: Search,
    ) -> Result<Vec<Change>, GitError> {
        let mut changes = self.replaced(old, new, false)?;
        let _held = call::reserve(changes.iter().map(Change::size).sum::<usize>() as u64)?;
        let of = |status| -> (Vec<usize>, Vec<File>) {
            let found = changes.iter().enumerate();
            let found = found.filter(|(_, change)| change.status == status);
            found
                .filter_map(|(at, change)| Some((at, change.file()?)))
                .unzip()
        };
        let ((removed, sources), (added, targets)) = (of(Status::Removed), of(Status::Added));
        let pairs = search.run(self, &sources, &targets)?;
        for pair in &pairs {
            let (source, target) = (removed[pair.source], added[pair.target]);
            let (path, old) = (changes[source].path.clone(), changes[source].old.take());
            let change = &mut changes[target];
            change.status = Status::Renamed;
            (change.previous, change.old) = (Some(path), old);
            change.similarity = pair.score * 100 / similar::EQUAL;
        }
        // Drop removed files that are now the old side of a rename.
        changes.retain(|change| change.old.is_some() || change.new.is_some());
        Ok(changes)
    }

    /// Computes the line diff of a change.
    fn add_hunks(&self, change: &mut Change) -> Result<(), GitError> {
        let content = |side: &Option<Side>| match side {
            None => Ok(Vec::new()),
            Some((mode, id)) if mode == "160000" => {
                Ok(format!("Subproject commit {id}\n").into_bytes())
            }
            Some((_, id)) => self.blob(*id),
        };
        let drawn = patch::unified_diff(&content(&change.old)?, &content(&change.new)?)?;
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
                self.add_hunks(half)?;
            }
            change.halves = Some(Box::new(halves));
        }
        Ok(())
    }
}

/// Creates the change at a path, without its line diff. Returns `None` if a side is a directory, because the walk
/// visits its entries separately.
pub(super) fn change(
    path: &BStr,
    old: Option<(EntryMode, ObjectId)>,
    new: Option<(EntryMode, ObjectId)>,
) -> Option<Change> {
    let status = match (old, new) {
        (None, Some(_)) => Status::Added,
        (Some(_), None) => Status::Removed,
        _ => Status::Modified,
    };
    if [old, new]
        .into_iter()
        .flatten()
        .any(|(mode, _)| mode.is_tree())
    {
        return None;
    }
    let side = |(mode, id): (EntryMode, ObjectId)| (format!("{mode:06o}"), id);
    Some(Change {
        status,
        path: path.to_str_lossy().into_owned(),
        previous: None,
        old: old.map(side),
        new: new.map(side),
        additions: 0,
        deletions: 0,
        hunks: None,
        binary: false,
        similarity: 100,
        halves: None,
    })
}

impl Change {
    /// Returns the only side of an added or removed file.
    fn file(&self) -> Option<File> {
        let (mode, id) = self.old.as_ref().or(self.new.as_ref())?;
        Some(File {
            path: self.path.as_str().into(),
            mode: EntryMode::from_bytes(mode.as_bytes())?,
            id: *id,
        })
    }

    /// Returns true if the file type changed, such as from file to link.
    fn is_of_another_type(&self) -> bool {
        let kind = |side: &Option<Side>| side.as_ref().map(|(mode, _)| mode[..3].to_owned());
        match (kind(&self.old), kind(&self.new)) {
            (Some(old), Some(new)) => old != new,
            _ => false,
        }
    }

    /// Returns the similarity of a renamed file to the old one, in per cent.
    pub(super) fn similarity(&self) -> u64 {
        self.similarity
    }

    /// Returns the kind of the change as GitHub names it.
    pub(crate) fn status_name(&self) -> &'static str {
        match self.status {
            Status::Modified if self.is_of_another_type() => "changed",
            status => status.as_str(),
        }
    }

    /// Returns the change as `git diff` writes it, with its header.
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
        let side = |there: bool, prefix: &str, path: &str| {
            if there {
                quoted(prefix, path)
            } else {
                "/dev/null".to_owned()
            }
        };
        let from = side(self.old.is_some(), "a/", before);
        let to = side(self.new.is_some(), "b/", &self.path);
        match (&self.hunks, self.binary) {
            (_, true) => text += &format!("Binary files {from} and {to} differ\n"),
            (Some(hunks), false) => {
                // A tab marks the end of a name that contains spaces.
                let end = |name: &str| if name.contains(' ') { "\t" } else { "" };
                let (from_end, to_end) = (end(&from), end(&to));
                text += &format!("--- {from}{from_end}\n+++ {to}{to_end}\n{hunks}\n");
            }
            (None, false) => {}
        }
        text
    }
}

/// Quotes a path for a header as git does, if it contains special bytes.
pub(super) fn quoted(prefix: &str, path: &str) -> String {
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
