//! Facts that the note for Maud must state, may state and must not state.

use mcpmark_guest::jiff::civil::date;
use mcpmark_guest::prose::{Fact, Facts, Person, Prose};
use mcpmark_guest::{Condition, Found};

/// Length of a set that somebody was led to expect otherwise.
struct Length {
    check: &'static str,
    act: &'static [&'static str],
    minutes: i64,
    /// Lengths that the note may compare with.
    besides: &'static [i64],
}

const LENGTHS: [Length; 3] = [
    Length {
        check: "the set that is cut",
        act: &["Scar"],
        minutes: 65,
        // Agreed to, in the contract, in the rider, and what is cut off.
        besides: &[80, 75, 90, 15],
    },
    Length {
        check: "the length of Grist",
        act: &["Grist"],
        minutes: 45,
        besides: &[60],
    },
    Length {
        check: "the length of the Hrubecs",
        act: &["Hrubec", "Ludmila"],
        minutes: 45,
        besides: &[55, 40],
    },
];

/// Words that stand beside a length in a line that is about one act alone.
const BESIDE_A_LENGTH: [&str; 26] = [
    "they", "set", "left", "leave*", "have", "has", "had", "get", "gets", "play*", "is", "it",
    "remain*", "cut", "only", "stay*", "hold*", "decide*", "settle*", "agree*", "become*", "down",
    "go*", "minute", "shorten*", "real*",
];

const DENIED: &str = "the length that holds as the one that does not";

impl Length {
    fn fact(&self, topics: &[&str]) -> Fact {
        let fact = minutes(self.minutes).or(Fact::number(self.minutes));
        let fact = fact.about(topics);
        self.besides.iter().fold(fact, |fact, &other| {
            fact.besides(minutes(other).or(Fact::number(other)))
        })
    }

    /// The length that holds, as the one that does not.
    fn denied(&self) -> Fact {
        let phrases = ["instead of", "rather than"].map(|words| {
            ["", "the ", "their ", "only "].map(|word| format!("{words} {word}{}", self.minutes))
        });
        Fact::term(phrases.concat())
    }

    fn is_mentioned_in(&self, text: &Found<Prose>) -> bool {
        text.states(&Fact::term(self.act)).passed()
    }

    /// Judges the lines that are about this act alone. `None` means that none of them states a length that is right.
    ///
    /// In the whole text, the name of an act and its length can be too far from each other, because the sentence
    /// also tells who promised what. In a line about one act, every verb leads to the length.
    fn in_own_lines(&self, lines: &[Found<Prose>]) -> Option<Condition> {
        let topics = [self.act, BESIDE_A_LENGTH.as_slice()].concat();
        let facts = Facts::new()
            .must(self.check, self.fact(&topics))
            .must_not(DENIED, self.denied());
        let facts = with_what_may_be_said(facts);
        let is_own = |line: &&Found<Prose>| {
            let others = LENGTHS.iter().filter(|other| other.check != self.check);
            let mut others = others.map(|other| other.is_mentioned_in(line));
            self.is_mentioned_in(line) && !others.any(|is_mentioned| is_mentioned)
        };
        let mut stated = None;
        for line in lines.iter().filter(is_own) {
            for (name, condition) in facts.conditions(line) {
                let is_fatal = [DENIED, "no other numbers"].contains(&name.as_str());
                if is_fatal && !condition.passed() {
                    return Some(condition);
                }
                if name == self.check && condition.passed() {
                    stated = Some(condition);
                }
            }
        }
        stated
    }
}

fn minutes(number: i64) -> Fact {
    Fact::quantity(number, "minutes")
}

/// Returns the conditions on the note with their names.
pub fn conditions(text: &Found<String>) -> Vec<(String, Condition)> {
    let lines = text.get().map(|text| lines(text)).unwrap_or_default();
    let conditions = facts().conditions(&text.prose()).into_iter();
    let judged = conditions.map(|(name, condition)| {
        let length = LENGTHS.iter().find(|length| length.check == name);
        let own = length.and_then(|length| length.in_own_lines(&lines));
        let place = text.place();
        (name, own.map_or(condition, |own| own.at(place)))
    });
    judged.collect()
}

/// Returns the paragraphs, items and rows of a text, and each single line.
fn lines(text: &str) -> Vec<Found<Prose>> {
    let mut blocks: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let content = line.trim_start();
        let number = content.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let is_numbered = number.len() < content.len() && number.starts_with(['.', ')']);
        let begins = content.starts_with(['-', '*', '+', '|', '#', '>']) || is_numbered;
        if content.is_empty() || begins {
            is_open = false;
        }
        match blocks.last_mut() {
            Some(last) if is_open => {
                last.push('\n');
                last.push_str(line);
            }
            _ if content.is_empty() => {}
            _ => {
                blocks.push(line.to_owned());
                is_open = true;
            }
        }
    }
    let single = text.lines().filter(|line| !line.trim().is_empty());
    blocks.extend(single.map(str::to_owned));
    let read = blocks
        .into_iter()
        .map(|block| Found::new("the note", Ok(block)).prose());
    read.collect()
}

fn facts() -> Facts {
    let quill = ["Brónach", "Quill"];
    let facts = Facts::new()
        .must(
            "who dropped out",
            Fact::words([
                "cancel*",
                "drop* out",
                "pull* out",
                "withdr*",
                "is out",
                "are out",
                "call* off",
                "gone",
                "replac*",
                "instead of",
                "in place of",
                "in the place of",
                "step* in for",
                "stand* in for",
                "take* over from",
                "missing",
                "out",
                "off",
                "lost",
                "instead",
                "fill* in for",
                "take* their",
            ])
            .or(Fact::words([
                "come",
                "coming",
                "play",
                "playing",
                "make it",
                "get here",
                "be there",
                "available",
            ])
            .denied())
            .about(["Järnvik"]),
        )
        .must("who plays instead", Fact::term(quill))
        .must(
            "when that set begins",
            Fact::time(15, 25).about(quill).besides(
                Fact::time(16, 5)
                    .or(Fact::time(14, 40))
                    .or(Fact::time(15, 30)),
            ),
        )
        .must(LENGTHS[0].check, LENGTHS[0].fact(LENGTHS[0].act))
        .must("the end of music", Fact::time(22, 15))
        .must(LENGTHS[1].check, LENGTHS[1].fact(LENGTHS[1].act))
        .must(LENGTHS[2].check, LENGTHS[2].fact(LENGTHS[2].act))
        .must("the new name", Fact::term(["Farrant Quartet"]))
        .must("the open day", Fact::date(date(2025, 7, 13)).or_weekday())
        .must_not("fees", Fact::term(["fee", "pound"]))
        .must_not("the opposite of what holds", opposites());
    with_what_may_be_said(facts)
}

/// Phrases that turn what holds into its opposite, in sentences that have all the names and times. What Brónach Quill
/// does on Sunday is open, so that she cannot come then is true.
fn opposites() -> Fact {
    let each = |first: &[&str], second: &[&str]| -> Vec<String> {
        let phrases = first
            .iter()
            .flat_map(|one| second.iter().map(move |two| format!("{one} {two}")));
        phrases.collect()
    };
    let mut phrases = each(
        &["Järnvik Duo", "Järnvik"],
        &[
            "replace",
            "play instead",
            "step in",
            "steps in",
            "stand in",
            "stands in",
            "fill in",
            "fills in",
            "play in her place",
            "take her place",
            "take the slot",
            "take over",
        ],
    );
    phrases.extend(each(
        &["Quill"],
        &[
            "dropped out",
            "has dropped out",
            "has pulled out",
            "does not play instead",
            "will not play instead",
            "is not playing instead",
            "does not step in",
            "will not step in",
            "does not replace",
            "is replaced by",
        ],
    ));
    let end = [
        "not",
        "not at",
        "no longer",
        "no longer at",
        "instead of",
        "rather than",
        "not end at",
        "not stop at",
        "no longer end at",
        "no longer ends at",
    ];
    phrases.extend(each(&end, &["22:15"]));
    phrases.extend(each(
        &["Farrant Quartet"],
        &[
            "is now called",
            "are now called",
            "now goes by",
            "now go by",
            "is now Zoë",
            "are now Zoë",
            "is now the Minnows",
            "are now the Minnows",
        ],
    ));
    phrases.extend(each(
        &["no longer", "no longer called", "not called", "formerly"],
        &[
            "Zoë Farrant Quartet",
            "the Zoë Farrant Quartet",
            "Farrant Quartet",
            "the Farrant Quartet",
        ],
    ));
    phrases.extend(each(
        &["Sunday", "13 July"],
        &[
            "is not open",
            "is no longer open",
            "is settled too",
            "is settled now",
            "is also settled",
            "is already settled",
            "has been settled",
            "is fine",
        ],
    ));
    phrases.extend(each(
        &["nothing is", "nothing is left", "nothing stays", "nothing"],
        &["open"],
    ));
    let lengths = LENGTHS.map(|length| length.minutes.to_string());
    phrases.extend(each(
        &[
            "not",
            "not have",
            "not play",
            "no longer",
            "no longer have",
            "no longer play",
            "don't have",
        ],
        &lengths.each_ref().map(String::as_str),
    ));
    Fact::term(phrases)
}

/// Adds what a careful writer may say: the other sets, the papers and their days, and the people.
fn with_what_may_be_said(mut facts: Facts) -> Facts {
    for (hour, minute) in [
        (12, 30),
        (13, 0),
        (13, 15),
        (14, 0),
        (14, 15),
        (15, 0),
        (15, 42),
        (16, 5),
        (16, 15),
        (17, 5),
        (17, 25),
        (18, 10),
        (18, 0),
        (18, 45),
        (18, 30),
        (19, 20),
        (19, 40),
        (20, 40),
        (19, 50),
        (21, 10),
        (22, 40),
        (14, 40),
        (15, 30),
        (17, 0),
        (23, 0),
        // Last year's end of music, and draft 3.
        (22, 30),
        (15, 15),
        (16, 0),
        (16, 50),
        (16, 55),
        (17, 20),
        (19, 10),
        (19, 25),
        (20, 55),
    ] {
        facts = facts.may(Fact::time(hour, minute));
    }
    for length in [10, 15, 20, 30, 42, 50, 70] {
        facts = facts.may(minutes(length));
    }
    for (month, day) in [
        (6, 4),
        (6, 9),
        (6, 11),
        (6, 12),
        (6, 14),
        (6, 15),
        (6, 16),
        (6, 18),
        (6, 20),
        (6, 23),
        (7, 12),
    ] {
        facts = facts.may(Fact::date(date(2025, month, day)).or_weekday());
    }
    for number in [4, 13] {
        facts = facts.may(Fact::number(number));
    }
    // Small numbers in words count acts, calls and promises.
    for literal in [
        "draft 3",
        "EDL/25/0417",
        "Three Stiles",
        "two",
        "Two",
        "three",
        "Three",
        "five",
        "Five",
        "six",
        "Six",
    ] {
        facts = facts.literal(literal);
    }
    let ours = [
        "Maud Threlkeld",
        "Ingrid Maltravers",
        "Denzil Okafor-Pym",
        "Ffion Arkle",
        "Józef Pardoe",
    ];
    let ours = ours.map(Person::new);
    for person in &ours {
        facts = facts.may(Fact::person(person));
    }
    let others = [
        "Casimir Bright",
        "Hester Quayle",
        "Sunita Vail",
        "Garrick Sowerby",
        "Théo Lanvin",
    ];
    facts.people(ours).people(others.map(Person::new))
}
