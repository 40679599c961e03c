//! Patterns of one name: `*`, `?`, `[a-z]`, `!(a|b)` and similar.
//!
//! Lengths are in UTF-16 units, as in JavaScript.

use std::collections::HashMap;

use super::budget::Budget;
use super::class::{Class, Classes};
use super::places::{LAST, Places};
use crate::failure::Failure;

/// Maximum nesting depth of groups. Deeper parentheses are literal, because each level multiplies the work.
const MAX_DEPTH: usize = 3;

/// Compiled pattern for one name.
#[derive(Debug)]
pub(super) struct NamePattern {
    tokens: Vec<Token>,
    /// Minimum length of a matching name. It avoids comparing most names with a long pattern.
    shortest: usize,
}

#[derive(Debug)]
enum Token {
    Unit(u16),
    /// `?`
    One,
    /// `*`
    Many,
    Class(Box<Class>),
    /// `@(a|b)`, `?(…)`, `+(…)`, `*(…)`, `!(…)`.
    Group(u8, Vec<Vec<Token>>),
}

/// Name to match.
#[derive(Debug)]
pub(super) struct Name {
    length: usize,
    /// Distinct units, sorted, each with its positions. Empty if the name is longer than [`LAST`].
    units: Vec<(u16, Places)>,
}

impl Name {
    pub(super) fn new(name: &str) -> Self {
        let mut placed: Vec<(u16, usize)> = name.encode_utf16().zip(0..).collect();
        let length = placed.len();
        if length > LAST {
            placed.clear();
        }
        placed.sort_unstable();
        let mut units: Vec<(u16, Places)> = Vec::new();
        for (unit, place) in placed {
            match units.last_mut() {
                Some((last, places)) if *last == unit => places.insert(place),
                _ => units.push((unit, Places::one(place))),
            }
        }
        Self { length, units }
    }

    /// Returns the positions of a unit.
    fn places(&self, unit: u16) -> Places {
        let found = self.units.binary_search_by_key(&unit, |(unit, _)| *unit);
        found.map_or(Places::default(), |at| self.units[at].1)
    }
}

impl NamePattern {
    pub(super) fn new(pattern: &str, budget: &Budget) -> Result<Self, Failure> {
        let units: Vec<u16> = pattern.encode_utf16().collect();
        let tokens = tokens(&units, 0, budget)?;
        let shortest = shortest(&tokens);
        Ok(Self { tokens, shortest })
    }

    pub(super) fn matches(&self, name: &Name, budget: &Budget) -> Result<bool, Failure> {
        budget.take_steps(1)?;
        if name.length < self.shortest || name.length > LAST {
            return Ok(false);
        }
        let end = Places::one(name.length);
        Ok(starts(&self.tokens, name, end, budget)?.has(0))
    }
}

/// Returns the minimum number of units that the tokens match.
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

/// Returns the positions in `name` from which the tokens match up to one of `ends`.
fn starts(
    tokens: &[Token],
    name: &Name,
    mut ends: Places,
    budget: &Budget,
) -> Result<Places, Failure> {
    for token in tokens.iter().rev() {
        if ends.is_empty() {
            break;
        }
        budget.take_steps(1)?;
        ends = match token {
            Token::Unit(unit) => ends.before() & name.places(*unit),
            Token::One => ends.before(),
            Token::Class(class) => {
                budget.take_steps(name.units.len())?;
                let fitting = name.units.iter().filter(|(unit, _)| class.has(*unit));
                let fitting = fitting.fold(Places::default(), |sum, (_, places)| sum | *places);
                ends.before() & fitting
            }
            Token::Many => ends.filled(),
            Token::Group(kind, options) => group(*kind, options, name, ends, budget)?,
        };
    }
    Ok(ends)
}

fn group(
    kind: u8,
    options: &[Vec<Token>],
    name: &Name,
    ends: Places,
    budget: &Budget,
) -> Result<Places, Failure> {
    let once = |ends: Places| -> Result<Places, Failure> {
        let mut all = Places::default();
        for option in options {
            budget.take_steps(1)?;
            all = all | starts(option, name, ends, budget)?;
        }
        Ok(all)
    };
    let mut reached = once(ends)?;
    match kind {
        b'?' => reached = reached | ends,
        b'+' | b'*' => {
            loop {
                let further = reached | once(reached)?;
                if further == reached {
                    break;
                }
                reached = further;
            }
            if kind == b'*' {
                reached = reached | ends;
            }
        }
        b'!' => reached = ends.filled() & !reached,
        _ => {}
    }
    Ok(reached)
}

fn tokens(units: &[u16], depth: usize, budget: &Budget) -> Result<Vec<Token>, Failure> {
    let pairs = Pairs::of(units, budget)?;
    let mut classes = Classes::new(budget);
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
            let options = options.iter().map(|it| self::tokens(it, depth + 1, budget));
            tokens.push(Token::Group(byte, options.collect::<Result<_, _>>()?));
            at += length;
            continue;
        }
        tokens.push(match byte {
            // Repeated stars are equivalent to one.
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
            b'[' => match classes.at(units, at)? {
                Some((class, length)) => {
                    at += length;
                    Token::Class(Box::new(class.sorted()))
                }
                None => Token::Unit(unit),
            },
            _ => Token::Unit(unit),
        });
    }
    Ok(tokens)
}

/// Pairs of parentheses in a pattern, with the bars directly in them. Found in one pass, because a search for the end
/// from each opening parenthesis is quadratic in the length.
struct Pairs {
    /// Position of the closing parenthesis and of the bars, by position of the opening one.
    closed: HashMap<usize, (usize, Vec<usize>)>,
}

impl Pairs {
    fn of(units: &[u16], budget: &Budget) -> Result<Self, Failure> {
        let mut closed = HashMap::new();
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut classes = Classes::new(budget);
        let mut at = 0;
        while at < units.len() {
            match u8::try_from(units[at]).unwrap_or(0) {
                b'\\' => at += 1,
                b'[' => at += classes.at(units, at + 1)?.map_or(0, |(_, length)| length),
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
        Ok(Self { closed })
    }

    /// Returns the options in the parentheses that open at a position, and the length of the whole group.
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
            let budget = Budget::default();
            let compiled = NamePattern::new(pattern, &budget).unwrap();
            let fits = |text: &str| compiled.matches(&Name::new(text), &budget).unwrap();
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
        let budget = Budget::default();
        let compiled = NamePattern::new(&pattern, &budget).unwrap();
        compiled
            .matches(&Name::new(&"a".repeat(255)), &budget)
            .unwrap();
    }
}
