//! Arguments of `mcpmark run` and `resume`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::agent::{AgentArg, AgentParser};
use super::values::{self, JsonObject, ResultBytes};
use super::{EngineArgs, PublishedArgs, Selection};

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) published: PublishedArgs,
    /// Agent; may be repeated, for example to add baselines [default: mcpmark with a model, replay with --from,
    /// otherwise oracle]
    #[arg(long, value_name = "AGENT", value_parser = AgentParser)]
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
    /// Maximum bytes of text of one tool result that a model is shown, or `none` for no limit; longer results are
    /// shortened in the middle [default: 65536]
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
    /// Accept the plan of an imported experiment with the code that the refusal prints
    #[arg(long, value_name = "CODE", requires = "experiment")]
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
