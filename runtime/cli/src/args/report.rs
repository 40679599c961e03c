//! Arguments of `mcpmark report`, `compare` and `export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Experiments of the report; `latest` is the one that began last [default: latest]
    #[arg(value_name = "EXPERIMENT")]
    pub(crate) experiments: Vec<String>,
    /// Format of the report [default: from the extension of the output file, or text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<ReportFormat>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Include the published results of 20 models, which refer to other tasks
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
    /// One JSON object with all numbers
    Json,
    /// One flat table
    Csv,
    /// One self-contained page with charts and attempts
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Experiment, or `EXPERIMENT:MODEL`; `latest` is the experiment that began last
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// Experiment, or `EXPERIMENT:MODEL`; `latest` is the experiment that began last
    #[arg(value_name = "B")]
    pub(crate) b: String,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Name of the experiment; `latest` is the one that began last
    #[arg(value_name = "EXPERIMENT")]
    pub(crate) experiment: String,
    /// Format of the export
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: ExportFormat,
    /// New or empty directory, or for `sft` a new file
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) output: PathBuf,
    /// With `sft`: also export graded attempts that did not pass
    #[arg(long)]
    pub(crate) include_failures: bool,
    /// With `sft`: add `passed`, `score` and `score_rule` to each line
    #[arg(long)]
    pub(crate) rewards: bool,
    /// With `sft`: describe the tools in the system message and prefix their names with their server, as in published
    /// corpora
    #[arg(long)]
    pub(crate) tools_in_prompt: bool,
    /// With `sft`: omit lines of more than N bytes, or `none` for no limit [default: 1048576]
    #[arg(long, value_name = "N|none", value_parser = line_bytes, allow_negative_numbers = true)]
    pub(crate) max_line_bytes: Option<LineBytes>,
}

/// Limit on the length of an exported line, in bytes; `None` means no limit.
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
    /// Results directory of the published benchmark
    Mcpmark,
    /// Conversations for fine-tuning with their tools, one per line
    Sft,
    /// Agent Trajectory Interchange Format 1.7, one file per attempt
    Atif,
    /// Tables of attempts, turns, calls, requests and checks, as JSON Lines
    Jsonl,
}
