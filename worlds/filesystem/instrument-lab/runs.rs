//! What the three large instruments exported: one file a batch, each in its own dialect.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::DateTime;
use mcpmark_guest::{Csv, NewFile, Random, World};

use crate::dialects::export;
use crate::registers::{PROJECTS, Sample};
use crate::time::{at, iso, local_of, minutes, seconds, utc_of};

pub struct Batch {
    pub instrument: &'static str,
    pub group: &'static str,
    pub number: String,
    pub operator: &'static str,
    /// By the wall clock.
    pub started: DateTime,
    pub samples: Vec<String>,
    pub in_inbox: bool,
}

impl Batch {
    pub fn exported(&self) -> DateTime {
        local_of(minutes(utc_of(self.started), 150))
    }

    fn extension(&self) -> &'static str {
        if self.group == "toc" { "txt" } else { "csv" }
    }

    /// The path in the archive of runs, by the laboratory's convention.
    pub fn path(&self) -> String {
        format!(
            "runs/{}/{}_{}.{}",
            self.instrument,
            utc_of(self.started).strftime("%Y%m%d-%H%M"),
            self.number,
            self.extension()
        )
    }
}

type Start = (i8, i8, i8, i8);

const METALS: [Start; 12] = [
    (2, 28, 9, 10),
    (3, 1, 8, 55),
    (3, 6, 9, 12),
    (3, 8, 13, 40),
    (3, 13, 9, 5),
    (3, 15, 9, 30),
    (3, 20, 10, 2),
    (3, 25, 0, 20),
    (3, 27, 9, 15),
    (4, 2, 10, 5),
    (4, 3, 9, 20),
    (4, 5, 0, 40),
];
const ANIONS: [Start; 11] = [
    (2, 27, 14, 40),
    (3, 1, 10, 5),
    (3, 5, 8, 40),
    (3, 8, 8, 30),
    (3, 12, 14, 0),
    (3, 15, 11, 45),
    (3, 19, 9, 0),
    (3, 22, 8, 50),
    (3, 26, 15, 10),
    (4, 2, 11, 0),
    (4, 5, 9, 45),
];
const TOC: [Start; 7] = [
    (2, 29, 8, 30),
    (3, 7, 8, 15),
    (3, 14, 9, 0),
    (3, 18, 13, 20),
    (3, 21, 8, 40),
    (3, 28, 7, 55),
    (4, 4, 8, 10),
];

/// The batches of all three instruments, with the samples that each measured.
pub fn plan(random: &mut Random, samples: &[Sample]) -> Vec<Batch> {
    let mut batches = Vec::new();
    for (instrument, group, prefix, first, starts, operators, in_inbox) in [
        (
            "icp-1",
            "metals",
            "ICP-",
            229,
            METALS.as_slice(),
            ["mt", "td"],
            2,
        ),
        (
            "ic-2",
            "anions",
            "IC-",
            116,
            ANIONS.as_slice(),
            ["jo", "hv"],
            1,
        ),
        ("toc-3", "toc", "TOC-", 71, TOC.as_slice(), ["ep", "jo"], 1),
    ] {
        let mut pending: Vec<&Sample> = samples
            .iter()
            .filter(|sample| PROJECTS[sample.project].asks_for(group))
            .collect();
        let mut previous: Vec<String> = Vec::new();
        for (index, (month, day, hour, minute)) in starts.iter().enumerate() {
            let started = at(*month, *day, *hour, *minute);
            let ready = |sample: &&&Sample| minutes(sample.received, 30) < started;
            let mut now: Vec<String> = Vec::new();
            // Most of what is ready; some is left for another day, and something is repeated.
            let mut left = Vec::new();
            for sample in &pending {
                let is_left = random.chance(1, 9) && sample.taken < at(3, 29, 0, 0);
                if ready(&sample) && !is_left {
                    now.push(sample.id.clone());
                } else {
                    left.push(*sample);
                }
            }
            pending = left;
            for id in &previous {
                if random.chance(1, 6) {
                    now.push(id.clone());
                }
            }
            previous.clone_from(&now);
            batches.push(Batch {
                instrument,
                group,
                number: format!("{prefix}{:04}", first + index),
                operator: random.pick::<&'static str>(&operators),
                started,
                samples: now,
                in_inbox: index + in_inbox >= starts.len(),
            });
        }
    }
    batches
}

/// Writes the archive, and gives the texts by batch.
pub fn write(world: &mut World, batches: &[Batch]) -> BTreeMap<String, String> {
    let mut archive = BTreeMap::new();
    let mut index: Vec<(String, String)> = Vec::new();
    for batch in batches.iter().filter(|batch| !batch.in_inbox) {
        let text = export(world.random(), batch);
        let started = utc_of(batch.started);
        let line = Csv::line([
            batch.number.clone(),
            batch.instrument.to_owned(),
            format!("{}Z", iso(started)),
            count(&text).to_string(),
            batch.path(),
        ]);
        index.push((iso(started), line));
        let modified = seconds(utc_of(batch.exported()));
        world.add(NewFile::new(batch.path(), text.clone()).modified(modified));
        archive.insert(batch.number.clone(), text);
    }
    index.sort();
    let lines: String = index.into_iter().map(|(_, line)| line).collect();
    world.file(
        "runs/index.csv",
        format!("batch,instrument,started_utc,rows,file\n{lines}"),
    );
    archive
}

/// The number of rows that the end of an export states.
pub fn count(text: &str) -> usize {
    let last = text.trim_end().lines().last().unwrap_or_default();
    let digits: String = last.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}
