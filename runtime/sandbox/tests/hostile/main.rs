//! Guests that misbehave: each gets the outcome it must get, and harms nobody else.
//!
//! One test a guest, by name. `MCPMARK_SOAK=100000` makes the long run that many grades long.

mod arena;
mod corpus;
mod exact;
mod generated;
mod others;
mod soak;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::arena::Arena;

fn main() -> ExitCode {
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
            if cases >= 210 {
                return Ok(());
            }
            Err(Failed::from(format!("there are {cases} cases")))
        },
    ));
    libtest_mimic::run(&arguments, trials).exit_code()
}
