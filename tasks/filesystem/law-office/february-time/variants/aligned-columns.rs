//! Right by another route: reads January's papers with one call, and lays the new ones out as a careful typist does, with
//! padded and aligned columns, underlined headings, and quotes around texts alone.

use mcpmark_guest::Tools;

#[path = "../counting.rs"]
mod counting;
#[path = "../../office.rs"]
mod office;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let papers = [
        "04 Accounts/about the accounts.md",
        "04 Accounts/2026-01 by person.md",
        "04 Accounts/2026-01 work in progress.csv",
    ];
    tools.read_many(&papers.map(str::to_owned));
    let month = counting::count(tools, None);
    let mut progress = counting::HEADER.map(|name| format!("\"{name}\"")).join(",");
    for [number, client, figures @ ..] in &month.matters {
        progress += &format!("\n\"{number}\",\"{client}\",{}", figures.join(","));
    }
    tools.write(counting::PROGRESS, &progress);
    let document = month.document();
    let lines: Vec<String> = document.lines().map(laid_out).collect();
    tools.write(counting::PEOPLE, &lines.join("\n"));
    "February is in the accounts.".to_owned()
}

/// A line of the summary in another layout. The first column is aligned on the left, all others on the right.
fn laid_out(line: &str) -> String {
    if let Some(title) = line.strip_prefix("# ") {
        return format!("{title}\n{}", "=".repeat(title.len()));
    }
    if let Some(title) = line.strip_prefix("## ") {
        return format!("{title}\n{}", "-".repeat(title.len()));
    }
    let Some(row) = line.strip_prefix('|') else {
        return line.to_owned();
    };
    let cells = row.trim_end_matches('|').split('|').enumerate();
    let cells = cells.map(|(at, cell)| match (cell.trim(), at) {
        ("---", 0) => format!(":{}", "-".repeat(13)),
        ("---", _) => format!("{}:", "-".repeat(13)),
        (cell, 0) => format!("{cell:<14}"),
        (cell, _) => format!("{cell:>14}"),
    });
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}
