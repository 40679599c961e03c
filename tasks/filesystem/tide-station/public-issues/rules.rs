//! What an export has to lose before it is published. The wrong solutions bend one rule each.

use std::collections::BTreeSet;

use mcpmark_guest::Csv;

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// Contributors have the numbers of their lines in the list of people.
    pub numbers_by_the_list: bool,
    /// Only logins are replaced.
    pub overlooks_full_names: bool,
}

/// The names of what is counted.
pub const COUNTED: [&str; 9] = [
    "issues left out",
    "references to issues left out",
    "people",
    "mentions of people",
    "e-mail addresses",
    "telephone numbers",
    "IP addresses",
    "tokens",
    "positions",
];

/// The copy for the public and the counts, in the order of [`COUNTED`].
pub struct Copy {
    pub text: String,
    pub counts: [usize; 9],
}

/// The newest export among some paths.
pub fn newest_export(paths: &[String]) -> &str {
    let exports = paths
        .iter()
        .filter(|path| path.starts_with("tracker/export-") && path.ends_with(".txt"));
    // Days in ISO form compare as text.
    exports.max().expect("there is an export")
}

/// Where the copy of an export belongs.
pub fn copy_path(export: &str) -> String {
    export.replace("tracker/export-", "tracker/public/issues-")
}

/// Somebody who is not to be named.
struct Person {
    login: String,
    name: String,
}

/// Makes the copy.
pub fn copy(export: &str, people: &str, oversights: &Oversights) -> Copy {
    let mut withheld = BTreeSet::new();
    let mut kept = String::new();
    let mut issues = 0;
    for block in blocks(export) {
        let number = block
            .lines()
            .nth(1)
            .and_then(|line| line.strip_prefix('#'))
            .and_then(|line| line.split(' ').next());
        let is_private = block
            .lines()
            .find_map(|line| line.strip_prefix("Labels:"))
            .is_some_and(|labels| {
                labels
                    .split(',')
                    .any(|label| label.trim().eq_ignore_ascii_case("private"))
            });
        match number {
            Some(number) if is_private => {
                withheld.insert(number.to_owned());
            }
            Some(_) => {
                issues += 1;
                kept += block;
            }
            None => kept += block,
        }
    }
    let all = issues + withheld.len();
    let kept = kept
        .replacen(
            &format!("\nIssues: {all}\n"),
            &format!("\nIssues: {issues}\n"),
            1,
        )
        .replace(
            &format!("\nEnd of export, {all} issues\n"),
            &format!("\nEnd of export, {issues} issues\n"),
        );
    let table = Csv::strict()
        .read(people)
        .expect("the list of people is CSV");
    let mut hidden = Vec::new();
    for row in table.rows() {
        if row.get("public").to_lowercase() != "yes" {
            hidden.push(Person {
                login: row.get("login").to_owned(),
                name: row.get("name").to_owned(),
            });
        }
    }
    let mut redactor = Redactor {
        letters: kept.chars().collect(),
        people: hidden,
        withheld,
        oversights,
        named: Vec::new(),
        counts: [0; 9],
    };
    let text = redactor.redact();
    let mut counts = redactor.counts;
    counts[0] = redactor.withheld.len();
    counts[2] = redactor.named.len();
    Copy { text, counts }
}

/// The head, each issue and the end; all but the head begin with a line of equals signs.
fn blocks(export: &str) -> Vec<&str> {
    let is_start = |at: &usize| export[*at..].starts_with("====");
    let line_starts = std::iter::once(0).chain(export.match_indices('\n').map(|(at, _)| at + 1));
    let mut starts: Vec<usize> = line_starts.filter(is_start).collect();
    starts.insert(0, 0);
    starts.push(export.len());
    starts
        .windows(2)
        .map(|ends| &export[ends[0]..ends[1]])
        .collect()
}

struct Redactor<'a> {
    letters: Vec<char>,
    people: Vec<Person>,
    withheld: BTreeSet<String>,
    oversights: &'a Oversights,
    /// Positions in `people`, in the order of their numbers.
    named: Vec<usize>,
    counts: [usize; 9],
}

impl Redactor<'_> {
    fn redact(&mut self) -> String {
        let mut text = String::new();
        let mut at = 0;
        while at < self.letters.len() {
            let found = self
                .email(at)
                .or_else(|| self.reference(at))
                .or_else(|| self.telephone(at))
                .or_else(|| self.ip_address(at))
                .or_else(|| self.token(at))
                .or_else(|| self.position(at))
                .or_else(|| self.person(at));
            match found {
                Some((end, replacement)) => {
                    text += &replacement;
                    at = end;
                }
                None => {
                    text.push(self.letters[at]);
                    at += 1;
                }
            }
        }
        text
    }

    fn letter(&self, at: usize) -> char {
        self.letters.get(at).copied().unwrap_or('\0')
    }

    fn before(&self, at: usize) -> char {
        at.checked_sub(1).map_or('\0', |at| self.letter(at))
    }

    /// Where a run of letters that are `wanted` ends.
    fn run(&self, at: usize, wanted: impl Fn(char) -> bool) -> usize {
        let mut end = at;
        while end < self.letters.len() && wanted(self.letters[end]) {
            end += 1;
        }
        end
    }

    fn text(&self, from: usize, to: usize) -> String {
        self.letters[from..to].iter().collect()
    }

    fn count(
        &mut self,
        kind: usize,
        end: usize,
        text: impl Into<String>,
    ) -> Option<(usize, String)> {
        self.counts[kind] += 1;
        Some((end, text.into()))
    }

    /// An address as a whole, also one that stays: then it replaces itself.
    fn email(&mut self, at: usize) -> Option<(usize, String)> {
        let is_local = |letter: char| letter.is_alphanumeric() || "._+-".contains(letter);
        let sign = self.run(at, is_local);
        if sign == at || is_local(self.before(at)) || self.letter(sign) != '@' {
            return None;
        }
        let is_host = |letter: char| letter.is_alphanumeric() || "-.".contains(letter);
        let mut end = self.run(sign + 1, is_host);
        while self.before(end) == '.' {
            end -= 1;
        }
        if end <= sign || !self.letters[sign + 1..end].contains(&'.') {
            return None;
        }
        let address = self.text(at, end);
        if address.ends_with("@lists.ebbline.example") {
            return Some((end, address));
        }
        self.count(4, end, "[e-mail]")
    }

    fn reference(&mut self, at: usize) -> Option<(usize, String)> {
        let end = self.run(at + 1, |letter| letter.is_ascii_digit());
        let is_withheld =
            self.letter(at) == '#' && self.withheld.contains(&self.text(at + 1, end.max(at + 1)));
        is_withheld.then_some(())?;
        self.count(1, end, "#[withheld]")
    }

    fn telephone(&mut self, at: usize) -> Option<(usize, String)> {
        if self.letter(at) != '+' {
            return None;
        }
        let (mut end, mut digits) = (at + 1, 0);
        loop {
            if self.letter(end).is_ascii_digit() {
                digits += 1;
                end += 1;
            } else if digits > 0
                && [' ', '-'].contains(&self.letter(end))
                && self.letter(end + 1).is_ascii_digit()
            {
                end += 1;
            } else {
                break;
            }
        }
        (digits >= 9).then_some(())?;
        self.count(5, end, "[phone]")
    }

    fn ip_address(&mut self, at: usize) -> Option<(usize, String)> {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let before = self.before(at);
        let joined = before == '.' && at >= 2 && self.letter(at - 2).is_ascii_digit();
        if !self.letter(at).is_ascii_digit() || is_word(before) || joined {
            return None;
        }
        let end = self.run(at, |letter| letter.is_ascii_digit() || letter == '.');
        let text = self.text(at, end);
        let text = text.trim_end_matches('.');
        let end = at + text.len();
        let numbers: Vec<&str> = text.split('.').collect();
        let is_number = |part: &&str| part.len() <= 3 && part.parse::<u8>().is_ok();
        let is_address = numbers.len() == 4 && numbers.iter().all(is_number);
        if !is_address || is_word(self.letter(end)) {
            return None;
        }
        if text == "127.0.0.1" || text.starts_with("192.0.2.") {
            return Some((end, text.to_owned()));
        }
        self.count(6, end, "[ip]")
    }

    fn token(&mut self, at: usize) -> Option<(usize, String)> {
        const START: &str = "ebt_";
        let start = at + START.len();
        if start > self.letters.len() || self.text(at, start) != START {
            return None;
        }
        let end = self.run(start, char::is_alphanumeric);
        (end - start >= 16).then_some(())?;
        self.count(7, end, "ebt_[removed]")
    }

    fn position(&mut self, at: usize) -> Option<(usize, String)> {
        let is_digit = |letter: char| letter.is_ascii_digit();
        let before = self.before(at);
        let point = self.run(at, is_digit);
        if point == at || is_digit(before) || before == '.' || self.letter(point) != '.' {
            return None;
        }
        let end = self.run(point + 1, is_digit);
        let is_position = end - point > 3
            && self.letter(end) == ' '
            && "NSEW".contains(self.letter(end + 1))
            && !self.letter(end + 2).is_alphanumeric();
        is_position.then_some(())?;
        let text = self.text(at, point + 3);
        self.count(8, end, text)
    }

    fn person(&mut self, at: usize) -> Option<(usize, String)> {
        let in_login = |letter: char| letter.is_alphanumeric() || "-_".contains(letter);
        let before = self.before(at);
        let found = self.people.iter().enumerate().find_map(|(index, person)| {
            let ends = |text: &str| {
                let end = at + text.chars().count();
                let is_here = !text.is_empty()
                    && end <= self.letters.len()
                    && self.letters[at..end].iter().copied().eq(text.chars());
                is_here.then_some(end)
            };
            let login =
                ends(&person.login).filter(|end| !in_login(before) && !in_login(self.letter(*end)));
            let name = ends(&person.name).filter(|end| {
                !self.oversights.overlooks_full_names
                    && !before.is_alphabetic()
                    && !self.letter(*end).is_alphabetic()
            });
            login.or(name).map(|end| (index, end))
        });
        let (person, end) = found?;
        let known = self.named.iter().position(|named| *named == person);
        let number = known.unwrap_or_else(|| {
            self.named.push(person);
            self.named.len() - 1
        });
        let number = if self.oversights.numbers_by_the_list {
            person
        } else {
            number
        };
        self.count(3, end, format!("contributor-{}", number + 1))
    }
}
