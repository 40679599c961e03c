//! Renames in a merge: changes at the old path on one side are merged into the new path of the other, and files that
//! were added to a directory that the other side renamed probably belong in its new location.

use std::collections::{BTreeMap, BTreeSet};

use gix::bstr::{BString, ByteSlice};

use super::content::Contents;
use super::trees::{BASE, OURS, PathState, SIDES, State, THEIRS, Trees, bit, other};
use crate::git::similar::{RenameRelevance, Search, directory};
use crate::git::{Git, GitError};

/// Maximum number of files on each side for inexact rename detection, as git's `merge.renameLimit`.
const LIMIT: usize = 7_000;

/// Renamed directories, by old path.
type Directories = BTreeMap<BString, BString>;

/// File that was added on one side.
struct AddedFile {
    side: usize,
    /// Old path, if the file was renamed.
    old: Option<BString>,
    new: BString,
}

/// Detects the renames of both sides and applies them to the entries of `trees`. Returns the paths for which it found
/// no unique answer, which are conflicts.
pub(super) fn follow(
    git: &Git,
    trees: &mut Trees,
    contents: &Contents<'_>,
) -> Result<BTreeSet<BString>, GitError> {
    let mut undecided = BTreeSet::new();
    let mut added: [Vec<AddedFile>; 2] = Default::default();
    let mut directories: [Directories; 2] = Default::default();
    let is_possible = |side: usize| {
        let side = trees.side(side);
        !side.relevant.is_empty()
    };
    if !SIDES.into_iter().any(is_possible) {
        return Ok(undecided);
    }
    for side in SIDES {
        let did = trees.side(side);
        let mut olds = vec![None; did.added.len()];
        if !did.relevant.is_empty() {
            let mut search = Search {
                skip_empty: true,
                limit: LIMIT,
                relevant: Some(did.relevant.clone()),
                directories: did.directories.clone(),
                ..Search::default()
            };
            for pair in search.run(git, &did.removed, &did.added)? {
                olds[pair.target] = Some(did.removed[pair.source].path.clone());
            }
            if !contents.is_virtual() {
                directories[side - OURS] = decided(search, &mut undecided);
            }
        }
        let all = did.added.iter().zip(olds);
        added[side - OURS] = all
            .map(|(file, old)| AddedFile {
                side,
                old,
                new: file.path.clone(),
            })
            .collect();
    }
    // A directory that both sides renamed gives no hint for added files.
    let [ours, theirs] = &mut directories;
    let shared: Vec<BString> = ours
        .keys()
        .filter(|it| theirs.contains_key(*it))
        .cloned()
        .collect();
    for path in shared {
        ours.remove(&path);
        theirs.remove(&path);
    }
    let targets = SIDES.map(|side| targets(&directories[other(side) - OURS], &added[side - OURS]));
    let mut renames: Vec<(BString, AddedFile)> = Vec::new();
    for mut file in added.into_iter().flatten() {
        let hints = &directories[other(file.side) - OURS];
        let own = &directories[file.side - OURS];
        let aimed = &targets[file.side - OURS];
        if !targets[other(file.side) - OURS].contains_key(&file.new)
            && let Some(hint) = hint(&file.new, hints)
            && !own.contains_key(hint.1)
        {
            let new = applied(hint, &file.new);
            let alone = aimed.get(&new).is_some_and(|files| files.len() == 1);
            if alone && !in_the_way(trees, &new, &file) {
                shift(trees, &file.new, &new);
                file.new = new;
            } else {
                undecided.insert(file.new.clone());
            }
        }
        if let Some(old) = file.old.clone() {
            renames.push((old, file));
        }
    }
    renames.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut at = 0;
    while let Some((old, file)) = renames.get(at) {
        let next = renames.get(at + 1).filter(|(path, _)| path == old);
        at += 1;
        if trees.places.get(old).is_none_or(|place| !place.is_open()) || *old == file.new {
            continue;
        }
        match next {
            Some((_, their)) => {
                at += 1;
                both(trees, contents, old, &file.new, &their.new)?;
            }
            None => one(trees, contents, old, file)?,
        }
    }
    Ok(undecided)
}

/// Returns the directory to which most files of each directory were renamed. Directories without a unique answer are
/// added to `undecided`.
fn decided(search: Search, undecided: &mut BTreeSet<BString>) -> Directories {
    let mut decided = Directories::new();
    for (old, counts) in search.moves {
        if matches!(
            search.directories.get(&old),
            None | Some(RenameRelevance::No)
        ) {
            continue;
        }
        let most = counts.values().max().copied().unwrap_or_default();
        let mut best = counts.into_iter().filter(|(_, count)| *count == most);
        match (best.next(), best.next()) {
            (Some((new, _)), None) => drop(decided.insert(old, new)),
            _ => drop(undecided.insert(old)),
        }
    }
    decided
}

/// Returns the closest renamed directory above a path, as old and new path.
fn hint<'a>(path: &BString, hints: &'a Directories) -> Option<(&'a BString, &'a BString)> {
    let mut above = directory(path.as_bstr());
    while !above.is_empty() {
        if let Some(found) = hints.get_key_value(above) {
            return Some(found);
        }
        above = directory(above);
    }
    None
}

/// Replaces the old directory in a path with the renamed one.
fn applied((old, new): (&BString, &BString), path: &BString) -> BString {
    let rest = &path[old.len() + 1..];
    if new.is_empty() {
        rest.into()
    } else {
        [new.as_slice(), b"/", rest].concat().into()
    }
}

/// Maps the new paths that result from renamed directories of the other side to the added files that they would apply
/// to.
fn targets(hints: &Directories, added: &[AddedFile]) -> BTreeMap<BString, BTreeSet<BString>> {
    let mut targets: BTreeMap<BString, BTreeSet<BString>> = BTreeMap::new();
    for file in added {
        if let Some(hint) = hint(&file.new, hints) {
            let files = targets.entry(applied(hint, &file.new)).or_default();
            files.insert(file.new.clone());
        }
    }
    targets
}

/// Returns true if the target path of a directory rename is occupied.
fn in_the_way(trees: &Trees, path: &BString, file: &AddedFile) -> bool {
    trees.places.get(path).is_some_and(|place| {
        let is_base = place.files & bit(BASE) != 0;
        !place.is_open()
            || (place.files | place.directories) & bit(file.side) != 0
            || is_base && file.old.as_ref() != Some(path)
    })
}

/// Moves an added file to the path that results from a directory rename. Marks a conflict, because git leaves the
/// decision to the user.
fn shift(trees: &mut Trees, old: &BString, new: &BString) {
    let Some(place) = trees.places.remove(old) else {
        return;
    };
    let mut file = place.clone();
    if place.directories != 0 {
        let mut rest = place;
        rest.files = 0;
        rest.settle(None);
        trees.places.insert(old.clone(), rest);
    }
    file.directories = 0;
    file.keep_files();
    file.blocked = false;
    file.contested = true;
    if let Some(there) = trees.places.get_mut(new) {
        there.blocked |= there.directories != 0;
        there.contested = true;
        there.files |= file.files;
        for side in SIDES {
            if file.files & bit(side) != 0 {
                there.versions[side] = file.versions[side];
                there.names[side] = file.names[side].take();
            }
        }
        return;
    }
    let mut above = directory(new.as_bstr());
    while !above.is_empty() && !trees.places.contains_key(above) {
        let place = PathState {
            directories: file.files,
            ..PathState::default()
        };
        trees.places.insert(above.to_owned(), place);
        above = directory(above);
    }
    trees.places.insert(new.clone(), file);
}

/// Merges a file that both sides renamed.
fn both(
    trees: &mut Trees,
    contents: &Contents<'_>,
    old: &BString,
    ours: &BString,
    theirs: &BString,
) -> Result<(), GitError> {
    let place = |path: &BString| trees.places.get(path).cloned().unwrap_or_default();
    let (mut base, mut our) = (place(old), place(ours));
    if ours == theirs {
        our.versions[BASE] = base.versions[BASE];
        our.files |= bit(BASE);
        base.settle(None);
        trees.places.insert(ours.clone(), our);
        trees.places.insert(old.clone(), base);
        return Ok(());
    }
    let mut their = place(theirs);
    let versions = [
        base.versions[BASE],
        our.versions[OURS],
        their.versions[THEIRS],
    ];
    let names = [old, ours, theirs].map(|path| path.as_bstr());
    let merged = contents.merge(versions, names, 1)?;
    let kept_ours = !merged.is_clean && merged.version == versions[OURS];
    our.versions[OURS] = merged.version;
    if !kept_ours {
        their.versions[THEIRS] = merged.version;
    }
    for (path, mut place) in [(old, base), (ours, our), (theirs, their)] {
        place.contested = true;
        trees.places.insert(path.clone(), place);
    }
    Ok(())
}

/// Merges a file that one side renamed.
fn one(
    trees: &mut Trees,
    contents: &Contents<'_>,
    path: &BString,
    file: &AddedFile,
) -> Result<(), GitError> {
    let (Some(old), Some(new)) = (trees.places.get(path), trees.places.get(&file.new)) else {
        return Ok(());
    };
    let (mut old, mut new) = (old.clone(), new.clone());
    let (side, other) = (file.side, other(file.side));
    let is_file = |place: &PathState, tree: usize| {
        let version = place.versions[tree].as_ref();
        version.is_some_and(|version| version.mode.is_blob())
    };
    let deleted = old.files == bit(BASE);
    let retyped = !deleted && is_file(&old, other) != is_file(&new, side);
    let collides = new.files & bit(other) != 0 && !retyped;
    if collides && deleted {
        new.contested = true;
    } else if collides {
        let mut versions = old.versions;
        versions[side] = new.versions[side];
        let mut names = [path.as_bstr(); 3];
        names[side] = file.new.as_bstr();
        new.versions[side] = contents.merge(versions, names, 1)?.version;
    } else {
        new.versions[BASE] = old.versions[BASE];
        new.names[BASE] = Some(path.clone());
        new.files |= bit(BASE);
        if retyped {
            old.versions[BASE] = None;
            old.files &= !bit(BASE);
        } else if deleted {
            new.contested = true;
        } else {
            new.versions[other] = old.versions[other];
            new.names[other] = Some(path.clone());
            new.files |= bit(other);
        }
    }
    if !retyped {
        old.state = State::Settled(None);
    }
    trees.places.insert(path.clone(), old);
    trees.places.insert(file.new.clone(), new);
    Ok(())
}
