//! Output formats of a report and their options.

use serde::Serialize;

use crate::data::Report;
use crate::trajectory::Details;
use crate::{csv, html, markdown, tables, text};

/// Output format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Plain text for a terminal.
    Text,
    /// GitHub Flavored Markdown.
    Markdown,
    /// One JSON object with all numbers.
    Json,
    /// One flat table.
    Csv,
    /// One self-contained page with charts and, if details are given, attempts.
    Html,
}

/// Options for rendering a report.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Width of the terminal in columns. `None` means no limit.
    pub width: Option<usize>,
    /// Includes the published results.
    pub published: bool,
    /// Details of attempts, for the HTML page.
    pub details: Details,
}

/// Error of serialising a report.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the report as JSON: {0}")]
pub struct RenderError(#[from] serde_json::Error);

impl Report {
    /// Renders the report in a format, with a line break at its end.
    ///
    /// # Errors
    ///
    /// Returns an error if the report cannot be serialised as JSON.
    pub fn render(&self, format: Format, options: &Options) -> Result<String, RenderError> {
        let tables = || tables::all(self, options.published);
        Ok(match format {
            Format::Text => text::text(self, &tables(), options.width),
            Format::Markdown => markdown::markdown(self, &tables()),
            Format::Json => {
                let mut document = self.document()?;
                document.published = options.published.then(crate::published::document);
                json(&document)?
            }
            Format::Csv => csv::csv(self, options.published),
            Format::Html => html::page(self, &tables(), options)?,
        })
    }

    /// Returns the report as the public document, which has the same form.
    fn document(&self) -> Result<mcpmark_metadata::Report, serde_json::Error> {
        serde_json::from_value(serde_json::to_value(self)?)
    }
}

fn json(value: &impl Serialize) -> Result<String, RenderError> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(crate::sanitise::json(&text).into_owned())
}
