//! Decisions on the short papers of each track.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Reader, dates, numbers};

#[path = "reviews.rs"]
pub mod reviews;

pub use reviews::{Mistake, folder};

use folder::table;
use reviews::Review;

pub const ITEM: &str = "decide on the short papers (Matteo)";
pub const DECISIONS: &str = "02 Reviews/short papers/decisions.csv";
pub const EXCLUDED: &str = "02 Reviews/short papers/excluded.csv";

/// What the committee decided, in the order of its meetings: the minutes and the words in them.
const DECIDED: [(&str, &str, Decision); 6] = [
    (
        "2024-01-11",
        "- Radio gives one of its places for short papers to Heritage.",
        Decision::Gives("Radio", "Heritage"),
    ),
    (
        "2024-01-11",
        "- S09 is outside of our scope and is rejected, whatever its reviews say.",
        Decision::By("S09", Some("reject")),
    ),
    (
        "2024-01-18",
        "- S09 stays in after all: it is ranked like any other paper.",
        Decision::By("S09", None),
    ),
    (
        "2024-01-18",
        "- S18 is accepted, whatever its score:",
        Decision::By("S18", Some("accept")),
    ),
    (
        "2024-01-25",
        "- Sound has one place more for short papers:",
        Decision::More("Sound"),
    ),
    (
        "2024-01-25",
        "- S20 is accepted.",
        Decision::By("S20", Some("accept")),
    ),
];

#[derive(Clone, Copy)]
enum Decision {
    Gives(&'static str, &'static str),
    More(&'static str),
    By(&'static str, Option<&'static str>),
}

struct Track {
    name: String,
    labels: Vec<String>,
    places: usize,
}

struct Paper {
    number: String,
    track: usize,
    received: Date,
    is_withdrawn: bool,
    overall: Vec<i64>,
    weighted: i64,
    weight: i64,
    decision: &'static str,
}

/// Lines of the two lists for one track.
pub struct Outcome {
    pub decisions: Vec<String>,
    pub excluded: Vec<String>,
}

/// Decides the papers of a track.
pub fn outcome(folder: &mut dyn Reader, track: &str, mistake: Option<Mistake>) -> Outcome {
    let mut tracks = read_tracks(folder);
    let (mut papers, authors) = read_papers(folder, &tracks);
    let by_name = heed_minutes(folder, &mut tracks, mistake);
    let at = tracks.iter().position(|it| it.name == track);
    papers.retain(|paper| Some(paper.track) == at);
    let mut reviews = reviews::judged(folder, &authors, mistake);
    reviews.retain(|review| papers.iter().any(|paper| paper.number == review.paper));
    for review in reviews.iter().filter(|review| review.excluded.is_none()) {
        let paper = papers
            .iter_mut()
            .find(|paper| paper.number == review.paper)
            .expect("reviews of other papers are gone");
        paper.overall.push(review.overall);
        paper.weighted += review.overall * review.confidence;
        paper.weight += review.confidence;
    }
    let places = places_of(&mut tracks, track);
    let papers = decide(*places, papers, &by_name);
    let line = |paper: &Paper| {
        let (counted, score) = if paper.is_withdrawn {
            (String::new(), String::new())
        } else {
            (paper.overall.len().to_string(), paper.written_score())
        };
        let decision = paper.decision.to_owned();
        [
            paper.number.clone(),
            track.to_owned(),
            counted,
            score,
            decision,
        ]
        .join(",")
    };
    Outcome {
        decisions: papers.iter().map(line).collect(),
        excluded: reviews.iter().filter_map(excluded).collect(),
    }
}

fn excluded(review: &Review) -> Option<String> {
    let reason = review.excluded?;
    Some(
        [
            review.name.as_str(),
            &review.paper,
            &review.reviewer,
            reason,
        ]
        .join(","),
    )
}

impl Paper {
    fn written_score(&self) -> String {
        if self.weight == 0 {
            return String::new();
        }
        numbers::fixed(Decimal::from(self.weighted) / Decimal::from(self.weight), 2)
    }

    /// Scores compare as fractions: all have the same denominator then.
    fn rank(&self, denominator: i64) -> impl Ord + use<> {
        (
            Reverse(self.weighted * (denominator / self.weight)),
            Reverse(self.overall.iter().min().copied()),
            Reverse(self.overall.len()),
            self.received,
            self.number.clone(),
        )
    }
}

/// Gives each paper its decision, and returns the papers in the order of the list.
fn decide(
    places: usize,
    papers: Vec<Paper>,
    by_name: &BTreeMap<&'static str, &'static str>,
) -> Vec<Paper> {
    let (mut named, mut ranked) = (Vec::new(), Vec::new());
    let (mut pending, mut withdrawn) = (Vec::new(), Vec::new());
    for mut paper in papers {
        if paper.is_withdrawn {
            paper.decision = "withdrawn";
            withdrawn.push(paper);
        } else if let Some(decision) = by_name.get(paper.number.as_str()) {
            paper.decision = decision;
            named.push(paper);
        } else if paper.overall.len() < 3 {
            paper.decision = "pending";
            pending.push(paper);
        } else {
            ranked.push(paper);
        }
    }
    let denominator = ranked.iter().map(|paper| paper.weight).product();
    ranked.sort_by_key(|paper| paper.rank(denominator));
    let is_accepted = |paper: &&Paper| paper.decision == "accept";
    let mut accepted = named.iter().filter(is_accepted).count();
    let mut reserves = 0;
    for paper in &mut ranked {
        paper.decision = if paper.weighted > 0 && accepted < places {
            accepted += 1;
            "accept"
        } else if paper.weighted > 0 && reserves < 2 {
            reserves += 1;
            "reserve"
        } else {
            "reject"
        };
    }
    [named, ranked, pending, withdrawn]
        .into_iter()
        .flatten()
        .collect()
}

fn read_tracks(folder: &mut dyn Reader) -> Vec<Track> {
    let mut tracks: Vec<Track> = Vec::new();
    for line in folder.text("01 Submissions/tracks.ini").lines() {
        if let Some(name) = line.strip_prefix('[') {
            tracks.push(Track {
                name: name.trim_end_matches(']').to_owned(),
                labels: Vec::new(),
                places: 0,
            });
        } else if let (Some(track), Some((key, value))) =
            (tracks.last_mut(), line.split_once(" = "))
        {
            match key {
                "labels" => track.labels = value.split("; ").map(str::to_owned).collect(),
                "places" => track.places = value.parse().expect("a number of places"),
                other => panic!("a track has labels and places, not {other:?}"),
            }
        }
    }
    tracks
}

/// The papers in the order of their numbers, and the addresses of the authors of those that
/// are not withdrawn.
fn read_papers(
    folder: &mut dyn Reader,
    tracks: &[Track],
) -> (Vec<Paper>, BTreeMap<String, Vec<String>>) {
    let (mut papers, mut authors) = (Vec::new(), BTreeMap::new());
    for row in table(folder, "01 Submissions/short papers.csv").rows() {
        let label = row.get("track").to_lowercase();
        let number = row.get("id").to_owned();
        let is_withdrawn = row.get("status").to_lowercase() == "withdrawn";
        if !is_withdrawn {
            let addresses = row.get("authors").split("; ").map(|author| {
                let (_, address) = author.split_once('<').expect("an author has an address");
                address.trim_end_matches('>').to_lowercase()
            });
            authors.insert(number.clone(), addresses.collect());
        }
        papers.push(Paper {
            number,
            track: tracks
                .iter()
                .position(|track| track.labels.contains(&label))
                .expect("each label belongs to a track"),
            received: dates::parse(row.get("received"), &[dates::MONTH_FIRST]).expect("a date"),
            is_withdrawn,
            overall: Vec::new(),
            weighted: 0,
            weight: 0,
            decision: "",
        });
    }
    papers.sort_by(|a, b| a.number.cmp(&b.number));
    (papers, authors)
}

/// Moves places as decided, and gives the papers that are accepted or rejected by name.
fn heed_minutes(
    folder: &mut dyn Reader,
    tracks: &mut [Track],
    mistake: Option<Mistake>,
) -> BTreeMap<&'static str, &'static str> {
    let mut by_name = BTreeMap::new();
    for (day, words, decision) in DECIDED {
        let minutes = folder.text(&format!("06 Minutes/{day} committee.md"));
        let decided = minutes
            .split("## ")
            .find(|part| part.starts_with("Decided"));
        assert!(
            decided.is_some_and(|part| part.contains(words)),
            "the minutes of {day} have decided {words:?}"
        );
        if mistake == Some(Mistake::OverlooksMinutes) {
            continue;
        }
        match decision {
            Decision::Gives(giver, taker) => {
                *places_of(tracks, giver) -= 1;
                *places_of(tracks, taker) += 1;
            }
            Decision::More(name) => *places_of(tracks, name) += 1,
            Decision::By(paper, Some(word)) => {
                by_name.insert(paper, word);
            }
            Decision::By(paper, None) => {
                by_name.remove(paper);
            }
        }
    }
    if mistake == Some(Mistake::HeedsDiscussions) {
        by_name.insert("S18", "reject");
    }
    by_name
}

fn places_of<'a>(tracks: &'a mut [Track], name: &str) -> &'a mut usize {
    let track = tracks.iter_mut().find(|track| track.name == name);
    &mut track.expect("decisions speak of tracks of the list").places
}
