//! Differential test of the filesystem service against the published filesystem servers.
//!
//! Installs the pinned packages from npm, plays the same generated calls on both servers, and compares every answer and
//! the final states. The test is skipped if Node.js, npm or a registry is missing. `MCPMARK_DIFFERENTIAL_SEQUENCES`
//! sets the number of sequences, and `MCPMARK_DIFFERENTIAL_SEED` the first seed.

mod calls;
mod differences;
mod draw;
mod install;
#[path = "../npm.rs"]
mod npm;
mod paths;
mod peers;
mod play;
mod protocol;
mod starts;
mod texts;
mod worlds;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use mcpmark_test_support::{Need, skip};

use crate::calls::Sequence;
use crate::install::{RELEASES, Release};
use crate::play::{Difference, Stage, Summary};

/// Default number of sequences for each version, and the number of calls in a sequence.
const SEQUENCES: u64 = 120;
const LENGTH: usize = 24;

/// Maximum number of differences in the report, each of a different kind.
const SHOWN: usize = 6;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = RELEASES.map(|release| {
        Trial::test(format!("differential::{}", release.version), move || {
            compare(release)
        })
    });
    libtest_mimic::run(&arguments, trials.into()).exit_code()
}

fn compare(release: Release) -> Result<(), Failed> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("differential");
    let script = match release.install(&home) {
        Ok(script) => script,
        Err(reason) => {
            skip(Need::Npm, format!("{}: {reason}", release.version));
            return Ok(());
        }
    };
    let scratch = tempfile::tempdir_in(&home)?;
    let mut stage = Stage::new(release.version, script, scratch.path());
    let mut summary = Summary::default();
    let mut report = String::new();
    for difference in protocol::compare(&stage, &mut summary) {
        describe(&mut report, &difference, None)?;
    }
    let long = calls::long_file();
    if let Some(difference) = stage.play(&long, &mut summary) {
        // The report omits the world, because it is long.
        describe(&mut report, &difference, None)?;
    }
    for sequence in calls::beyond_limits()
        .into_iter()
        .chain(calls::refused_here())
    {
        if let Some(difference) = stage.play(&sequence, &mut summary) {
            describe(&mut report, &difference, None)?;
        }
    }
    let first = number("MCPMARK_DIFFERENTIAL_SEED", 1)?;
    let mut found: BTreeMap<String, (u64, Difference)> = BTreeMap::new();
    for seed in first..first + number("MCPMARK_DIFFERENTIAL_SEQUENCES", SEQUENCES)? {
        let sequence = calls::sequence(seed, LENGTH);
        if let Some(difference) = stage.play(&sequence, &mut summary) {
            found
                .entry(difference.about.clone())
                .or_insert((seed, difference));
            if found.len() >= SHOWN {
                break;
            }
        }
    }
    for (about, (seed, _)) in &found {
        let shortest = stage.shrink(&calls::sequence(*seed, LENGTH), about);
        if let Some(difference) = stage.play(&shortest, &mut Summary::default()) {
            describe(&mut report, &difference, Some((*seed, &shortest)))?;
        }
    }
    say(&summarise(release.version, &summary)?);
    if report.is_empty() {
        Ok(())
    } else {
        Err(Failed::from(report))
    }
}

fn number(variable: &str, default: u64) -> Result<u64, Failed> {
    match std::env::var(variable) {
        Err(_) => Ok(default),
        Ok(text) => text
            .parse()
            .map_err(|_| Failed::from(format!("{variable}={text:?} is no number"))),
    }
}

fn summarise(version: &str, summary: &Summary) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    writeln!(
        text,
        "{version}: {} calls in {} sequences compared, {} of them refused by the real server",
        summary.calls, summary.sequences, summary.failing
    )?;
    let tools: Vec<String> = summary
        .by_tool
        .iter()
        .map(|(tool, calls)| format!("{tool:?} {calls}"))
        .collect();
    writeln!(text, "  by tool: {}", tools.join(", "))?;
    for (name, (count, reason)) in &summary.allowed {
        writeln!(text, "  {count:5} allowed: {name} ({reason})")?;
    }
    Ok(text)
}

fn describe(
    report: &mut String,
    difference: &Difference,
    origin: Option<(u64, &Sequence)>,
) -> std::fmt::Result {
    writeln!(report, "\ndifference in {}", difference.about)?;
    if let Some((seed, sequence)) = origin {
        writeln!(report, "  seed {seed}, shortened to:")?;
        for (path, entry) in &sequence.world.0 {
            writeln!(report, "    {path:?}: {}", clipped(&entry.to_string()))?;
        }
        for call in &sequence.calls {
            let arguments = call.arguments.to_string();
            writeln!(report, "    {} {}", call.tool, clipped(&arguments))?;
        }
    }
    let (real, ours) = (&difference.real, &difference.ours);
    let equal = real.bytes().zip(ours.bytes()).take_while(|(a, b)| a == b);
    writeln!(report, "  equal for {} bytes", equal.count())?;
    writeln!(report, "  real: {}", clipped(real))?;
    writeln!(report, "  ours: {}", clipped(ours))
}

/// Returns the start and the end of a long text.
fn clipped(text: &str) -> String {
    const KEPT: usize = 700;
    let count = text.chars().count();
    if count <= 2 * KEPT {
        return text.to_owned();
    }
    let start: String = text.chars().take(KEPT).collect();
    let end: String = text.chars().skip(count - KEPT).collect();
    format!("{start} […] {end}")
}

/// Prints a summary to standard output, also if the test passes.
fn say(text: &str) {
    // A closed standard output is not an error.
    let _ = std::io::stdout().write_all(text.as_bytes());
}
