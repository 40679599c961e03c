//! Command line: global options, commands and their arguments.

mod agent;
mod bundle;
mod examples;
mod keeping;
mod report;
mod runs;
mod values;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{
    ArgGroup, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint,
};

use crate::environment;

pub(crate) use self::agent::AgentArg;
pub(crate) use self::bundle::{BundleCommand, LockArgs, PackArgs, UpdateArgs};
pub(crate) use self::keeping::{
    ReceiptCommand, RegradeArgs, ShowReceiptArgs, StoreCommand, VerifyReceiptArgs,
};
pub(crate) use self::report::{CompareArgs, ExportArgs, ExportFormat, ReportArgs, ReportFormat};
pub(crate) use self::runs::{AttemptFilterArgs, AttemptOrder, RunsArgs, Since};
pub(crate) use self::values::{JsonObject, ResultBytes};

/// Evaluate LLM agents that work through MCP servers, and grade them in a sandbox.
#[derive(Debug, Parser)]
#[command(name = "mcpmark", version, arg_required_else_help = true, after_help = AFTER)]
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
  mcpmark run filesystem/food-bank --model openai/gpt-5   # run attempts and grade them
  mcpmark report                                          # report on the latest experiment
  mcpmark show --failed --explain                         # explain the latest failed attempt

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
    /// Directory with `tasks/` and `worlds/`, bundle or lock file [default: ./mcpmark.lock, or the nearest such
    /// directory upwards]
    #[arg(long, global = true, value_name = "PLACE", env = "MCPMARK_ROOT", value_hint = ValueHint::AnyPath, help_heading = "Global options")]
    pub(crate) root: Option<PathBuf>,
    /// Directory of the journal and the store [default: $XDG_DATA_HOME/mcpmark]
    #[arg(long, global = true, value_name = "DIR", env = "MCPMARK_HOME", value_hint = ValueHint::DirPath, help_heading = "Global options")]
    pub(crate) home: Option<PathBuf>,
    /// Verifier that a bundle holds back, or a bundle with such verifiers; may be repeated
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Global options")]
    pub(crate) held_back: Vec<PathBuf>,
    /// Do not install build tools for guests with rustup, apt-get or pip
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

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) published: PublishedArgs,
    /// Agent; may be repeated, for example to add baselines [default: mcpmark with a model, replay with --from,
    /// otherwise oracle]
    #[arg(long, value_name = "AGENT", value_parser = agent::AgentParser)]
    pub(crate) agent: Vec<AgentArg>,
    /// Environment variable to pass to the programs of `--agent command:…`; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) agent_env: Vec<String>,
    /// Attempts per task and participant, 1 to 10000 [default: 1, or that of the existing experiment]
    #[arg(short = 'k', long = "attempts", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) attempts: Option<u32>,
    /// Number of concurrent attempts, 1 to 1024 [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Name of the experiment [default: the current time in UTC]. If it exists, the tasks, agents, models and attempts
    /// that it lacks are added to it
    #[arg(long, value_name = "NAME")]
    pub(crate) experiment: Option<String>,
    /// Attempt to replay: its id, or the first characters of its id
    #[arg(long, value_name = "ATTEMPT")]
    pub(crate) from: Option<String>,
    /// Read settings of the run from a TOML file; options on the command line take precedence
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Add the tools of the MCP servers in this TOML file to those of the world
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) mcp_config: Option<PathBuf>,
    /// Print the planned attempts and their estimated cost without running them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Options of models and of the requests to them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Models")]
pub(crate) struct ModelArgs {
    /// Model, as `provider/name`; may be repeated
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Vec<String>,
    /// Base URL of the API, once for all models, or once for each model in their order [default: that of the provider]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) base_url: Vec<String>,
    /// Environment variable with the API key, once for all models, or once for each model in their order [default: that
    /// of the provider; for other hosts none, except with llamacpp and ollama]
    #[arg(long, value_name = "NAME")]
    pub(crate) api_key_env: Vec<String>,
    /// Send a header with each request, with the value of the environment variable; may be repeated
    #[arg(long, value_name = "NAME=VARIABLE", value_parser = values::header)]
    pub(crate) header: Vec<(String, String)>,
    /// Add the fields of this JSON object to the body of each request
    #[arg(long, value_name = "JSON", value_parser = values::json_object)]
    pub(crate) extra_body: Option<JsonObject>,
    /// OpenAI interface to use: Chat Completions or Responses [default: responses for xai, and for openai without
    /// --base-url; otherwise chat]
    #[arg(long, value_parser = ["chat", "responses"], value_name = "API")]
    pub(crate) api: Option<String>,
    /// Reasoning effort of models [default: left to the provider]
    #[arg(long, value_parser = ["none", "minimal", "low", "medium", "high"], value_name = "EFFORT")]
    pub(crate) reasoning_effort: Option<String>,
    /// Sampling temperature, 0 to 2 [default: left to the provider]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) temperature: Option<f64>,
    /// Probability mass of nucleus sampling, above 0 and at most 1 [default: left to the provider]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) top_p: Option<f64>,
    /// Maximum number of tokens of one reply [default: left to the provider]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_output_tokens: Option<u64>,
    /// Send a sampling seed that is derived from N, the task and the repetition [default: no seed]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) sampling_seed: Option<u64>,
    /// Replace the conversation with a summary when a request and its reply have N tokens [default: never]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) compact_at: Option<u64>,
    /// Replace the agent's system prompt with the text of a file of at most 64 KiB
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) system_prompt: Option<PathBuf>,
    /// Offer models only the tools that match GLOB, or with `!GLOB` all tools but those; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) tools: Vec<String>,
    /// Maximum bytes of text of one tool result that a model is shown, or `none` for no limit; longer results lose
    /// their middle [default: 65536]
    #[arg(long, value_name = "N|none", value_parser = values::result_bytes, allow_negative_numbers = true)]
    pub(crate) max_result_bytes: Option<ResultBytes>,
    /// Maximum number of retries of a request after temporary errors, 0 to 100 [default: 7]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(..=100))]
    pub(crate) retries: Option<u32>,
    /// CSV file of prices that override the built-in ones: `provider/name,input,cached input,output` in US dollars per
    /// million tokens
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) prices: Option<PathBuf>,
    /// Seed for shuffling the order of attempts [default: 1 with a model, otherwise not shuffled]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Maximum number of concurrent requests to all models, 1 to 4096 [default: the number of concurrent attempts]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) max_model_calls: Option<u32>,
    /// Maximum number of concurrent requests to each model, 1 to 4096 [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) max_calls: Option<u32>,
    /// Maximum number of requests to each model per minute, evenly spaced [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) requests_per_minute: Option<u32>,
    /// Maximum number of concurrent grades, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) max_grades: Option<u32>,
    /// Skip the preflight requests to models and MCP servers
    #[arg(long)]
    pub(crate) no_preflight: bool,
}

/// Limits of attempts and of the experiment. The limits of a task apply too.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Maximum number of turns of an attempt; can only lower the task's limit [default: the task's limit, or 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) limit_turns: Option<u32>,
    /// Maximum wall time of an attempt in seconds; can only lower the task's limit [default: the task's limit, or 3600]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) limit_time: Option<u64>,
    /// Maximum wall time of a tool call in seconds; can only lower the task's limit [default: the task's limit, or 60]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) limit_tool_time: Option<u64>,
    /// Maximum number of tokens in all requests of an attempt [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) limit_input_tokens: Option<u64>,
    /// Maximum number of tokens in all replies of an attempt [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) limit_output_tokens: Option<u64>,
    /// Maximum cost of an attempt in US dollars [default: no limit]
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) limit_attempt_cost: Option<String>,
    /// Maximum cost of the experiment in US dollars [default: no limit]
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) limit_cost: Option<String>,
    /// Maximum number of tokens in all requests and replies of the experiment [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) limit_tokens: Option<u64>,
    /// Maximum wall time of this run in seconds [default: no limit]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) limit_run_time: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// Name of the experiment [default: the newest that was started on this machine]
    #[arg(value_name = "EXPERIMENT")]
    pub(crate) experiment: Option<String>,
    /// New place of the same tasks, as for `run` [default: the recorded place]
    #[arg(long, value_name = "PLACE", value_hint = ValueHint::AnyPath)]
    pub(crate) tasks: Option<PathBuf>,
    /// Directory with the starting states of published tasks, each in `[SERVICE/]CATEGORY`
    #[arg(long, value_name = "DIR", requires = "tasks", value_hint = ValueHint::DirPath)]
    pub(crate) states: Option<PathBuf>,
    /// Number of concurrent attempts, 1 to 1024 [default: that of the experiment, or one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Maximum total cost in US dollars, including what has been spent already [default: the limit of the experiment]
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) limit_cost: Option<String>,
    /// Maximum total number of tokens, including those used already [default: the limit of the experiment]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit_tokens: Option<u64>,
    /// Maximum wall time of this run in seconds [default: the limit of the experiment]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit_run_time: Option<u64>,
    /// Retry attempts that were given up because their process died repeatedly, one at a time
    #[arg(long)]
    pub(crate) retry_died: bool,
    /// Accept the plan of an imported experiment with the word that the refusal prints
    #[arg(long, value_name = "WORD", requires = "experiment")]
    pub(crate) accept_plan: Option<String>,
    /// Skip the preflight requests to models and MCP servers
    #[arg(long)]
    pub(crate) no_preflight: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

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
    /// Verifier to use instead of a task's: a component, or a Python script (.py) whose exit code decides
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
    /// Environment variable for a Python script; may be repeated
    #[arg(long = "env", value_name = "NAME=VALUE", conflicts_with = "batch", value_parser = values::variable)]
    pub(crate) environment: Vec<(String, String)>,
    /// Arguments for a Python script
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
    state             final state: a directory, or the digest of a stored state
    service           service of the states, for a verifier without a task
    start             starting state, in the same form as `state`
    answer            text of the agent's last message
    parameters        JSON object, for a verifier without a task
    limits            object with limits as numbers (names in docs/limits.md), for a verifier
                      without a task
    env, args         variables (an object) and arguments (an array), for a Python script
    id                any value; it is copied to the result
  Each line gets a line of JSON as its result, in order and as soon as possible: `line`,
  `id` and the keys that --json prints, or `error` with `key`, `message` and `hint` if the
  line cannot be graded. Other lines are still graded. Tasks and verifiers are loaded once;
  a directory is read for each line that names it. The exit code is the highest that a line
  alone would have; that of an invalid request is 4.";

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
    Build(SelectArgs),
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
    /// Convert a published template to a github world, as its importer would create it on GitHub
    Import(ImportArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Directory with repo/, issues.json, pulls.json and meta.json
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) template: PathBuf,
    /// New or empty directory for the world
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: PathBuf,
    /// Organisation or user that owns the repository
    #[arg(long, value_name = "LOGIN", default_value = "mcpmark")]
    pub(crate) owner: String,
    /// Account that is the author of all content, and that the agent acts as [default: the owner]
    #[arg(long, value_name = "LOGIN")]
    pub(crate) viewer: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
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
    /// Like --attempt, and also print the verdict on standard error and exit with the code that `run` would
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
