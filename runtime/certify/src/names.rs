//! Names that a Rust source binds itself. They are numbered, so that another choice of names is no other structure.

use std::collections::{BTreeMap, BTreeSet};

use crate::tokens::is_word;

/// Keywords that are followed by the name of an item.
const ITEMS: [&str; 8] = [
    "fn", "const", "static", "struct", "enum", "type", "mod", "trait",
];
/// Keywords that can occur before a name or in its place, in addition to [`ITEMS`].
const KEYWORDS: [&str; 11] = [
    "mut", "ref", "self", "true", "false", "crate", "super", "unsafe", "async", "extern", "_",
];
/// Maximum length of a pattern, in tokens.
const LONGEST_PATTERN: usize = 32;

/// Names that a file binds.
#[derive(Debug, Default)]
struct Bound<'t> {
    /// Names of items.
    items: BTreeSet<&'t str>,
    /// Names of variables and parameters. A field or a method can have the same name, and is not renamed.
    variables: BTreeSet<&'t str>,
}

/// Returns tokens in which each name that they bind is replaced by the number of its first occurrence. Names from other
/// files remain, such as those of the SDK, and so do the names of fields.
pub(crate) fn renamed(tokens: &[String]) -> Vec<String> {
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let bound = Bound::of(&tokens);
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let renamed = tokens.iter().enumerate().map(|(at, token)| {
        let is_bound = bound.items.contains(token)
            || (bound.variables.contains(token) && !is_member(&tokens, at));
        if !is_bound {
            return (*token).to_owned();
        }
        let next = numbers.len();
        format!("#{}", numbers.entry(token).or_insert(next))
    });
    renamed.collect()
}

impl<'t> Bound<'t> {
    fn of(tokens: &[&'t str]) -> Self {
        let mut bound = Self::default();
        for (at, token) in tokens.iter().enumerate() {
            let rest = &tokens[at + 1..];
            match *token {
                item if ITEMS.contains(&item) => {
                    let name = rest.first().filter(|name| is_name(name));
                    bound.items.extend(name);
                }
                "let" => bound.variables.extend(pattern(rest, &["=", ";"])),
                "for" => bound.variables.extend(pattern(rest, &["in"])),
                "mut" => {
                    let name = rest.first().filter(|name| is_variable(name));
                    bound.variables.extend(name);
                }
                "|" if opens_closure(tokens, at) => {
                    bound.variables.extend(pattern(rest, &["|"]));
                }
                _ => {}
            }
        }
        bound.variables.extend(parameters(tokens));
        bound
    }
}

/// Returns the variables of a pattern at the start of these tokens. There are none if no token of `ends` follows it.
fn pattern<'t>(tokens: &[&'t str], ends: &[&str]) -> Vec<&'t str> {
    let mut variables = Vec::new();
    let mut depth = 0_usize;
    let mut is_type = false;
    for (at, token) in tokens.iter().enumerate().take(LONGEST_PATTERN) {
        let next = tokens.get(at + 1).copied().unwrap_or_default();
        match *token {
            end if depth == 0 && ends.contains(&end) => return variables,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => return Vec::new(),
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 0 => is_type = false,
            // A colon that is not a part of a path begins a type.
            ":" if depth == 0 && next != ":" && (at == 0 || tokens[at - 1] != ":") => {
                is_type = true;
            }
            name if is_variable(name) && !is_type => {
                let is_path = ["(", "{", "!"].contains(&next) || is_member(tokens, at);
                let is_field = next == ":" && depth > 0;
                let is_module = next == ":" && tokens.get(at + 2) == Some(&":");
                if !is_path && !is_field && !is_module {
                    variables.push(name);
                }
            }
            _ => {}
        }
    }
    Vec::new()
}

/// Returns the names in parentheses that have a type, which are those of parameters.
fn parameters<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    let mut open = Vec::new();
    let mut names = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "(" | "[" | "{" => open.push(*token),
            ")" | "]" | "}" => {
                open.pop();
            }
            name if open.last() == Some(&"(") && is_variable(name) => {
                let is_first = at > 0 && ["(", ",", "mut"].contains(&tokens[at - 1]);
                let has_type = tokens.get(at + 1) == Some(&":") && tokens.get(at + 2) != Some(&":");
                if is_first && has_type {
                    names.push(name);
                }
            }
            _ => {}
        }
    }
    names
}

/// Reports whether the bar at this index opens the parameters of a closure, and is no operator.
fn opens_closure(tokens: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| tokens[before]);
    before.is_none_or(|before| {
        ["(", ",", "=", ">", "{", "}", ";", "move", "return"].contains(&before)
    })
}

/// Reports whether the name at this index follows a dot or a path: it is a field, a method or the item of a module.
fn is_member(tokens: &[&str], at: usize) -> bool {
    let before = |count: usize| at.checked_sub(count).map(|before| tokens[before]);
    match before(1) {
        // Two dots are a range.
        Some(".") => before(2) != Some("."),
        Some(":") => before(2) == Some(":"),
        _ => false,
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| is_word(c) && !c.is_ascii_digit())
        && !KEYWORDS.contains(&token)
        && !ITEMS.contains(&token)
}

/// Reports whether a token can be the name of a variable. A name that begins with a capital letter is one of a type, a
/// variant or a constant.
fn is_variable(token: &str) -> bool {
    is_name(token) && !token.starts_with(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use crate::tokens::Tokens;

    fn structure(source: &str) -> String {
        Tokens::of(source).structure.join(" ")
    }

    #[test]
    fn other_names_are_no_other_structure() {
        let one = "const RATE: u32 = 3; struct Row { hours: u32 }
            fn total(rows: &[Row], rate: u32) -> u32 {
                let mut sum = 0;
                for row in rows { sum += row.hours * rate * RATE; }
                let (whole, rest): (u32, u32) = split(sum);
                if let Some(limit) = bound() { return whole.min(limit); }
                rows.iter().map(|row| row.hours).filter(|&it| it > rest).count()
            }";
        let other = "const PRICE: u32 = 3; struct Line { hours: u32 }
            fn amount(lines: &[Line], price: u32) -> u32 {
                let mut all = 0;
                for line in lines { all += line.hours * price * PRICE; }
                let (full, left): (u32, u32) = split(all);
                if let Some(most) = bound() { return full.min(most); }
                lines.iter().map(|line| line.hours).filter(|&one| one > left).count()
            }";
        assert_eq!(structure(one), structure(other));
        // The same names in other places are another structure.
        assert_ne!(
            structure(one),
            structure(&one.replace("* rate * RATE", "* RATE * rate"))
        );
    }

    #[test]
    fn names_of_other_files_remain() {
        let source =
            "use sdk::{Check, lines}; const fn rule(text: &str) -> Check { text.trim().text() }";
        assert_eq!(
            structure(source),
            "use sdk : : { Check , lines } ; const fn #0 ( #1 : & str ) - > Check { #1 . trim ( ) . text ( ) }"
        );
        for (one, other) in [
            ("let a = b.lines();", "let a = b.words();"),
            ("let a = File { path: p };", "let a = File { name: p };"),
            ("let Open { a: b } = c();", "let Shut { a: b } = c();"),
            ("impl Rule for Hours {}", "impl Rule for Days {}"),
            ("f(a | b);", "f(a | c);"),
        ] {
            assert_ne!(structure(one), structure(other));
        }
        assert_eq!(structure("f(0..n)"), "f ( 0 . . n )");
        assert_eq!(structure("let n = f(0..n);"), "let #0 = f ( 0 . . #0 ) ;");
    }
}
