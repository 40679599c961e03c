//! Three-way merge of texts by lines, with the same conflicts as in git.

use gix::diff::blob::{Algorithm, Diff, InternedInput, sources};

use crate::call::{self, Interrupted};
use crate::git::line_diff::{LINE_BYTES, MAX_LINES, changed_block, count_lines};

/// Result of a merge of two texts.
pub(super) struct MergedText {
    /// Merged lines, with conflicts between markers.
    pub(super) bytes: Vec<u8>,
    pub(super) is_clean: bool,
}

/// Labels and length of conflict markers.
pub(super) struct Marks {
    pub(super) length: usize,
    pub(super) ours: String,
    pub(super) theirs: String,
}

/// Maximum number of lines between two conflicts that are joined into one.
const NEAR: usize = 3;

/// Maximum number of lines for the histogram diff, which git uses for merges, without the common start and end. Its
/// time can grow with the square of the number. More lines are compared with the Myers algorithm, as in `git diff`.
const MAX_OF_HISTOGRAM: usize = 16_384;

/// Range of lines: index of the first, and number.
#[derive(Debug, Clone, Copy)]
struct Span {
    at: usize,
    count: usize,
}

impl Span {
    fn between(at: usize, end: usize) -> Self {
        Self {
            at,
            count: end - at,
        }
    }

    fn end(self) -> usize {
        self.at + self.count
    }
}

/// Replacement of old lines by new ones.
#[derive(Debug, Clone, Copy)]
struct Edit {
    old: Span,
    new: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Take {
    Ours,
    Theirs,
    Conflict,
    /// Both sides have the same lines.
    Either,
}

/// Changed region of the base, as the ranges of both sides.
#[derive(Debug, Clone, Copy)]
struct Part {
    take: Take,
    ours: Span,
    theirs: Span,
}

type Lines<'a> = Vec<&'a [u8]>;

/// Merges the changes of two texts to a base.
pub(super) fn merge(
    base: &[u8],
    ours: &[u8],
    theirs: &[u8],
    marks: &Marks,
) -> Result<MergedText, Interrupted> {
    call::checkpoint()?;
    let lines: u64 = [base, ours, theirs].map(count_lines).iter().sum();
    let bytes = (base.len() + ours.len() + theirs.len()) as u64;
    let _held = call::reserve(lines * LINE_BYTES + 2 * bytes)?;
    let lines = |text| -> Lines<'_> { sources::byte_lines(text).collect() };
    let all = Texts {
        base: lines(base),
        ours: lines(ours),
        theirs: lines(theirs),
    };
    let (by_us, by_them) = (edits(&all.base, &all.ours), edits(&all.base, &all.theirs));
    let whole = |bytes: &[u8]| MergedText {
        bytes: bytes.to_vec(),
        is_clean: true,
    };
    if by_us.is_empty() {
        return Ok(whole(theirs));
    }
    if by_them.is_empty() {
        return Ok(whole(ours));
    }
    let mut parts = all.parts(&by_us, &by_them);
    parts = all.refine(parts);
    join_near(&mut parts);
    Ok(MergedText {
        is_clean: parts.iter().all(|part| part.take != Take::Conflict),
        bytes: all.write(&parts, marks),
    })
}

/// Computes the edits between two texts.
fn edits(old: &[&[u8]], new: &[&[u8]]) -> Vec<Edit> {
    let span =
        |range: std::ops::Range<u32>| Span::between(range.start as usize, range.end as usize);
    let mut input: InternedInput<&[u8]> = InternedInput::new(b"".as_slice(), b"");
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let block = changed_block(&input.before, &input.after);
    let lines = block.before.len() + block.after.len();
    if lines > MAX_LINES {
        return vec![Edit {
            old: span(block.before),
            new: span(block.after),
        }];
    }
    let algorithm = if lines > MAX_OF_HISTOGRAM {
        Algorithm::Myers
    } else {
        Algorithm::Histogram
    };
    let mut diff = Diff::compute(algorithm, &input);
    diff.postprocess_no_heuristic(&input);
    diff.hunks()
        .map(|hunk| Edit {
            old: span(hunk.before),
            new: span(hunk.after),
        })
        .collect()
}

struct Texts<'a> {
    base: Lines<'a>,
    ours: Lines<'a>,
    theirs: Lines<'a>,
}

impl<'a> Texts<'a> {
    /// Combines the edits of both sides in the order of the base.
    fn parts(&self, by_us: &[Edit], by_them: &[Edit]) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let (mut us, mut them) = (by_us.iter().peekable(), by_them.iter().peekable());
        // Offset from a line of the base to the same unchanged line on each side.
        let (mut our_shift, mut their_shift) = (0_isize, 0_isize);
        // A region that was joined with an earlier one can begin further back. Only its end is exact.
        let shifted = |span: Span, shift: isize| {
            let end = span.end().saturating_add_signed(shift);
            Span::between(span.at.saturating_add_signed(shift).min(end), end)
        };
        let grown = |edit: &Edit| edit.new.end() as isize - edit.old.end() as isize;
        loop {
            let (take, edit) = match (us.peek(), them.peek()) {
                (None, None) => break,
                (Some(our), None) => (Take::Ours, **our),
                (None, Some(their)) => (Take::Theirs, **their),
                (Some(our), Some(their)) if our.old.end() < their.old.at => (Take::Ours, **our),
                (Some(our), Some(their)) if their.old.end() < our.old.at => (Take::Theirs, **their),
                (Some(our), Some(their)) => {
                    let (our, their) = (**our, **their);
                    if !self.is_same(our, their) {
                        let (start, end) = (
                            our.old.at.min(their.old.at),
                            our.old.end().max(their.old.end()),
                        );
                        let around = |edit: Edit| {
                            let lead = edit.old.at - start;
                            let tail = end - edit.old.end();
                            Span::between(edit.new.at.saturating_sub(lead), edit.new.end() + tail)
                        };
                        let part = Part {
                            take: Take::Conflict,
                            ours: around(our),
                            theirs: around(their),
                        };
                        push(&mut parts, part);
                    }
                    if our.old.end() >= their.old.end() {
                        their_shift = grown(&their);
                        them.next();
                    }
                    if their.old.end() >= our.old.end() {
                        our_shift = grown(&our);
                        us.next();
                    }
                    continue;
                }
            };
            let part = match take {
                Take::Ours => {
                    us.next();
                    our_shift = grown(&edit);
                    Part {
                        take,
                        ours: edit.new,
                        theirs: shifted(edit.old, their_shift),
                    }
                }
                _ => {
                    them.next();
                    their_shift = grown(&edit);
                    Part {
                        take,
                        ours: shifted(edit.old, our_shift),
                        theirs: edit.new,
                    }
                }
            };
            push(&mut parts, part);
        }
        parts
    }

    fn is_same(&self, our: Edit, their: Edit) -> bool {
        our.old.at == their.old.at
            && our.old.count == their.old.count
            && self.ours[our.new.at..our.new.end()] == self.theirs[their.new.at..their.new.end()]
    }

    /// Removes equal lines from conflicts.
    fn refine(&self, parts: Vec<Part>) -> Vec<Part> {
        let mut refined = Vec::with_capacity(parts.len());
        for part in parts {
            if part.take != Take::Conflict || part.ours.count == 0 || part.theirs.count == 0 {
                refined.push(part);
                continue;
            }
            let differing = edits(
                &self.ours[part.ours.at..part.ours.end()],
                &self.theirs[part.theirs.at..part.theirs.end()],
            );
            if differing.is_empty() {
                let take = Take::Either;
                refined.push(Part { take, ..part });
            }
            refined.extend(differing.into_iter().map(|edit| Part {
                ours: Span {
                    at: part.ours.at + edit.old.at,
                    count: edit.old.count,
                },
                theirs: Span {
                    at: part.theirs.at + edit.new.at,
                    count: edit.new.count,
                },
                ..part
            }));
        }
        refined
    }

    fn write(&self, parts: &[Part], marks: &Marks) -> Vec<u8> {
        let mut text = Vec::new();
        let mut done = 0;
        for part in parts {
            if part.take == Take::Either {
                continue;
            }
            text.extend(self.ours[done..part.ours.at].concat());
            done = part.ours.end();
            let (ours, theirs) = (
                &self.ours[part.ours.at..part.ours.end()],
                &self.theirs[part.theirs.at..part.theirs.end()],
            );
            match part.take {
                Take::Ours => text.extend(ours.concat()),
                Take::Theirs => text.extend(theirs.concat()),
                _ => {
                    let end: &[u8] = if self.ends_with_returns(part) {
                        b"\r\n"
                    } else {
                        b"\n"
                    };
                    let mut mark = |sign: &str, label: &str, below: &[&[u8]]| {
                        text.extend(sign.repeat(marks.length).into_bytes());
                        if !label.is_empty() {
                            text.push(b' ');
                            text.extend(label.as_bytes());
                        }
                        text.extend(end);
                        text.extend(below.concat());
                        if below.last().is_some_and(|line| !line.ends_with(b"\n")) {
                            text.extend(end);
                        }
                    };
                    mark("<", &marks.ours, ours);
                    mark("=", "", theirs);
                    mark(">", &marks.theirs, &[]);
                }
            }
        }
        text.extend(self.ours[done..].concat());
        text
    }

    /// Returns true if the lines around a conflict end with a carriage return and a line feed.
    fn ends_with_returns(&self, part: &Part) -> bool {
        let around = |lines: &[&[u8]], at: usize| -> Option<bool> {
            let line = lines.get(at)?;
            let line = if line.ends_with(b"\n") {
                line
            } else {
                lines.get(at.checked_sub(1)?)?
            };
            Some(line.ends_with(b"\r\n"))
        };
        let before = |at: usize| at.saturating_sub(1);
        around(&self.base, 0) == Some(true)
            && around(&self.ours, before(part.ours.at)) != Some(false)
            && around(&self.theirs, before(part.theirs.at)) != Some(false)
    }
}

/// Adds a region, or joins it with the last one if they touch.
fn push(parts: &mut Vec<Part>, part: Part) {
    match parts.last_mut() {
        Some(last) if part.ours.at <= last.ours.end() || part.theirs.at <= last.theirs.end() => {
            if part.take != last.take {
                last.take = Take::Conflict;
            }
            last.ours = Span::between(last.ours.at, part.ours.end());
            last.theirs = Span::between(last.theirs.at, part.theirs.end());
        }
        _ => parts.push(part),
    }
}

/// Joins conflicts that are close together.
fn join_near(parts: &mut Vec<Part>) {
    parts.dedup_by(|next, before| {
        let both = [next.take, before.take] == [Take::Conflict; 2];
        let near = both && next.ours.at - before.ours.end() <= NEAR;
        if near {
            before.ours = Span::between(before.ours.at, next.ours.end());
            before.theirs = Span::between(before.theirs.at, next.theirs.end());
        }
        near
    });
}
