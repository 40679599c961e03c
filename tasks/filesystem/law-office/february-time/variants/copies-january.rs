//! Right by another route: finds January's papers with a search, and lays the new ones out in another way: quoted cells,
//! CRLF, tables without outer pipes.

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::json;

#[path = "../counting.rs"]
mod counting;
#[path = "../../office.rs"]
mod office;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let found = tools.text(
        "search_files",
        &json!({"path": "", "pattern": "**/2026-01*"}),
    );
    assert!(found.contains("2026-01 by person.md"), "{found}");
    tools.text("list_directory", &json!({"path": "00 Office"}));
    let month = counting::count(tools, None);
    let quoted = |cells: &[String]| format!("\"{}\"\r\n", cells.join("\",\""));
    let header = counting::HEADER.map(str::to_owned);
    let lines = month.matters.iter().map(|cells| quoted(cells));
    let progress: String = std::iter::once(quoted(&header)).chain(lines).collect();
    tools.write(counting::PROGRESS, &progress);
    let document = month.document();
    let bare = document
        .lines()
        .map(|line| line.trim_matches(['|', ' ']).to_owned() + "\n");
    tools.write(counting::PEOPLE, &bare.collect::<String>());
    "February is in the accounts.".to_owned()
}
