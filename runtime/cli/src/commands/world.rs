use anstyle::Style;
use mcpmark_snapshot::{Change, ChangeKind, Node, Tree, TreePath, diff};
use serde_json::{Value, json};

use crate::args::WorldCommand;
use crate::context::{self, Context, Named};
use crate::error::CommandError;
use crate::exit;
use crate::output::table::Table;
use crate::output::{self, sanitise};

/// `mcpmark world …`.
pub(crate) fn world(context: &Context, command: WorldCommand) -> Result<u8, CommandError> {
    match command {
        WorldCommand::List { json } => list(context, json),
        WorldCommand::Show { world, json } => show(context, &world, json),
        WorldCommand::Diff {
            before,
            after,
            json,
        } => compare(context, &before, &after, json),
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

fn show(context: &Context, name: &str, as_json: bool) -> Result<u8, CommandError> {
    let store = context.store()?;
    let named = context.tree(name, &store)?;
    let tree = named.tree();
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
        value["entries"] = entries.into();
        output::print_json(&value)?;
        return Ok(exit::PASSED);
    }
    let mut text = String::new();
    for (path, node) in tree.walk(&TreePath::root()) {
        text.push_str(&line(&path, node));
        text.push('\n');
    }
    text.push_str(&output::paint(output::DIM, summary(tree)));
    text.push('\n');
    output::print(&text)?;
    Ok(exit::PASSED)
}

fn summary(tree: &Tree) -> String {
    format!(
        "{}, {}, {}",
        output::count(tree.files().count(), "file"),
        output::bytes(tree.total_size()),
        tree.digest()
    )
}

fn line(path: &TreePath, node: &Node) -> String {
    let depth = path.segments().count().saturating_sub(1);
    let name = sanitise::line(path.name().unwrap_or_default()).into_owned();
    let indent = "  ".repeat(depth);
    match node {
        Node::Directory(_) => format!(
            "{indent}{}",
            output::paint(output::BOLD, format!("{name}/"))
        ),
        Node::File(file) => {
            let mark = if file.executable { "*" } else { "" };
            format!(
                "{indent}{name}{mark}  {}",
                output::paint(output::DIM, output::bytes(file.size))
            )
        }
        Node::Symlink(link) => {
            format!("{indent}{name} -> {}", sanitise::line(&link.target))
        }
    }
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

fn compare(
    context: &Context,
    before: &str,
    after: &str,
    as_json: bool,
) -> Result<u8, CommandError> {
    let store = context.store()?;
    let (before, after) = (context.tree(before, &store)?, context.tree(after, &store)?);
    let changes = diff(before.tree(), after.tree());
    if as_json {
        output::print_json(&changes_json(&changes))?;
    } else if changes.is_empty() {
        output::print("no difference\n")?;
    } else {
        output::print(&changes_text(&changes))?;
    }
    Ok(exit::PASSED)
}

/// Changes as lines: `+` added, `-` removed, `~` modified.
pub(crate) fn changes_text(changes: &[Change]) -> String {
    let mut text = String::new();
    for change in changes {
        let (mark, style) = match change.kind {
            ChangeKind::Added => ("+", output::GOOD),
            ChangeKind::Removed => ("-", output::BAD),
            ChangeKind::Modified => ("~", output::WARN),
        };
        let path = sanitise::line(change.path.as_str()).into_owned();
        let what = match (&change.before, &change.after) {
            (Some(Node::File(before)), Some(Node::File(after))) if before.size != after.size => {
                format!(
                    "{} → {}",
                    output::bytes(before.size),
                    output::bytes(after.size)
                )
            }
            (_, Some(node)) | (Some(node), None) => describe(node),
            (None, None) => String::new(),
        };
        let line = format!("{mark} {path}");
        text.push_str(&format!(
            "{}  {}\n",
            output::paint(style, line),
            output::paint(output::DIM, what)
        ));
    }
    text
}

fn describe(node: &Node) -> String {
    match node {
        Node::Directory(_) => "directory".to_owned(),
        Node::File(file) => output::bytes(file.size),
        Node::Symlink(link) => format!("symlink to {}", sanitise::line(&link.target)),
    }
}

/// Changes in the form of `--json`.
pub(crate) fn changes_json(changes: &[Change]) -> Value {
    changes
        .iter()
        .map(|change| {
            let side = |node: &Option<Node>| {
                node.as_ref().map(|node| {
                    let mut value = entry_json(&change.path, node);
                    if let Value::Object(map) = &mut value {
                        map.shift_remove("path");
                    }
                    value
                })
            };
            let kind = match change.kind {
                ChangeKind::Added => "added",
                ChangeKind::Removed => "removed",
                ChangeKind::Modified => "modified",
            };
            json!({
                "path": change.path.as_str(),
                "kind": kind,
                "before": side(&change.before),
                "after": side(&change.after),
            })
        })
        .collect()
}
