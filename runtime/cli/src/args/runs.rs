//! Arguments of `mcpmark runs`.

use std::str::FromStr;

use clap::{Args, ValueEnum};
use jiff::{Span, Timestamp, tz::TimeZone};

#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// List the attempts of this experiment; `latest` is the one that began last
    #[arg(value_name = "EXPERIMENT")]
    pub(crate) experiment: Option<String>,
    /// Maximum number of rows [default: 20 experiments, or all with --since; all attempts]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// Select only experiments that began within this time (90m, 12h, 7d), or since this date in UTC (2026-11-20)
    #[arg(long, value_name = "TIME", conflicts_with = "experiment")]
    pub(crate) since: Option<Since>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) filter: AttemptFilterArgs,
    /// Order of the attempts [default: plan]
    #[arg(long, value_enum, value_name = "ORDER", help_heading = "Attempts")]
    pub(crate) sort: Option<AttemptOrder>,
}

/// Filters on attempts. Without an experiment, they apply to the latest one.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Attempts")]
pub(crate) struct AttemptFilterArgs {
    /// Select only attempts that did not pass, including those without a grade
    #[arg(long)]
    pub(crate) failed: bool,
    /// Select only attempts with this failure class or outcome, such as abandoned or infra-error; may be repeated
    #[arg(long, value_name = "CLASS")]
    pub(crate) class: Vec<String>,
    /// Select only attempts whose model (or agent, if it uses no model) contains this text; ignores case
    #[arg(long, value_name = "TEXT")]
    pub(crate) model: Option<String>,
    /// Select only attempts of these tasks, such as 'filesystem/*'; may be repeated
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) task: Vec<mcpmark_task::Selector>,
}

impl AttemptFilterArgs {
    pub(crate) fn is_empty(&self) -> bool {
        !self.failed && self.class.is_empty() && self.model.is_none() && self.task.is_empty()
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum AttemptOrder {
    /// Order of the plan
    #[default]
    Plan,
    /// Highest cost first
    Cost,
    /// Longest time of the agent first
    Time,
    /// Most turns first
    Turns,
    /// Attempts without a grade first, then the lowest score first
    Score,
}

/// Start of a period that ends now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Since(pub(crate) Timestamp);

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::before(text, Timestamp::now())
    }
}

impl Since {
    fn before(text: &str, now: Timestamp) -> Result<Self, String> {
        if let Ok(date) = text.parse::<jiff::civil::Date>() {
            let start = date
                .to_zoned(TimeZone::UTC)
                .map_err(|error| error.to_string())?;
            return Ok(Self(start.timestamp()));
        }
        let expected = || {
            format!(
                "expected a time such as 90m, 12h or 7d, or a date such as 2026-11-20, found {text:?}"
            )
        };
        let span: Span = text.parse().map_err(|_| expected())?;
        let start = now.to_zoned(TimeZone::UTC).checked_sub(span.abs());
        start
            .map(|start| Self(start.timestamp()))
            .map_err(|_| expected())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_and_dates_are_read() {
        let now: Timestamp = "2026-11-23T12:00:00Z".parse().unwrap();
        for (text, start) in [
            ("90m", "2026-11-23T10:30:00Z"),
            ("12h", "2026-11-23T00:00:00Z"),
            ("7d", "2026-11-16T12:00:00Z"),
            ("2 weeks", "2026-11-09T12:00:00Z"),
            ("2026-11-20", "2026-11-20T00:00:00Z"),
        ] {
            let since = Since::before(text, now).unwrap();
            assert_eq!(since.0.to_string(), start, "{text}");
        }
        for text in ["", "yesterday", "7", "99999999999d", "2026-13-40"] {
            let error = Since::before(text, now).unwrap_err();
            assert!(
                error.starts_with("expected a time such as"),
                "{text}: {error}"
            );
        }
    }
}
