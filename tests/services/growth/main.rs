//! Cost of tool calls as their arguments and worlds grow: processor time and memory must grow linearly.
//!
//! The cases run one at a time, because both are measured for the whole process.

mod cancel;
mod exhaustion;
mod filesystem;
mod github;
mod measure;
mod world;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let trials = [
        measure::trials(),
        cancel::trials(),
        exhaustion::trials(),
        filesystem::trials(),
        github::trials(),
    ];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
}
