//! Report as a self-contained HTML page, without network access or other files.
//!
//! Untrusted text is escaped and occurs only as text. As a second line of defence, the content security policy of the
//! page allows only the scripts and styles that it lists by digest, and loads nothing.

mod attempts;
mod charts;
mod escape;
mod intervals;
mod matrix;

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use self::escape::{json, text};
use crate::data::Report;
use crate::numbers;
use crate::render::{Options, RenderError};
use crate::table::Table;

const STYLE: &str = include_str!("../../assets/report.css");
const SCRIPT: &str = include_str!("../../assets/report.js");
const CHARTS: &str = include_str!("../../assets/chart.umd.min.js");
const CHARTS_LICENCE: &str = include_str!("../../assets/chart.umd.min.js.LICENSE");

/// Titles of tables that the page shows in another form.
const SHOWN_OTHERWISE: [&str; 1] = ["Tasks"];

/// Titles of tables that are initially open.
const OPEN: [&str; 4] = [
    "Scores",
    "What differs",
    "What an attempt takes",
    "By service",
];

pub(crate) fn page(
    report: &Report,
    tables: &[Table],
    options: &Options,
) -> Result<String, RenderError> {
    let mut out = head(report);
    let _ = writeln!(
        out,
        "<header><p class=\"brand\">mcpmark</p><h1>{}</h1><p>{}</p></header>",
        text(&report.experiment),
        text(&crate::text::lead(report))
    );
    let attempts = if attempts::any(report) {
        "<a href=\"#attempts\">Attempts</a>"
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "<nav aria-label=\"Sections\"><a href=\"#summary\">Scores</a><a href=\"#charts\">Charts</a>\
         <a href=\"#matrix\">Tasks</a><a href=\"#tables\">Tables</a>{attempts}</nav>\n\
         <main id=\"main\">\n<section id=\"summary\">\n<h2>Scores</h2>\n<div class=\"cards\">"
    );
    for (place, model) in report.models.iter().enumerate() {
        card(&mut out, report, place, model);
    }
    out.push_str("</div>\n</section>\n");
    charts::figures(&mut out, report, options);
    matrix::matrix(&mut out, report);
    out.push_str("<section id=\"tables\">\n<h2>Tables</h2>\n");
    for shown in tables
        .iter()
        .filter(|table| !SHOWN_OTHERWISE.contains(&table.title.as_str()))
    {
        table(&mut out, shown);
    }
    out.push_str("</section>\n");
    attempts::attempts(&mut out, report, options);
    out.push_str("</main>\n");
    let _ = writeln!(
        out,
        "<footer><p>Made by mcpmark {}. Charts by Chart.js.</p><details><summary>Licence of \
         Chart.js</summary><pre>{}</pre></details></footer>",
        env!("CARGO_PKG_VERSION"),
        text(CHARTS_LICENCE)
    );
    let data = serde_json::to_string(&charts::data(report, options))?;
    let _ = writeln!(
        out,
        "<script type=\"application/json\" id=\"data\">{}</script>\n\
         <script>{CHARTS}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>",
        json(&data)
    );
    Ok(out)
}

fn head(report: &Report) -> String {
    let digest = |content: &str| STANDARD.encode(Sha256::digest(content.as_bytes()));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src 'sha256-{}' 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{} – mcpmark</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the scores</a>\n",
        digest(CHARTS),
        digest(SCRIPT),
        digest(STYLE),
        text(&report.experiment)
    )
}

fn card(out: &mut String, report: &Report, place: usize, model: &crate::ModelReport) {
    let score = &model.overall.score;
    let interval = score.pass_at.first().and_then(|over| over.interval);
    let _ = write!(
        out,
        "<article class=\"card\"><h3><i class=\"dot m{}\" aria-hidden=\"true\"></i>{}</h3>\
         <p class=\"big\">{}<small> %</small></p><p>pass@1, 95 %: {}</p><dl>",
        place % charts::COLOURS,
        text(&model.name),
        numbers::percent(score.pass_1().value()),
        numbers::interval(interval),
    );
    let mut fact = |name: String, value: String| {
        let _ = write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", text(&value));
    };
    if report.k > 1 {
        let k = report.k.saturating_sub(1) as usize;
        fact(
            format!("pass@{}", report.k),
            numbers::over(score.pass_at.get(k)),
        );
        fact(
            format!("pass^{}", report.k),
            numbers::over(score.pass_hat.get(k)),
        );
    }
    let resources = &model.overall.resources;
    fact(
        "graded".to_owned(),
        format!("{} of {}", score.graded, score.attempts),
    );
    fact(
        "mean score".to_owned(),
        numbers::percent(model.overall.mean_score),
    );
    fact("turns".to_owned(), numbers::mean(resources.turns));
    fact("USD".to_owned(), numbers::dollars(resources.cost_usd));
    out.push_str("</dl></article>\n");
}

fn table(out: &mut String, table: &Table) {
    let title = text(&table.title);
    let open = if OPEN.contains(&table.title.as_str()) {
        " open"
    } else {
        ""
    };
    let _ = write!(
        out,
        "<details class=\"table\"{open}><summary><h3>{title}</h3></summary>\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table><thead><tr>"
    );
    for column in &table.columns {
        let class = if column.right { " class=\"n\"" } else { "" };
        let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", text(&column.name));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (place, (cell, column)) in row.iter().zip(&table.columns).enumerate() {
            let class = if column.right { " class=\"n\"" } else { "" };
            let cell = text(cell);
            let _ = if place == 0 {
                write!(out, "<th scope=\"row\"{class}>{cell}</th>")
            } else {
                write!(out, "<td{class}>{cell}</td>")
            };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>");
    if !table.note.is_empty() {
        let _ = write!(out, "<p class=\"note\">{}</p>", text(&table.note));
    }
    out.push_str("</details>\n");
}
