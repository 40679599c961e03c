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

/// Reads the command line.
pub(crate) fn parse() -> Result<Cli, clap::Error> {
    let mut command = without_empty_variables(examples::with_examples(Cli::command()));
    let matches = match command.try_get_matches_from_mut(std::env::args_os()) {
        // A value from the environment counts as an argument: the usage of an error names it, and no help is shown.
        Err(error) if error.use_stderr() => {
            let mut bare = without_variables(Cli::command());
            let again = bare.try_get_matches_from_mut(std::env::args_os());
            return Err(again.err().unwrap_or(error));
        }
        matches => matches?,
    };
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The same command where the environment says nothing.
fn without_variables(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| arg.env(None::<&str>))
        .mut_subcommands(without_variables)
}

/// A variable that is set to nothing counts as one that is not set.
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
  mcpmark run filesystem/food-bank --model openai/gpt-5   # attempts, graded
  mcpmark report                                          # what came of the last experiment
  mcpmark show --failed --explain                         # why the last failure failed

Exit codes:
  0    graded and all passed (or done)
  1    graded, some failed
  2    wrong usage
  3    not graded: a verifier broke
  4    invalid task, world or component
  5    the host failed
  6    an experiment reached its limit of cost, tokens or time
  130  interrupted; go on with `mcpmark resume`";

#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest one upwards]
    #[arg(long, global = true, value_name = "DIR", env = "MCPMARK_ROOT", value_hint = ValueHint::AnyPath, help_heading = "Global options")]
    pub(crate) root: Option<PathBuf>,
    /// Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
    #[arg(long, global = true, value_name = "DIR", env = "MCPMARK_HOME", value_hint = ValueHint::DirPath, help_heading = "Global options")]
    pub(crate) home: Option<PathBuf>,
    /// A verifier that a bundle holds back, known by its digest, or a bundle that has such; may be repeated
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Global options")]
    pub(crate) held_back: Vec<PathBuf>,
    /// Never change this machine to get a compiler for guests, with rustup or with apt-get
    #[arg(long, global = true, env = "MCPMARK_NO_INSTALL", value_parser = clap::builder::FalseyValueParser::new(), help_heading = "Global options")]
    pub(crate) no_install: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run tasks with an agent and grade what it leaves
    #[command(
        override_usage = "mcpmark run [OPTIONS] [PLACE|SELECTOR]...\n       mcpmark run [OPTIONS] --from <ATTEMPT>"
    )]
    Run(Box<RunArgs>),
    /// Go on with an experiment that was stopped
    Resume(ResumeArgs),
    /// Grade a directory, with a task or with any verifier
    Grade(GradeArgs),
    /// Say what a guest component asks for and offers, without running it
    Inspect(InspectArgs),
    /// Work with tasks
    #[command(subcommand)]
    Task(TaskCommand),
    /// Work with worlds
    #[command(subcommand)]
    World(WorldCommand),
    /// Serve a world to an MCP client
    #[command(subcommand)]
    Mcp(McpCommand),
    /// List experiments, or the attempts of one
    Runs(RunsArgs),
    /// Show an attempt: what was done, what changed, what the verifier says
    Show(ShowArgs),
    /// Report an experiment: rates with intervals, costs, failures, as text or as a page with charts
    Report(ReportArgs),
    /// Compare two models task by task
    Compare(CompareArgs),
    /// Write an experiment's attempts in the formats of others
    Export(ExportArgs),
    /// Grade again what attempts left, with the verifiers that their tasks have now
    Regrade(RegradeArgs),
    /// Receipts: what was graded with what, for others to repeat
    #[command(subcommand)]
    Receipt(ReceiptCommand),
    /// Look after the store of states
    #[command(subcommand)]
    Store(StoreCommand),
    /// Pack tasks for others, and see what is in what they packed
    #[command(subcommand)]
    Bundle(BundleCommand),
    /// Say what is installed and what can run
    Doctor(DoctorArgs),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print what the last of these words may become; completions ask this
    #[command(hide = true)]
    Complete {
        /// The words of a command line after `mcpmark`
        #[arg(last = true)]
        words: Vec<String>,
    },
    /// Compile one component from standard input; the sandbox starts this by itself
    #[command(hide = true)]
    CompileGuest,
}

/// How guests are executed.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Sandbox")]
pub(crate) struct EngineArgs {
    /// What executes guests: machine code, or wasmtime's interpreter
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE")]
    pub(crate) engine: EngineName,
    /// Have the other engine make each verdict again; a disagreement is a verifier fault
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
    /// The component
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentName {
    /// Plays the task's own solution
    Oracle,
    /// Does nothing
    Nop,
    /// Calls tools at random
    Random,
    /// A model that calls tools as functions
    Mcpmark,
    /// A model that writes its calls as JSON in its text
    React,
    /// Plays the calls of another attempt again (`--from`)
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
    /// Tasks: `<service>`, `<service>/<world>`, `<service>/<world>/<task>`, or a glob [default: all].
    /// What begins with `oci://`, `/`, `./` or `../`, or ends with `.tar` or `.lock`, is the place
    /// where they lie: a bundle or a directory
    #[arg(value_name = "PLACE|SELECTOR")]
    pub(crate) selectors: Vec<String>,
    /// Only tasks of this tier; may be repeated
    #[arg(long, value_name = "TIER", ignore_case = true)]
    pub(crate) tier: Vec<Tier>,
    /// Only tasks with this tag; may be repeated
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
}

impl Selection {
    /// Whether it names no task in any way.
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
    /// The agent; may be repeated, also for baselines beside models [default: mcpmark with a model, oracle without]
    #[arg(long, value_name = "AGENT", value_parser = agent::AgentParser)]
    pub(crate) agent: Vec<AgentArg>,
    /// An environment variable that the programs of `--agent command:…` get; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) agent_env: Vec<String>,
    /// Attempts of each task [default: 1, or those of the experiment that is there]
    #[arg(short = 'k', long = "attempts", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) attempts: Option<u32>,
    /// Attempts at the same time [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Name of the experiment [default: the time]. One that is there gets the tasks, agents, models and attempts that it
    /// does not have yet
    #[arg(long, value_name = "NAME")]
    pub(crate) experiment: Option<String>,
    /// Play the calls of this attempt
    #[arg(long, value_name = "ATTEMPT")]
    pub(crate) from: Option<String>,
    /// Read what is to be run from a TOML file; what stands on the command line goes first
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Put the tools of other MCP servers beside those of the world; a TOML file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) mcp_config: Option<PathBuf>,
    /// Say what would run and what it may cost, and run nothing
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

/// Models and how they are asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Models")]
pub(crate) struct ModelArgs {
    /// A model, `provider/name`; may be repeated
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Vec<String>,
    /// Where the interface is, if not at the provider's usual place; given once for all models, or once for each, in
    /// their order
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) base_url: Vec<String>,
    /// The environment variable with the key, which another base URL needs to get one; given once for all models, or
    /// once for each, in their order [default: the provider's own, at the provider's own hosts]
    #[arg(long, value_name = "NAME")]
    pub(crate) api_key_env: Vec<String>,
    /// Send this header with each request, with the value that the environment variable has; may be repeated
    #[arg(long, value_name = "NAME=VARIABLE", value_parser = values::header)]
    pub(crate) header: Vec<(String, String)>,
    /// Add the fields of this JSON object to the body of each request
    #[arg(long, value_name = "JSON", value_parser = values::json_object)]
    pub(crate) extra_body: Option<JsonObject>,
    /// Which of OpenAI's interfaces is asked [default: responses at OpenAI, chat elsewhere]
    #[arg(long, value_parser = ["chat", "responses"], value_name = "API")]
    pub(crate) api: Option<String>,
    /// How much models think [default: left to the provider]
    #[arg(long, value_parser = ["none", "minimal", "low", "medium", "high"], value_name = "EFFORT")]
    pub(crate) reasoning_effort: Option<String>,
    /// Sampling temperature [default: left to the provider]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) temperature: Option<f64>,
    /// The share of probability that is sampled from [default: left to the provider]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) top_p: Option<f64>,
    /// Tokens of one reply [default: left to the provider]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_output_tokens: Option<u64>,
    /// Give each attempt a sampling seed that follows from this number, its task and repetition
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) sampling_seed: Option<u64>,
    /// Sum the conversation up when a request and its reply have this many tokens
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) compact_at: Option<u64>,
    /// Replace the agent's own system prompt by the text of a file of at most 64 KiB
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) system_prompt: Option<PathBuf>,
    /// Offer models only tools whose names match this glob, or all but those that match `!GLOB`; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) tools: Vec<String>,
    /// The most bytes of text of one tool result that a model is shown, or `none` for no limit; a longer one loses its
    /// middle [default: 65536]
    #[arg(long, value_name = "N|none", value_parser = values::result_bytes, allow_negative_numbers = true)]
    pub(crate) max_result_bytes: Option<ResultBytes>,
    /// Times that a request is made again after an error that may pass [default: 7]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(..=100))]
    pub(crate) retries: Option<u32>,
    /// Prices, a CSV file: `provider/name,input,cached input,output` in US dollars a million tokens
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) prices: Option<PathBuf>,
    /// Shuffles the order in which attempts begin [default: 1 with a model]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Requests to models at the same time [default: as many as attempts]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) max_model_calls: Option<u32>,
    /// Requests to each model at the same time, beside --max-model-calls [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) max_calls: Option<u32>,
    /// Requests to each model that begin within a minute, evenly spaced [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) requests_per_minute: Option<u32>,
    /// Grades at the same time [default: one a core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) max_grades: Option<u32>,
    /// Ask no model for a sign of life before the attempts
    #[arg(long)]
    pub(crate) no_preflight: bool,
}

/// What attempts may use. A task's own limits hold as well.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Turns of an attempt [default: 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) limit_turns: Option<u32>,
    /// Wall time of an attempt in seconds [default: 3600]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) limit_time: Option<u64>,
    /// Wall time of a tool call in seconds [default: 60]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) limit_tool_time: Option<u64>,
    /// Tokens of all requests of an attempt
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) limit_input_tokens: Option<u64>,
    /// Tokens of all replies of an attempt
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) limit_output_tokens: Option<u64>,
    /// Cost of an attempt in US dollars
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) limit_attempt_cost: Option<String>,
    /// Cost of the experiment in US dollars
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) limit_cost: Option<String>,
    /// Tokens of the experiment, those of requests and of replies
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) limit_tokens: Option<u64>,
    /// Wall time of the run in seconds
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) limit_run_time: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// Name of the experiment [default: the newest]
    #[arg(value_name = "EXPERIMENT")]
    pub(crate) experiment: Option<String>,
    /// Where the same tasks lie now, as for `run` [default: where they lay]
    #[arg(long, value_name = "PLACE", value_hint = ValueHint::AnyPath)]
    pub(crate) tasks: Option<PathBuf>,
    /// The states that tasks in a published layout start from, `[SERVICE/]CATEGORY`
    #[arg(long, value_name = "DIR", requires = "tasks", value_hint = ValueHint::DirPath)]
    pub(crate) states: Option<PathBuf>,
    /// Attempts at the same time [default: those of the run, or one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Cost of the experiment in US dollars, what is spent already among it [default: that of the run]
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) limit_cost: Option<String>,
    /// Tokens of the experiment, what is spent already among them [default: those of the run]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit_tokens: Option<u64>,
    /// Wall time of this run in seconds [default: that of the run before]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit_run_time: Option<u64>,
    /// Make attempts again whose process died each time, one at a time
    #[arg(long)]
    pub(crate) retry_died: bool,
    /// Agree to what an imported experiment would start, call and read, as told where it is refused
    #[arg(long, value_name = "WORD", requires = "experiment")]
    pub(crate) accept_plan: Option<String>,
    /// Ask no model for a sign of life before the attempts
    #[arg(long)]
    pub(crate) no_preflight: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

// The groups are what the usage shows of the ways to grade.
#[derive(Debug, Args)]
#[command(
    after_help = BATCH,
    group = ArgGroup::new("judge").args(["task", "verifier", "batch"]).required(true),
    group = ArgGroup::new("judged").args(["state", "batch"]).required(true),
)]
pub(crate) struct GradeArgs {
    /// The task whose verifier judges
    #[arg(value_name = "TASK")]
    pub(crate) task: Option<String>,
    /// Tasks are those of this bundle, or directory in a published layout with a `verify.py` for each
    #[arg(long, value_name = "DIR", value_hint = ValueHint::AnyPath, conflicts_with = "verifier")]
    pub(crate) tasks: Option<PathBuf>,
    /// The states that tasks in a published layout start from, for one that has a guest which runs workflows
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "tasks")]
    pub(crate) states: Option<PathBuf>,
    /// Any verifier, no task needed: a component, or a Python script (.py) whose exit code judges
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) verifier: Option<PathBuf>,
    /// The service whose worlds the states are, as `github`: a Python script can ask its interface
    #[arg(long, value_name = "NAME", requires = "verifier")]
    pub(crate) service: Option<String>,
    /// The final state: a directory, or the digest of a stored state
    #[arg(long, value_name = "STATE", value_hint = ValueHint::DirPath)]
    pub(crate) state: Option<PathBuf>,
    /// The starting state, for a verifier that compares [default: the task's world; without a task, empty]
    #[arg(long, value_name = "STATE", value_hint = ValueHint::DirPath)]
    pub(crate) start: Option<PathBuf>,
    /// A file with the agent's last message
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) answer: Option<PathBuf>,
    /// The task's parameters, a JSON object
    #[arg(long, value_name = "JSON", requires = "verifier")]
    pub(crate) parameters: Option<String>,
    /// A limit of the verifier, as `fuel=2000000000`; may be repeated
    #[arg(long, value_name = "LIMIT=N", requires = "verifier")]
    pub(crate) limits: Vec<String>,
    /// A variable for a Python script's environment; may be repeated
    #[arg(long = "env", value_name = "NAME=VALUE", conflicts_with = "batch", value_parser = values::variable)]
    pub(crate) environment: Vec<(String, String)>,
    /// What a Python script is called with
    #[arg(last = true, value_name = "ARGS", conflicts_with = "batch")]
    pub(crate) arguments: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Grade many: read one request a line from a file, or from standard input (`-`)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["start", "answer", "parameters"])]
    pub(crate) batch: Option<PathBuf>,
    /// Grades at the same time, of a batch [default: one a core]
    #[arg(short, long, value_name = "N", requires = "batch", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

const BATCH: &str = "\
Batches:
  Each line of the file is a JSON object:
    task or verifier  the id of a task, or the file of a component or Python script
    state             a directory, or the digest of a stored state
    service           the service of the states, for a verifier without a task
    start             the starting state, as above
    answer            the agent's last message, the text itself
    parameters        a JSON object, for a verifier without a task
    limits            the same: an object of limits, by the names of docs/limits.md, and numbers
    env, args         variables (an object) and arguments (an array), for a Python script
    id                anything; it comes back with the outcome
  Each gets a line of JSON, in order and as soon as it is known: `line`, `id` and what
  --json prints, or `error` with `key`, `message` and `hint` for a line that cannot be
  graded. The others are graded all the same. Tasks and components are read once, a
  directory for each line that names it. The exit code is the highest that any line alone
  would have, 4 for a line that is no request.";

#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// Begin a new task: a whole small one that builds and stands its examination
    New {
        /// Its id, `filesystem/<world>/<task>`; the world is there already
        task: String,
        /// Its title
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "Count the files in each folder"
        )]
        title: String,
    },
    /// Build the guests of tasks and of their worlds
    Build(SelectArgs),
    /// Attack the verifiers of tasks: who passes that should not, which mistakes go unnoticed
    Check(CheckArgs),
    /// List tasks
    List(ListArgs),
    /// Show one task
    #[command(override_usage = "mcpmark task show [OPTIONS] [PLACE] <TASK>")]
    Show {
        /// The task; and the place where it lies, written as for `task list`
        #[arg(value_name = "TASK", required = true, num_args = 1..=2)]
        words: Vec<String>,
        /// Where it lies, as for `task list`
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

/// Where tasks in a published layout lie.
#[derive(Debug, Args)]
pub(crate) struct PublishedArgs {
    /// Where the tasks lie: in a bundle, as `suite.tar` or `oci://…`, in a directory with `tasks/` and
    /// `worlds/`, or in one in a published layout, with a `verify.py` each
    #[arg(long, value_name = "PLACE", value_hint = ValueHint::AnyPath)]
    pub(crate) tasks: Option<PathBuf>,
    /// The states that tasks in a published layout start from, `[SERVICE/]CATEGORY`
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) states: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// Write certificates and tree views into the directories of the tasks
    #[arg(long)]
    pub(crate) write: bool,
    /// Insist on certificates that hold: a task that has none does not pass
    #[arg(long, conflicts_with = "write")]
    pub(crate) shipped: bool,
    /// Examine only tasks whose certificate does not hold; of the others give what it says
    #[arg(long)]
    pub(crate) stale: bool,
    /// Show each mistake that goes unnoticed, also of tasks that pass
    #[arg(long)]
    pub(crate) survivors: bool,
    #[command(flatten)]
    pub(crate) published: PublishedArgs,
    /// Final states of published tasks that must pass: `DIR/<task>`, and `DIR/<task>.answer`
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) solved: Option<PathBuf>,
    /// Also run the scripts of published tasks with this machine's python3, outside of the sandbox, and compare
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
    /// List the shipped worlds
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a world's tree
    Show {
        /// A shipped world, any directory, or the digest of a state in the store
        world: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what differs between two worlds or states
    Diff {
        /// A shipped world, any directory, or the digest of a state in the store
        before: String,
        /// A shipped world, any directory, or the digest of a state in the store
        after: String,
        /// Show every line that differs
        #[arg(long)]
        full: bool,
        /// End with exit code 1 if there are differences
        #[arg(long)]
        exit_code: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of a document of github worlds, or name the documents
    Schema {
        /// The document, as `issues.json`
        document: Option<String>,
    },
    /// Make a github world of a published template, as its importer leaves it on GitHub
    Import(ImportArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The directory with repo/, issues.json, pulls.json and meta.json
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) template: PathBuf,
    /// Write the world here; the directory must be empty or new
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: PathBuf,
    /// The organisation or user that the repository will belong to
    #[arg(long, value_name = "LOGIN", default_value = "mcpmark")]
    pub(crate) owner: String,
    /// Who everything is written by, and who will act [default: the owner]
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
    /// Speak over stdio with a server that is reached over streamable HTTP, for clients that know only stdio
    Connect {
        /// The URL of the server
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
    /// Serve a shipped world or any directory
    #[arg(long)]
    pub(crate) world: Option<String>,
    /// What a directory is a world of [default: filesystem]
    #[arg(
        long,
        value_name = "SERVICE",
        requires = "world",
        conflicts_with = "task"
    )]
    pub(crate) service: Option<String>,
    /// Serve the tools of this version of the published server
    #[arg(long, value_name = "VERSION")]
    pub(crate) profile: Option<String>,
    /// Serve over streamable HTTP at this address of this machine instead of stdio, such as 127.0.0.1:8080, or port 0
    /// for any; the URL is printed on standard error
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<SocketAddr>,
    /// End the session of --http when no request came for this long
    #[arg(long, value_name = "SECONDS", requires = "http", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) idle_timeout: Option<u64>,
    /// Keep the session in the journal as an attempt of the task, with its calls, its final state and its grade
    #[arg(long, requires = "task", conflicts_with_all = ["world", "rest", "profile"])]
    pub(crate) attempt: bool,
    /// The same, and print the verdict on standard error and exit as `run` does
    #[arg(long, requires = "task", conflicts_with_all = ["world", "rest", "profile"])]
    pub(crate) grade: bool,
    /// The experiment of the attempt [default: the time]
    #[arg(long, value_name = "NAME", requires = "kept")]
    pub(crate) experiment: Option<String>,
    /// Answer the service's own interface over HTTP, too: github has its REST; an address of this
    /// machine such as 127.0.0.1:8080, or port 0 for any
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) rest: Option<SocketAddr>,
    /// Write the final state here when the client has gone; the directory must be empty or new
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) export: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The attempt's id, the beginning of it, or `latest` for the one that began last [default: latest]
    pub(crate) attempt: Option<String>,
    /// Show tool results, and what changed, in full
    #[arg(long)]
    pub(crate) full: bool,
    /// Search for the smallest difference to a state that passes, for each check that failed
    #[arg(long)]
    pub(crate) explain: bool,
    /// Also write the final state to this new or empty directory, for `receipt verify --state` elsewhere
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
