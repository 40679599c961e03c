//! Distribution of the cases over several processes, one per core. The cases of a process run one at a time.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::str::FromStr;
use std::thread;

use libtest_mimic::Trial;

/// Environment variable of a child process: the cases that it runs, such as `1/2`.
const VARIABLE: &str = "MCPMARK_GROWTH_SHARD";

/// One of several equal parts of the cases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shard {
    index: usize,
    count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let invalid = || format!("{VARIABLE}={text}: expected a number below a count, such as 0/2");
        let (index, count) = text.split_once('/').ok_or_else(invalid)?;
        let shard = Self {
            index: index.parse().map_err(|_| invalid())?,
            count: count.parse().map_err(|_| invalid())?,
        };
        (shard.index < shard.count)
            .then_some(shard)
            .ok_or_else(invalid)
    }
}

impl Shard {
    /// Returns the shard of this process, if it is a child.
    pub(crate) fn of_environment() -> Option<Self> {
        let text = std::env::var(VARIABLE).ok()?;
        Some(text.parse().unwrap_or_else(|problem| panic!("{problem}")))
    }

    /// Returns the cases of the shard. Neighbours are in different shards, because they cost about the same.
    pub(crate) fn select(self, trials: Vec<Trial>) -> Vec<Trial> {
        let numbered = trials.into_iter().enumerate();
        numbered
            .filter(|(number, _)| number % self.count == self.index)
            .map(|(_, trial)| trial)
            .collect()
    }
}

/// Runs this program once per core with the same arguments, each with its share of the cases. Fails if one of them
/// fails.
pub(crate) fn run_all() -> ExitCode {
    let count = thread::available_parallelism().map_or(1, usize::from);
    let failed = thread::scope(|scope| {
        let children: Vec<_> = (0..count)
            .map(|index| scope.spawn(move || child(Shard { index, count })))
            .collect();
        let ended = children.into_iter().map(|child| child.join().unwrap());
        ended
            .filter(|ended| !matches!(ended, Ok(status) if status.success()))
            .count()
    });
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(101)
    }
}

/// Runs a child process and prints its output line by line, so that lines of several children do not mix.
fn child(shard: Shard) -> std::io::Result<ExitStatus> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .env(VARIABLE, format!("{}/{}", shard.index, shard.count))
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            writeln!(std::io::stdout(), "{}", line?)?;
        }
    }
    child.wait()
}
