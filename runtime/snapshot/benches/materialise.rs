//! Compares, in one run and on one file system, materialising a world with `cp -r`, and
//! capturing it on top of its base with capturing it anew.
//!
//! `cargo bench -p mcpmark-snapshot`, optionally with `-- DIRECTORY …` to choose the file
//! systems. Each figure is the median of alternating runs; what counts is the ratios.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use mcpmark_snapshot::{
    CaptureOptions, MaterialiseOptions, Scratch, Store, capture, materialise, scratch_parent,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

const COUNTS: [usize; 3] = [200, 2_000, 20_000];
const RUNS: usize = 9;
const FILES_PER_DIRECTORY: usize = 25;
const CLOCK: i64 = 1_700_000_000;

fn main() -> Outcome<()> {
    let mut parents: Vec<PathBuf> = std::env::args_os()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .map(PathBuf::from)
        .collect();
    if parents.is_empty() {
        parents = vec![scratch_parent(None), std::env::temp_dir()];
        parents.dedup();
    }
    for parent in parents {
        println!("{}", parent.display());
        println!(
            "{:>8} {:>10} {:>12} {:>7}   {:>10} {:>10} {:>7}",
            "files", "cp -r", "materialise", "ratio", "capture", "with base", "ratio"
        );
        for count in COUNTS {
            row(&parent, count)?;
        }
    }
    Ok(())
}

fn row(parent: &Path, count: usize) -> Outcome<()> {
    let home = Scratch::new(parent)?;
    let source = home.path().join("source");
    write_world(&source, count)?;
    let store = Store::open(home.path().join("store"))?;
    let tree = capture(&source, &store, &CaptureOptions::default())?;
    let copied = home.path().join("copied");
    let written = home.path().join("written");
    let options = MaterialiseOptions { clock: Some(CLOCK) };

    let mut times: [Vec<Duration>; 4] = Default::default();
    for run in 0..=RUNS {
        let (cp, status) = timed(|| {
            Command::new("cp")
                .arg("-r")
                .arg(&source)
                .arg(&copied)
                .status()
        });
        assert!(status?.success(), "cp -r failed");
        let (ours, materialised) = timed(|| materialise(&tree, &store, &written, &options));
        let mut materialised = materialised?;
        materialised.settle()?;

        let clock = Some(CLOCK);
        let plain = CaptureOptions {
            clock,
            ..CaptureOptions::default()
        };
        let based = CaptureOptions {
            base: Some((&tree, &materialised)),
            ..plain
        };
        let (anew, first) = timed(|| capture(&written, &store, &plain));
        let (on_base, second) = timed(|| capture(&written, &store, &based));
        assert_eq!(first?.digest(), tree.digest());
        assert_eq!(second?.digest(), tree.digest());

        fs::remove_dir_all(&copied)?;
        fs::remove_dir_all(&written)?;
        // The first run warms the caches.
        if run > 0 {
            for (times, time) in times.iter_mut().zip([cp, ours, anew, on_base]) {
                times.push(time);
            }
        }
    }
    let [cp, ours, anew, on_base] = times.map(median);
    println!(
        "{count:>8} {:>8.1}ms {:>10.1}ms {:>7.2}   {:>8.1}ms {:>8.1}ms {:>7.2}",
        cp * 1e3,
        ours * 1e3,
        ours / cp,
        anew * 1e3,
        on_base * 1e3,
        on_base / anew,
    );
    Ok(())
}

/// Files of a few bytes to 16 KiB, as in a folder of notes and tables.
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
