//! Glob patterns as the real server's library matches them, names with a leading dot included.

use globset::{GlobBuilder, GlobMatcher};

use crate::failure::Failure;

/// The longest pattern that the real server's library takes, in UTF-16 units.
const MAX_PATTERN: usize = 65_536;

/// Most alternatives that the braces of one pattern may stand for.
const MAX_ALTERNATIVES: usize = 1000;

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    alternatives: Vec<Vec<Segment>>,
    negated: bool,
}

#[derive(Debug)]
enum Segment {
    /// `**`: any number of names.
    Any,
    Name(GlobMatcher),
    Literal(String),
}

impl Pattern {
    pub(crate) fn new(pattern: &str) -> Result<Self, Failure> {
        if pattern.encode_utf16().count() > MAX_PATTERN {
            return Err(Failure::said("pattern is too long"));
        }
        let body = pattern.trim_start_matches('!');
        let negated = (pattern.len() - body.len()) % 2 == 1;
        let alternatives = if pattern.starts_with('#') {
            Vec::new()
        } else {
            let alternatives = expand_braces(body);
            alternatives.iter().map(|it| segments(it)).collect()
        };
        Ok(Self {
            alternatives,
            negated,
        })
    }

    /// Whether a path relative to the searched directory matches.
    pub(crate) fn matches(&self, relative: &str) -> bool {
        let names: Vec<&str> = relative.split('/').collect();
        let matched = self.alternatives.iter().any(|it| matches(it, &names));
        matched != self.negated
    }
}

fn segments(pattern: &str) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for name in pattern.split('/') {
        match name {
            "**" if matches!(segments.last(), Some(Segment::Any)) => {}
            "**" => segments.push(Segment::Any),
            _ => segments.push(segment(name)),
        }
    }
    segments
}

fn segment(name: &str) -> Segment {
    if !name.contains(['*', '?', '[', '\\']) {
        return Segment::Literal(name.to_owned());
    }
    // Braces were expanded before; those that are left mean themselves.
    let mut escaped = String::with_capacity(name.len());
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' => escaped.extend(['\\', c]),
            '\\' => {
                escaped.push(c);
                escaped.extend(chars.next());
            }
            _ => escaped.push(c),
        }
    }
    let glob = GlobBuilder::new(&escaped).literal_separator(true).build();
    match glob {
        Ok(glob) => Segment::Name(glob.compile_matcher()),
        Err(_) => Segment::Literal(name.to_owned()),
    }
}

/// `**` stands for any number of names, but for at least one at the end of a pattern.
fn matches(segments: &[Segment], names: &[&str]) -> bool {
    // reachable[n]: the segments so far match the first n names.
    let mut reachable = vec![false; names.len() + 1];
    reachable[0] = true;
    for (index, segment) in segments.iter().enumerate() {
        let mut next = vec![false; names.len() + 1];
        match segment {
            Segment::Any => {
                let first = usize::from(index + 1 == segments.len());
                if let Some(from) = reachable.iter().position(|it| *it) {
                    let from = (from + first).min(names.len() + 1);
                    next[from..].fill(true);
                }
            }
            _ => {
                for (at, name) in names.iter().enumerate().filter(|(at, _)| reachable[*at]) {
                    next[at + 1] = match segment {
                        Segment::Name(glob) => glob.is_match(name),
                        Segment::Literal(literal) => literal == name,
                        Segment::Any => true,
                    };
                }
            }
        }
        reachable = next;
    }
    reachable[names.len()]
}

/// The patterns that `{a,b}` and `{1..3}` stand for.
fn expand_braces(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(pattern) = open.pop() {
        let room = done.len() + open.len() < MAX_ALTERNATIVES;
        match brace(&pattern).filter(|_| room) {
            Some((before, options, after)) => {
                for option in options.iter().rev() {
                    open.push(format!("{before}{option}{after}"));
                }
            }
            None => done.push(pattern),
        }
    }
    done.truncate(MAX_ALTERNATIVES);
    done
}

/// The first brace pair that stands for something: what is before, in, and after it.
fn brace(pattern: &str) -> Option<(&str, Vec<String>, &str)> {
    let bytes = pattern.as_bytes();
    let mut start = 0;
    loop {
        start = find_unescaped(bytes, start, b'{')?;
        if let Some((end, commas)) = closing(bytes, start) {
            let body = &pattern[start + 1..end];
            let options = if commas.is_empty() {
                range(body)
            } else {
                let mut options = Vec::new();
                let mut from = start + 1;
                for comma in commas.into_iter().chain([end]) {
                    options.push(pattern[from..comma].to_owned());
                    from = comma + 1;
                }
                Some(options)
            };
            if let Some(options) = options {
                return Some((&pattern[..start], options, &pattern[end + 1..]));
            }
        }
        start += 1;
    }
}

fn find_unescaped(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            byte if byte == wanted => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The end of the brace pair that starts at `start`, and the commas that divide it.
fn closing(bytes: &[u8], start: usize) -> Option<(usize, Vec<usize>)> {
    let mut depth = 0;
    let mut commas = Vec::new();
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some((at, commas));
                }
            }
            b',' if depth == 1 => commas.push(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// `1..3` or `a..c`, both ends included.
fn range(body: &str) -> Option<Vec<String>> {
    let (first, last) = body.split_once("..")?;
    if let (Ok(first), Ok(last)) = (first.parse::<i32>(), last.parse::<i32>()) {
        let count = first.abs_diff(last).min(MAX_ALTERNATIVES as u32) as i32;
        let step = (last - first).signum();
        return Some(
            (0..=count)
                .map(|n| (first + n * step).to_string())
                .collect(),
        );
    }
    let letter = |text: &str| match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(*byte),
        _ => None,
    };
    let (first, last) = (letter(first)?, letter(last)?);
    let between = |from: u8, to: u8| (from..=to).map(|byte| char::from(byte).to_string());
    Some(if first <= last {
        between(first, last).collect()
    } else {
        between(last, first).rev().collect()
    })
}
