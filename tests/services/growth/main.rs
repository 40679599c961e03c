//! The cost of tool calls as their arguments and worlds grow: processor time and memory stay linear.
//!
//! The cases run one at a time, since both are measured for the whole process.

mod filesystem;
mod github;
mod measure;
#[allow(dead_code, reason = "for the cases to come")]
mod world;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let trials = [measure::trials(), filesystem::trials(), github::trials()];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
}
