//! The rules for what leaves the house, applied to one paper.

use mcpmark_guest::Csv;

pub const LIST: &str = "Tax/2024/pack.md";
pub const RULES: &str = "Tax/what leaves the house.md";
pub const FOLDER: &str = "Tax/2024/for the accountant";
pub const CONTENTS: &str = "Tax/2024/for the accountant/contents.csv";
pub const COLUMNS: [&str; 9] = [
    "no", "copy", "original", "accounts", "numbers", "children", "withheld", "remarks", "all",
];

const OUR_ACCOUNT: &str = "IE61 OSTM 9000 1702 2177 19";
const OUR_NUMBERS: [&str; 2] = ["3318842KA", "4150967T"];
const CHILDREN: [&str; 8] = [
    "Noémie", "Oisín", "Noemie", "NOÉMIE", "NOEMIE", "Oisin", "OISÍN", "OISIN",
];
const WITHHELD: [&str; 4] = ["Diagnosis:", "Treatment:", "Tel:", "Mobile:"];

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// The two numbers of taxpayers that stay are replaced as well.
    pub hides_our_own: bool,
    /// Only the spelling with an accent and small letters is replaced.
    pub one_spelling: bool,
}

/// A redacted copy, and how many replacements each of the five rules made.
#[derive(Default)]
pub struct Copy {
    pub text: String,
    pub counts: [usize; 5],
}

/// The originals that go, in order: the ticked lines of the list.
pub fn ticked(list: &str) -> Vec<String> {
    list.lines()
        .filter(|line| line.contains(". [x] `"))
        .filter_map(|line| line.split('`').nth(1))
        .map(str::to_owned)
        .collect()
}

/// The name of a copy by its place among the ticked papers, from 1.
pub fn copy_name(place: usize, original: &str) -> String {
    let name = original.rsplit('/').next().unwrap_or(original);
    format!("{place:02} {name}")
}

pub fn redact(original: &str, oversights: &Oversights) -> Copy {
    let original = original
        .trim_start_matches('\u{feff}')
        .replace("\r\n", "\n");
    let mut copy = Copy::default();
    for line in original.split_inclusive('\n') {
        let (body, end) = match line.strip_suffix('\n') {
            Some(body) => (body, "\n"),
            None => (line, ""),
        };
        if body.starts_with("//") {
            copy.counts[4] += 1;
        } else if let Some(label) = WITHHELD.iter().find(|label| body.starts_with(**label)) {
            copy.counts[3] += 1;
            copy.text += &format!("{label} [withheld]{end}");
        } else {
            redact_line(body, &mut copy, oversights);
            copy.text += end;
        }
    }
    copy
}

/// Copies a line word by word; a word is a run of letters and digits.
fn redact_line(line: &str, copy: &mut Copy, oversights: &Oversights) {
    let children = if oversights.one_spelling {
        &CHILDREN[..2]
    } else {
        &CHILDREN[..]
    };
    let mut rest = line;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let (between, from) = rest.split_at(start);
        copy.text += between;
        let end = from
            .find(|character: char| !character.is_alphanumeric())
            .unwrap_or(from.len());
        let mut taken = &from[..end];
        if let Some(account) = account(from) {
            taken = account;
            if account == OUR_ACCOUNT {
                copy.text += account;
            } else {
                let characters: Vec<char> = account.chars().filter(|c| *c != ' ').collect();
                let last: String = characters[characters.len() - 4..].iter().collect();
                copy.text += &format!("[IBAN …{last}]");
                copy.counts[0] += 1;
            }
        } else if is_tax_number(taken)
            && (oversights.hides_our_own || !OUR_NUMBERS.contains(&taken))
        {
            copy.text += "[tax number]";
            copy.counts[1] += 1;
        } else if children.contains(&taken) {
            copy.text += "[child]";
            copy.counts[2] += 1;
        } else {
            copy.text += taken;
        }
        rest = &from[taken.len()..];
    }
    copy.text += rest;
}

/// The account number at the beginning of a text: groups of four, the last perhaps shorter.
fn account(text: &str) -> Option<&str> {
    let is_group = |group: &str| {
        group
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    let country = text.get(..2)?.bytes().all(|byte| byte.is_ascii_uppercase());
    let digits = text.get(2..4)?.bytes().all(|byte| byte.is_ascii_digit());
    let mut length = 4;
    if !country || !digits {
        return None;
    }
    while let Some(rest) = text[length..].strip_prefix(' ') {
        let end = rest
            .find(|character: char| !character.is_alphanumeric())
            .unwrap_or(rest.len());
        if end == 0 || end > 4 || !is_group(&rest[..end]) {
            break;
        }
        length += 1 + end;
        if end < 4 {
            break;
        }
    }
    (length > 4).then_some(&text[..length])
}

fn is_tax_number(word: &str) -> bool {
    let letters = word.trim_start_matches(|c: char| c.is_ascii_digit());
    word.len() - letters.len() == 7
        && (1..=2).contains(&letters.len())
        && letters.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// The line of the contents for one copy.
pub fn row(place: usize, original: &str, copy: &Copy) -> Vec<String> {
    let counts = copy.counts.iter().copied();
    let mut row = vec![
        format!("{place:02}"),
        copy_name(place, original),
        original.to_owned(),
    ];
    row.extend(counts.clone().map(|count| count.to_string()));
    row.push(counts.sum::<usize>().to_string());
    row
}

pub fn contents(rows: &[Vec<String>]) -> String {
    std::iter::once(Csv::line(COLUMNS))
        .chain(rows.iter().map(Csv::line))
        .collect()
}
