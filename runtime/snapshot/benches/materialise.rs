//! Benchmark of private copies, with overlay mounts and with written files. In one run and on one file system, it
//! compares the creation of a copy with `cp -r`, and its capture after ten changed files with hashing all files.
//!
//! Run `cargo bench -p mcpmark-snapshot`, optionally with `-- DIRECTORY …` to choose the file systems. Each figure is
//! the median of alternating runs, and only the ratios are meaningful. Writing 2,000 files must take no longer than `cp
//! -r`. Overlay mounts, if they work, must take at most three tenths of the time that they are compared with. The
//! result is printed below each row, and the exit code is 1 if a bound is missed. `-- --short` runs once with few
//! files, without bounds on time, to check that the benchmark works.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant, SystemTime};

use cap_std::fs::Dir;
use mcpmark_snapshot::{
    CaptureOptions, CopyMethod, PrivateCopy, Scratch, ScratchSpace, Store, capture, scratch_parent,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

const COUNTS: [usize; 3] = [200, 2_000, 20_000];
const RUNS: usize = 9;
const FILES_PER_DIRECTORY: usize = 25;
const CLOCK: i64 = 1_700_000_000;
const CHANGED: usize = 10;
/// Number of files for which writing is compared with `cp -r`.
const HELD: usize = 2_000;
const ALLOWED: f64 = 0.3;

/// Settings of a run.
struct Measure {
    counts: &'static [usize],
    runs: usize,
    /// Set if the bounds on time are checked.
    is_judged: bool,
}

const WHOLE: Measure = Measure {
    counts: &COUNTS,
    runs: RUNS,
    is_judged: true,
};

const SHORT: Measure = Measure {
    counts: &[COUNTS[0]],
    runs: 1,
    is_judged: false,
};

fn main() -> Outcome<ExitCode> {
    let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let measure = if arguments.iter().any(|argument| argument == "--short") {
        SHORT
    } else {
        WHOLE
    };
    arguments.retain(|argument| argument != "--bench" && argument != "--short");
    let mut parents: Vec<PathBuf> = arguments.into_iter().map(PathBuf::from).collect();
    if parents.is_empty() {
        parents = vec![scratch_parent(None), std::env::temp_dir()];
        parents.dedup();
    }
    let mut met = true;
    for parent in parents {
        println!("{}", parent.display());
        let overlays = ScratchSpace::probe(&parent, CopyMethod::Auto)?;
        if let Err(reason) = overlays.has_overlay() {
            println!("overlay mounts do not work here: {reason}");
        }
        println!(
            "{:>7} {:>10} {:>14} {:>14}   {:>10} {:>14} {:>14}",
            "files", "cp -r", "written", "overlay", "hash all", "written", "overlay"
        );
        for count in measure.counts {
            met &= row(&parent, &overlays, *count, &measure)?;
        }
    }
    Ok(ExitCode::from(u8::from(!met)))
}

/// Prints a row and its bounds. Returns true if all bounds are met.
fn row(parent: &Path, overlays: &ScratchSpace, count: usize, measure: &Measure) -> Outcome<bool> {
    let home = Scratch::new(parent)?;
    let source = home.path().join("source");
    write_world(&source, count)?;
    let store = Store::open(home.path().join("store"))?;
    let tree = capture(&source, &store, &CaptureOptions::default())?;
    let copied = home.path().join("copied");
    let written = ScratchSpace::plain(parent);
    let make = |space: &ScratchSpace| PrivateCopy::make(&tree, &store, space, CLOCK);

    let mut times: [Vec<Duration>; 6] = Default::default();
    for run in 0..=measure.runs {
        let (cp, status) = timed(|| {
            Command::new("cp")
                .arg("-r")
                .arg(&source)
                .arg(&copied)
                .status()
        });
        assert!(status?.success(), "cp -r failed");
        let (by_writing, plain) = timed(|| make(&written));
        let (by_mounting, overlaid) = timed(|| make(overlays));
        let (plain, overlaid) = (plain?, overlaid?);
        for copy in [&plain, &overlaid] {
            change(&Dir::from_std_file(copy.world()?))?;
        }
        change(&Dir::open_ambient_dir(
            &copied,
            cap_std::ambient_authority(),
        )?)?;

        let (all, first) = timed(|| capture(&copied, &store, &CaptureOptions::default()));
        let (of_written, second) = timed(|| plain.capture());
        let (of_overlay, third) = timed(|| overlaid.capture());
        let (first, second, third) = (first?, second?, third?);
        assert_eq!(first.digest(), second.tree.digest());
        assert_eq!(first.digest(), third.tree.digest());

        plain.close()?;
        overlaid.close()?;
        fs::remove_dir_all(&copied)?;
        // The first run warms the caches and creates the base.
        if run > 0 {
            let taken = [cp, by_writing, by_mounting, all, of_written, of_overlay];
            for (times, time) in times.iter_mut().zip(taken) {
                times.push(time);
            }
        }
    }
    let [cp, by_writing, by_mounting, all, of_written, of_overlay] = times.map(median);
    let against = |time: f64, other: f64| format!("{:.1}ms {:.3}", time * 1e3, time / other);
    println!(
        "{count:>7} {:>8.1}ms {:>14} {:>14}   {:>8.1}ms {:>14} {:>14}",
        cp * 1e3,
        against(by_writing, cp),
        against(by_mounting, cp),
        all * 1e3,
        against(of_written, all),
        against(of_overlay, all),
    );
    if !measure.is_judged {
        return Ok(true);
    }
    let mut bounds = Vec::new();
    if count == HELD {
        bounds.push(("written, of cp -r", by_writing / cp, 1.0));
    }
    if overlays.has_overlay().is_ok() {
        bounds.push(("overlay, of cp -r", by_mounting / cp, ALLOWED));
        bounds.push(("overlay, of hash all", of_overlay / all, ALLOWED));
    }
    for (what, found, bound) in &bounds {
        let word = if found <= bound { "met" } else { "missed" };
        println!("{what:>28} {found:.3} ≤ {bound:.2}: {word}");
    }
    Ok(bounds.iter().all(|(_, found, bound)| found <= bound))
}

/// Changes files that are spread over the world. The store contains the new text after the first run, so that no run
/// waits for the disk.
fn change(root: &Dir) -> Outcome<()> {
    let files: Vec<PathBuf> = {
        let mut directories: Vec<_> = root.entries()?.collect::<Result<_, _>>()?;
        directories.sort_by_key(|entry| entry.file_name());
        let mut files = Vec::new();
        for directory in directories {
            let below = directory.open_dir()?;
            for file in below.entries()? {
                files.push(Path::new(&directory.file_name()).join(file?.file_name()));
            }
        }
        files.sort();
        files
    };
    for number in 0..CHANGED {
        let path = &files[number * files.len() / CHANGED];
        let file = root.create(path)?;
        let mut file = file.into_std();
        std::io::Write::write_all(&mut file, format!("changed {number}\n").as_bytes())?;
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(CLOCK as u64))?;
    }
    Ok(())
}

/// Writes files of 16 bytes to 16 KiB, as in a directory of notes and tables.
fn write_world(root: &Path, count: usize) -> Outcome<()> {
    for i in 0..count {
        let directory = root.join(format!("d{:03}", i / FILES_PER_DIRECTORY));
        fs::create_dir_all(&directory)?;
        let line = format!("line of file {i}, with a little text\n");
        let length = 16 + (i * 7919) % 16_384;
        let mut text = line.repeat(length / line.len() + 1);
        text.truncate(length);
        fs::write(directory.join(format!("file-{i}.txt")), text)?;
    }
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}
