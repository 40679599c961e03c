//! Command line: global options, commands and their arguments.

mod agent;
mod bundle;
mod examples;
mod grade;
mod keeping;
mod report;
mod run;
mod runs;
mod task_try;
mod tasks;
mod values;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{
    ArgGroup, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint,
};

use crate::environment;

pub(crate) use self::agent::AgentArg;
pub(crate) use self::bundle::{BundleCommand, LockArgs, PackArgs, UpdateArgs};
pub(crate) use self::grade::GradeArgs;
pub(crate) use self::keeping::{
    ReceiptCommand, RegradeArgs, ShowReceiptArgs, StoreCommand, VerifyReceiptArgs,
};
pub(crate) use self::report::{CompareArgs, ExportArgs, ExportFormat, ReportArgs, ReportFormat};
pub(crate) use self::run::{ResumeArgs, RunArgs};
pub(crate) use self::runs::{AttemptFilterArgs, AttemptOrder, RunsArgs, Since};
pub(crate) use self::task_try::{OpenArgs, StartArgs, TryCommand};
pub(crate) use self::tasks::{
    BuildArgs, CheckArgs, ImportArgs, PublishedArgs, SelectArgs, TaskCommand, WorldCommand,
};
pub(crate) use self::values::ResultBytes;

/// Evaluate LLM agents that work through MCP servers, and grade them in a sandbox.
#[derive(Debug, Parser)]
#[command(name = "mcpmark", bin_name = "mcpmark", version, arg_required_else_help = true, after_help = AFTER)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Parses the command line.
pub(crate) fn parse() -> Result<Cli, clap::Error> {
    let mut command = without_empty_variables(examples::with_examples(Cli::command()));
    let matches = match command.try_get_matches_from_mut(std::env::args_os()) {
        // Clap treats a value from the environment as an argument: the usage in an error message mentions it, and the
        // help page is not shown without arguments. So the error of a command without variables is returned.
        Err(error) if error.use_stderr() => {
            let mut bare = without_variables(Cli::command());
            let again = bare.try_get_matches_from_mut(std::env::args_os());
            return Err(again.err().unwrap_or(error));
        }
        matches => matches?,
    };
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Returns the command without environment variables for its arguments.
fn without_variables(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| arg.env(None::<&str>))
        .mut_subcommands(without_variables)
}

/// Returns the command without the environment variables that are set to an empty string, so that these count as unset.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| {
            if arg.get_env().is_some_and(environment::is_empty) {
                arg.env(None::<&str>)
            } else {
                arg
            }
        })
        .mut_subcommands(without_empty_variables)
}

const AFTER: &str = "\
Examples:
  # run attempts and grade them
  mcpmark run filesystem/food-bank --model openai/gpt-5
  # report on the latest experiment
  mcpmark report
  # explain the latest failed attempt
  mcpmark show --failed --explain

Exit codes:
  0    success, and all graded attempts passed
  1    some attempts failed, or a comparison found differences
  2    wrong usage
  3    not graded: a verifier broke or is held back
  4    invalid task, world, component or bundle
  5    infrastructure error, such as a full disk or an unreachable server
  6    the experiment reached its limit of cost, tokens or time
  130  interrupted; `mcpmark resume` continues the experiment";

#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Directory with `tasks/` and `worlds/`, bundle or lock file [default: ./mcpmark.lock if it exists, otherwise the
    /// nearest directory upwards with `tasks/` and `worlds/`, or the tasks of the release]
    #[arg(long, global = true, value_name = "PLACE", env = "MCPMARK_ROOT", value_hint = ValueHint::AnyPath, help_heading = "Global options")]
    pub(crate) root: Option<PathBuf>,
    /// Directory of the journal and the store [default: $XDG_DATA_HOME/mcpmark]
    #[arg(long, global = true, value_name = "DIR", env = "MCPMARK_HOME", value_hint = ValueHint::DirPath, help_heading = "Global options")]
    pub(crate) home: Option<PathBuf>,
    /// Verifier that a bundle holds back, or a bundle with such verifiers; may be repeated
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Global options")]
    pub(crate) held_back: Vec<PathBuf>,
    /// Do not install programs with rustup, apt-get, pip or npm
    #[arg(long, global = true, env = "MCPMARK_NO_INSTALL", value_parser = clap::builder::FalseyValueParser::new(), help_heading = "Global options")]
    pub(crate) no_install: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run tasks with agents and grade the results
    #[command(
        override_usage = "mcpmark run [OPTIONS] [PLACE|SELECTOR]...\n       mcpmark run [OPTIONS] --from <ATTEMPT>"
    )]
    Run(Box<RunArgs>),
    /// Continue an experiment that was stopped
    Resume(ResumeArgs),
    /// Grade a state with the verifier of a task, or with any verifier
    Grade(GradeArgs),
    /// Show the imports, exports and limits of a guest component without running it
    Inspect(InspectArgs),
    /// Create, build, certify and list tasks
    #[command(subcommand)]
    Task(TaskCommand),
    /// List, show, compare and import worlds
    #[command(subcommand)]
    World(WorldCommand),
    /// Serve a world to MCP clients
    #[command(subcommand)]
    Mcp(McpCommand),
    /// List experiments, or the attempts of one experiment
    Runs(RunsArgs),
    /// Show an attempt: its trajectory, changes to the world, and checks
    Show(ShowArgs),
    /// Report on experiments: rates with intervals, costs, and classes of failures
    Report(ReportArgs),
    /// Compare two models, paired task by task
    Compare(CompareArgs),
    /// Export the attempts of an experiment in other formats
    Export(ExportArgs),
    /// Grade final states again with the current verifiers of their tasks
    Regrade(RegradeArgs),
    /// Print and verify receipts of grades
    #[command(subcommand)]
    Receipt(ReceiptCommand),
    /// Maintain the store and the journal
    #[command(subcommand)]
    Store(StoreCommand),
    /// Pack, inspect, sign, lock and transfer bundles of tasks
    #[command(subcommand)]
    Bundle(BundleCommand),
    /// Install the programs that a service needs
    #[command(subcommand)]
    Service(ServiceCommand),
    /// Check installed programs, services, settings and file locations
    Doctor(DoctorArgs),
    /// Print a completion script for a shell
    Completions {
        /// Shell to complete for
        shell: clap_complete::Shell,
    },
    /// Print completions of the last of these words; called by the completion scripts
    #[command(hide = true)]
    Complete {
        /// Words of a command line after `mcpmark`
        #[arg(last = true)]
        words: Vec<String>,
    },
    /// Compile one component from standard input; started by the sandbox
    #[command(hide = true)]
    CompileGuest,
}

/// Options of the engine that executes guests.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Sandbox")]
pub(crate) struct EngineArgs {
    /// Engine that executes guests: compiled machine code, or wasmtime's interpreter
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE")]
    pub(crate) engine: EngineName,
    /// Compute each verdict with both engines; a difference is a verifier fault
    #[arg(long)]
    pub(crate) cross_check: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    #[default]
    Cranelift,
    Pulley,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// Component to inspect
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentName {
    /// Plays the solution of the task
    Oracle,
    /// Does nothing
    Nop,
    /// Calls random tools
    Random,
    /// Lets a model call tools as functions
    Mcpmark,
    /// Lets a model write tool calls as JSON in its text
    React,
    /// Repeats the calls of an earlier attempt (`--from`)
    Replay,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "verbatim")]
pub(crate) enum Tier {
    L1,
    L2,
    L3,
}

impl Tier {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::L1 => "L1",
            Self::L2 => "L2",
            Self::L3 => "L3",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Selection {
    /// Tasks to select: `<service>`, `<service>/<world>`, `<service>/<world>/<task>` or a glob [default: all]. An
    /// argument that begins with `oci://`, `/`, `./` or `../`, or ends with `.tar` or `.lock`, is the place of the
    /// tasks: a bundle, a lock file or a directory
    #[arg(value_name = "PLACE|SELECTOR")]
    pub(crate) selectors: Vec<String>,
    /// Select only tasks of this tier; may be repeated
    #[arg(long, value_name = "TIER", ignore_case = true)]
    pub(crate) tier: Vec<Tier>,
    /// Select only tasks with this tag; if repeated, with any of the tags
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
}

impl Selection {
    /// Returns true if the selection has no selector, tier or tag.
    pub(crate) fn is_empty(&self) -> bool {
        self.selectors.is_empty() && self.tier.is_empty() && self.tag.is_empty()
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Install the missing programs of a service: with apt-get as root on Debian and Ubuntu, otherwise with npm into the
    /// cache directory; each command is printed before it runs
    Install {
        /// Name of the service, such as postgres or playwright
        service: String,
        /// Print the commands and run none of them
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Serve a private copy of a world over stdio or HTTP
    Serve(Box<ServeArgs>),
    /// Connect a client that supports only stdio to a server over streamable HTTP
    Connect {
        /// URL of the server
        #[arg(value_hint = ValueHint::Url)]
        url: String,
    },
}

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("served").args(["task", "world"]).required(true),
    group = ArgGroup::new("kept").args(["attempt", "grade"]).multiple(true),
)]
pub(crate) struct ServeArgs {
    /// Serve the world of this task
    #[arg(long)]
    pub(crate) task: Option<String>,
    /// Serve a world: its id, a directory, or the digest of a stored state
    #[arg(long)]
    pub(crate) world: Option<String>,
    /// Service of a directory or a stored state [default: filesystem]
    #[arg(
        long,
        value_name = "SERVICE",
        requires = "world",
        conflicts_with = "task"
    )]
    pub(crate) service: Option<String>,
    /// Version of the published server to reproduce [default: that of the task, or the service's default]
    #[arg(long, value_name = "VERSION")]
    pub(crate) profile: Option<String>,
    /// Serve over streamable HTTP instead of stdio, at a loopback address such as 127.0.0.1:8080; port 0 selects a free
    /// port. The URL is printed on standard error
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<SocketAddr>,
    /// End the session of --http after this many seconds without a request [default: never]
    #[arg(long, value_name = "SECONDS", requires = "http", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) idle_timeout: Option<u64>,
    /// Record the session in the journal as an attempt of the task, with calls, final state and grade
    #[arg(long, requires = "task", conflicts_with_all = ["world", "rest", "profile"])]
    pub(crate) attempt: bool,
    /// Like --attempt, and also print the verdict on standard error, and exit with the same exit code as `run`
    #[arg(long, requires = "task", conflicts_with_all = ["world", "rest", "profile"])]
    pub(crate) grade: bool,
    /// Name of the new experiment of the attempt [default: the current time in UTC]
    #[arg(long, value_name = "NAME", requires = "kept")]
    pub(crate) experiment: Option<String>,
    /// Also serve the HTTP API of the service, such as github's REST API, at a loopback address such as 127.0.0.1:8080;
    /// port 0 selects a free port
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) rest: Option<SocketAddr>,
    /// Write the final state to this new or empty directory at the end of the session
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) export: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Id of the attempt, its first characters, or `latest` for the one that began last [default: latest]
    pub(crate) attempt: Option<String>,
    /// Show tool results and changes in full
    #[arg(long)]
    pub(crate) full: bool,
    /// For each failed check, search for the smallest difference to a state that passes
    #[arg(long)]
    pub(crate) explain: bool,
    /// Also write the final state to this new or empty directory, for `receipt verify --state`
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) export: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) filter: AttemptFilterArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
