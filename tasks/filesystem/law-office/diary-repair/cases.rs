//! What the folder of a case says: its side, orders, services, agreements.

use mcpmark_guest::Reader;

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::jiff::civil::Date;

use crate::office;

pub struct Case {
    pub matter: String,
    side: String,
    /// Ordered by the day on which they were made.
    pub orders: Vec<Order>,
    /// How and when each document was sent.
    pub services: BTreeMap<String, (String, String)>,
    letters: Vec<Letter>,
}

pub struct Order {
    pub made: Date,
    pub hearing: Option<Date>,
    pub paragraphs: Vec<String>,
}

struct Letter {
    is_ours: bool,
    sent: Date,
    body: String,
}

impl Case {
    /// The case in a folder, if it is at court.
    pub fn read(drive: &mut impl Reader, folder: &str) -> Option<Self> {
        let folder = format!("02 Matters/{folder}");
        if !drive.names(&folder).contains(&"case.ini".to_owned()) {
            return None;
        }
        let settings = drive.text(&format!("{folder}/case.ini"));
        let setting = |name: &str| {
            let lines = settings.lines();
            let value = lines.filter_map(|line| line.split_once(" = "));
            let mut value = value.filter(|(key, _)| *key == name);
            value.next().expect("a case has this setting").1.to_owned()
        };
        let names = drive.names(&format!("{folder}/2 Court"));
        let mut orders: Vec<Order> = names
            .iter()
            .filter(|name| name.starts_with("order "))
            .map(|name| Order::read(&drive.text(&format!("{folder}/2 Court/{name}"))))
            .collect();
        orders.sort_by_key(|order| order.made);
        let services = drive.text(&format!("{folder}/service.txt"));
        let services = services.lines().skip(1).map(|line| {
            let cells: Vec<&str> = line.split(" | ").collect();
            (
                cells[0].to_owned(),
                (cells[1].to_owned(), cells[2].to_owned()),
            )
        });
        let mut letters = Vec::new();
        if drive
            .folders(&folder)
            .contains(&"1 Correspondence".to_owned())
        {
            for name in drive.names(&format!("{folder}/1 Correspondence")) {
                let text = drive.text(&format!("{folder}/1 Correspondence/{name}"));
                letters.extend(Letter::read(&text));
            }
        }
        Some(Self {
            matter: setting("matter"),
            side: setting("we act for"),
            services: services.collect(),
            orders,
            letters,
        })
    }

    pub fn hearing(&self) -> Option<Date> {
        self.orders.iter().rev().find_map(|order| order.hearing)
    }

    /// Whether a paragraph is ordered of our side.
    pub fn is_ours(&self, paragraph: &str) -> bool {
        let of_us = format!("The {} shall", self.side);
        paragraph.starts_with("The parties shall") || paragraph.starts_with(&of_us)
    }

    /// The paragraphs that an order of this case revokes: day of their order and number.
    pub fn revoked(&self) -> BTreeSet<(Date, usize)> {
        let mut revoked = BTreeSet::new();
        for paragraph in self.orders.iter().flat_map(|order| &order.paragraphs) {
            let Some((numbers, date)) = paragraph
                .strip_prefix("Paragraph")
                .and_then(|rest| rest.split_once(" of the order of "))
            else {
                continue;
            };
            let date = date.split(" are ").next().unwrap_or_default();
            let date = office::day(date.split(" is ").next().unwrap_or_default());
            let numbers = numbers.split(|letter: char| !letter.is_ascii_digit());
            let numbers = numbers.filter_map(|number| number.parse().ok());
            revoked.extend(numbers.map(|number: usize| (date, number)));
        }
        revoked
    }

    /// The new date of a step that was to be done on `deadline`, and the day of the answer.
    /// With `both_sides`, proposal and answer must come from different sides.
    pub fn agreement(&self, step: &str, deadline: Date, both_sides: bool) -> Option<(Date, Date)> {
        let answers = self.letters.iter().filter(|letter| letter.sent <= deadline);
        for answer in answers {
            let Some(date) = answer.says("Agreed", step) else {
                continue;
            };
            let is_proposed = self.letters.iter().any(|letter| {
                letter.says("Proposal", step) == Some(date)
                    && letter.sent <= answer.sent
                    && (letter.is_ours != answer.is_ours || !both_sides)
            });
            if is_proposed {
                return Some((date, answer.sent));
            }
        }
        None
    }
}

impl Order {
    fn read(text: &str) -> Self {
        let (mut made, mut hearing, mut paragraphs) = (None, None, Vec::new());
        for line in text.lines() {
            if let Some(date) = line.strip_prefix("Made: ") {
                made = Some(office::day(date));
            } else if let Some(date) = line.strip_prefix("Hearing: ") {
                hearing = date.split(',').next().map(office::day);
            } else if line.starts_with(|letter: char| letter.is_ascii_digit()) {
                let (_, paragraph) = line.split_once(". ").expect("paragraphs have numbers");
                paragraphs.push(paragraph.trim_end_matches('.').to_owned());
            }
        }
        Self {
            made: made.expect("an order is made on a day"),
            hearing,
            paragraphs,
        }
    }
}

impl Letter {
    fn read(text: &str) -> Option<Self> {
        let head = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        if !text.contains("\nProposal: ") && !text.contains("\nAgreed: ") {
            return None;
        }
        Some(Self {
            is_ours: head("From: ")?.ends_with("@tolliver-ashe.example"),
            sent: office::in_london(head("Date: ")?).date(),
            body: text.to_owned(),
        })
    }

    fn says(&self, word: &str, step: &str) -> Option<Date> {
        let beginning = format!("{word}: {step} to ");
        let mut lines = self.body.lines();
        lines
            .find_map(|line| line.strip_prefix(&beginning))
            .map(office::day)
    }
}
