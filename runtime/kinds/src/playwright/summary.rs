//! Summary of the sites of a state: tables with their rows, static files, and requests.

use std::collections::BTreeMap;
use std::io;

use mcpmark_snapshot::{Blobs, Tree};
use serde_json::json;

use crate::summary::columns;
use crate::{Block, Cell, Summary};

/// Content of one site.
#[derive(Debug, Default)]
struct SiteContent {
    /// Number of rows by table.
    tables: BTreeMap<String, usize>,
    static_files: usize,
}

/// Returns the summary of a state.
///
/// # Errors
///
/// Returns an error if a file of the state cannot be read.
pub(super) fn summary(tree: &Tree, blobs: &dyn Blobs) -> io::Result<Summary> {
    let mut sites: BTreeMap<String, SiteContent> = BTreeMap::new();
    let mut requests = None;
    for (path, file) in tree.files() {
        let lines = || -> io::Result<usize> {
            let bytes = blobs.read(&file.content)?;
            Ok(bytes.iter().filter(|byte| **byte == b'\n').count())
        };
        if path.as_str() == "requests.jsonl" {
            requests = Some(lines()?);
        }
        let site = path.as_str().strip_prefix("sites/");
        let Some((host, rest)) = site.and_then(|rest| rest.split_once('/')) else {
            continue;
        };
        let content = sites.entry(host.to_owned()).or_default();
        let table = rest
            .strip_prefix("rows/")
            .and_then(|name| name.strip_suffix(".jsonl"));
        if let Some(table) = table {
            // The first line has the names of the columns.
            let rows = lines()?.saturating_sub(1);
            content.tables.insert(table.to_owned(), rows);
        } else if rest.starts_with("static/") {
            content.static_files += 1;
        }
    }
    let mut blocks = Vec::new();
    for (host, content) in &sites {
        blocks.push(Block::Heading(Cell::bold(format!("site {host}"))));
        let rows = content
            .tables
            .iter()
            .map(|(table, rows)| vec![Cell::bold(table.as_str()), Cell::plain(rows.to_string())]);
        if !content.tables.is_empty() {
            blocks.push(Block::Table {
                columns: columns(&["table", ">rows"]),
                rows: rows.collect(),
            });
        }
        let files = format!("{} static files", content.static_files);
        blocks.push(Block::Line(vec![Cell::plain(files)]));
    }
    if let Some(requests) = requests {
        blocks.push(Block::Heading(Cell::bold("requests")));
        blocks.push(Block::Line(vec![Cell::plain(requests.to_string())]));
    }
    let value = sites.iter().map(|(host, content)| {
        json!({ "host": host, "tables": content.tables, "static_files": content.static_files })
    });
    Ok(Summary {
        key: "sites",
        value: value.collect(),
        blocks,
        opaque: &["rows"],
    })
}
