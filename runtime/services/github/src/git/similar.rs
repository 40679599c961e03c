//! Which files were renamed: pairs of one that went and one that came, found as git finds them. Files of equal
//! bytes are paired first, then those of one name, and what is left by how much of their bytes they share.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::tree::EntryMode;

use super::compare::count_lines;
use super::{Git, GitError, patch};
use crate::call::{self, Reservation};

/// The score of files that are equal.
pub(super) const EQUAL: u64 = 60_000;
/// The score from which on a file is the other.
const ENOUGH: u64 = EQUAL / 2;
/// The same where both have one name, which no others have.
const ENOUGH_OF_ONE_NAME: u64 = ENOUGH + (EQUAL - ENOUGH) / 2;
/// The files of equal bytes that are looked at before one is taken.
const LOOKED_AT: usize = 100;
/// The candidates that are kept for a file that came.
const CANDIDATES: usize = 4;
/// The most bytes of a piece of a file; lines are pieces where they are shorter.
const PIECE: u32 = 64;
/// How many kinds of pieces there are.
const KINDS: u32 = 107_927;
/// The bytes of a line that is taken for short, where it is estimated how many a file has.
const SHORT_LINE: u64 = 16;
/// The most pieces that are looked at to find renames of files that are not equal. The number grows with the product
/// of files that went and that came; beyond it none is looked for, as git does it with more files than it compares.
const MOST_STEPS: u64 = 400_000_000;

/// A file that went or came.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) path: BString,
    pub(super) mode: EntryMode,
    pub(super) id: ObjectId,
}

impl File {
    fn name(&self) -> &[u8] {
        let start = self.path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        &self.path[start..]
    }

    /// What files that are equal share: the bytes and, but for whether they may be executed, the mode.
    fn content(&self) -> (ObjectId, Option<EntryMode>) {
        (self.id, Some(self.mode).filter(|mode| !mode.is_blob()))
    }

    fn is_empty(&self) -> bool {
        self.id.is_empty_blob()
    }
}

/// The directory that a path lies in; empty for the root.
pub(super) fn directory(path: &BStr) -> &BStr {
    path.rfind_byte(b'/')
        .map_or(BStr::new(""), |slash| path[..slash].as_bstr())
}

/// What the renames below a directory that went are wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Nothing.
    No,
    /// To know where it went, as a file came into it on the other side.
    Itself,
    /// To know where a directory above it went.
    Above,
}

/// How renames are looked for.
#[derive(Default)]
pub(super) struct Search {
    /// Only where the bytes are equal.
    pub(super) only_equal: bool,
    /// Not among files without bytes.
    pub(super) skip_empty: bool,
    /// The most files on each side that are compared by their bytes.
    pub(super) limit: usize,
    /// The files whose renames matter, in a merge.
    pub(super) relevant: Option<HashSet<BString>>,
    /// The directories that went, in a merge.
    pub(super) directories: HashMap<BString, Wanted>,
    /// Where files of directories that went are now, and how many of them.
    pub(super) moves: BTreeMap<BString, BTreeMap<BString, usize>>,
}

/// A file that came, and which one it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) score: u64,
}

/// A file that may be the one that came.
#[derive(Clone, Copy)]
struct Candidate {
    source: usize,
    score: u64,
    one_name: bool,
}

impl Candidate {
    fn rank(&self) -> (u64, bool) {
        (self.score, self.one_name)
    }
}

/// What is known of the bytes of a file.
struct Bytes {
    size: u64,
    /// How many bytes there are of each kind of piece, by the kinds; none before that is asked for.
    pieces: Option<Vec<(u32, u32)>>,
}

struct Finder<'a> {
    git: &'a Git,
    sources: &'a [File],
    targets: &'a [File],
    used: Vec<bool>,
    found: Vec<Option<(usize, u64)>>,
    known: HashMap<ObjectId, Bytes>,
    held: Reservation,
}

impl Search {
    /// The renames among files that went and files that came, both sorted by their paths.
    pub(super) fn run(
        &mut self,
        git: &Git,
        sources: &[File],
        targets: &[File],
    ) -> Result<Vec<Pair>, GitError> {
        let mut finder = Finder {
            git,
            sources,
            targets,
            used: vec![false; sources.len()],
            found: vec![None; targets.len()],
            known: HashMap::new(),
            held: call::reserve(0)?,
        };
        let taken = |file: &File| !(self.skip_empty && file.is_empty());
        let from: Vec<usize> = (0..sources.len())
            .filter(|&it| taken(&sources[it]))
            .collect();
        let to: Vec<usize> = (0..targets.len())
            .filter(|&it| taken(&targets[it]))
            .collect();
        if !from.is_empty() && !to.is_empty() {
            finder.equal(&from, &to);
            if !self.only_equal {
                self.of_one_name(&mut finder, &from, &to)?;
                self.similar(&mut finder, &from, &to)?;
            }
        }
        let found = finder.found.iter().enumerate();
        let pairs = found.filter_map(|(target, found)| {
            let (source, score) = (*found)?;
            Some(Pair {
                source,
                target,
                score,
            })
        });
        Ok(pairs.collect())
    }

    fn is_relevant(&self, file: &File) -> bool {
        let relevant = self.relevant.as_ref();
        relevant.is_none_or(|relevant| relevant.contains(&file.path))
    }

    /// Pairs files whose name only one that went and one that came have. Where there are more, the directory that
    /// most files of the same directory went to is looked into.
    fn of_one_name(
        &mut self,
        finder: &mut Finder<'_>,
        from: &[usize],
        to: &[usize],
    ) -> Result<(), GitError> {
        let (sources, targets) = (finder.sources, finder.targets);
        let mut places: HashMap<&BStr, usize> = HashMap::new();
        for &target in to {
            match finder.found[target] {
                Some((source, _)) => self.count(&sources[source], &targets[target]),
                None => drop(places.insert(targets[target].path.as_bstr(), target)),
            }
        }
        let guesses: HashMap<BString, BString> = self
            .moves
            .iter()
            .filter_map(|(from, counts)| {
                let most = counts.values().max()?;
                let (to, _) = counts.iter().find(|(_, count)| *count == most)?;
                Some((from.clone(), to.clone()))
            })
            .collect();
        let from: Vec<usize> = from
            .iter()
            .copied()
            .filter(|&it| !finder.used[it])
            .collect();
        let went = only(from.iter().map(|&it| (sources[it].name(), it)));
        let left = to.iter().filter(|&&it| finder.found[it].is_none());
        let came = only(left.map(|&it| (targets[it].name(), it)));
        for source in from {
            let file = &sources[source];
            let (Some(went), Some(came)) = (went.get(file.name()), came.get(file.name())) else {
                continue;
            };
            let target = match (self.is_relevant(file), went, came) {
                (false, ..) => None,
                (true, Some(_), Some(target)) => Some(*target),
                _ => guesses.get(directory(file.path.as_bstr())).and_then(|to| {
                    let path = [to.as_slice(), b"/", file.name()].concat();
                    places.get(path.as_bstr()).copied()
                }),
            };
            let Some(target) = target.filter(|&it| finder.found[it].is_none()) else {
                continue;
            };
            let score = finder.score(source, target, ENOUGH_OF_ONE_NAME)?;
            if score >= ENOUGH_OF_ONE_NAME {
                finder.pair(source, target, score);
                self.count(file, &targets[target]);
            }
        }
        Ok(())
    }

    /// Compares all that is left, and pairs the most similar first.
    fn similar(
        &mut self,
        finder: &mut Finder<'_>,
        from: &[usize],
        to: &[usize],
    ) -> Result<(), GitError> {
        let (sources, targets) = (finder.sources, finder.targets);
        let left = |it: &&usize| !finder.used[**it] && self.is_relevant(&sources[**it]);
        let from: Vec<usize> = from.iter().filter(left).copied().collect();
        let left = |it: &&usize| finder.found[**it].is_none();
        let to: Vec<usize> = to.iter().filter(left).copied().collect();
        if from.len().saturating_mul(to.len()) > self.limit.saturating_mul(self.limit) {
            return Ok(());
        }
        if !finder.can_compare(&from, &to)? {
            return Ok(());
        }
        let mut all: Vec<(usize, Candidate)> = Vec::new();
        for &target in &to {
            call::checkpoint()?;
            let mut best: Vec<Candidate> = Vec::with_capacity(CANDIDATES);
            for &source in &from {
                let candidate = Candidate {
                    source,
                    score: finder.score(source, target, ENOUGH)?,
                    one_name: sources[source].name() == targets[target].name(),
                };
                if best.len() < CANDIDATES {
                    best.push(candidate);
                    continue;
                }
                let worst = (1..best.len()).fold(0, |worst, it| {
                    if best[it].rank() < best[worst].rank() {
                        it
                    } else {
                        worst
                    }
                });
                if best[worst].rank() < candidate.rank() {
                    best[worst] = candidate;
                }
            }
            all.extend(best.into_iter().map(|candidate| (target, candidate)));
        }
        all.sort_by_key(|(_, candidate)| Reverse(candidate.rank()));
        for (target, candidate) in all {
            if candidate.score < ENOUGH {
                break;
            }
            if finder.found[target].is_none() && !finder.used[candidate.source] {
                finder.pair(candidate.source, target, candidate.score);
                self.count(&sources[candidate.source], &targets[target]);
            }
        }
        Ok(())
    }

    /// Counts a rename for the directory that the file was in, and for those above it as long as the rest of both
    /// paths is the same.
    fn count(&mut self, source: &File, target: &File) {
        let (mut old, mut new) = (source.path.as_bstr(), target.path.as_bstr());
        let mut first = true;
        loop {
            let (old_above, new_above) = (directory(old), directory(new));
            let Some(wanted) = self.directories.get(old_above).copied() else {
                return;
            };
            let last = |path: &BStr, above: &BStr| -> BString {
                let start = if above.is_empty() { 0 } else { above.len() + 1 };
                path[start..].into()
            };
            if !first && last(old, old_above) != last(new, new_above) {
                return;
            }
            if first || wanted == Wanted::Itself {
                let counts = self.moves.entry(old_above.to_owned()).or_default();
                *counts.entry(new_above.to_owned()).or_default() += 1;
            }
            if wanted == Wanted::No || old_above.is_empty() || new_above.is_empty() {
                return;
            }
            (old, new, first) = (old_above, new_above, false);
        }
    }
}

/// The files by their names; none where several have one name.
fn only<'a>(files: impl Iterator<Item = (&'a [u8], usize)>) -> HashMap<&'a [u8], Option<usize>> {
    let mut only = HashMap::new();
    for (name, file) in files {
        only.entry(name)
            .and_modify(|it| *it = None)
            .or_insert(Some(file));
    }
    only
}

impl Finder<'_> {
    fn pair(&mut self, source: usize, target: usize, score: u64) {
        self.used[source] = true;
        self.found[target] = Some((source, score));
    }

    /// Pairs files of equal bytes, those of one name before others.
    fn equal(&mut self, from: &[usize], to: &[usize]) {
        // A file that is paired is taken out, so that nobody has to pass it again.
        let mut left: HashMap<_, VecDeque<usize>> = HashMap::new();
        for &source in from {
            let key = self.sources[source].content();
            left.entry(key).or_default().push_back(source);
        }
        for &target in to {
            let file = &self.targets[target];
            let Some(same) = left.get_mut(&file.content()) else {
                continue;
            };
            let mut looked_at = same.iter().take(LOOKED_AT);
            let named = looked_at.position(|&it| self.sources[it].name() == file.name());
            if let Some(source) = same.remove(named.unwrap_or(0)) {
                self.pair(source, target, EQUAL);
            }
        }
    }

    /// How similar two files are; 0 where their sizes say that it cannot be enough.
    fn score(&mut self, source: usize, target: usize, enough: u64) -> Result<u64, GitError> {
        let (source, target) = (&self.sources[source], &self.targets[target]);
        if !source.mode.is_blob() || !target.mode.is_blob() {
            return Ok(0);
        }
        let (old, new) = (self.size(source.id)?, self.size(target.id)?);
        let most = old.max(new);
        if !may_be_similar(old, new, enough) {
            return Ok(0);
        }
        self.cut(source.id)?;
        self.cut(target.id)?;
        let pieces = |id: &ObjectId| self.known.get(id).and_then(|it| it.pieces.as_deref());
        let old = pieces(&source.id).unwrap_or_default();
        let mut new = pieces(&target.id).unwrap_or_default().iter().peekable();
        let mut shared = 0;
        for (kind, bytes) in old {
            while new.next_if(|(other, _)| other < kind).is_some() {}
            if let Some((_, others)) = new.next_if(|(other, _)| other == kind) {
                shared += u64::from(*bytes.min(others));
            }
        }
        Ok(shared * EQUAL / most)
    }

    /// Whether comparing each of some files with each of others takes no more than [`MOST_STEPS`].
    fn can_compare(&mut self, from: &[usize], to: &[usize]) -> Result<bool, GitError> {
        let (sources, targets) = (self.sources, self.targets);
        let mut sizes = |files: &[File], wanted: &[usize]| -> Result<Vec<u64>, GitError> {
            let files = wanted.iter().map(|it| &files[*it]);
            files.map(|file| self.size(file.id)).collect()
        };
        let (olds, news) = (sizes(sources, from)?, sizes(targets, to)?);
        let mut steps = 0_u64;
        for new in news {
            call::checkpoint()?;
            for old in &olds {
                if may_be_similar(*old, new, ENOUGH) {
                    // A line is a piece of its own, but there are no more kinds than this.
                    let kinds = |bytes: u64| (bytes / SHORT_LINE).min(KINDS.into());
                    steps = steps.saturating_add(kinds(*old) + kinds(new) + 1);
                }
            }
        }
        Ok(steps <= MOST_STEPS)
    }

    fn size(&mut self, id: ObjectId) -> Result<u64, GitError> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.size);
        }
        let size = self.git.size(id)?;
        self.known.insert(id, Bytes { size, pieces: None });
        Ok(size)
    }

    fn cut(&mut self, id: ObjectId) -> Result<(), GitError> {
        if self.known.get(&id).is_some_and(|it| it.pieces.is_some()) {
            return Ok(());
        }
        let bytes = self.git.blob(id)?;
        let pieces = pieces(&bytes)?;
        self.held.grow(size_of_val(pieces.as_slice()) as u64)?;
        let known = Bytes {
            size: bytes.len() as u64,
            pieces: Some(pieces),
        };
        self.known.insert(id, known);
        Ok(())
    }
}

/// How many bytes there are of each kind of piece. A carriage return at the end of a line of a text counts nothing.
fn pieces(bytes: &[u8]) -> Result<Vec<(u32, u32)>, GitError> {
    let is_text = !patch::is_binary(bytes);
    let most = count_lines(bytes) + bytes.len() as u64 / u64::from(PIECE);
    let _held = call::reserve(most * size_of::<(u32, u32)>() as u64)?;
    let mut all: Vec<(u32, u32)> = Vec::new();
    let (mut high, mut low, mut length) = (0_u32, 0_u32, 0_u32);
    for (at, &byte) in bytes.iter().enumerate() {
        if is_text && byte == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
            continue;
        }
        (high, low) = (high << 7 ^ low >> 25, low << 7 ^ high >> 25);
        high = high.wrapping_add(byte.into());
        length += 1;
        if length == PIECE || byte == b'\n' {
            all.push((kind(high, low), length));
            (high, low, length) = (0, 0, 0);
        }
    }
    if length > 0 {
        all.push((kind(high, low), length));
    }
    all.sort_unstable();
    all.dedup_by(|next, before| {
        let same = before.0 == next.0;
        if same {
            before.1 = before.1.saturating_add(next.1);
        }
        same
    });
    all.shrink_to_fit();
    Ok(all)
}

/// Whether the sizes of two files leave it possible that they are similar enough.
fn may_be_similar(old: u64, new: u64, enough: u64) -> bool {
    let (most, least) = (old.max(new), old.min(new));
    most != 0 && most * (EQUAL - enough) >= (most - least) * EQUAL
}

fn kind(high: u32, low: u32) -> u32 {
    high.wrapping_add(low.wrapping_mul(0x61)) % KINDS
}
