//! What `report`, `compare` and `export` take.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The experiment, or several for one report; `latest` is the one that began last, and the default
    #[arg(value_name = "EXPERIMENT")]
    pub(crate) experiments: Vec<String>,
    /// The form of the report [default: that of the file's ending, or text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<ReportFormat>,
    /// Write it to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Show the published results of 20 models beside, which are of other tasks
    #[arg(long)]
    pub(crate) published: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Tables for a terminal
    #[default]
    Text,
    /// Tables in Markdown
    Md,
    /// All numbers in one JSON object
    Json,
    /// One flat table
    Csv,
    /// One self-contained page with charts and attempts
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// An experiment, or `EXPERIMENT:MODEL`; `latest` is the experiment that began last
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// An experiment, or `EXPERIMENT:MODEL`; `latest` is the experiment that began last
    #[arg(value_name = "B")]
    pub(crate) b: String,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The experiment; `latest` is the one that began last
    #[arg(value_name = "EXPERIMENT")]
    pub(crate) experiment: String,
    /// The form of the export
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: ExportFormat,
    /// A new directory; for `sft`, a new file
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) output: PathBuf,
    /// With `sft`: write graded attempts that did not pass, too
    #[arg(long)]
    pub(crate) include_failures: bool,
    /// With `sft`: write `passed` and `score` on each line
    #[arg(long)]
    pub(crate) rewards: bool,
    /// With `sft`: describe the tools in the system message, and name each after its server, as published corpora do
    #[arg(long)]
    pub(crate) tools_in_prompt: bool,
    /// With `sft`: leave out conversations of more than this many bytes, or `none` for no limit [default: 1048576]
    #[arg(long, value_name = "N|none", value_parser = line_bytes, allow_negative_numbers = true)]
    pub(crate) max_line_bytes: Option<LineBytes>,
}

/// A bound on the lines of an export: a number of bytes, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineBytes(pub(crate) Option<u64>);

fn line_bytes(text: &str) -> Result<LineBytes, String> {
    if text == "none" {
        return Ok(LineBytes(None));
    }
    let number = text.parse().ok().filter(|number| *number > 0);
    let number = number.ok_or("expected a number of bytes from 1, or `none` for no limit")?;
    Ok(LineBytes(Some(number)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The results directory of the published benchmark
    Mcpmark,
    /// Conversations for fine-tuning with their tools, one a line
    Sft,
    /// Agent Trajectory Interchange Format 1.7, one file an attempt
    Atif,
    /// Everything as tables: attempts, turns, calls, requests and checks, each a file of JSON Lines
    Jsonl,
}
