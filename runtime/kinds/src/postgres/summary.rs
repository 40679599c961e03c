//! Summary of a database: relations of each schema, row security, roles, and a diagram of the references.

use mcpmark_postgres::state::{Overview, Section};

use crate::summary::columns;
use crate::{Block, Cell, Summary};

/// Returns the summary of a state.
pub(super) fn summary(overview: &Overview) -> Summary {
    let mut blocks: Vec<Block> = overview.sections().into_iter().flat_map(table).collect();
    if !overview.extensions.is_empty() {
        let names = overview.extensions.join(", ");
        blocks.push(Block::Heading(Cell::bold("extensions")));
        blocks.push(Block::Line(vec![Cell::plain(names)]));
    }
    if !overview.relations.is_empty() {
        blocks.push(Block::Heading(Cell::bold("diagram in Mermaid")));
        let diagram = overview.mermaid();
        let lines = diagram.lines().map(Cell::dim);
        blocks.extend(lines.map(|line| Block::Line(vec![line])));
    }
    Summary {
        key: "database",
        value: overview.to_json(),
        blocks,
        opaque: &[],
    }
}

fn table(section: Section) -> [Block; 2] {
    let rows = section.rows.into_iter().map(|row| {
        let mut cells = row.into_iter();
        let name = cells.next().map(Cell::bold);
        name.into_iter().chain(cells.map(Cell::plain)).collect()
    });
    [
        Block::Heading(Cell::bold(section.title)),
        Block::Table {
            columns: columns(section.columns),
            rows: rows.collect(),
        },
    ]
}

#[cfg(test)]
mod tests {
    use mcpmark_postgres::state::Files;
    use mcpmark_snapshot::TreePath;

    use super::*;

    #[test]
    fn tables_roles_and_the_diagram_are_shown() {
        let files: Files = [
            ("roles.sql", "CREATE ROLE clerk WITH LOGIN;\n"),
            ("schemas.sql", "CREATE SCHEMA public;\n"),
            (
                "schemas/public/tables/items.sql",
                "CREATE TABLE public.items (\n    id integer NOT NULL\n);\n",
            ),
            ("data/public/items.csv", "id\n1\n2\n"),
        ]
        .map(|(path, text)| (TreePath::parse(path).unwrap(), text.as_bytes().to_vec()))
        .into();
        let summary = summary(&Overview::read(&files).unwrap());
        assert_eq!(summary.value["relations"][0]["rows"], 2);
        let texts: Vec<&str> = summary
            .blocks
            .iter()
            .flat_map(|block| match block {
                Block::Heading(cell) => vec![cell],
                Block::Line(cells) => cells.iter().collect(),
                Block::Table { rows, .. } => rows.iter().flatten().collect(),
            })
            .map(|cell| cell.text.as_str())
            .collect();
        for expected in ["schema public", "items", "2", "roles", "clerk", "erDiagram"] {
            assert!(texts.contains(&expected), "{expected}: {texts:?}");
        }
    }
}
