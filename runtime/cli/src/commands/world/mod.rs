//! `mcpmark world`: lists, shows, compares and imports worlds.

mod changes;
mod import;
mod summary;

use anstyle::Style;
use mcpmark_kinds::Summary;
use mcpmark_metadata::{ExitCode, StateDetail, StateEntry, StateNode, WorldStart, WorldSummary};
use mcpmark_snapshot::{Directory, Node, Store, Tree, TreePath, diff};

use crate::args::WorldCommand;
use crate::context::{self, Context, ResolvedState};
use crate::error::CommandError;
use crate::output::table::Table;
use crate::output::tree::{self, Branch};
use crate::output::{self, sanitise};

pub(crate) use changes::{changes_text, state_changes};

/// Runs `mcpmark world`.
pub(crate) fn world(context: &Context, command: WorldCommand) -> Result<ExitCode, CommandError> {
    match command {
        WorldCommand::List { json } => list(context, json),
        WorldCommand::Show { world, json } => show(context, &world, json),
        WorldCommand::Diff {
            before,
            after,
            full,
            exit_code,
            json,
        } => {
            let differs = compare(context, &before, &after, full, json)?;
            Ok(if differs && exit_code {
                ExitCode::Failed
            } else {
                ExitCode::Passed
            })
        }
        WorldCommand::Schema { document } => schema(context, document.as_deref()),
        WorldCommand::Import(args) => import::import(context, &args),
    }
}

fn list(context: &Context, as_json: bool) -> Result<ExitCode, CommandError> {
    let library = context.library()?;
    let worlds = library.worlds().map_err(|error| context::invalid(&error))?;
    for broken in &worlds.broken {
        output::note(&format!(
            "{} {}",
            output::paint(output::BAD, "broken:"),
            sanitise::line(&crate::error::error_chain(&broken.error))
        ));
    }
    let roles = worlds.worlds.iter().filter_map(|world| {
        let services = context.services();
        let checked = services.check_roles(world.id.service(), &world.guests);
        Some((&world.id, checked.err()?))
    });
    let mut is_broken = !worlds.broken.is_empty();
    for (id, error) in roles {
        is_broken = true;
        output::note(&format!(
            "{} world {id}: {}",
            output::paint(output::BAD, "broken:"),
            sanitise::line(&error.to_string())
        ));
    }
    let code = if !is_broken {
        ExitCode::Passed
    } else {
        ExitCode::Invalid
    };
    let good: Vec<_> = worlds
        .worlds
        .iter()
        .map(|world| (&world.id, &world.manifest))
        .collect();
    if as_json {
        let worlds: Vec<_> = good
            .iter()
            .map(|(id, manifest)| WorldSummary {
                id: id.to_string(),
                title: manifest.title.clone(),
                description: manifest.description.clone(),
                license: manifest.license.clone(),
                clock: manifest.clock.to_string(),
                seed: manifest.seed,
            })
            .collect();
        output::print_json(&worlds)?;
    } else {
        let mut table = Table::new(&["world", "licence", "~title"]);
        for (id, manifest) in &good {
            table.row(vec![
                (id.to_string(), Style::new()),
                (sanitise::line(&manifest.license).into_owned(), Style::new()),
                (sanitise::line(&manifest.title).into_owned(), output::DIM),
            ]);
        }
        output::print(&table.render())?;
    }
    Ok(code)
}

fn schema(context: &Context, document: Option<&str>) -> Result<ExitCode, CommandError> {
    let kinds = || context.services().iter();
    let documents: Vec<&str> = kinds().flat_map(|kind| kind.documents()).copied().collect();
    match document {
        None => output::print(&(documents.join("\n") + "\n"))?,
        Some(name) => {
            let schema = kinds().find_map(|kind| kind.schema(name));
            let schema = schema.ok_or_else(|| {
                let names = documents.join(", ");
                CommandError::usage(format!("unknown document {name:?}"))
                    .hint(format!("expected one of {names}"))
            })?;
            output::print_json(&schema)?;
        }
    }
    Ok(ExitCode::Passed)
}

fn show(context: &Context, name: &str, as_json: bool) -> Result<ExitCode, CommandError> {
    let store = context.store()?;
    let named = context.tree(name, &store)?;
    let tree = named.tree();
    let summary = summary_of(context, &named, &store)?;
    if as_json {
        let entries: Vec<_> = tree
            .walk(&TreePath::root())
            .map(|(path, node)| StateEntry {
                path: path.as_str().to_owned(),
                node: state_node(node),
            })
            .collect();
        let start = match &named {
            ResolvedState::World(id, start) => Some(WorldStart {
                world: id.to_string(),
                seed: start.seed,
                clock: start.clock,
            }),
            _ => None,
        };
        let summary = summary.map(|summary| (summary.key.to_owned(), summary.value));
        output::print_json(&StateDetail {
            digest: tree.digest().to_string(),
            bytes: tree.total_size(),
            start,
            summary: summary.into_iter().collect(),
            entries,
        })?;
        return Ok(ExitCode::Passed);
    }
    let mut text = String::new();
    if let ResolvedState::World(id, start) = &named {
        let clock = jiff::Timestamp::from_second(start.clock)
            .map_or_else(|_| start.clock.to_string(), |clock| clock.to_string());
        text.push_str(&format!(
            "{}  {}\n",
            output::paint(output::BOLD, id),
            output::paint(output::DIM, format!("seed {}, clock {clock}", start.seed))
        ));
    }
    let opaque = summary.as_ref().map_or(&[][..], |summary| summary.opaque);
    let entries = branches(tree.root(), opaque);
    text.push_str(&tree::draw(entries, true));
    text.push_str(&output::paint(output::DIM, size(tree)));
    text.push('\n');
    if let Some(summary) = &summary {
        text.push_str(&summary::text(summary));
    }
    output::print(&text)?;
    Ok(ExitCode::Passed)
}

/// Returns the summary of a state by its service, if there is one.
fn summary_of(
    context: &Context,
    named: &ResolvedState,
    store: &Store,
) -> Result<Option<Summary>, CommandError> {
    let tree = named.tree();
    let services = context.services();
    let kind = match named {
        ResolvedState::World(id, _) => services.kind(id.service()),
        // The service of a directory or a state is guessed. That is acceptable because a summary does not affect
        // grades.
        ResolvedState::Directory(_) | ResolvedState::State(_) => {
            services.iter().find(|kind| kind.resembles_world(tree))
        }
    };
    let Some(kind) = kind else {
        return Ok(None);
    };
    let scratch = mcpmark_snapshot::scratch_parent(None);
    kind.summarize(tree, store, &scratch)
        .map_err(|error| super::service_error(&error, None))
}

fn size(tree: &Tree) -> String {
    format!(
        "{}, {}, {}",
        output::count(tree.files().count(), "file"),
        output::bytes(tree.total_size()),
        tree.digest()
    )
}

/// Returns the entries of a directory, with the sizes of files. Directories with a name in `opaque` are not expanded.
fn branches(directory: &Directory, opaque: &[&str]) -> Vec<Branch> {
    let entries = directory.iter().map(|(name, node)| {
        let is_opaque = opaque.contains(&name);
        let name = sanitise::line(name);
        match node {
            Node::Directory(_) if is_opaque => Branch {
                label: format!("{name}/"),
                style: output::BOLD,
                ..Branch::default()
            },
            Node::Directory(below) => Branch {
                label: format!("{name}/"),
                style: output::BOLD,
                below: branches(below, opaque),
                ..Branch::default()
            },
            Node::File(file) => Branch {
                label: format!("{name}{}", if file.executable { "*" } else { "" }),
                note: output::bytes(file.size),
                ..Branch::default()
            },
            Node::Symlink(link) => Branch {
                label: format!("{name} -> {}", sanitise::line(&link.target)),
                ..Branch::default()
            },
        }
    });
    entries.collect()
}

/// Returns an entry of a state for the JSON output.
fn state_node(node: &Node) -> StateNode {
    match node {
        Node::Directory(_) => StateNode::Directory,
        Node::File(file) => StateNode::File {
            size: file.size,
            executable: file.executable,
            modified: file.modified,
            digest: file.content.to_string(),
        },
        Node::Symlink(link) => StateNode::Symlink {
            target: link.target.clone(),
        },
    }
}

/// Shows the differences between two trees. Returns true if there are any.
fn compare(
    context: &Context,
    before: &str,
    after: &str,
    full: bool,
    as_json: bool,
) -> Result<bool, CommandError> {
    let store = context.store()?;
    let (before, after) = (context.tree(before, &store)?, context.tree(after, &store)?);
    let changes = diff(before.tree(), after.tree());
    if as_json {
        output::print_json(&state_changes(&changes))?;
    } else if changes.is_empty() {
        output::print("no difference\n")?;
    } else {
        output::print(&changes_text(&changes, &store, full))?;
    }
    Ok(!changes.is_empty())
}
