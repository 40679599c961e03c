//! Hostile guests: each gets the expected outcome, and affects no other grade.
//!
//! There is one named test per guest. `MCPMARK_SOAK=100000` sets the number of grades of the long runs.

mod arena;
#[path = "../../../../tests/hostile/cases.rs"]
mod cases;
mod corpus;
mod exact;
mod generated;
mod others;
mod soak;

use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::arena::Arena;

/// Environment variable with the directory that is watched, set in the process that runs the tests.
const WATCHED: &str = "MCPMARK_HOSTILE_WATCHED";

fn main() -> ExitCode {
    if std::env::var_os(WATCHED).is_none() {
        return in_directories_of_our_own();
    }
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = corpus::wat()
        .into_iter()
        .chain(corpus::rust())
        .chain(generated::cases())
        .map(|case| {
            Trial::test(format!("hostile::{}", case.name), move || {
                Arena::shared().judge(&case)
            })
        })
        .collect();
    trials.extend(others::trials("setup"));
    trials.extend(others::trials("solution"));
    trials.push(Trial::test(
        "hostile::generated::bit-flips",
        generated::bit_flips,
    ));
    trials.push(Trial::test(
        "hostile::generated::truncations",
        generated::truncations,
    ));
    trials.push(Trial::test("hostile::exact::each-limit", exact::each_limit));
    trials.push(Trial::test("hostile::exact::fixed-caps", exact::fixed_caps));
    trials.push(Trial::test(
        "hostile::exact::component-size",
        exact::component_size,
    ));
    trials.push(Trial::test("hostile::exact::handles", exact::handles));
    trials.push(Trial::test("hostile::exact::ceiling", exact::ceiling));
    trials.push(Trial::test("hostile::exact::time", exact::time));
    trials.push(Trial::test(
        "hostile::soak::honest-and-hostile-in-turn",
        soak::mixed,
    ));
    trials.push(Trial::test(
        "hostile::soak::all-cores-at-once",
        soak::at_once,
    ));
    let cases = trials.len();
    trials.push(Trial::test(
        "hostile::the-corpus-has-not-shrunk",
        move || {
            if cases >= 228 {
                return Ok(());
            }
            Err(Failed::from(format!("there are {cases} cases")))
        },
    ));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Runs this program again, with a home and a working directory that no other program writes to, so that only a guest
/// can have changed them.
fn in_directories_of_our_own() -> ExitCode {
    let watched = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(std::env::args_os().skip(1))
        .env(WATCHED, watched.path());
    // The guest in Rust is built by tools in the real home directory.
    if let Some(home) = std::env::var_os("HOME") {
        let home = Path::new(&home);
        for (variable, place) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            if std::env::var_os(variable).is_none() {
                command.env(variable, home.join(place));
            }
        }
    }
    let (home, work) = (watched.path().join("home"), watched.path().join("work"));
    for dir in [&home, &work] {
        std::fs::create_dir(dir).unwrap();
        std::fs::write(dir.join("hello.txt"), "of the machine").unwrap();
    }
    let status = command.env("HOME", &home).current_dir(&work).status();
    let passed = status.is_ok_and(|status| status.success());
    ExitCode::from(if passed { 0 } else { 101 })
}
