//! Cost of tool calls as their arguments and worlds grow: processor time and memory must grow linearly.
//!
//! The cases of a process run one at a time, because both are measured for the whole process. There is one process per
//! core.

mod cancel;
mod exhaustion;
mod filesystem;
mod github;
mod measure;
mod notion;
mod shards;
mod world;

use std::process::ExitCode;

use libtest_mimic::Arguments;

use crate::shards::Shard;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    let shard = match Shard::of_environment() {
        Some(shard) => Some(shard),
        None if arguments.list => None,
        None => return shards::run_all(),
    };
    arguments.test_threads = Some(1);
    let trials = [
        measure::trials(),
        cancel::trials(),
        exhaustion::trials(),
        filesystem::trials(),
        github::trials(),
        notion::trials(),
    ];
    let trials = trials.into_iter().flatten().collect();
    let trials = match shard {
        Some(shard) => shard.select(trials),
        None => trials,
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}
