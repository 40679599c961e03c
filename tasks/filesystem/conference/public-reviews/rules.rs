//! What of the reviews may be public.

use mcpmark_guest::Reader;

use std::collections::BTreeMap;

#[path = "../folder.rs"]
pub mod folder;

use folder::table;

pub const PUBLIC: &str = "08 Public/reviews";
const REVIEWS: &str = "02 Reviews/main papers";

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    pub signature_suffices: bool,
    pub misses_surnames: bool,
}

pub struct Published {
    pub number: String,
    pub title: String,
    /// Nothing for a paper without a file of reviews.
    pub text: Option<String>,
    reviews: usize,
    named: Vec<String>,
}

struct Review {
    heading: String,
    reviewer: String,
    is_named: bool,
    comments: Vec<String>,
}

pub fn published(folder: &mut dyn Reader, oversights: &Oversights) -> Vec<Published> {
    let mut consents = BTreeMap::new();
    for row in table(folder, "02 Reviews/reviewers.csv").rows() {
        consents.insert(
            row.get("name").to_owned(),
            row.get("may_be_named") == "yes" || oversights.signature_suffices,
        );
    }
    let files = folder.names(REVIEWS);
    let mut papers = Vec::new();
    for row in table(folder, "01 Submissions/main papers.csv").rows() {
        let answer = row.get("open_review").to_lowercase();
        if row.get("status") != "accepted" || !["yes", "y", "agreed"].contains(&answer.as_str()) {
            continue;
        }
        let mut paper = Published {
            number: row.get("id").to_owned(),
            title: row.get("title").to_owned(),
            text: None,
            reviews: 0,
            named: Vec::new(),
        };
        let file = format!("{}.txt", paper.number);
        if files.contains(&file) {
            let text = folder.text(&format!("{REVIEWS}/{file}"));
            let (head, reviews) = read(&text, &consents);
            paper.text = Some(write(head, &reviews, oversights));
            paper.reviews = reviews.len();
            let named = reviews.into_iter().filter(|review| review.is_named);
            paper.named = named.map(|review| review.reviewer).collect();
        }
        papers.push(paper);
    }
    papers.sort_by(|a, b| a.number.cmp(&b.number));
    papers
}

pub fn index(papers: &[Published]) -> String {
    let mut text = String::from(
        "# Reviews in public\n\n| Paper | Title | Reviews | Named |\n|-------|-------|--------:|-------|\n",
    );
    for row in rows(papers) {
        text += &format!("| {} |\n", row.join(" | "));
    }
    text
}

pub fn rows(papers: &[Published]) -> Vec<[String; 4]> {
    let row = |paper: &Published| {
        let named = if paper.named.is_empty() {
            "nobody".to_owned()
        } else {
            paper.named.join(", ")
        };
        [
            paper.number.clone(),
            paper.title.clone(),
            paper.reviews.to_string(),
            named,
        ]
    };
    papers.iter().map(row).collect()
}

/// The head of a file of reviews, and its reviews.
fn read<'a>(text: &'a str, consents: &BTreeMap<String, bool>) -> (&'a str, Vec<Review>) {
    let mut parts = text.split("=== Review ");
    let head = parts.next().unwrap_or_default();
    let read = |part: &str| {
        let (fields, rest) = part
            .split_once("\n\nComments to the authors:\n")
            .expect("a review has comments");
        let (comments, _) = rest
            .split_once("\nConfidential to the committee:\n")
            .expect("a review has a part for the committee");
        let field = |key: &str| {
            fields
                .lines()
                .find_map(|line| line.strip_prefix(key))
                .expect("a review has its fields")
        };
        let (reviewer, _) = field("Reviewer: ")
            .split_once(" <")
            .expect("a reviewer has an address");
        Review {
            heading: format!("=== Review {}", fields.lines().next().unwrap_or_default()),
            reviewer: reviewer.to_owned(),
            is_named: field("Signed: ") == "yes" && consents[reviewer],
            comments: comments.trim_end().lines().map(str::to_owned).collect(),
        }
    };
    (head, parts.map(read).collect())
}

fn write(head: &str, reviews: &[Review], oversights: &Oversights) -> String {
    let numbered = |number: usize| format!("Reviewer {}", number + 1);
    let written = reviews.iter().enumerate().map(|(number, review)| {
        let reviewer = if review.is_named {
            review.reviewer.clone()
        } else {
            numbered(number)
        };
        let quotes = |line: &&String| !line.starts_with('>');
        let lines: Vec<&str> = review
            .comments
            .iter()
            .filter(quotes)
            .map(String::as_str)
            .collect();
        let mut comments = without_phones(&without_addresses(&lines.join("\n")));
        let hidden = || {
            reviews
                .iter()
                .enumerate()
                .filter(|(_, other)| !other.is_named)
        };
        for (other, hidden) in hidden() {
            comments = replace_word(&comments, &hidden.reviewer, &numbered(other));
        }
        if !oversights.misses_surnames {
            for (other, hidden) in hidden() {
                let surname = hidden.reviewer.rsplit(' ').next().unwrap_or_default();
                comments = replace_word(&comments, surname, &numbered(other));
            }
        }
        format!(
            "{}\nReviewer: {reviewer}\n\nComments to the authors:\n{comments}\n",
            review.heading
        )
    });
    format!("{head}{}", written.collect::<Vec<_>>().join("\n"))
}

fn without_addresses(text: &str) -> String {
    let belongs = |character: &char| character.is_alphanumeric() || ".-_+".contains(*character);
    let (mut rest, mut done) = (text, String::new());
    while let Some(at) = rest.find('@') {
        let (before, after) = rest.split_at(at);
        let name: usize = before
            .chars()
            .rev()
            .take_while(belongs)
            .map(char::len_utf8)
            .sum();
        let host: usize = after[1..]
            .chars()
            .take_while(belongs)
            .map(char::len_utf8)
            .sum();
        let host = after[1..1 + host].trim_end_matches(['.', '-']).len();
        let (mut start, mut end) = (at - name, at + 1 + host);
        if rest[..start].ends_with('<') && rest[end..].starts_with('>') {
            (start, end) = (start - 1, end + 1);
        }
        done += &rest[..start];
        done += "[address]";
        rest = &rest[end..];
    }
    done + rest
}

fn without_phones(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let (mut at, mut done) = (0, String::new());
    while at < characters.len() {
        let end = phone_end(&characters, at);
        let digits = characters[at..end].iter().filter(|c| c.is_ascii_digit());
        if digits.count() >= 7 {
            done += "[phone]";
            at = end;
        } else {
            done.push(characters[at]);
            at += 1;
        }
    }
    done
}

/// Where a number that begins at `start` with a `+` ends; `start` itself where none begins.
fn phone_end(characters: &[char], start: usize) -> usize {
    let is_digit = |at: usize| characters.get(at).is_some_and(char::is_ascii_digit);
    if characters[start] != '+' || !is_digit(start + 1) {
        return start;
    }
    let mut end = start + 2;
    loop {
        let separated = matches!(characters.get(end), Some(' ' | '-')) && is_digit(end + 1);
        if is_digit(end) {
            end += 1;
        } else if separated {
            end += 2;
        } else {
            return end;
        }
    }
}

/// Replaces a word wherever neither a letter nor a digit stands beside it.
fn replace_word(text: &str, word: &str, replacement: &str) -> String {
    let (mut from, mut done) = (0, String::new());
    for (at, _) in text.match_indices(word) {
        let end = at + word.len();
        let joins = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
        if joins(text[..at].chars().next_back()) || joins(text[end..].chars().next()) {
            continue;
        }
        done += &text[from..at];
        done += replacement;
        from = end;
    }
    done + &text[from..]
}
