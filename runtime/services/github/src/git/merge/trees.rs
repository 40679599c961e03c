//! Three-way walk of trees: the entries at each path, and the added and removed files of each side.

use std::collections::{BTreeMap, HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::objs::tree::EntryMode;

use crate::call;
use crate::git::objects::{MAX_ENTRIES, MAX_PATH};
use crate::git::similar::{File, RenameRelevance};
use crate::git::{Git, GitError};

/// Memory of a path during a merge in bytes, apart from the path itself.
const PLACE_BYTES: usize = 512;
/// Assumed length of a name in bytes. Most names are shorter.
const LONGEST_NAME: usize = 64;

/// Indices of the three trees.
pub(super) const BASE: usize = 0;
pub(super) const OURS: usize = 1;
pub(super) const THEIRS: usize = 2;
pub(super) const SIDES: [usize; 2] = [OURS, THEIRS];

/// Returns the bit of a tree in a mask.
pub(super) const fn bit(tree: usize) -> u8 {
    1 << tree
}

const ALL: u8 = bit(BASE) | bit(OURS) | bit(THEIRS);

/// Returns the opposite side.
pub(super) const fn other(side: usize) -> usize {
    OURS + THEIRS - side
}

/// Entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) mode: EntryMode,
    pub(super) id: ObjectId,
}

/// State of a path in a merge.
#[derive(Debug, Clone, Default)]
pub(super) struct PathState {
    /// Entry in each tree.
    pub(super) versions: [Option<Version>; 3],
    /// Path of the file in each tree, if it was renamed.
    pub(super) names: [Option<BString>; 3],
    /// Mask of the trees with a file at the path.
    pub(super) files: u8,
    /// Mask of the trees with a directory at the path.
    pub(super) directories: u8,
    /// Mask of the trees with equal entries, if at least two are equal.
    pub(super) same: u8,
    /// True if the path is a file in one tree and a directory in another.
    pub(super) blocked: bool,
    /// True if the presence of a file at the path is itself a conflict, for example after a rename.
    pub(super) contested: bool,
    pub(super) state: State,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) enum State {
    /// Not merged yet.
    #[default]
    Open,
    /// Entry in the result, if any.
    Settled(Option<Version>),
}

impl PathState {
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, State::Open)
    }

    pub(super) fn settle(&mut self, version: Option<Version>) {
        self.state = State::Settled(version);
    }

    /// Drops the entries of trees that have no file at the path.
    pub(super) fn keep_files(&mut self) {
        for tree in [BASE, OURS, THEIRS] {
            if self.files & bit(tree) == 0 {
                self.versions[tree] = None;
            }
        }
    }
}

/// Changes of one side compared with the base.
#[derive(Default)]
pub(super) struct Side {
    /// Removed files, by path.
    pub(super) removed: Vec<File>,
    /// Added files, by path.
    pub(super) added: Vec<File>,
    /// Removed files whose renames are relevant.
    pub(super) relevant: HashSet<BString>,
    /// Removed directories, with the relevance of their renames.
    pub(super) directories: HashMap<BString, RenameRelevance>,
}

/// Result of the walk of three trees.
#[derive(Default)]
pub(super) struct Trees {
    pub(super) places: BTreeMap<BString, PathState>,
    /// Entries of our tree that are not equal in all trees.
    pub(super) ours: BTreeMap<BString, Version>,
    sides: [Side; 2],
}

/// Directory that is still to be walked.
struct Level {
    path: BString,
    trees: [Option<ObjectId>; 3],
    /// Mask for directory renames: if one side has removed this directory or one above, the bit of the other side. All
    /// bits if the other side has also added a file in it, so that its new location is needed.
    moved: u8,
}

impl Trees {
    /// Walks three trees. Does not enter directories that are equal in all.
    pub(super) fn read(git: &Git, trees: [ObjectId; 3]) -> Result<Self, GitError> {
        let mut read = Self::default();
        let mut todo = vec![Level {
            path: BString::default(),
            trees: trees.map(Some),
            moved: 0,
        }];
        let mut held = call::reserve(0)?;
        let mut known = 0;
        while let Some(level) = todo.pop() {
            call::checkpoint()?;
            let path = level.path.len() + LONGEST_NAME;
            read.enter(git, level, &mut todo)?;
            let new = read.places.len() - known;
            known = read.places.len();
            held.grow((new * (PLACE_BYTES + path)) as u64)?;
            if read.places.len() > MAX_ENTRIES {
                return Err(GitError::Refused(format!(
                    "more than {MAX_ENTRIES} paths differ between the trees of a merge, which are too many to merge"
                )));
            }
        }
        for side in &mut read.sides {
            side.removed.sort_by(|one, two| one.path.cmp(&two.path));
            side.added.sort_by(|one, two| one.path.cmp(&two.path));
        }
        Ok(read)
    }

    pub(super) fn side(&self, side: usize) -> &Side {
        &self.sides[side - OURS]
    }

    fn side_mut(&mut self, side: usize) -> &mut Side {
        &mut self.sides[side - OURS]
    }

    fn enter(&mut self, git: &Git, level: Level, todo: &mut Vec<Level>) -> Result<(), GitError> {
        let entries = entries(git, &level.trees)?;
        let mut moved = level.moved;
        if moved == bit(OURS) || moved == bit(THEIRS) {
            let added = entries.values().any(|it| masks(it).0 == moved);
            moved = if added { ALL } else { moved };
        }
        for (name, versions) in entries {
            let path: BString = if level.path.is_empty() {
                name
            } else {
                [level.path.as_slice(), b"/", &name].concat().into()
            };
            if path.len() > MAX_PATH {
                return Err(GitError::objects(format!(
                    "a path exceeds the limit of {MAX_PATH} bytes"
                )));
            }
            let (files, directories) = masks(&versions);
            let [base, ours, theirs] = versions;
            let same = match (base == ours, base == theirs, ours == theirs) {
                (true, true, _) => ALL,
                (true, ..) if base.is_some() => ALL & !bit(THEIRS),
                (_, true, _) if base.is_some() => ALL & !bit(OURS),
                (.., true) if ours.is_some() => ALL & !bit(BASE),
                _ => 0,
            };
            if let Some(ours) = ours.filter(|it| it.mode.is_no_tree() && same != ALL) {
                self.ours.insert(path.clone(), ours);
            }
            let mut place = PathState {
                versions,
                files,
                directories,
                same,
                blocked: files != 0 && directories != 0,
                ..PathState::default()
            };
            if same == ALL || same != 0 && files == ALL {
                let changed = if same == ALL & !bit(THEIRS) {
                    theirs
                } else {
                    ours
                };
                place.settle(changed);
                self.places.insert(path, place);
                continue;
            }
            let mut below = moved;
            if moved != ALL && directories & bit(BASE) != 0 && directories.count_ones() == 2 {
                below = directories & !bit(BASE);
            }
            self.note(&path, &level.path, &place, below);
            if directories != 0 {
                let tree = |it: Option<Version>| it.filter(|it| it.mode.is_tree()).map(|it| it.id);
                place.same &= files;
                todo.push(Level {
                    path: path.clone(),
                    trees: versions.map(tree),
                    moved: below,
                });
            }
            self.places.insert(path, place);
        }
        Ok(())
    }

    /// Records added and removed files and directories at a path, and whether their renames are relevant.
    fn note(&mut self, path: &BString, above: &BString, place: &PathState, moved: u8) {
        let PathState {
            files, directories, ..
        } = *place;
        let had = |mask: u8, tree: usize| mask & bit(tree) != 0;
        for side in SIDES {
            if had(directories, BASE) && !had(directories, side) {
                let wanted = if moved == ALL {
                    RenameRelevance::Above
                } else {
                    RenameRelevance::No
                };
                self.side_mut(side).directories.insert(path.clone(), wanted);
            }
            if moved == ALL && files == bit(other(side)) {
                let directories = &mut self.side_mut(side).directories;
                directories.insert(above.clone(), RenameRelevance::Itself);
            }
        }
        for side in SIDES {
            let file = |version: Option<Version>| {
                version.map(|Version { mode, id }| File {
                    path: path.clone(),
                    mode,
                    id,
                })
            };
            let of_side = self.side_mut(side);
            match (had(files, BASE), had(files, side)) {
                (true, false) => {
                    of_side.removed.extend(file(place.versions[BASE]));
                    if place.same & files == 0 || moved == ALL {
                        of_side.relevant.insert(path.clone());
                    }
                }
                (false, true) => of_side.added.extend(file(place.versions[side])),
                _ => {}
            }
        }
    }
}

/// Returns the masks of the trees with a file and with a directory.
fn masks(versions: &[Option<Version>; 3]) -> (u8, u8) {
    let (mut files, mut directories) = (0, 0);
    for (tree, version) in versions.iter().enumerate() {
        match version {
            Some(version) if version.mode.is_tree() => directories |= bit(tree),
            Some(_) => files |= bit(tree),
            None => {}
        }
    }
    (files, directories)
}

/// Reads the entries of three directories, by name.
fn entries(
    git: &Git,
    trees: &[Option<ObjectId>; 3],
) -> Result<BTreeMap<BString, [Option<Version>; 3]>, GitError> {
    let mut entries: BTreeMap<BString, [Option<Version>; 3]> = BTreeMap::new();
    for (at, tree) in trees.iter().enumerate() {
        let Some(id) = *tree else { continue };
        let tree = git.repo.find_tree(id).map_err(GitError::of(id))?;
        for entry in tree.iter() {
            let entry = entry.map_err(GitError::of(id))?;
            let version = Version {
                mode: entry.mode(),
                id: entry.object_id(),
            };
            let name = entry.filename().as_bytes();
            match entries.get_mut(name.as_bstr()) {
                Some(versions) => versions[at] = Some(version),
                None => {
                    let mut versions = [None; 3];
                    versions[at] = Some(version);
                    entries.insert(name.into(), versions);
                }
            }
        }
    }
    Ok(entries)
}
