//! Arguments of `mcpmark task` and `world`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::{Selection, TryCommand};

#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// Create a small, complete task that builds and passes `task check`
    New {
        /// Id of the task, `filesystem/<world>/<task>`; the world must exist
        task: String,
        /// Title of the task
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "Count the files in each folder"
        )]
        title: String,
    },
    /// Build the guests of tasks and of their worlds
    Build(BuildArgs),
    /// Certify tasks: test that their verifiers reject wrong solutions and mutants
    Check(CheckArgs),
    /// List tasks
    List(ListArgs),
    /// Show a task and its instruction
    #[command(override_usage = "mcpmark task show [OPTIONS] [PLACE] <TASK>")]
    Show {
        /// Id of the task, and optionally the place of the tasks, as for `task list`
        #[arg(value_name = "TASK", required = true, num_args = 1..=2)]
        words: Vec<String>,
        /// Place of the tasks, as for `task list`
        #[arg(long, value_name = "PLACE", value_hint = ValueHint::AnyPath)]
        tasks: Option<PathBuf>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Solve a task by hand: open an attempt, call tools one by one, and have the result graded
    #[command(subcommand)]
    Try(TryCommand),
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// Do not build cheats and variants
    #[arg(long)]
    pub(crate) without_cheats: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) published: PublishedArgs,
}

/// Places of tasks and of the starting states of published tasks.
#[derive(Debug, Args)]
pub(crate) struct PublishedArgs {
    /// Place of the tasks: a bundle such as `suite.tar` or `oci://…`, a lock file, a directory with `tasks/` and
    /// `worlds/`, or a published corpus with a `verify.py` for each task
    #[arg(long, value_name = "PLACE", value_hint = ValueHint::AnyPath)]
    pub(crate) tasks: Option<PathBuf>,
    /// Directory with the starting states of published tasks, each in `[SERVICE/]CATEGORY`
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) states: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// Write certificates of passing tasks, and update the tree view of the world in `meta.json`
    #[arg(long)]
    pub(crate) write: bool,
    /// Require certificates: a task without one does not pass
    #[arg(long, conflicts_with = "write")]
    pub(crate) shipped: bool,
    /// Certify only tasks whose certificate is missing or stale; report the others from their certificates
    #[arg(long)]
    pub(crate) stale: bool,
    /// Show all mutants with a wrong verdict, also for tasks that pass
    #[arg(long)]
    pub(crate) survivors: bool,
    #[command(flatten)]
    pub(crate) published: PublishedArgs,
    /// Directory with final states of published tasks that must pass: `<task>`, and `<task>.answer` with the answer
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) solved: Option<PathBuf>,
    /// Also run the scripts of published tasks with python3 on this machine, outside the sandbox, and compare
    #[arg(long)]
    pub(crate) against_python: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SelectArgs {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorldCommand {
    /// List worlds
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the tree of a world or state
    Show {
        /// Id of a world, a directory, or the digest of a stored state
        world: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the differences between two worlds or states
    Diff {
        /// Id of a world, a directory, or the digest of a stored state
        before: String,
        /// Id of a world, a directory, or the digest of a stored state
        after: String,
        /// Show all differing lines
        #[arg(long)]
        full: bool,
        /// Exit with code 1 if there are differences
        #[arg(long)]
        exit_code: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of a document of github worlds, or list the documents
    Schema {
        /// Name of the document, such as `issues.json` [default: list the documents]
        document: Option<String>,
    },
    /// Convert a published template to a github world, or a dump of a database to a postgres world
    Import(ImportArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Directory with repo/, issues.json, pulls.json and meta.json; or a dump by pg_dump
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) template: PathBuf,
    /// New or empty directory for the world
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: PathBuf,
    /// Organisation or user that owns the repository, or role that owns the database
    #[arg(long, value_name = "LOGIN", default_value = "mcpmark")]
    pub(crate) owner: String,
    /// Account that is the author of all content, and that the agent acts as [default: the owner]
    #[arg(long, value_name = "LOGIN")]
    pub(crate) viewer: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
