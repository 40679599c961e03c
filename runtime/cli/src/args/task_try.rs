//! Arguments of `mcpmark task try`.

use clap::{Args, Subcommand};

use super::PublishedArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum TryCommand {
    /// Open an attempt in a background process, and print the instruction
    #[command(override_usage = "mcpmark task try start [OPTIONS] [PLACE] <TASK>")]
    Start(StartArgs),
    /// List the tools of the open attempt, or show one with its schema
    Tools {
        /// Name of the tool to show [default: list all tools]
        tool: Option<String>,
        #[command(flatten)]
        open: OpenArgs,
    },
    /// Call a tool and print its result; exit with code 1 if it is an error
    Call {
        /// Name of the tool
        tool: String,
        /// Arguments as a JSON object, or `-` to read them from standard input [default: {}]
        arguments: Option<String>,
        #[command(flatten)]
        open: OpenArgs,
    },
    /// End the open attempt, grade it, and exit with the same exit code as `run`
    Finish {
        /// Last message, for tasks that are judged on the answer, or `-` to read it from standard input
        #[arg(allow_negative_numbers = true)]
        answer: Option<String>,
        #[command(flatten)]
        open: OpenArgs,
    },
    /// End the open attempt without a grade
    Abandon {
        #[command(flatten)]
        open: OpenArgs,
    },
    /// List the open attempts
    Status {
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Hold an attempt open in the background; started by `task try start`
    #[command(hide = true)]
    Hold(StartArgs),
}

#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    /// Id of the task, and optionally the place of the tasks, as for `task list`
    #[arg(value_name = "TASK", required = true, num_args = 1..=2)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) published: PublishedArgs,
    /// Name of the new experiment of the attempt [default: the current time in UTC]
    #[arg(long, value_name = "NAME")]
    pub(crate) experiment: Option<String>,
    /// Do not apply the task's limit on wall time
    #[arg(long)]
    pub(crate) no_time_limit: bool,
    /// Abandon the attempt after this many seconds without a call
    #[arg(long, value_name = "SECONDS", default_value_t = 86_400, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) idle_timeout: u64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Choice of an open attempt.
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// Id of the attempt, or its first characters [default: the only open one]
    #[arg(long, value_name = "ATTEMPT")]
    pub(crate) attempt: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
