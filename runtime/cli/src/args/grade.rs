//! Arguments of `mcpmark grade`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueHint};

use super::{EngineArgs, values};

// The usage line shows the alternative ways to grade as these argument groups.
#[derive(Debug, Args)]
#[command(
    after_help = BATCH,
    group = ArgGroup::new("judge").args(["task", "verifier", "batch"]).required(true),
    group = ArgGroup::new("judged").args(["state", "batch"]).required(true),
)]
pub(crate) struct GradeArgs {
    /// Task whose verifier grades the state
    #[arg(value_name = "TASK")]
    pub(crate) task: Option<String>,
    /// Place of the task, as for `run`: a bundle, a lock file, a directory with `tasks/` and `worlds/`, or a published
    /// corpus
    #[arg(long, value_name = "PLACE", value_hint = ValueHint::AnyPath, conflicts_with = "verifier")]
    pub(crate) tasks: Option<PathBuf>,
    /// Directory with the starting states of published tasks; needed only if a state has a guest that runs workflows
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "tasks")]
    pub(crate) states: Option<PathBuf>,
    /// Verifier to use instead of a task's: a component, or a program whose exit code decides: a command of WASI, or a
    /// Python script (.py)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) verifier: Option<PathBuf>,
    /// Service of the states, such as `github`; a Python script can call its API
    #[arg(long, value_name = "NAME", requires = "verifier")]
    pub(crate) service: Option<String>,
    /// Final state: a directory, or the digest of a stored state
    #[arg(long, value_name = "STATE", value_hint = ValueHint::DirPath)]
    pub(crate) state: Option<PathBuf>,
    /// Starting state, in the same form [default: that of the task, or an empty state without a task]
    #[arg(long, value_name = "STATE", value_hint = ValueHint::DirPath)]
    pub(crate) start: Option<PathBuf>,
    /// File with the agent's last message
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) answer: Option<PathBuf>,
    /// Parameters for the verifier, a JSON object [default: an empty object]
    #[arg(long, value_name = "JSON", requires = "verifier")]
    pub(crate) parameters: Option<String>,
    /// Limit of the verifier, such as `fuel=2000000000`; may be repeated
    #[arg(long, value_name = "LIMIT=N", requires = "verifier")]
    pub(crate) limits: Vec<String>,
    /// Environment variable for a Python script or a verifier that imports WASI; may be repeated
    #[arg(long = "env", value_name = "NAME=VALUE", conflicts_with = "batch", value_parser = values::variable)]
    pub(crate) environment: Vec<(String, String)>,
    /// Arguments for a Python script or a verifier that imports WASI
    #[arg(last = true, value_name = "ARGS", conflicts_with = "batch")]
    pub(crate) arguments: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Grade many states: read one request per line from a file, or from standard input (`-`)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["start", "answer", "parameters"])]
    pub(crate) batch: Option<PathBuf>,
    /// Number of concurrent grades of a batch, 1 to 1024 [default: one per core]
    #[arg(short, long, value_name = "N", requires = "batch", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

const BATCH: &str = "\
Batches:
  Each line of the file is a JSON object with these keys:
    task or verifier  id of a task, or path of a component or Python script
    state             final state: a directory, or the digest of a stored
                      state
    service           service of the states, for a verifier without a task
    start             starting state, in the same form as `state`
    answer            text of the agent's last message
    parameters        JSON object, for a verifier without a task
    limits            object with limits as numbers (names in docs/limits.md),
                      for a verifier without a task
    env, args         variables (an object) and arguments (an array), for a
                      Python script or a component that imports WASI
    id                any value; it is copied to the result
  Each line gets a line of JSON as its result, in order and as soon as
  possible: `line`, `id` and the keys that --json prints, or `error` with
  `key`, `message` and `hint` if the line cannot be graded. Other lines are
  still graded. Tasks and verifiers are loaded once; a directory is read for
  each line that names it. The exit code is the highest that a line alone
  would have; that of an invalid request is 4.";
