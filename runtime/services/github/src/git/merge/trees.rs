//! What three trees have at each path, and what went and came between them.

use std::collections::{BTreeMap, HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::objs::tree::EntryMode;

use crate::call;
use crate::git::objects::{MAX_ENTRIES, MAX_PATH};
use crate::git::similar::{File, Wanted};
use crate::git::{Git, GitError};

/// What a path takes in memory while trees are merged, beside its own bytes.
const PLACE_BYTES: usize = 512;
/// The bytes of a name that most are shorter than.
const LONGEST_NAME: usize = 64;

/// The places of the three trees in what is kept of each of them.
pub(super) const BASE: usize = 0;
pub(super) const OURS: usize = 1;
pub(super) const THEIRS: usize = 2;
pub(super) const SIDES: [usize; 2] = [OURS, THEIRS];

/// The bit of a tree in a mask.
pub(super) const fn bit(tree: usize) -> u8 {
    1 << tree
}

const ALL: u8 = bit(BASE) | bit(OURS) | bit(THEIRS);

/// The side that a side is merged with.
pub(super) const fn other(side: usize) -> usize {
    OURS + THEIRS - side
}

/// An entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) mode: EntryMode,
    pub(super) id: ObjectId,
}

/// What is known of a path.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// What each tree has there.
    pub(super) versions: [Option<Version>; 3],
    /// What the file is called in a tree where it was renamed.
    pub(super) names: [Option<BString>; 3],
    /// The trees that have a file there, and those that have a directory.
    pub(super) files: u8,
    pub(super) directories: u8,
    /// The trees that have the same there, where two have.
    pub(super) same: u8,
    /// Whether a file and a directory both want to be there.
    pub(super) blocked: bool,
    /// Whether it is a conflict that something is there at all.
    pub(super) contested: bool,
    pub(super) state: State,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) enum State {
    /// It is to be merged.
    #[default]
    Open,
    /// What will be there, if anything.
    Settled(Option<Version>),
}

impl Place {
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, State::Open)
    }

    pub(super) fn settle(&mut self, version: Option<Version>) {
        self.state = State::Settled(version);
    }

    /// Forgets what trees have no file there.
    pub(super) fn keep_files(&mut self) {
        for tree in [BASE, OURS, THEIRS] {
            if self.files & bit(tree) == 0 {
                self.versions[tree] = None;
            }
        }
    }
}

/// What one side did.
#[derive(Default)]
pub(super) struct Side {
    /// Files of the base that it has not, and its own that the base has not, by path.
    pub(super) went: Vec<File>,
    pub(super) came: Vec<File>,
    /// The files that went whose new name matters.
    pub(super) relevant: HashSet<BString>,
    /// The directories that went.
    pub(super) directories: HashMap<BString, Wanted>,
}

/// Three trees, beside each other.
#[derive(Default)]
pub(super) struct Trees {
    pub(super) places: BTreeMap<BString, Place>,
    /// What our tree has, without what is the same in all.
    pub(super) ours: BTreeMap<BString, Version>,
    sides: [Side; 2],
}

/// A directory to look into.
struct Level {
    path: BString,
    trees: [Option<ObjectId>; 3],
    /// Where the directory, or one above it, went on one side: the bit of the other side; all bits where a file came
    /// into it there, so that it matters where it went.
    moved: u8,
}

impl Trees {
    /// Walks three trees; what is the same in all is not entered.
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
            side.went.sort_by(|one, two| one.path.cmp(&two.path));
            side.came.sort_by(|one, two| one.path.cmp(&two.path));
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
            let came = entries.values().any(|it| masks(it).0 == moved);
            moved = if came { ALL } else { moved };
        }
        for (name, versions) in entries {
            let path: BString = if level.path.is_empty() {
                name
            } else {
                [level.path.as_slice(), b"/", &name].concat().into()
            };
            if path.len() > MAX_PATH {
                return Err(GitError::objects(format!(
                    "a path has more than {MAX_PATH} bytes"
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
            let mut place = Place {
                versions,
                files,
                directories,
                same,
                blocked: files != 0 && directories != 0,
                ..Place::default()
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

    /// Notes what went and came at a path, and what has to be known of it.
    fn note(&mut self, path: &BString, above: &BString, place: &Place, moved: u8) {
        let Place {
            files, directories, ..
        } = *place;
        let had = |mask: u8, tree: usize| mask & bit(tree) != 0;
        for side in SIDES {
            if had(directories, BASE) && !had(directories, side) {
                let wanted = if moved == ALL {
                    Wanted::Above
                } else {
                    Wanted::No
                };
                self.side_mut(side).directories.insert(path.clone(), wanted);
            }
            if moved == ALL && files == bit(other(side)) {
                let directories = &mut self.side_mut(side).directories;
                directories.insert(above.clone(), Wanted::Itself);
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
                    of_side.went.extend(file(place.versions[BASE]));
                    if place.same & files == 0 || moved == ALL {
                        of_side.relevant.insert(path.clone());
                    }
                }
                (false, true) => of_side.came.extend(file(place.versions[side])),
                _ => {}
            }
        }
    }
}

/// The trees that have a file, and those that have a directory.
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

/// What three directories have, by name.
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
