//! Workspaces of the notion service, for verifiers and solutions.
//!
//! - [`Workspace`] reads the documents of one tree: pages by the titles that lead to them, blocks
//!   in their order, rows with typed [cells](Cell), texts with their styles, and comments.
//! - [`Workspace::changes_since`] lists how one workspace differs from another, and
//!   [`nothing_else_changed`] adds the check that only [`Allowed`] differences exist. Times of the
//!   last edit are no differences, and neither is something new that is in the trash.
//! - [`NotionTools`] calls the tools of the published server.
//!
//! Documents must have the form in which the service writes them. An agent cannot change the form,
//! so another one is an error of whoever made the tree.
//!
//! ```
//! use mcpmark_guest::{Condition, Verifier};
//! use mcpmark_guest_notion::{Allowed, Cell, Workspace, nothing_else_changed};
//!
//! mcpmark_guest::verifier!(verify);
//!
//! /// The autoclave is retired, and nothing else is different.
//! fn verify(task: &mut Verifier) {
//!     let start = Workspace::read(&task.start()).required();
//!     let end = Workspace::read(&task.end());
//!     let row = start.database("Equipment").required().row("Autoclave").required().id().to_owned();
//!     let status = end.try_map(|end| end.database("Equipment").get()?.row_by_id(&row)?.cell("Status"));
//!     task.check("the autoclave is retired", status.is(Cell::Option("Retired".to_owned())));
//!     nothing_else_changed(task, &start, &end, &Allowed::new().value(&row, "Status"));
//! }
//! ```

mod cells;
mod changes;
mod read;
mod shape;
mod text;
mod tools;
mod workspace;

pub use cells::{Cell, Database, DateCell, Row};
pub use changes::{Allowed, Change, What, nothing_else_changed};
pub use text::{Run, Span, Style, Text};
pub use tools::{NotionTools, block, plain, rich_text, title_of};
pub use workspace::{Comment, Kind, Node, Parent, Property, Schema, Stamp, User, Workspace};

#[cfg(test)]
mod tests;
