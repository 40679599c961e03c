//! `bundle lock` and `bundle update`: pin a suite to digests until its changes are accepted.

use std::collections::BTreeMap;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use mcpmark_bundle::open::{FetchDepth, LockFile, Opened, Place};
use mcpmark_bundle::{Change, Lock, LockMismatch};
use mcpmark_metadata::{ExitCode, LockUpdate};
use mcpmark_packing::Machine;
use mcpmark_snapshot::Digest;

use super::{compare, document};
use crate::args::{EngineArgs, LockArgs, UpdateArgs};
use crate::bundles::{UPDATE, lock_source_error, machine_error, open_error};
use crate::context::Context;
use crate::error::CommandError;
use crate::files;
use crate::output::{self, sanitise};
use crate::runtime::runtime;

/// Writes a lock for a suite.
pub(super) fn lock(context: &Context, args: &LockArgs) -> Result<ExitCode, CommandError> {
    let file = &args.output;
    if file.exists() {
        let message = format!("{}: file already exists", file.display());
        return Err(CommandError::usage(message).hint(UPDATE));
    }
    if file.extension().is_none_or(|it| it != "lock") {
        let message = format!(
            "{}: expected a file name that ends with .lock",
            file.display()
        );
        return Err(CommandError::usage(message));
    }
    if LockFile::looks_like_lock(&args.bundle) {
        let message = format!(
            "{}: expected a bundle, found a lock file",
            args.bundle.display()
        );
        return Err(CommandError::usage(message).hint("name the bundle"));
    }
    let source = source(&args.bundle, file)?;
    let bundles = context.bundles();
    let opened = bundles.open(&args.bundle, FetchDepth::Everything)?;
    bundles.check(&opened)?;
    let lock = of(context, &opened, source)?;
    bundles.remember(&opened)?;
    write(file, &lock)?;
    if args.json {
        output::print_json(&document::lock(&lock))?;
    } else {
        output::print(&format!(
            "{}\n{} locked in {}\n",
            lock.digest,
            output::count(lock.tasks.len(), "task"),
            file.display()
        ))?;
    }
    Ok(ExitCode::Passed)
}

/// Returns the source of a bundle as written to a lock.
fn source(bundle: &Path, file: &Path) -> Result<String, CommandError> {
    LockFile::source(bundle, file).map_err(|error| lock_source_error(&error))
}

/// Creates the lock of a bundle on this machine.
fn of(context: &Context, opened: &Opened, source: String) -> Result<Lock, CommandError> {
    let sandbox = context.sandbox(1, EngineArgs::default())?;
    let (store, scratch) = (context.store()?, context.scratch()?);
    let machine = Machine {
        services: context.services(),
        sandbox: &sandbox,
        store: &store,
        scratch: &scratch,
    };
    let lock = runtime(1)?.block_on(machine.lock(opened, source));
    lock.map_err(machine_error)
}

/// Checks that the tools and the engine are those of the lock.
pub(super) fn verify(context: &Context, opened: &Opened) -> Result<(), CommandError> {
    let Some(lock) = &opened.lock else {
        return Ok(());
    };
    let now = of(context, opened, lock.source.clone())?;
    let checked = lock.check_machine(&now.engine, &now.surfaces);
    checked.map_err(|mismatch| {
        let problem = match &mismatch {
            LockMismatch::Engine { .. } => mismatch.to_string(),
            LockMismatch::Tools { name, .. } => format!("the tools of {name} differ from the lock"),
        };
        CommandError::invalid(sanitise::line(&problem)).hint(UPDATE)
    })
}

/// Changes of an update.
struct UpdateReport {
    lock: PathBuf,
    before: Digest,
    after: Digest,
    /// Differences of the bundles; `None` if the locked bundle is no longer in the cache, so that only digests can be
    /// compared.
    changes: Option<compare::Report>,
    tasks: BTreeMap<String, Change<Option<Digest>>>,
    engine: Option<Change<String>>,
    surfaces: BTreeMap<String, Change<Option<Digest>>>,
    accepted: bool,
}

/// Shows the changes of a locked suite, and updates the lock if they are accepted.
pub(super) fn update(context: &Context, args: &UpdateArgs) -> Result<ExitCode, CommandError> {
    let file = &args.lock;
    let old = LockFile::read(file).map_err(open_error)?;
    let (place, source) = match &args.to {
        Some(bundle) if LockFile::looks_like_lock(bundle) => {
            let message = format!("{}: expected a bundle, found a lock file", bundle.display());
            return Err(CommandError::usage(message).hint("name the bundle"));
        }
        Some(bundle) => {
            let source = source(bundle, file)?;
            (Place::of(bundle).map_err(open_error)?, source)
        }
        None => (old.place().map_err(open_error)?, old.lock.source.clone()),
    };
    let old = old.lock;
    let bundles = context.bundles();
    let opened = bundles.open_at(&place, FetchDepth::Everything)?;
    bundles.check(&opened)?;
    let new = of(context, &opened, source)?;
    // The documents of the locked bundle, if they are still in the cache.
    let before = bundles.cache().remembered(&old.digest);
    let changes = before.map(|before| compare::report(&before, &opened));
    let locked = old.changes(&new);
    let mut news = UpdateReport {
        lock: file.clone(),
        before: old.digest,
        after: new.digest,
        changes: changes.transpose()?,
        tasks: locked.tasks,
        engine: locked.engine,
        surfaces: locked.surfaces,
        accepted: false,
    };
    let nothing = old == new;
    if !args.json {
        output::print(&news.text(args.full, nothing))?;
    }
    news.accepted = nothing || args.yes || (!args.json && asked()?);
    if news.accepted && !nothing {
        bundles.remember(&opened)?;
        write(file, &new)?;
    }
    if args.json {
        output::print_json(&news.document())?;
    } else if !nothing {
        let told = if news.accepted {
            format!("{}: locked\n", file.display())
        } else {
            format!(
                "{}: not changed; --yes accepts the changes\n",
                file.display()
            )
        };
        output::print(&told)?;
    }
    Ok(if news.accepted {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}

impl UpdateReport {
    fn document(&self) -> LockUpdate {
        let engine = self.engine.as_ref();
        LockUpdate {
            lock: self.lock.display().to_string(),
            before: self.before.to_string(),
            after: self.after.to_string(),
            changes: self.changes.as_ref().map(compare::Report::document),
            tasks: document::changes(&self.tasks),
            engine: engine.map(|sides| document::change(sides, String::clone)),
            surfaces: document::changes(&self.surfaces),
            accepted: self.accepted,
        }
    }

    fn text(&self, full: bool, nothing: bool) -> String {
        if nothing {
            return format!("no changes: {}\n", self.before);
        }
        let mut text = String::new();
        match &self.changes {
            Some(changes) => text.push_str(&changes.text(full)),
            None => {
                text.push_str(
                    "the locked bundle is no longer available, so only digests are compared\n",
                );
                for (task, sides) in &self.tasks {
                    let mark = match (sides.before, sides.after) {
                        (None, _) => output::paint(output::GOOD, "+"),
                        (_, None) => output::paint(output::BAD, "-"),
                        _ => output::paint(output::BOLD, "~"),
                    };
                    text.push_str(&format!("{mark} task {}\n", sanitise::line(task)));
                }
            }
        }
        if let Some(Change { before, after }) = &self.engine {
            let before = sanitise::line(before);
            text.push_str(&format!("engine: {before} → {after}\n"));
        }
        for (name, sides) in &self.surfaces {
            let shown = |digest: &Option<Digest>| match digest {
                Some(digest) => output::short(&digest.to_string()).to_owned(),
                None => "none".to_owned(),
            };
            let (before, after) = (shown(&sides.before), shown(&sides.after));
            let line = format!("tools of {}: {before} → {after}\n", sanitise::line(name));
            text.push_str(&line);
        }
        text
    }
}

/// Asks for confirmation on a terminal. Returns false without a terminal.
fn asked() -> Result<bool, CommandError> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Ok(false);
    }
    let answer = || {
        let mut out = io::stderr();
        write!(out, "accept these changes? [y/N] ")?;
        out.flush()?;
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        Ok(["y", "yes"].contains(&line.trim().to_ascii_lowercase().as_str()))
    };
    answer().map_err(|error: io::Error| CommandError::infrastructure(error))
}

/// Writes a lock atomically.
fn write(file: &Path, lock: &Lock) -> Result<(), CommandError> {
    let write = || {
        let new = files::NewFile::new(file, 0o644)?;
        new.file().write_all(lock.text().as_bytes())?;
        new.file().sync_data()?;
        new.keep()
    };
    write().map_err(|error: io::Error| {
        CommandError::infrastructure(format!("cannot write {}: {error}", file.display()))
    })
}
