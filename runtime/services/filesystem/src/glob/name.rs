//! The pattern of one name: `*`, `?`, `[a-z]`, `!(a|b)` and their like.
//!
//! JavaScript counts UTF-16 units, and so does this.

use std::collections::HashMap;

/// Parentheses nested deeper than this mean themselves: each level multiplies the work.
const MAX_DEPTH: usize = 3;

/// A compiled pattern for one name.
#[derive(Debug)]
pub(super) struct Name {
    tokens: Vec<Token>,
    /// Shorter names do not match: most names are not compared with a long pattern.
    shortest: usize,
}

#[derive(Debug)]
enum Token {
    Unit(u16),
    /// `?`
    One,
    /// `*`
    Many,
    Class(Class),
    /// `@(a|b)`, `?(…)`, `+(…)`, `*(…)`, `!(…)`.
    Group(u8, Vec<Vec<Token>>),
}

#[derive(Debug, Default)]
struct Class {
    negated: bool,
    ranges: Vec<(u16, u16)>,
    kinds: Vec<fn(char) -> bool>,
}

impl Name {
    pub(super) fn new(pattern: &str) -> Self {
        let units: Vec<u16> = pattern.encode_utf16().collect();
        let tokens = tokens(&units, 0);
        let shortest = shortest(&tokens);
        Self { tokens, shortest }
    }

    pub(super) fn matches(&self, name: &[u16]) -> bool {
        if name.len() < self.shortest {
            return false;
        }
        let mut ends = vec![false; name.len() + 1];
        ends[name.len()] = true;
        starts(&self.tokens, name, ends)[0]
    }
}

/// How many units match at least.
fn shortest(tokens: &[Token]) -> usize {
    let least = |token: &Token| match token {
        Token::Unit(_) | Token::One | Token::Class(_) => 1,
        Token::Group(b'@' | b'+', options) => {
            let options = options.iter().map(|option| shortest(option));
            options.min().unwrap_or(0)
        }
        Token::Many | Token::Group(..) => 0,
    };
    tokens.iter().map(least).sum()
}

/// The places in `name` from which the tokens lead to one of `ends`.
fn starts(tokens: &[Token], name: &[u16], mut ends: Vec<bool>) -> Vec<bool> {
    for token in tokens.iter().rev() {
        if !ends.contains(&true) {
            break;
        }
        ends = match token {
            Token::Unit(unit) => one(name, &ends, |it| it == *unit),
            Token::One => one(name, &ends, |_| true),
            Token::Class(class) => one(name, &ends, |it| class.has(it)),
            Token::Many => many(ends),
            Token::Group(kind, options) => group(*kind, options, name, ends),
        };
    }
    ends
}

fn one(name: &[u16], ends: &[bool], fits: impl Fn(u16) -> bool) -> Vec<bool> {
    let mut starts = vec![false; ends.len()];
    for (at, unit) in name.iter().enumerate() {
        starts[at] = ends[at + 1] && fits(*unit);
    }
    starts
}

fn many(mut ends: Vec<bool>) -> Vec<bool> {
    let last = ends.iter().rposition(|it| *it);
    if let Some(last) = last {
        ends[..last].fill(true);
    }
    ends
}

fn group(kind: u8, options: &[Vec<Token>], name: &[u16], ends: Vec<bool>) -> Vec<bool> {
    let once = |ends: &[bool]| {
        let mut all = vec![false; ends.len()];
        for option in options {
            join(&mut all, &starts(option, name, ends.to_vec()));
        }
        all
    };
    let mut reached = once(&ends);
    match kind {
        b'?' => {
            join(&mut reached, &ends);
        }
        b'+' | b'*' => {
            loop {
                let further = once(&reached);
                if !join(&mut reached, &further) {
                    break;
                }
            }
            if kind == b'*' {
                join(&mut reached, &ends);
            }
        }
        b'!' => {
            let matched = reached;
            reached = many(ends);
            for (start, matched) in reached.iter_mut().zip(matched) {
                *start &= !matched;
            }
        }
        _ => {}
    }
    reached
}

/// Adds places; tells whether any was new.
fn join(places: &mut [bool], more: &[bool]) -> bool {
    let mut grown = false;
    for (place, more) in places.iter_mut().zip(more) {
        grown |= *more && !*place;
        *place |= more;
    }
    grown
}

fn tokens(units: &[u16], depth: usize) -> Vec<Token> {
    let pairs = Pairs::of(units);
    let mut classes = Classes::default();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < units.len() {
        let next = units.get(at + 1).copied();
        let unit = units[at];
        at += 1;
        let byte = u8::try_from(unit).unwrap_or(0);
        if matches!(byte, b'!' | b'?' | b'+' | b'*' | b'@')
            && next == Some(u16::from(b'('))
            && depth < MAX_DEPTH
            && let Some((options, length)) = pairs.options(units, at)
        {
            let options = options.iter().map(|it| self::tokens(it, depth + 1));
            tokens.push(Token::Group(byte, options.collect()));
            at += length;
            continue;
        }
        tokens.push(match byte {
            // More of them mean the same.
            b'*' if matches!(tokens.last(), Some(Token::Many)) => continue,
            b'*' => Token::Many,
            b'?' => Token::One,
            b'\\' => match next {
                Some(escaped) => {
                    at += 1;
                    Token::Unit(escaped)
                }
                None => Token::Unit(unit),
            },
            b'[' => match classes.at(units, at) {
                Some((class, length)) => {
                    at += length;
                    Token::Class(class)
                }
                None => Token::Unit(unit),
            },
            _ => Token::Unit(unit),
        });
    }
    tokens
}

/// Which parentheses of a pattern belong together, and the bars that divide what is in them; found in
/// one pass, since to look for its end from each opening one takes the square of the length.
struct Pairs {
    /// By the place of the opening one: that of the closing one, and those of the bars.
    closed: HashMap<usize, (usize, Vec<usize>)>,
}

impl Pairs {
    fn of(units: &[u16]) -> Self {
        let mut closed = HashMap::new();
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut classes = Classes::default();
        let mut at = 0;
        while at < units.len() {
            match u8::try_from(units[at]).unwrap_or(0) {
                b'\\' => at += 1,
                b'[' => at += classes.at(units, at + 1).map_or(0, |(_, length)| length),
                b'(' => open.push((at, Vec::new())),
                b'|' => {
                    if let Some((_, bars)) = open.last_mut() {
                        bars.push(at);
                    }
                }
                b')' => {
                    if let Some((start, bars)) = open.pop() {
                        closed.insert(start, (at, bars));
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Self { closed }
    }

    /// What the bars divide in the parentheses that open at a place, and the length of all that.
    fn options<'u>(&self, units: &'u [u16], open: usize) -> Option<(Vec<&'u [u16]>, usize)> {
        let (close, bars) = self.closed.get(&open)?;
        let mut options = Vec::new();
        let mut from = open + 1;
        for end in bars.iter().chain([close]) {
            options.push(&units[from..*end]);
            from = end + 1;
        }
        Some((options, close + 1 - open))
    }
}

/// Reads classes of one pattern.
#[derive(Default)]
struct Classes {
    /// From here on none has an end: one was looked for in vain.
    none_from: Option<usize>,
}

impl Classes {
    /// The class after the opening bracket before `at`, and its length; none where it does not end.
    fn at(&mut self, units: &[u16], at: usize) -> Option<(Class, usize)> {
        if self.none_from.is_some_and(|from| at >= from) {
            return None;
        }
        let mut class = Class::default();
        let length = class.parse(&units[at..]);
        // The bracket that ends a name may also be the end of a class that begins later.
        if length.is_none() && class.kinds.is_empty() {
            self.none_from = Some(at);
        }
        Some((class, length?))
    }
}

impl Class {
    /// Reads what begins after an opening bracket, and gives its length; none where it does not end.
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
                self.kinds.push(kind);
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

    fn has(&self, unit: u16) -> bool {
        let ranged = self
            .ranges
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&unit));
        let c = char::from_u32(unit.into());
        let named = c.is_some_and(|c| self.kinds.iter().any(|kind| kind(c)));
        (ranged || named) != self.negated
    }
}

fn ascii(unit: Option<&u16>) -> u8 {
    unit.and_then(|unit| u8::try_from(*unit).ok()).unwrap_or(0)
}

type Kind = fn(char) -> bool;

/// `[:alpha:]` and its like, and their length.
fn named(units: &[u16]) -> Option<(Kind, usize)> {
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
    if !units.starts_with(&[u16::from(b'['), u16::from(b':')]) {
        return None;
    }
    let is_here = |name: &str| {
        let here = units.iter().take(name.len()).copied();
        here.eq(name.bytes().map(u16::from))
    };
    let (name, kind) = KINDS.iter().find(|(name, _)| is_here(name))?;
    Some((*kind, name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (pattern, fitting, unfitting) in [
            ("a?c", vec!["abc", "aéc"], vec!["ac", "a😀c"]),
            ("*.txt", vec!["a.txt", ".txt"], vec!["a.txt~"]),
            ("a*b*c", vec!["abc", "axxbyyc"], vec!["acb"]),
            ("[a-c]x", vec!["ax", "cx"], vec!["dx", "x"]),
            ("[!a-c]x", vec!["dx"], vec!["ax"]),
            ("[]a]", vec!["]", "a"], vec!["b"]),
            ("[a-]", vec!["a", "-"], vec!["b"]),
            ("[\\]x]", vec!["]", "x"], vec!["\\"]),
            ("[a", vec!["[a"], vec!["a"]),
            ("[[:digit:]_]*", vec!["1a", "_"], vec!["a1"]),
            ("\\*", vec!["*"], vec!["a"]),
            ("@(a|b)c", vec!["ac", "bc"], vec!["c", "abc"]),
            ("?(a|b)c", vec!["ac", "c"], vec!["abc"]),
            ("+(a|b)c", vec!["ac", "abac"], vec!["c"]),
            ("*(a|b)c", vec!["c", "abac"], vec!["dc"]),
            ("!(a|b)c", vec!["c", "dc", "abc"], vec!["ac", "bc"]),
            ("!(*.txt)", vec!["a.md", "txt"], vec!["a.txt"]),
            ("*(+(a)|b)", vec!["", "aabba"], vec!["c"]),
            ("@(a", vec!["@(a"], vec!["a"]),
            ("x(1).txt", vec!["x(1).txt"], vec!["x1.txt"]),
        ] {
            let name = Name::new(pattern);
            let fits = |text: &str| name.matches(&text.encode_utf16().collect::<Vec<_>>());
            for text in fitting {
                assert!(fits(text), "{pattern} should match {text}");
            }
            for text in unfitting {
                assert!(!fits(text), "{pattern} should not match {text}");
            }
        }
    }

    #[test]
    fn deep_nesting_ends() {
        let pattern = format!("{}a{}", "+(".repeat(1000), ")".repeat(1000));
        let name: Vec<u16> = "a".repeat(255).encode_utf16().collect();
        Name::new(&pattern).matches(&name);
    }
}
