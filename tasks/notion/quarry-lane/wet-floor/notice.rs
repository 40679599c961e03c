//! Notice for the door: title, reason, last day, and a line for each day and teacher.

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts};
use mcpmark_guest::{Condition, Found};

use crate::told::{rooms, words};

/// Page with its blocks.
#[derive(Clone, Debug)]
pub struct Notice {
    pub title: String,
    pub blocks: Vec<Block>,
}

/// Block with its text.
#[derive(Clone, Debug)]
pub struct Block {
    pub text: String,
    pub is_item: bool,
    pub level: usize,
}

/// Lines in any order of those of one day: weekday, last name of the teacher and new room.
const LINES: [(usize, &str, &str); 6] = [
    (0, "oyelaran", "long room"),
    (1, "brandt", "hall"),
    (2, "boer", "long room"),
    (2, "paredes", "bay"),
    (3, "lund", "library"),
    (4, "oyelaran", "bay"),
];
const DAYS: [&str; 5] = ["monday", "tuesday", "wednesday", "thursday", "friday"];
const TEACHERS: [(&str, &str); 10] = [
    ("beatrix", "oyelaran"),
    ("ottilie", "brandt"),
    ("fenna", "boer"),
    ("luz", "paredes"),
    ("signe", "lund"),
    ("malik", "farouk"),
    ("tomasz", "wilk"),
    ("ruben", "castellan"),
    ("ivo", "marek"),
    ("jorun", "hale"),
];
const CAUSES: [&str; 12] = [
    "water", "pipe", "burst", "leak*", "flood*", "wet", "floor", "damp", "drying", "repair*",
    "rebuil*", "damage*",
];

/// Words that may follow the beginning of the title.
const TITLE: [&str; 12] = [
    "september",
    "sept",
    "sep",
    "october",
    "oct",
    "2026",
    "to",
    "and",
    "until",
    "from",
    "21",
    "23",
];
/// Phrases for times that stay.
const STAYS: [&str; 12] = [
    "times stay",
    "times remain",
    "times are",
    "times do not",
    "times don t",
    "time stays",
    "time remains",
    "same time",
    "no time",
    "nobody s time",
    "as always",
    "as usual",
];
/// Phrases for times that change.
const CHANGES: [&str; 6] = [
    "times change",
    "new times",
    "other times",
    "are different",
    "later",
    "earlier",
];

/// Judges the order of the blocks: one or two paragraphs, the lines, and at most one more paragraph.
fn form(notice: &Notice) -> Result<(), String> {
    let blocks = notice
        .blocks
        .iter()
        .filter(|it| it.is_item || !it.text.trim().is_empty());
    let blocks: Vec<&Block> = blocks.collect();
    if let Some(block) = blocks.iter().find(|it| it.level > 0) {
        return Err(format!(
            "expected no blocks below blocks, found {:?}",
            block.text
        ));
    }
    for (at, block) in blocks.iter().enumerate() {
        if blocks[..at].iter().any(|it| it.text == block.text) {
            return Err(format!("found {:?} twice", block.text));
        }
    }
    let mut parts = blocks.chunk_by(|one, other| one.is_item == other.is_item);
    let counts: Vec<(bool, usize)> = parts
        .by_ref()
        .map(|part| (part[0].is_item, part.len()))
        .collect();
    match counts.as_slice() {
        [(false, 1 | 2), (true, _)] | [(false, 1 | 2), (true, _), (false, 1)] => Ok(()),
        _ => Err("expected a paragraph, the lines and another paragraph".to_owned()),
    }
}

/// Judges the notice.
pub fn conditions(notice: &Found<Notice>) -> Vec<(String, Condition)> {
    let title = notice.satisfies(|it| {
        let words = words(&it.title);
        let is_right = words
            .get(..3)
            .is_some_and(|it| it.join(" ") == "garden room closed")
            && words[3..].iter().all(|it| TITLE.contains(&it.as_str()));
        Condition::when(is_right, format!("found {:?}", it.title))
    });
    let form = notice.satisfies(form);
    let lines = notice.satisfies(|it| {
        let items = it.blocks.iter().filter(|block| block.is_item);
        let found: Result<Vec<_>, String> = items.map(|it| line(&it.text)).collect();
        let found = found?;
        if !found.is_sorted_by_key(|it| it.0) {
            return Err("expected the lines by day".to_owned());
        }
        let mut sorted = found.clone();
        sorted.sort_unstable();
        match sorted == LINES {
            true => Ok(()),
            false => Err(format!("expected {LINES:?}, found {found:?}")),
        }
    });
    let rest = notice.try_map(|it| {
        let rest = it.blocks.iter().filter(|block| !block.is_item);
        let rest: Vec<&str> = rest.map(|it| it.text.as_str()).collect();
        Ok(rest.join("\n"))
    });
    let september = |day| Fact::date(date(2026, 9, day));
    let october = |day| Fact::date(date(2026, 10, day));
    let facts = Facts::new()
        .must("until when", october(23))
        .must("why", Fact::words(CAUSES))
        .may(september(21).or_weekday())
        .may(october(23).or_weekday())
        .may(Fact::date(date(2026, 11, 2)).or_weekday())
        .may(september(10))
        .may(september(11))
        .may(september(14))
        .may(Fact::number(5))
        .may(Fact::quantity(5, "weeks"))
        .conditions(&rest.prose());
    let times = rest.satisfies(|rest| {
        let words = words(rest).join(" ");
        let stays = STAYS.iter().find(|it| words.contains(*it));
        let changes = CHANGES.iter().find(|it| words.contains(*it));
        Condition::when(
            stays.is_some() && changes.is_none(),
            format!("expected that times stay as they are, found {rest:?}"),
        )
    });
    let mut all = vec![
        ("its title".to_owned(), title),
        ("its form".to_owned(), form),
        ("its lines".to_owned(), lines),
        ("that times stay".to_owned(), times),
    ];
    all.extend(facts);
    let others = rest.satisfies(|rest| {
        let named = rooms(rest);
        Condition::when(
            named.is_empty(),
            format!("found {named:?} outside of the lines"),
        )
    });
    all.push(("rooms in lines only".to_owned(), others));
    all
}

/// Reads the day, the teacher and the room of a line.
fn line(text: &str) -> Result<(usize, &'static str, &'static str), String> {
    let words = words(text);
    let has = |word: &str| {
        words
            .iter()
            .any(|it| it == word || *it == format!("{word}s"))
    };
    let days: Vec<usize> = (0..DAYS.len()).filter(|it| has(DAYS[*it])).collect();
    let teachers = TEACHERS
        .into_iter()
        .filter(|(first, last)| has(first) || has(last));
    let teachers: Vec<&'static str> = teachers.map(|it| it.1).collect();
    let rooms = rooms(text);
    match (days.as_slice(), teachers.as_slice(), rooms.as_slice()) {
        ([day], [teacher], [room]) => Ok((*day, teacher, room)),
        _ => Err(format!(
            "expected one day, one teacher and one room in {text:?}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: [&str; 6] = [
        "Monday, Beatrix Oyelaran: Long room",
        "Tuesday, Ottilie Brandt: Hall",
        "Wednesday, Fenna de Boer: Long room",
        "Wednesday, Luz Paredes: Bay",
        "Thursday, Signe Lund: Library",
        "Friday, Beatrix Oyelaran: Bay",
    ];
    const HEAD: &str = "The Garden room is closed until Friday, 23 October, because of the water. The lessons are held \
                        in other rooms:";

    fn failed(title: &str, head: &str, items: &[&str], foot: &str) -> Vec<String> {
        let block = |text: &str, is_item: bool| Block {
            text: text.to_owned(),
            is_item,
            level: 0,
        };
        let mut blocks = vec![block(head, false)];
        blocks.extend(items.iter().map(|it| block(it, true)));
        blocks.push(block(foot, false));
        let notice = Notice {
            title: title.to_owned(),
            blocks,
        };
        conditions(&Found::new("the notice", Ok(notice)))
            .into_iter()
            .filter(|(_, it)| !it.passed())
            .map(|(name, _)| name)
            .collect()
    }

    #[test]
    fn right_notices_are_accepted() {
        let title = "Garden room closed, September 2026";
        let foot = "Times stay as they are. Thank you!";
        assert_eq!(failed(title, HEAD, &RIGHT, foot), Vec::<String>::new());
        let short = "From Monday, 21 September, until 23 October 2026 a burst pipe keeps us out of the Garden room.";
        let mut items = RIGHT;
        items.swap(2, 3);
        assert_eq!(
            failed(
                "GARDEN ROOM CLOSED",
                short,
                &items,
                "Lessons begin as always."
            ),
            Vec::<String>::new()
        );
        items[0] = "Mondays – Beatrix is in the Long room";
        let foot = "Times stay as they are. From Monday, 2 November, everybody is back.";
        let long = "Because of the wet floor the Garden room is closed for five weeks, from 21 September to 23 October.";
        assert_eq!(failed(title, long, &items, foot), Vec::<String>::new());
    }

    #[test]
    fn wrong_notices_are_rejected() {
        let title = "Garden room closed, September 2026";
        let foot = "Times stay as they are. Thank you!";
        let old = HEAD.replace("23", "16");
        assert!(failed(title, &old, &RIGHT, foot).contains(&"until when".to_owned()));
        let silent = "The Garden room is closed until Friday, 23 October.";
        assert_eq!(failed(title, silent, &RIGHT, foot), ["why"]);
        assert_eq!(failed("Notice", HEAD, &RIGHT, foot), ["its title"]);
        assert_eq!(failed(title, HEAD, &RIGHT[..5], foot), ["its lines"]);
        let mut items = RIGHT;
        items[4] = "Thursday, Signe Lund: Long room";
        assert_eq!(failed(title, HEAD, &items, foot), ["its lines"]);
        items = RIGHT;
        items.swap(0, 5);
        assert_eq!(failed(title, HEAD, &items, foot), ["its lines"]);
        items = RIGHT;
        items[3] = "Wednesday, Luz Paredes: Bay or Tower";
        assert_eq!(failed(title, HEAD, &items, foot), ["its lines"]);
        let other = "Piano lessons are in the Tower. Times stay as they are.";
        assert_eq!(failed(title, HEAD, &RIGHT, other), ["rooms in lines only"]);
        let later = "Lessons begin later.";
        assert_eq!(failed(title, HEAD, &RIGHT, later), ["that times stay"]);
        let may = "Garden room closed, May 2026";
        assert_eq!(failed(may, HEAD, &RIGHT, foot), ["its title"]);
        assert_eq!(
            failed(title, HEAD, &RIGHT, HEAD),
            ["its form", "that times stay"]
        );
    }
}
