//! Reviews of short papers: from the export and from mails, and which of them count.

use mcpmark_guest::Reader;

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::jiff::civil::DateTime;
use mcpmark_guest::serde_json::{self, Value};

#[path = "../folder.rs"]
pub mod folder;

use folder::{later, moment, offset, paper, table};

const REVIEWS: &str = "02 Reviews/short papers";

/// Mistake of a wrong solution.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// Knows only the conflicts that somebody declared.
    OverlooksHouses,
    /// Does not read the minutes.
    OverlooksMinutes,
    /// Takes for decided what a meeting discussed.
    HeedsDiscussions,
    /// Leaves out a review that was retracted and restored.
    OverlooksRestored,
    /// Gives all reviews of the committee their weight, also those of members on leave.
    OverlooksLeave,
}

pub struct Review {
    pub name: String,
    pub paper: String,
    /// Empty where the sender of a mail is nobody of the list.
    pub reviewer: String,
    /// By the clock at Greenwich.
    submitted: DateTime,
    pub overall: i64,
    pub confidence: i64,
    pub excluded: Option<&'static str>,
}

struct Member {
    address: String,
    is_active: bool,
}

/// All reviews of these papers, each paper with the addresses of its authors.
pub fn judged(
    folder: &mut dyn Reader,
    papers: &BTreeMap<String, Vec<String>>,
    mistake: Option<Mistake>,
) -> Vec<Review> {
    let members = read_members(folder, mistake);
    let declared = read_declared(folder);
    let retracted = read_retracted(folder, mistake);
    let close = moment("%Y-%m-%dT%H:%M", "2024-01-25T12:00");
    let mut reviews = read_export(folder);
    reviews.extend(read_mails(folder, &members));
    reviews.retain(|review| papers.contains_key(&review.paper));

    for review in &mut reviews {
        let authors = &papers[&review.paper];
        let is_declared = |about: &String| {
            let pair = (review.reviewer.clone(), about.clone());
            declared.contains(&pair)
        };
        let member = members.get(&review.reviewer);
        let in_house = |author: &String| {
            mistake != Some(Mistake::OverlooksHouses)
                && member.is_some_and(|member| share_a_house(&member.address, author))
        };
        review.excluded = if !member.is_some_and(|member| member.is_active) {
            Some("unknown")
        } else if is_declared(&review.paper)
            || authors.iter().any(is_declared)
            || authors.iter().any(in_house)
        {
            Some("conflict")
        } else if review.submitted >= close {
            Some("late")
        } else if retracted.contains(&review.name) {
            Some("retracted")
        } else {
            None
        };
    }
    let standing: Vec<(String, String, DateTime)> = reviews
        .iter()
        .filter(|review| review.excluded.is_none())
        .map(|review| {
            (
                review.paper.clone(),
                review.reviewer.clone(),
                review.submitted,
            )
        })
        .collect();
    for review in reviews
        .iter_mut()
        .filter(|review| review.excluded.is_none())
    {
        let is_replaced = standing.iter().any(|(paper, reviewer, submitted)| {
            (paper, reviewer) == (&review.paper, &review.reviewer) && *submitted > review.submitted
        });
        review.excluded = is_replaced.then_some("replaced");
    }
    reviews.sort_by(|a, b| (&a.paper, &a.name).cmp(&(&b.paper, &b.name)));
    reviews
}

fn read_members(folder: &mut dyn Reader, mistake: Option<Mistake>) -> BTreeMap<String, Member> {
    let mut members = BTreeMap::new();
    for row in table(folder, "02 Reviews/reviewers.csv").rows() {
        let member = Member {
            address: row.get("email").to_lowercase(),
            is_active: mistake == Some(Mistake::OverlooksLeave)
                || row.get("state").to_lowercase() == "active",
        };
        members.insert(row.get("id").to_owned(), member);
    }
    members
}

/// Reviewers, and the papers or addresses with which they declared a conflict.
fn read_declared(folder: &mut dyn Reader) -> BTreeSet<(String, String)> {
    let mut declared = BTreeSet::new();
    for row in table(folder, "02 Reviews/conflicts.csv").rows() {
        if row.get("state").to_lowercase() == "lifted" {
            continue;
        }
        let about = row.get("about").trim();
        let about = if about.contains('@') {
            about.to_lowercase()
        } else {
            paper(about).expect("a conflict is about a paper or a person")
        };
        declared.insert((row.get("reviewer").to_owned(), about));
    }
    declared
}

fn read_retracted(folder: &mut dyn Reader, mistake: Option<Mistake>) -> BTreeSet<String> {
    let mut retracted = BTreeSet::new();
    for line in folder.text(&format!("{REVIEWS}/retracted.log")).lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[2] {
            "RETRACT" => retracted.insert(words[3].to_owned()),
            "RESTORE" if mistake == Some(Mistake::OverlooksRestored) => false,
            "RESTORE" => retracted.remove(words[3]),
            other => panic!("the log retracts or restores, it does not {other:?}"),
        };
    }
    retracted
}

fn read_export(folder: &mut dyn Reader) -> Vec<Review> {
    let text = folder.text(&format!("{REVIEWS}/export.json"));
    let export: Value = serde_json::from_str(&text).expect("the export is JSON");
    let entries = export["reviews"].as_array().expect("an array of reviews");
    let read = |entry: &Value| {
        let field = |name: &str| entry[name].as_str().expect("reviews have their fields");
        let number = |name: &str| entry[name].as_i64().expect("reviews have numbers");
        Review {
            name: field("review").to_owned(),
            paper: paper(field("paper")).expect("a review is of a paper"),
            reviewer: field("reviewer").to_owned(),
            submitted: moment("%m/%d/%Y %H:%M", field("submitted")),
            overall: number("overall"),
            confidence: number("confidence"),
            excluded: None,
        }
    };
    entries.iter().map(read).collect()
}

fn read_mails(folder: &mut dyn Reader, members: &BTreeMap<String, Member>) -> Vec<Review> {
    let place = format!("{REVIEWS}/by mail");
    let mut reviews = Vec::new();
    for file in folder.names(&place) {
        let Some(name) = file
            .strip_suffix(".txt")
            .filter(|name| name.starts_with("mail-"))
        else {
            continue;
        };
        let text = folder.text(&format!("{place}/{file}"));
        let field = |key: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(key))
                .unwrap_or_else(|| panic!("{file} has no {key}"))
        };
        let from = field("From: ");
        let address = from[from.find('<').expect("a sender has an address") + 1..]
            .trim_end_matches('>')
            .to_lowercase();
        let sender = members.iter().find(|(_, member)| member.address == address);
        let (local, zone) = field("Date: ").rsplit_once(' ').expect("a date has a zone");
        reviews.push(Review {
            name: name.to_owned(),
            paper: paper(field("Paper: ")).expect("a review is of a paper"),
            reviewer: sender.map_or_else(String::new, |(id, _)| id.clone()),
            submitted: later(moment("%a, %d %b %Y %H:%M:%S", local), -offset(zone)),
            overall: field("Overall: ").parse().expect("a number"),
            confidence: match field("Confidence: ") {
                "expert" => 4,
                "high" => 3,
                "medium" => 2,
                "low" => 1,
                other => panic!("{file} is {other:?}, which is no confidence"),
            },
            excluded: None,
        });
    }
    reviews
}

fn share_a_house(one: &str, other: &str) -> bool {
    let domain = |address: &str| address.rsplit('@').next().unwrap_or_default().to_owned();
    let (one, other) = (domain(one), domain(other));
    if ["post.example", "mailbox.example"].contains(&one.as_str()) {
        return false;
    }
    one == other || one.ends_with(&format!(".{other}")) || other.ends_with(&format!(".{one}"))
}
