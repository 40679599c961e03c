//! Result of a merge at each path, and the tree that is written from it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::WriteTo;

use super::content::{Contents, kind};
use super::trees::{BASE, OURS, PathState, State, THEIRS, Trees, Version, bit};
use crate::call;
use crate::git::GitError;
use crate::git::similar::directory;

/// Merges path by path, the content of a directory before the path of the directory itself.
pub(super) struct Outcome<'a> {
    contents: &'a Contents<'a>,
    /// Entries of the result, by path.
    files: BTreeMap<BString, Version>,
    /// Directories of the result that are not empty.
    directories: HashSet<BString>,
    /// Paths with conflicts.
    pub(super) conflicts: BTreeSet<BString>,
}

impl<'a> Outcome<'a> {
    pub(super) fn new(contents: &'a Contents<'a>) -> Self {
        Self {
            contents,
            files: BTreeMap::new(),
            directories: HashSet::new(),
            conflicts: BTreeSet::new(),
        }
    }

    pub(super) fn merge(&mut self, places: BTreeMap<BString, PathState>) -> Result<(), GitError> {
        let taken: HashSet<BString> = places.keys().cloned().collect();
        for (path, place) in places.into_iter().rev() {
            call::checkpoint()?;
            match place.state {
                State::Settled(Some(version)) => self.put(path, version),
                State::Settled(None) => {}
                State::Open if place.files == 0 => {}
                State::Open => self.place(path, place, &taken)?,
            }
        }
        Ok(())
    }

    fn put(&mut self, path: BString, version: Version) {
        let mut above = directory(path.as_bstr());
        while !above.is_empty() && self.directories.insert(above.to_owned()) {
            above = directory(above);
        }
        self.files.insert(path, version);
    }

    /// Merges the file at a path. At least one tree has one.
    fn place(
        &mut self,
        path: BString,
        mut place: PathState,
        taken: &HashSet<BString>,
    ) -> Result<(), GitError> {
        let mut at = path.clone();
        if place.blocked {
            let in_the_way = self.directories.contains(&path);
            if in_the_way && place.files == bit(BASE) {
                return Ok(());
            }
            let is_theirs = place.directories & bit(OURS) != 0;
            place.same &= !place.directories;
            place.directories = 0;
            place.keep_files();
            place.blocked = in_the_way;
            if in_the_way {
                let side = if is_theirs { THEIRS } else { OURS };
                at = self.beside(path.as_bstr(), side, taken);
            }
        }
        let (version, is_clean) = self.version(&path, &place)?;
        let goes = place.same != 0 && version.is_none();
        if !is_clean || (place.blocked || place.contested) && !goes {
            self.conflicts.insert(path);
        }
        if let Some(version) = version {
            self.put(at, version);
        }
        Ok(())
    }

    /// Returns the merged entry of a file, and whether the merge is clean.
    fn version(
        &self,
        path: &BString,
        place: &PathState,
    ) -> Result<(Option<Version>, bool), GitError> {
        let [base, ours, theirs] = place.versions;
        let only = |side: usize| place.files & !bit(BASE) == bit(side);
        if place.same != 0 {
            let changed = place.same & bit(THEIRS) == 0;
            return Ok((if changed { theirs } else { ours }, true));
        }
        if let (Some(our), Some(their)) = (ours, theirs) {
            if kind(our.mode) != kind(their.mode) {
                // A merge of common ancestors keeps the base. Otherwise there is no correct choice.
                return Ok((base.filter(|_| self.contents.is_virtual()), false));
            }
            let name = |tree: usize| match &place.names[tree] {
                Some(name) => name.as_bstr(),
                None => path.as_bstr(),
            };
            let names = [BASE, OURS, THEIRS].map(name);
            let merged = self.contents.merge(place.versions, names, 0)?;
            return Ok((merged.version, merged.is_clean));
        }
        if base.is_some() && (only(OURS) || only(THEIRS)) {
            // Modified on one side and deleted on the other.
            let kept = if self.contents.is_virtual() {
                base
            } else {
                ours.or(theirs)
            };
            return Ok((kept, false));
        }
        Ok((ours.or(theirs), true))
    }

    /// Returns a free name for a file whose path is taken by a directory.
    fn beside(&self, path: &BStr, side: usize, taken: &HashSet<BString>) -> BString {
        let first = BString::from(format!("{path}~Temporary merge branch {side}"));
        let further = (0..).map(|count| BString::from(format!("{first}_{count}")));
        let mut names = std::iter::once(first.clone()).chain(further);
        let is_free = |name: &BString| !taken.contains(name) && !self.files.contains_key(name);
        names.find(is_free).unwrap_or(first)
    }

    /// Writes the merged tree as edits of our tree.
    pub(super) fn write(self, trees: &Trees, ours: ObjectId) -> Result<ObjectId, GitError> {
        let repo = &self.contents.git.repo;
        let root = repo.find_tree(ours).map_err(GitError::of(ours))?;
        let root = root.decode().map_err(GitError::of(ours))?.to_owned();
        let mut editor = gix::objs::tree::Editor::new(root, &repo.objects, ours.kind());
        fn parts(path: &BString) -> impl Iterator<Item = &BStr> {
            path.split_str("/").map(BStr::new)
        }
        // Remove in descending order, so that no later entry has to be moved.
        for path in trees.ours.keys().rev() {
            if !self.files.contains_key(path) {
                editor.remove(parts(path))?;
            }
        }
        for (path, version) in &self.files {
            if trees.ours.get(path) != Some(version) && version.mode.is_no_tree() {
                editor.upsert(parts(path), version.mode.kind(), version.id)?;
            }
        }
        editor.write(|tree| {
            self.contents.spend(tree.size())?;
            self.contents.git.put(tree)
        })
    }
}
