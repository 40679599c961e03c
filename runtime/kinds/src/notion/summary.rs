//! Summary of a workspace: the tree of pages, and databases as tables.

use mcpmark_notion::overview::{Column, Entry, Overview, Table};

use crate::{Block, Cell, Summary};

/// Maximum number of pages and databases in the tree.
const SHOWN: usize = 200;
/// Maximum number of rows of a table.
const ROWS: usize = 15;
/// Maximum number of characters of a cell.
const CELL: usize = 28;
/// Maximum number of characters of the name of a column.
const NAME: usize = 20;

/// Returns the summary of a state.
pub(super) fn summary(overview: &Overview) -> Summary {
    let mut blocks = vec![
        Block::Heading(Cell::bold(overview.name.as_str())),
        Block::Line(vec![Cell::dim(format!(
            "{}, {}",
            count(
                overview.tree.len(),
                "page and database",
                "pages and databases"
            ),
            count(overview.users, "user", "users")
        ))]),
    ];
    blocks.extend(overview.tree.iter().take(SHOWN).map(entry));
    blocks.extend(more(overview.tree.len(), SHOWN));
    for shown in &overview.tables {
        table(shown, &mut blocks);
    }
    Summary {
        key: "workspace",
        value: overview.to_json(),
        blocks,
        // The names of the documents are ids.
        opaque: &["pages", "databases"],
    }
}

fn count(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Returns the line that counts the entries that are not shown.
fn more(total: usize, shown: usize) -> Option<Block> {
    let left = total.checked_sub(shown).filter(|left| *left > 0)?;
    Some(Block::Line(vec![Cell::dim(format!("… {left} more"))]))
}

fn entry(entry: &Entry) -> Block {
    let icon = entry.icon.as_ref().map(|icon| format!("{icon} "));
    let name = format!(
        "{}{}{}",
        "  ".repeat(entry.level),
        icon.unwrap_or_default(),
        short(&entry.title, 60)
    );
    let size = if entry.is_database {
        count(entry.size, "row", "rows")
    } else {
        count(entry.size, "block", "blocks")
    };
    let mut notes = vec![size];
    if entry.comments > 0 {
        notes.push(count(entry.comments, "comment", "comments"));
    }
    if entry.is_trashed {
        notes.push("in the trash".to_owned());
    }
    let name = match (entry.is_database, entry.is_trashed) {
        (_, true) => Cell::dim(name),
        (true, false) => Cell::bold(name),
        (false, false) => Cell::plain(name),
    };
    let notes = format!("  {}", notes.join(", "));
    Block::Line(vec![name, Cell::dim(notes)])
}

fn table(table: &Table, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(Cell::bold(table.path.join(" / "))));
    blocks.push(Block::Table {
        columns: table.columns.iter().map(|it| name(it).into()).collect(),
        rows: table.rows.iter().take(ROWS).map(|it| row(it)).collect(),
    });
    if table.rows.is_empty() {
        blocks.push(Block::Line(vec![Cell::dim("no rows")]));
    }
    blocks.extend(more(table.rows.len(), ROWS));
}

/// Returns the name of a column. Its first character is not taken for an alignment.
fn name(column: &Column) -> String {
    let prefix = match column.kind {
        "number" => ">",
        _ => "",
    };
    let name = column.name.trim_start_matches(['>', '~', '<', ' ']);
    format!("{prefix}{}", short(name, NAME))
}

fn row(cells: &[String]) -> Vec<Cell> {
    let mut cells = cells.iter().map(|cell| short(cell, CELL));
    let title = cells.next().map(Cell::bold);
    title.into_iter().chain(cells.map(Cell::plain)).collect()
}

/// Cuts a text to a number of characters.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(most - 1).collect();
            format!("{}…", kept.trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overview() -> Overview {
        let entry = |level, title: &str, is_database, size| Entry {
            level,
            icon: (level == 0).then(|| "🏠".to_owned()),
            title: title.to_owned(),
            is_database,
            is_trashed: title == "Old",
            size,
            comments: usize::from(is_database),
        };
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        Overview {
            name: "Repairs".to_owned(),
            users: 1,
            tree: vec![
                entry(0, "Home", false, 3),
                entry(1, "Jobs", true, 17),
                entry(1, "Old", false, 1),
            ],
            tables: vec![Table {
                path: vec!["Home".to_owned(), "Jobs".to_owned()],
                columns: vec![column("~Job", "title"), column("Cost", "number")],
                rows: (0..17)
                    .map(|number| vec!["x".repeat(40), number.to_string()])
                    .collect(),
            }],
        }
    }

    #[test]
    fn pages_are_a_tree_and_cells_are_cut() {
        let summary = summary(&overview());
        let mut lines = Vec::new();
        for block in &summary.blocks {
            match block {
                Block::Heading(cell) => lines.push(cell.text.clone()),
                Block::Line(cells) => {
                    lines.push(cells.iter().map(|cell| cell.text.as_str()).collect());
                }
                Block::Table { columns, rows } => {
                    assert_eq!(columns.as_slice(), ["Job", ">Cost"]);
                    assert_eq!(rows.len(), ROWS);
                    assert_eq!(rows[0][0].text, format!("{}…", "x".repeat(CELL - 1)));
                    assert_eq!(rows[14][1].text, "14");
                }
            }
        }
        let expected = [
            "Repairs",
            "3 pages and databases, 1 user",
            "🏠 Home  3 blocks",
            "  Jobs  17 rows, 1 comment",
            "  Old  1 block, in the trash",
            "Home / Jobs",
            "… 2 more",
        ];
        assert_eq!(lines, expected);
        assert_eq!(
            summary.value["databases"][0]["properties"][1]["type"],
            "number"
        );
        assert_eq!(summary.value["tree"][2]["trashed"], true);
    }
}
