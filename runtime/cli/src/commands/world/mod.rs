mod changes;
mod import;
mod repository;

use anstyle::Style;
use mcpmark_github::world::{self, Opened, WorldError};
use mcpmark_service::ServiceError;
use mcpmark_snapshot::{Directory, Node, Store, Tree, TreePath, diff};
use serde_json::{Value, json};

use crate::args::WorldCommand;
use crate::context::{self, Context, Named};
use crate::error::CommandError;
use crate::exit;
use crate::output::table::Table;
use crate::output::tree::{self, Branch};
use crate::output::{self, sanitise};

pub(crate) use changes::{changes_json, changes_text};

/// `mcpmark world …`.
pub(crate) fn world(context: &Context, command: WorldCommand) -> Result<u8, CommandError> {
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
            Ok(match differs && exit_code {
                true => exit::FAILED,
                false => exit::PASSED,
            })
        }
        WorldCommand::Schema { document } => schema(document.as_deref()),
        WorldCommand::Import(args) => import::import(context, &args),
    }
}

fn list(context: &Context, as_json: bool) -> Result<u8, CommandError> {
    let library = context.library()?;
    let worlds = library.worlds().map_err(|error| context::invalid(&error))?;
    for broken in &worlds.broken {
        output::note(&format!(
            "{} {}",
            output::paint(output::BAD, "broken:"),
            sanitise::line(&crate::error::chain(&broken.error))
        ));
    }
    let code = if worlds.broken.is_empty() {
        exit::PASSED
    } else {
        exit::INVALID
    };
    let good: Vec<_> = worlds
        .worlds
        .iter()
        .map(|world| (&world.id, &world.manifest))
        .collect();
    if as_json {
        let worlds: Vec<_> = good
            .iter()
            .map(|(id, manifest)| {
                json!({
                    "id": id.to_string(),
                    "title": manifest.title,
                    "description": manifest.description,
                    "license": manifest.license,
                    "clock": manifest.clock.to_string(),
                    "seed": manifest.seed,
                })
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

fn schema(document: Option<&str>) -> Result<u8, CommandError> {
    match document {
        None => output::print(&(mcpmark_github::world::DOCUMENTS.join("\n") + "\n"))?,
        Some(name) => {
            let schema = mcpmark_github::world::schema(name).ok_or_else(|| {
                let names = mcpmark_github::world::DOCUMENTS.join(", ");
                CommandError::usage(format!("{name:?} is no document of a github world"))
                    .hint(format!("these are: {names}"))
            })?;
            output::print_json(&schema)?;
        }
    }
    Ok(exit::PASSED)
}

fn show(context: &Context, name: &str, as_json: bool) -> Result<u8, CommandError> {
    let store = context.store()?;
    let named = context.tree(name, &store)?;
    let tree = named.tree();
    let opened = repository_of(&named, &store)?;
    if as_json {
        let entries: Vec<_> = tree
            .walk(&TreePath::root())
            .map(|(path, node)| entry_json(&path, node))
            .collect();
        let mut value = json!({ "digest": tree.digest(), "bytes": tree.total_size() });
        if let Named::World(id, start) = &named {
            value["world"] = id.to_string().into();
            value["seed"] = start.seed.into();
            value["clock"] = start.clock.into();
        }
        if let Some(opened) = &opened {
            value["repository"] = repository::value(opened).map_err(broken)?;
        }
        value["entries"] = entries.into();
        output::print_json(&value)?;
        return Ok(exit::PASSED);
    }
    let mut text = String::new();
    if let Named::World(id, start) = &named {
        let clock = jiff::Timestamp::from_second(start.clock)
            .map_or_else(|_| start.clock.to_string(), |clock| clock.to_string());
        text.push_str(&format!(
            "{}  {}\n",
            output::paint(output::BOLD, id),
            output::paint(output::DIM, format!("seed {}, clock {clock}", start.seed))
        ));
    }
    let entries = branches(tree.root(), opened.is_some());
    text.push_str(&tree::draw(entries, true));
    text.push_str(&output::paint(output::DIM, summary(tree)));
    text.push('\n');
    if let Some(opened) = &opened {
        text.push_str(&repository::text(opened).map_err(broken)?);
    }
    output::print(&text)?;
    Ok(exit::PASSED)
}

/// The world with its repository; none where it is of another service.
fn repository_of(named: &Named, store: &Store) -> Result<Option<Opened>, CommandError> {
    let tree = named.tree();
    let is_own = match named {
        Named::World(id, _) => id.service() == mcpmark_github::NAME,
        Named::Directory(_) | Named::State(_) => world::is_world(tree),
    };
    if !is_own {
        return Ok(None);
    }
    let scratch = mcpmark_snapshot::scratch_parent(None);
    world::open(tree, store, &scratch, 0)
        .map(Some)
        .map_err(broken)
}

/// Words what is wrong with a world as serving it does.
fn broken(error: impl Into<WorldError>) -> CommandError {
    super::service_error(&ServiceError::from(error.into()), None)
}

fn summary(tree: &Tree) -> String {
    format!(
        "{}, {}, {}",
        output::count(tree.files().count(), "file"),
        output::bytes(tree.total_size()),
        tree.digest()
    )
}

/// The entries of a directory, files with their sizes; what git keeps for itself is not opened where there is
/// a repository.
fn branches(directory: &Directory, of_repository: bool) -> Vec<Branch> {
    let entries = directory.iter().map(|(name, node)| {
        let name = sanitise::line(name);
        match node {
            Node::Directory(_) if of_repository && name == ".git" => Branch {
                label: format!("{name}/"),
                style: output::BOLD,
                ..Branch::default()
            },
            Node::Directory(below) => Branch {
                label: format!("{name}/"),
                style: output::BOLD,
                below: branches(below, of_repository),
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

fn entry_json(path: &TreePath, node: &Node) -> Value {
    let mut value = json!({ "path": path.as_str() });
    match node {
        Node::Directory(_) => value["kind"] = "directory".into(),
        Node::File(file) => {
            value["kind"] = "file".into();
            value["size"] = file.size.into();
            value["executable"] = file.executable.into();
            value["modified"] = file.modified.into();
            value["digest"] = file.content.to_string().into();
        }
        Node::Symlink(link) => {
            value["kind"] = "symlink".into();
            value["target"] = link.target.clone().into();
        }
    }
    value
}

/// Shows what differs between two trees, and says whether anything does.
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
        output::print_json(&changes_json(&changes))?;
    } else if changes.is_empty() {
        output::print("no difference\n")?;
    } else {
        output::print(&changes_text(&changes, &store, full))?;
    }
    Ok(!changes.is_empty())
}
