//! Long runs of many grades in one process: each outcome stays right, and memory does not grow.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use libtest_mimic::Failed;
use mcpmark_sandbox::{Limits, Sandbox, Verifier, VerifyInput};

use crate::arena::{Arena, Case, Outcome, fail, sandbox};
use crate::corpus;

/// Low limits, so that an endless loop ends soon.
const LIMITS: &str = "fuel=300000, copy_bytes=2000000";
const GRADES: usize = 3_000;
/// Growth of memory that is attributed to the allocator, in bytes: a constant, and an amount per grade. A small leak
/// per grade exceeds the constant only in a long run.
const KEPT: usize = 8 << 20;
const PER_GRADE: usize = 64;

struct Entry {
    name: String,
    verifier: Verifier,
    input: VerifyInput,
    expected: Outcome,
}

fn entries(sandbox: &Sandbox) -> Result<Vec<Entry>, Failed> {
    let arena = Arena::shared();
    let limits = Limits::VERIFIER.with(LIMITS)?;
    let entry = |case: &Case| -> Result<Option<Entry>, Failed> {
        let verifier = match sandbox.verifier(&case.component.bytes()?) {
            Ok(verifier) => verifier,
            Err(_) if case.expect == "refused" => return Ok(None),
            Err(error) => return fail(format!("{}: {error}", case.name)),
        };
        let mut input = arena.input.clone();
        if let Some(parameters) = &case.parameters {
            input.parameters = parameters.clone();
        }
        let expected: Outcome = sandbox.verify(&verifier, input.clone(), &limits).into();
        let name = case.name.clone();
        let due = case.soon.as_ref().unwrap_or(&case.expect);
        if &expected.kind != due {
            return fail(format!("{name}: {expected:?} instead of {due}"));
        }
        Ok(Some(Entry {
            name,
            verifier,
            input,
            expected,
        }))
    };
    let cases = corpus::wat().into_iter().chain(corpus::rust());
    let (entries, failed): (Vec<_>, Vec<_>) = cases
        .filter_map(|case| entry(&case).transpose())
        .partition(Result::is_ok);
    if failed.is_empty() {
        return Ok(entries.into_iter().flatten().collect());
    }
    let failed = failed.into_iter().filter_map(Result::err);
    let messages: Vec<_> = failed
        .filter_map(|failed| failed.message().map(str::to_owned))
        .collect();
    fail(messages.join("\n"))
}

fn grades() -> usize {
    let given = std::env::var("MCPMARK_SOAK").ok();
    given.and_then(|count| count.parse().ok()).unwrap_or(GRADES)
}

fn one(sandbox: &Sandbox, entries: &[Entry], number: usize) -> Result<(), Failed> {
    let limits = Limits::VERIFIER.with(LIMITS)?;
    // A permutation of the guests that does not follow their names.
    let entry = &entries[number.wrapping_mul(7919) % entries.len()];
    let outcome = Outcome::from(sandbox.verify(&entry.verifier, entry.input.clone(), &limits));
    if outcome != entry.expected {
        return fail(format!(
            "grade {number}, {}: {outcome:?} instead of {:?}",
            entry.name, entry.expected
        ));
    }
    let arena = Arena::shared();
    let honest = Outcome::from(sandbox.verify(&entries[0].verifier, arena.input.clone(), &limits));
    if honest != entries[0].expected {
        return fail(format!("the honest grade after {}: {honest:?}", entry.name));
    }
    Ok(())
}

fn honest_first(entries: &mut [Entry]) -> Result<(), Failed> {
    let honest = entries
        .iter()
        .position(|entry| entry.name == "wat::state-offsets-at-the-edge")
        .ok_or("there is no honest guest")?;
    entries.swap(0, honest);
    if entries[0].expected.kind != "graded passed" {
        return fail(format!("{:?}", entries[0].expected));
    }
    Ok(())
}

/// Grades alternately: each hostile grade is followed by an honest one.
pub(crate) fn mixed() -> Result<(), Failed> {
    let sandbox = sandbox(2);
    let mut entries = entries(&sandbox)?;
    honest_first(&mut entries)?;
    let rounds = grades() / 2;
    // In the first tenth the pool and the allocator reach their final size.
    let warm = (rounds / 10).max(entries.len());
    for number in 0..warm {
        one(&sandbox, &entries, number)?;
    }
    let before = resident();
    for number in warm..rounds.max(warm) {
        one(&sandbox, &entries, number)?;
    }
    let after = resident();
    if after > before + KEPT + PER_GRADE * grades() {
        return fail(format!(
            "resident memory went from {before} to {after} bytes in {rounds} rounds"
        ));
    }
    Ok(())
}

/// Grades on more threads than slots. Each thread takes the next guest.
pub(crate) fn at_once() -> Result<(), Failed> {
    let sandbox = sandbox(2);
    let mut entries = entries(&sandbox)?;
    honest_first(&mut entries)?;
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= grades() / 4 {
                            return Ok(());
                        }
                        one(&sandbox, &entries, number)?;
                    }
                })
            })
            .collect();
        let ends = threads.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| fail("a thread panicked".into()))
        });
        ends.collect::<Result<(), Failed>>()
    })
}

/// Returns the memory of this process that is not backed by files, in bytes.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok());
    kib.unwrap_or(0) << 10
}
