//! Text form of the summary of a state.

use anstyle::Style;
use mcpmark_kinds::{Block, Cell, Emphasis, Summary};

use crate::output::table::Table;
use crate::output::{self, sanitise};

pub(super) fn text(summary: &Summary) -> String {
    summary.blocks.iter().map(block).collect()
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(heading) => format!("\n{}\n", paint(heading)),
        Block::Line(cells) => cells.iter().map(paint).collect::<String>() + "\n",
        Block::Table { columns, rows } => {
            let columns = columns.iter().map(|name| sanitise::line(name));
            let mut table = Table::new(&columns.collect::<Vec<_>>());
            for row in rows {
                let cells = row.iter().map(|cell| {
                    let text = sanitise::line(&cell.text).into_owned();
                    (text, style(cell.emphasis))
                });
                table.row(cells.collect());
            }
            table.render()
        }
    }
}

fn paint(cell: &Cell) -> String {
    output::paint(style(cell.emphasis), sanitise::line(&cell.text))
}

fn style(emphasis: Emphasis) -> Style {
    match emphasis {
        Emphasis::Plain => Style::new(),
        Emphasis::Bold => output::BOLD,
        Emphasis::Dim => output::DIM,
    }
}
