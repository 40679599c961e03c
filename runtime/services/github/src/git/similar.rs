//! Rename detection by the algorithm of git: pairs removed files with added ones. Files with equal content are paired
//! first, then files with the same base name, then the rest by the share of common bytes.
//!
//! The detection of `gix-diff` is not used, because it takes the share of common bytes from a diff of lines instead of
//! the hashes of chunks, and by its own documentation differs from git in many ways.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::tree::EntryMode;

use super::line_diff::count_lines;
use super::{Git, GitError, patch};
use crate::call::{self, Reservation};

/// Similarity score of equal files.
pub(super) const EQUAL: u64 = 60_000;
/// Minimum score of a rename.
const ENOUGH: u64 = EQUAL / 2;
/// Minimum score of a rename between files whose base name is unique on both sides.
const ENOUGH_OF_ONE_NAME: u64 = ENOUGH + (EQUAL - ENOUGH) / 2;
/// Maximum number of files with equal content that are searched for one with the same base name.
const LOOKED_AT: usize = 100;
/// Number of best candidates that are kept for each added file.
const CANDIDATES: usize = 4;
/// Maximum length of a chunk of a file, in bytes. A chunk also ends with a line.
const MAX_CHUNK: u32 = 64;
/// Number of hash values of chunks.
const HASH_BASE: u32 = 107_927;
/// Assumed length of a short line in bytes, for the estimate of the number of chunks of a file.
const SHORT_LINE: u64 = 16;
/// Maximum estimated number of chunk comparisons of inexact rename detection. The number grows with the product of
/// removed and added files. Above the maximum, no inexact renames are searched, as in git above its rename limit.
const MAX_STEPS: u64 = 400_000_000;

/// Removed or added file.
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

    /// Returns the key by which equal files are paired: the blob and, except for regular and executable files, the
    /// mode.
    fn content(&self) -> (ObjectId, Option<EntryMode>) {
        (self.id, Some(self.mode).filter(|mode| !mode.is_blob()))
    }

    fn is_empty(&self) -> bool {
        self.id.is_empty_blob()
    }
}

/// Returns the parent directory of a path, empty for the root.
pub(super) fn directory(path: &BStr) -> &BStr {
    path.rfind_byte(b'/')
        .map_or(BStr::new(""), |slash| path[..slash].as_bstr())
}

/// Relevance of the renames below a removed directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RenameRelevance {
    /// Not relevant.
    No,
    /// The new location of the directory is needed, because the other side added a file to it.
    Itself,
    /// The new location of a directory above is needed.
    Above,
}

/// Settings and results of a search for renames.
#[derive(Default)]
pub(super) struct Search {
    /// True to pair only files with equal content.
    pub(super) only_equal: bool,
    /// True to ignore empty files.
    pub(super) skip_empty: bool,
    /// Maximum number of files on each side for inexact rename detection.
    pub(super) limit: usize,
    /// Removed files whose renames are relevant, in a merge. `None` if all are.
    pub(super) relevant: Option<HashSet<BString>>,
    /// Removed directories with their relevance, in a merge.
    pub(super) directories: HashMap<BString, RenameRelevance>,
    /// Counts of renamed files by old directory and new directory.
    pub(super) moves: BTreeMap<BString, BTreeMap<BString, usize>>,
}

/// Rename: indices of the removed and the added file, and the similarity score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) score: u64,
}

/// Removed file as a candidate for the source of an added file.
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

/// Size and chunks of a file.
struct Bytes {
    size: u64,
    /// Number of bytes per hash value of chunks, sorted by hash value. `None` until it is needed.
    chunks: Option<Vec<(u32, u32)>>,
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
    /// Searches the renames between removed and added files, which must both be sorted by path.
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

    /// Pairs files whose base name is unique among the removed and among the added files. If it is not unique, looks in
    /// the directory to which most files of the same old directory were renamed.
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
        let removed = only(from.iter().map(|&it| (sources[it].name(), it)));
        let left = to.iter().filter(|&&it| finder.found[it].is_none());
        let added = only(left.map(|&it| (targets[it].name(), it)));
        for source in from {
            let file = &sources[source];
            let (Some(removed), Some(added)) = (removed.get(file.name()), added.get(file.name()))
            else {
                continue;
            };
            let target = match (self.is_relevant(file), removed, added) {
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

    /// Compares all remaining files, and pairs the most similar ones first.
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

    /// Counts a rename for the directory of the file, and for the directories above while the rest of both paths is
    /// equal.
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
            if first || wanted == RenameRelevance::Itself {
                let counts = self.moves.entry(old_above.to_owned()).or_default();
                *counts.entry(new_above.to_owned()).or_default() += 1;
            }
            if wanted == RenameRelevance::No || old_above.is_empty() || new_above.is_empty() {
                return;
            }
            (old, new, first) = (old_above, new_above, false);
        }
    }
}

/// Maps base names to files. The value is `None` if several files have the name.
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

    /// Pairs files with equal content, preferably with the same base name.
    fn equal(&mut self, from: &[usize], to: &[usize]) {
        // Paired files are removed from the lists, so that later searches do not pass them again.
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

    /// Computes the similarity of two files. Returns 0 if they are not regular files or if their sizes exclude the
    /// score `enough`.
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
        let pieces = |id: &ObjectId| self.known.get(id).and_then(|it| it.chunks.as_deref());
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

    /// Returns true if the comparison of all pairs takes at most [`MAX_STEPS`].
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
                    // Each line is a chunk, but the number of hash values is limited.
                    let kinds = |bytes: u64| (bytes / SHORT_LINE).min(HASH_BASE.into());
                    steps = steps.saturating_add(kinds(*old) + kinds(new) + 1);
                }
            }
        }
        Ok(steps <= MAX_STEPS)
    }

    fn size(&mut self, id: ObjectId) -> Result<u64, GitError> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.size);
        }
        let size = self.git.size(id)?;
        self.known.insert(id, Bytes { size, chunks: None });
        Ok(size)
    }

    fn cut(&mut self, id: ObjectId) -> Result<(), GitError> {
        if self.known.get(&id).is_some_and(|it| it.chunks.is_some()) {
            return Ok(());
        }
        let bytes = self.git.blob(id)?;
        let pieces = chunks(&bytes)?;
        self.held.grow(size_of_val(pieces.as_slice()) as u64)?;
        let known = Bytes {
            size: bytes.len() as u64,
            chunks: Some(pieces),
        };
        self.known.insert(id, known);
        Ok(())
    }
}

/// Counts the bytes per hash value of chunks. In a text, a carriage return before a line feed is ignored.
fn chunks(bytes: &[u8]) -> Result<Vec<(u32, u32)>, GitError> {
    let is_text = !patch::is_binary(bytes);
    let most = count_lines(bytes) + bytes.len() as u64 / u64::from(MAX_CHUNK);
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
        if length == MAX_CHUNK || byte == b'\n' {
            all.push((chunk_hash(high, low), length));
            (high, low, length) = (0, 0, 0);
        }
    }
    if length > 0 {
        all.push((chunk_hash(high, low), length));
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

/// Returns true if the sizes of two files permit the score `enough`.
fn may_be_similar(old: u64, new: u64, enough: u64) -> bool {
    let (most, least) = (old.max(new), old.min(new));
    most != 0 && most * (EQUAL - enough) >= (most - least) * EQUAL
}

fn chunk_hash(high: u32, low: u32) -> u32 {
    high.wrapping_add(low.wrapping_mul(0x61)) % HASH_BASE
}
