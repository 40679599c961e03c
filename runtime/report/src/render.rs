use serde::Serialize;

use crate::data::Report;
use crate::trajectory::Details;
use crate::{csv, html, markdown, tables, text};

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For a terminal.
    Text,
    /// GitHub's Markdown.
    Markdown,
    /// One JSON object with all numbers.
    Json,
    /// One flat table.
    Csv,
    /// One self-contained page with charts and, where they are given, attempts.
    Html,
}

/// What a report shows beside its numbers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Columns of a terminal; none where lines may have any length.
    pub width: Option<usize>,
    /// Whether the published results stand beside.
    pub published: bool,
    /// The attempts that a page carries.
    pub details: Details,
}

/// A report cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the report as JSON: {0}")]
pub struct RenderError(#[from] serde_json::Error);

impl Report {
    /// The report in a form, ended with a line break.
    ///
    /// # Errors
    ///
    /// When its JSON cannot be written.
    pub fn render(&self, format: Format, options: &Options) -> Result<String, RenderError> {
        let tables = || tables::all(self, options.published);
        Ok(match format {
            Format::Text => text::text(self, &tables(), options.width),
            Format::Markdown => markdown::markdown(self, &tables()),
            Format::Json if options.published => {
                let mut value = serde_json::to_value(self)?;
                value["published"] = crate::published::as_json();
                json(&value)?
            }
            Format::Json => json(self)?,
            Format::Csv => csv::csv(self, options.published),
            Format::Html => html::page(self, &tables(), options)?,
        })
    }
}

fn json(value: &impl Serialize) -> Result<String, RenderError> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(crate::sanitise::json(&text).into_owned())
}
