//! Comments that tell a family the day, the time and the new room of a lesson, in any words.

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts};
use mcpmark_guest::{Condition, Found};

/// Child under ten on its first day in the new room.
pub struct Child {
    pub name: &'static str,
    /// First day, in September 2026.
    day: i8,
    /// Beginning and end of the lesson.
    from: (u32, u32),
    to: (u32, u32),
    room: &'static str,
}

const fn child(
    name: &'static str,
    day: i8,
    from: (u32, u32),
    to: (u32, u32),
    room: &'static str,
) -> Child {
    Child {
        name,
        day,
        from,
        to,
        room,
    }
}

/// Children who are told. Hamid Noori is ten by then.
pub const CHILDREN: [Child; 6] = [
    child("Edda Voss", 21, (14, 30), (15, 0), "long room"),
    child("Ines Quill", 22, (15, 0), (15, 30), "hall"),
    child("Leif Arnesen", 23, (14, 0), (14, 30), "long room"),
    child("Runa Eklund", 24, (14, 30), (15, 15), "library"),
    child("Umberto Rossi", 24, (14, 30), (15, 15), "library"),
    child("Arne Bisset", 25, (16, 15), (17, 0), "bay"),
];

/// Names of all rooms but the old one, in words that are no part of another one.
const ROOMS: [&str; 7] = [
    "long room",
    "hall",
    "library",
    "bay",
    "attic",
    "tower",
    "cellar",
];
const OLD: &str = "garden room";
/// Words in front of a room that lead into it.
const INTO: [&str; 8] = [
    "to the",
    "to",
    "into the",
    "into",
    "now in the",
    "new room",
    "moved to",
    "moves to",
];

/// Returns the names of rooms in a text, except that of the old one.
pub fn rooms(text: &str) -> Vec<&'static str> {
    let padded = format!(" {} ", words(text).join(" "));
    let has = |room: &&str| padded.contains(&format!(" {room} "));
    ROOMS.into_iter().filter(has).collect()
}

/// Splits a text into words in lower case.
pub fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let words = text.split(|it: char| !it.is_alphanumeric());
    let words = words.filter(|it| !it.is_empty());
    words.map(str::to_owned).collect()
}

/// Writes "Monday" for "Mondays" and so on.
fn without_plurals(text: &str) -> String {
    let days = ["onday", "uesday", "ednesday", "hursday", "riday"];
    days.iter().fold(text.to_owned(), |text, day| {
        text.replace(&format!("{day}s"), day)
    })
}

impl Child {
    /// Judges the comment on the row of the child.
    pub fn condition(&self, text: &Found<String>) -> Condition {
        let days = Fact::date(date(2026, 9, self.day)).or_weekday();
        let september = |day| Fact::date(date(2026, 9, day));
        let mut facts = Facts::new()
            .must("the day", days)
            .must("the time", Fact::time(self.from.0, self.from.1))
            .may(Fact::time(self.to.0, self.to.1))
            .may(september(21).or_weekday())
            .may(september(self.day))
            .may(september(14))
            .may(Fact::date(date(2026, 10, 23)).or_weekday())
            .may(Fact::date(date(2026, 11, 2)).or_weekday());
        for number in [9, 10, 30, 45] {
            facts = facts.may(Fact::number(number));
        }
        for minutes in [30, 45] {
            facts = facts.may(Fact::quantity(minutes, "minutes"));
        }
        let singular = text.try_map(|text| Ok(without_plurals(text)));
        let facts = facts.conditions(&singular.prose());
        let room = text.satisfies(|text| self.names_room(text));
        let facts = facts.into_iter().map(|(name, it)| it.at(name));
        Condition::all(facts.chain([room]))
    }

    fn names_room(&self, text: &str) -> Result<(), String> {
        let found = rooms(text);
        if found != [self.room] {
            return Err(format!(
                "expected the room {:?}, found {found:?} in {text:?}",
                self.room
            ));
        }
        let padded = format!(" {} ", words(text).join(" "));
        let comes_back = ["back", "return", "again"]
            .iter()
            .any(|it| padded.contains(it));
        let leads = |into: &&&str| padded.contains(&format!(" {into} {OLD} "));
        match INTO.iter().find(leads).filter(|_| !comes_back) {
            Some(into) => Err(format!(
                "found {into:?} in front of the old room in {text:?}"
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(name: &str, text: &str) -> Result<(), String> {
        let child = CHILDREN.iter().find(|it| it.name == name);
        let text = Found::new("the comment", Ok(text.to_owned()));
        let condition = child.expect("the child is told").condition(&text);
        match condition.passed() {
            true => Ok(()),
            false => Err(condition.detail().to_owned()),
        }
    }

    #[test]
    fn right_comments_are_accepted() {
        for (name, text) in [
            ("Edda Voss", "Monday, 14:30: Long room"),
            (
                "Edda Voss",
                "From Monday, 21 September, Edda's lesson at 14:30 is in the Long room.",
            ),
            (
                "Ines Quill",
                "Tuesdays at 15:00 in the Hall instead of the Garden room, until Friday, 23 October.",
            ),
            (
                "Ines Quill",
                "From Monday 21 September on the Garden room is closed. The lesson on Tuesday, 3 pm, is in the Hall.",
            ),
            (
                "Leif Arnesen",
                "Your lesson on Wednesday at 2 pm moves from the Garden room to the Long room.",
            ),
            (
                "Runa Eklund",
                "Thursday 14:30–15:15, new room: Library (old room: Garden room)",
            ),
            (
                "Umberto Rossi",
                "The lesson on Thursday at half past two will be held in the Library. We go back to the Garden room \
                 after 23 October.",
            ),
            (
                "Arne Bisset",
                "Friday, 25 September, 16:15: please come to the Bay.",
            ),
        ] {
            assert_eq!(judge(name, text), Ok(()), "{text}");
        }
    }

    #[test]
    fn wrong_comments_are_rejected() {
        for (name, text) in [
            ("Edda Voss", "Tuesday, 14:30: Long room"),
            ("Edda Voss", "Monday, 15:30: Long room"),
            ("Edda Voss", "Monday, 14:30: Hall"),
            ("Edda Voss", "Monday: Long room"),
            ("Edda Voss", "14:30: Long room"),
            ("Edda Voss", "Monday, 14:30"),
            (
                "Leif Arnesen",
                "The lesson on Wednesday at 14:00 moves from the Long room to the Garden room.",
            ),
            (
                "Arne Bisset",
                "Friday 16:15 in the Bay, until Friday, 16 October",
            ),
            ("Arne Bisset", "Friday 16:15 in the Bay or the Tower"),
        ] {
            assert!(judge(name, text).is_err(), "{text}");
        }
    }
}
