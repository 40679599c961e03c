//! `world import`: conversion of published templates into worlds.

use std::path::Path;

use mcpmark_experiment::PUBLISHED_CLOCK;
use mcpmark_kinds::{ImportError, ImportRequest};
use mcpmark_metadata::{ExitCode, ImportedWorld, SkippedEntry};
use mcpmark_snapshot::{File, Store, Tree, TreeBuilder, TreePath};

use crate::args::ImportArgs;
use crate::commands::directory;
use crate::context::Context;
use crate::engine;
use crate::error::{CommandError, error_chain};
use crate::output::{self, sanitise};

/// Maximum size of a template that is a file, in bytes.
const MAX_FILE_BYTES: u64 = 512 << 20;

/// Stores a file as the only entry of a tree.
fn single_file(path: &Path, store: &Store) -> Result<Tree, CommandError> {
    let bytes = engine::read(path, MAX_FILE_BYTES)?.map_err(|_| {
        CommandError::invalid(format!(
            "{}: exceeds the limit of {} for a dump",
            path.display(),
            output::bytes(MAX_FILE_BYTES)
        ))
    })?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let invalid = |error: &dyn std::fmt::Display| {
        CommandError::invalid(sanitise::line(&format!("{}: {error}", path.display())))
    };
    let entry = TreePath::parse(&name).map_err(|error| invalid(&error))?;
    let file = File {
        size: bytes.len() as u64,
        executable: false,
        modified: None,
        content: store.put(&bytes).map_err(CommandError::infrastructure)?,
    };
    let mut tree = TreeBuilder::new();
    tree.insert_file(&entry, file)
        .map_err(|error| invalid(&error))?;
    Ok(tree.finish())
}

/// Runs `mcpmark world import`.
pub(super) fn import(context: &Context, args: &ImportArgs) -> Result<ExitCode, CommandError> {
    // At most one service imports directories, and one files.
    let is_file = args.template.is_file();
    let mut importers = context.services().iter().filter_map(|kind| kind.importer());
    let importer = importers
        .find(|importer| importer.takes_file() == is_file)
        .ok_or_else(|| CommandError::invalid("no service has such templates to import"))?;
    if !is_file && !args.template.is_dir() {
        return Err(
            CommandError::usage(format!("{}: not a directory", args.template.display()))
                .hint(format!("name the directory with {}", importer.layout())),
        );
    }
    let logins = [
        ("--owner", Some(&args.owner)),
        ("--viewer", args.viewer.as_ref()),
    ];
    for (flag, login) in logins {
        if let Some(login) = login
            && let Err(rule) = importer.check_login(login)
        {
            return Err(CommandError::usage(format!("{flag}: invalid login {login:?}")).hint(rule));
        }
    }
    directory::check("--output", &args.output)?;
    let store = context.store()?;
    let template = if is_file {
        single_file(&args.template, &store)?
    } else {
        context.directory(&args.template, &store)?
    };
    let scratch = mcpmark_snapshot::scratch_parent(None);
    let request = ImportRequest {
        template: &template,
        owner: &args.owner,
        viewer: args.viewer.as_ref().unwrap_or(&args.owner),
        clock: PUBLISHED_CLOCK,
        store: &store,
        scratch: &scratch,
    };
    let imported = importer.import(request).map_err(|error| {
        let place = args.template.display();
        let message = sanitise::block(&format!("{place}: {}", error_chain(&error))).into_owned();
        match error {
            ImportError::Host(_) => CommandError::infrastructure(message),
            ImportError::Template(_) => CommandError::invalid(message),
        }
    })?;
    directory::write(
        "--output",
        &args.output,
        &imported.tree,
        &store,
        PUBLISHED_CLOCK,
    )?;
    if args.json {
        let name = (imported.name_key.to_owned(), imported.name.into());
        let counts = imported.counts.into_iter();
        let counts = counts.map(|(key, _, number)| (key.to_owned(), number.into()));
        let skipped = imported.skipped.into_iter();
        output::print_json(&ImportedWorld {
            digest: imported.tree.digest().to_string(),
            summary: std::iter::once(name).chain(counts).collect(),
            skipped: skipped
                .map(|it| SkippedEntry {
                    place: it.place,
                    title: it.title,
                    why: it.why,
                })
                .collect(),
        })?;
        return Ok(ExitCode::Passed);
    }
    for skipped in &imported.skipped {
        output::note(&format!(
            "{} {} {:?}: {}",
            output::paint(output::WARN, "skipped:"),
            skipped.place,
            sanitise::line(&skipped.title),
            sanitise::line(&skipped.why)
        ));
    }
    let counts = imported.counts.iter();
    let counts = counts.map(|(_, noun, number)| output::count(*number, noun));
    let parts: Vec<String> = std::iter::once(sanitise::line(&imported.name).into_owned())
        .chain(counts)
        .collect();
    output::print(&(parts.join(", ") + "\n"))?;
    Ok(ExitCode::Passed)
}
