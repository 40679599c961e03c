//! Character classes in name patterns: `[a-z]`, `[!_]`, `[[:alpha:]]`.

use super::budget::Budget;
use crate::failure::Failure;

/// Compiled character class.
#[derive(Debug, Default)]
pub(super) struct Class {
    negated: bool,
    /// Ranges, sorted and disjoint once [`Self::sorted`] was called.
    ranges: Vec<(u16, u16)>,
    /// Bit set of indices into [`KINDS`].
    kinds: u16,
}

/// Parser for the classes of one pattern.
pub(super) struct Classes<'b> {
    budget: &'b Budget,
    /// Position from which on no class is closed, because a search for the end failed there.
    none_from: Option<usize>,
}

impl<'b> Classes<'b> {
    pub(super) fn new(budget: &'b Budget) -> Self {
        Self {
            budget,
            none_from: None,
        }
    }

    /// Parses the class after the opening bracket before `at`. Returns it with its length, or `None` if it is not
    /// closed.
    pub(super) fn at(
        &mut self,
        units: &[u16],
        at: usize,
    ) -> Result<Option<(Class, usize)>, Failure> {
        if self.none_from.is_some_and(|from| at >= from) {
            return Ok(None);
        }
        let mut class = Class::default();
        let length = class.parse(&units[at..]);
        // Parsing can take quadratic time: the bracket that ends a named class may also end a class that begins later,
        // and an unclosed class is parsed to the end of the pattern from each start.
        self.budget.take_steps(length.unwrap_or(units.len() - at))?;
        if length.is_none() && class.kinds == 0 {
            self.none_from = Some(at);
        }
        Ok(length.map(|length| (class, length)))
    }
}

impl Class {
    /// Parses a class after its opening bracket. Returns its length, or `None` if it is not closed.
    fn parse(&mut self, units: &[u16]) -> Option<usize> {
        let mut at = 0;
        if matches!(ascii(units.first()), b'!' | b'^') {
            self.negated = true;
            at += 1;
        }
        let start = at;
        loop {
            let mut unit = *units.get(at)?;
            if unit == u16::from(b']') && at > start {
                return Some(at + 1);
            }
            if let Some((kind, length)) = named(&units[at..]) {
                self.kinds |= 1 << kind;
                at += length;
                continue;
            }
            at += 1;
            if unit == u16::from(b'\\') {
                unit = *units.get(at)?;
                at += 1;
            }
            let mut last = unit;
            let ends = ascii(units.get(at + 1)) == b']';
            if ascii(units.get(at)) == b'-' && units.len() > at + 1 && !ends {
                last = units[at + 1];
                at += 2;
                if last == u16::from(b'\\') {
                    last = *units.get(at)?;
                    at += 1;
                }
            }
            self.ranges.push((unit, last));
        }
    }

    /// Returns the same class with sorted ranges, as [`Self::has`] requires.
    pub(super) fn sorted(mut self) -> Self {
        self.ranges.retain(|(first, last)| first <= last);
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, before| {
            let overlaps = next.0 <= before.1;
            if overlaps {
                before.1 = before.1.max(next.1);
            }
            overlaps
        });
        self
    }

    pub(super) fn has(&self, unit: u16) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= unit);
        let ranged = after > 0 && unit <= self.ranges[after - 1].1;
        let named = || {
            let c = char::from_u32(unit.into());
            let mut kinds = KINDS.iter().enumerate();
            c.is_some_and(|c| kinds.any(|(at, (_, kind))| self.kinds >> at & 1 == 1 && kind(c)))
        };
        (ranged || (self.kinds != 0 && named())) != self.negated
    }
}

fn ascii(unit: Option<&u16>) -> u8 {
    unit.and_then(|unit| u8::try_from(*unit).ok()).unwrap_or(0)
}

type Kind = fn(char) -> bool;

const KINDS: [(&str, Kind); 14] = [
    ("[:alnum:]", char::is_alphanumeric),
    ("[:alpha:]", char::is_alphabetic),
    ("[:ascii:]", |c| c.is_ascii()),
    ("[:blank:]", |c| {
        c == '\t' || (c.is_whitespace() && c >= ' ')
    }),
    ("[:cntrl:]", char::is_control),
    ("[:digit:]", |c| c.is_ascii_digit()),
    ("[:graph:]", |c| !c.is_whitespace() && !c.is_control()),
    ("[:lower:]", char::is_lowercase),
    ("[:print:]", |c| !c.is_control()),
    ("[:punct:]", |c| {
        c.is_ascii_punctuation() && !"$+<=>^`|~".contains(c)
    }),
    ("[:space:]", char::is_whitespace),
    ("[:upper:]", char::is_uppercase),
    ("[:word:]", |c| c.is_alphanumeric() || c == '_'),
    ("[:xdigit:]", |c| c.is_ascii_hexdigit()),
];

/// Parses a named class such as `[:alpha:]`. Returns its index in [`KINDS`] and its length.
fn named(units: &[u16]) -> Option<(usize, usize)> {
    if !units.starts_with(&[u16::from(b'['), u16::from(b':')]) {
        return None;
    }
    let is_here = |name: &str| {
        let here = units.iter().take(name.len()).copied();
        here.eq(name.bytes().map(u16::from))
    };
    let kind = KINDS.iter().position(|(name, _)| is_here(name))?;
    Some((kind, KINDS[kind].0.len()))
}
