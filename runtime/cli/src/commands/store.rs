//! `store`: statistics, garbage collection, integrity check, export and import.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::Style;
use mcpmark_experiment::journal::RowTransferError;
use mcpmark_experiment::maintenance::{
    self, Amount, Checked, MaintenanceError, MissingBlobs, RepairError, Repaired, Stats,
};
use mcpmark_experiment::transport::{self, TransportError};
use mcpmark_experiment::{HomeError, JournalError};
use mcpmark_metadata::{
    BlobAmount, BlobFault, ExitCode, ExperimentUsage, LibraryAmount, LibraryUsage,
    RemovedExperiment, RepairedBlobs, RowFault, StoreCheck, StoreCollection, StoreRemoval,
    StoreStats,
};
use mcpmark_snapshot::{Digest, StoreError};

use crate::args::StoreCommand;
use crate::commands::{bundle, runs};
use crate::context::Context;
use crate::diagnosis::home_error;
use crate::error::{CommandError, error_chain, journal_error};
use crate::files::{self, NewFile};
use crate::interruption;
use crate::output::table::Table;
use crate::output::{self, sanitise};

pub(crate) fn store(context: &Context, command: StoreCommand) -> Result<ExitCode, CommandError> {
    match command {
        StoreCommand::Stats { json } => stats(context, json),
        StoreCommand::Remove {
            experiments,
            dry_run,
            json,
        } => remove(context, &experiments, dry_run, json),
        StoreCommand::Gc {
            dry_run,
            despite_loss,
            json,
        } => collect(context, dry_run, despite_loss, json),
        StoreCommand::Check {
            remove_damaged,
            repair,
            json,
        } => check(context, remove_damaged, &repair, json),
        StoreCommand::Export {
            experiment,
            output,
            force,
        } => export(context, &experiment, &output, force),
        StoreCommand::Import { file } => import(context, &file),
    }
}

/// Exports an experiment that is not running to a file, which is written atomically.
fn export(context: &Context, name: &str, to: &Path, force: bool) -> Result<ExitCode, CommandError> {
    output::may_write(to, force)?;
    let (journal, store) = (context.journal()?, context.store()?);
    let name = &*runs::named(&journal, name)?;
    let experiment = journal.experiment(name).map_err(journal_error)?;
    let lock = context.home().lock_experiment(&experiment.id, name);
    let _lock = match lock {
        // In a read-only home, no process can run the experiment, so no lock is needed.
        Err(HomeError::Make { source, .. })
            if journal.is_read_only() || source.kind() == io::ErrorKind::ReadOnlyFilesystem =>
        {
            None
        }
        lock => Some(lock.map_err(|error| home_error(&error))?),
    };
    let failed = |error: &dyn std::fmt::Display| {
        CommandError::infrastructure(format!("cannot write {}: {error}", to.display()))
    };
    let file = NewFile::new(to, 0o600).map_err(|error| failed(&error))?;
    let mut out = std::io::BufWriter::new(file.file());
    let verifiers = transport::export(&journal, &store, name, &mut out, files::parent(to))
        .map_err(|error| CommandError::infrastructure(error_chain(&error)))?;
    drop(out);
    file.keep().map_err(|error| failed(&error))?;
    let size = to.metadata().map_or(0, |metadata| metadata.len());
    let with = match verifiers {
        0 => String::new(),
        _ => format!(
            ", including {}, readable by every recipient of the file",
            output::count(verifiers, "verifier")
        ),
    };
    output::print(&format!(
        "{}: {}{with}\n",
        sanitise::line(name),
        output::bytes(size)
    ))?;
    Ok(ExitCode::Passed)
}

fn import(context: &Context, file: &Path) -> Result<ExitCode, CommandError> {
    let (journal, store) = (context.journal_to_write()?, context.store()?);
    let name = transport::import(&journal, &store, file);
    let name = name.map_err(|error| transport_error(file, &error))?;
    let name = sanitise::line(&name);
    output::print(&format!("{name}\n`mcpmark resume {name}` continues it\n"))?;
    Ok(ExitCode::Passed)
}

fn transport_error(file: &Path, error: &TransportError) -> CommandError {
    let message = format!("{}: {}", file.display(), error_chain(error));
    let message = sanitise::block(&message);
    match error {
        TransportError::Io(_) if !file.exists() => CommandError::usage(message),
        TransportError::Rows(RowTransferError::Journal(JournalError::NameTaken(_))) => {
            CommandError::usage(message)
        }
        error if error.is_infrastructure() => CommandError::infrastructure(message),
        _ => CommandError::invalid(message),
    }
}

fn stats(context: &Context, json: bool) -> Result<ExitCode, CommandError> {
    let (journal, store) = (context.journal()?, context.store()?);
    let stats = maintenance::stats(&journal, &store, &context.home().journal_file())
        .map_err(maintenance_error)?;
    let bundles = journal.bundles().map_err(journal_error)?;
    let libraries = bundle::libraries(context).amounts(&bundles);
    let (needed, unneeded) =
        libraries.map_err(|error| CommandError::infrastructure(error_chain(&error)))?;
    if json {
        let libraries = LibraryUsage {
            needed: library_amount(needed),
            unneeded: library_amount(unneeded),
        };
        output::print_json(&stats_document(stats, libraries))?;
    } else {
        output::print(&stats_text(&stats, [needed.bytes, unneeded.bytes]))?;
    }
    Ok(ExitCode::Passed)
}

fn stats_document(stats: Stats, libraries: LibraryUsage) -> StoreStats {
    let experiments = stats.experiments.into_iter();
    StoreStats {
        experiments: experiments
            .map(|one| ExperimentUsage {
                experiment: one.experiment,
                attempts: one.attempts,
                needs: blob_amount(one.needs),
                own: blob_amount(one.own),
            })
            .collect(),
        shared: blob_amount(stats.shared),
        unneeded: blob_amount(stats.unneeded),
        total: blob_amount(stats.total),
        bases_bytes: stats.bases_bytes,
        journal_bytes: stats.journal_bytes,
        libraries,
    }
}

fn blob_amount(Amount { blobs, bytes }: Amount) -> BlobAmount {
    BlobAmount { blobs, bytes }
}

fn library_amount(amount: mcpmark_bundle::Amount) -> LibraryAmount {
    LibraryAmount {
        libraries: amount.libraries,
        bytes: amount.bytes,
    }
}

fn stats_text(stats: &Stats, [needed, unneeded]: [u64; 2]) -> String {
    let plain = Style::new();
    let mut table = Table::new(&["~experiment", ">attempts", ">needed", ">exclusive"]);
    for row in &stats.experiments {
        table.row(vec![
            (sanitise::line(&row.experiment).into_owned(), plain),
            (row.attempts.to_string(), plain),
            (output::bytes(row.needs.bytes), plain),
            (output::bytes(row.own.bytes), plain),
        ]);
    }
    let mut text = table.render();
    if !text.is_empty() {
        text.push('\n');
    }
    let mut table = Table::new(&["in the store", ">blobs", ">size"]);
    for (name, amount) in [
        ("needed by several experiments", stats.shared),
        ("not needed", stats.unneeded),
        ("total", stats.total),
    ] {
        let Amount { blobs, bytes } = amount;
        table.row(vec![
            (name.to_owned(), plain),
            (blobs.to_string(), plain),
            (output::bytes(bytes), plain),
        ]);
    }
    for (name, bytes) in [
        ("worlds prepared for attempts", stats.bases_bytes),
        ("journal", stats.journal_bytes),
        ("unpacked bundles of experiments", needed),
        ("unpacked bundles not needed", unneeded),
    ] {
        table.row(vec![
            (name.to_owned(), plain),
            (String::new(), plain),
            (output::bytes(bytes), plain),
        ]);
    }
    text.push_str(&table.render());
    text
}

/// Removes experiments from the journal. If one of them does not exist or is running, none is removed.
fn remove(
    context: &Context,
    names: &[String],
    dry: bool,
    json: bool,
) -> Result<ExitCode, CommandError> {
    let (journal, home) = (context.journal_to_write()?, context.home());
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let (mut rows, mut locks) = (Vec::new(), Vec::new());
    for name in names {
        let row = journal.experiment(name).map_err(journal_error)?;
        let lock = home.lock_experiment(&row.id, name);
        locks.push(lock.map_err(|error| home_error(&error))?);
        rows.push(row);
    }
    if !dry {
        let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        journal.remove(&ids).map_err(journal_error)?;
        for id in ids {
            home.remove_lock(id);
        }
    }
    if json {
        let removed = rows.into_iter().map(|row| RemovedExperiment {
            experiment: row.name,
            attempts: row.attempts,
        });
        output::print_json(&StoreRemoval {
            removed: removed.collect(),
            dry_run: dry,
        })?;
        return Ok(ExitCode::Passed);
    }
    let word = if dry { "would remove" } else { "removed" };
    let lines = rows.iter().map(|row| {
        let attempts = output::count(row.attempts as usize, "attempt");
        format!("{word} {} with {attempts}\n", sanitise::line(&row.name))
    });
    let mut text: String = lines.collect();
    if !dry {
        text.push_str("`mcpmark store gc` deletes what is no longer needed\n");
    }
    output::print(&text)?;
    Ok(ExitCode::Passed)
}

fn collect(
    context: &Context,
    dry: bool,
    despite_loss: bool,
    json: bool,
) -> Result<ExitCode, CommandError> {
    let journal = context.journal()?;
    let store = if dry {
        context.store()?
    } else {
        context.home().store_alone().map_err(|error| match &error {
            mcpmark_experiment::HomeError::Store {
                source: StoreError::InUse { .. },
                ..
            } => CommandError::infrastructure(error_chain(&error))
                .hint("wait for the processes that use it, or stop them: nothing is removed while they may need it"),
            _ => home_error(&error),
        })?
    };
    let stop = stop_flag();
    let loss = if despite_loss {
        MissingBlobs::Ignore
    } else {
        MissingBlobs::Abort
    };
    let removed = maintenance::collect(&journal, &store, dry, loss, || {
        !stop.load(Ordering::Relaxed)
    })
    .map_err(maintenance_error)?;
    let bundles = journal.bundles().map_err(journal_error)?;
    let libraries = bundle::libraries(context)
        .collect(&bundles, dry, || !stop.load(Ordering::Relaxed))
        .map_err(|error| CommandError::infrastructure(error_chain(&error)))?;
    let journal_freed = if dry || journal.is_read_only() {
        0
    } else {
        journal.compact().map_err(journal_error)?.freed_bytes
    };
    if json {
        output::print_json(&StoreCollection {
            blobs: removed.blobs,
            bytes: removed.bytes,
            bases: removed.bases,
            journal_bytes: journal_freed,
            libraries: library_amount(libraries.removed),
            libraries_in_use: library_amount(libraries.in_use),
            dry_run: dry,
        })?;
    } else {
        let unpacked = |amount: mcpmark_bundle::Amount| {
            let count = output::count(amount.libraries as usize, "unpacked bundle");
            format!("{count} of {}", output::bytes(amount.bytes))
        };
        let mut what = format!(
            "{} of {}, {}, {}",
            output::count(removed.blobs as usize, "blob"),
            output::bytes(removed.bytes),
            output::count(removed.bases as usize, "prepared world"),
            unpacked(libraries.removed)
        );
        if libraries.in_use.libraries > 0 {
            what.push_str(&format!("; in use: {}", unpacked(libraries.in_use)));
        }
        if journal_freed > 0 {
            let freed = output::bytes(journal_freed);
            what.push_str(&format!("; the journal is {freed} smaller"));
        }
        output::print(
            &(if dry {
                format!("would remove {what}\n")
            } else {
                format!("removed {what}\n")
            }),
        )?;
    }
    Ok(if stop.load(Ordering::Relaxed) {
        ExitCode::Interrupted
    } else {
        ExitCode::Passed
    })
}

fn check(
    context: &Context,
    remove_damaged: bool,
    sources: &[PathBuf],
    json: bool,
) -> Result<ExitCode, CommandError> {
    // Checked before anything is read or removed.
    for source in sources {
        if !super::bundle::is_reference(source)
            && let Err(error) = source.metadata()
        {
            let message = format!("{}: {error}", source.display());
            return Err(CommandError::usage(message)
                .hint("--repair expects a bundle, or a file of `mcpmark store export`"));
        }
    }
    let (journal, store) = (context.journal()?, context.store()?);
    let stop = stop_flag();
    let check = || {
        maintenance::check(&journal, &store, || !stop.load(Ordering::Relaxed))
            .map_err(maintenance_error)
    };
    let mut checked = check()?;
    let mut repaired = Vec::new();
    if !sources.is_empty() && !checked.is_intact() && !stop.load(Ordering::Relaxed) {
        let mend = |source: &Path| super::bundle::mend(context, source, &store);
        let go_on = || !stop.load(Ordering::Relaxed);
        repaired =
            maintenance::repair(&store, &checked, sources, mend, go_on).map_err(repair_error)?;
        // Restored objects may reference further missing ones.
        checked = check()?;
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(ExitCode::Interrupted);
    }
    if remove_damaged {
        checked
            .remove_damaged(&store)
            .map_err(|error| CommandError::infrastructure(error_chain(&error)))?;
    }
    if json {
        output::print_json(&check_document(&checked, &repaired))?;
    } else {
        let mut text = checked_text(&checked, remove_damaged);
        if !sources.is_empty() {
            text.push_str(&repaired_text(&repaired, &checked));
        }
        output::print(&text)?;
    }
    Ok(if checked.is_intact() {
        ExitCode::Passed
    } else {
        ExitCode::Infrastructure
    })
}

fn check_document(checked: &Checked, repaired: &[Repaired]) -> StoreCheck {
    let faults = checked.faults.iter().map(|fault| BlobFault {
        digest: fault.digest.to_string(),
        damaged: fault.damaged,
        unfit: fault.unfit,
        attempts: fault.attempts.clone(),
    });
    let rows = checked.rows.iter().map(|bad| RowFault {
        row: bad.row.clone(),
        problem: bad.problem.to_owned(),
    });
    let repaired = repaired.iter().map(|one| RepairedBlobs {
        from: one.from.display().to_string(),
        blobs: one.blobs.iter().map(Digest::to_string).collect(),
    });
    StoreCheck {
        read: blob_amount(checked.read),
        faults: faults.collect(),
        unneeded_damaged: checked
            .unneeded_damaged
            .iter()
            .map(Digest::to_string)
            .collect(),
        rows: rows.collect(),
        repaired: repaired.collect(),
    }
}

fn repair_error(error: RepairError<CommandError>) -> CommandError {
    match error {
        RepairError::Store(error) => CommandError::infrastructure(error_chain(&error)),
        RepairError::Export { file, source } => transport_error(&file, &source),
        RepairError::Bundle(error) => error,
    }
}

fn repaired_text(repaired: &[Repaired], checked: &Checked) -> String {
    let parts = repaired.iter().map(|one| {
        let blobs = output::count(one.blobs.len(), "blob");
        format!("{blobs} from {}", one.from.display())
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        return "nothing to repair\n".to_owned();
    }
    let left = checked.faults.iter().filter(|fault| !fault.unfit);
    let left = match left.count() {
        0 => "nothing left".to_owned(),
        left => format!("{left} left; another bundle or exported experiment may have them"),
    };
    let line = format!("repaired: {}; {left}", parts.join(", "));
    format!("{}\n", sanitise::line(&line))
}

fn checked_text(checked: &Checked, removed: bool) -> String {
    let mut text = String::new();
    let damaged = if removed {
        "damaged, removed"
    } else {
        "damaged"
    };
    for fault in &checked.faults {
        text.push_str(&format!(
            "{} {} {}: needed by {}\n",
            output::mark(false),
            fault.digest,
            output::paint(
                output::BAD,
                match (fault.damaged, fault.unfit) {
                    (true, _) => damaged,
                    (_, true) => "of the wrong kind",
                    _ => "missing",
                }
            ),
            fault.attempts.join(", ")
        ));
    }
    for digest in &checked.unneeded_damaged {
        text.push_str(&format!(
            "{} {digest} {}: not needed\n",
            output::mark(false),
            output::paint(output::WARN, damaged)
        ));
    }
    for bad in &checked.rows {
        text.push_str(&format!(
            "{} {} {}\n",
            output::mark(false),
            sanitise::line(&bad.row),
            output::paint(output::BAD, bad.problem)
        ));
    }
    let faults = checked.faults.len() + checked.unneeded_damaged.len();
    text.push_str(&format!(
        "{} read, {}: {}\n",
        output::count(checked.read.blobs as usize, "blob"),
        output::bytes(checked.read.bytes),
        match faults {
            0 => output::paint(output::GOOD, "all intact"),
            faults => output::paint(output::BAD, format!("{faults} not intact")),
        }
    ));
    text.push_str(&match checked.rows.len() {
        0 => format!("journal read: {}\n", output::paint(output::GOOD, "all rows intact")),
        bad => format!(
            "journal read: {}\nrestore a backup of the journal, import the experiment from a file of `store export`, or remove it with `store remove`\n",
            output::paint(output::BAD, format!("{} not intact", output::count(bad, "row")))
        ),
    });
    if faults > 0 && !removed {
        text.push_str(
            "`store check --repair` restores blobs from a bundle or an exported experiment; after `--remove-damaged`, the command that made a blob makes it again\n",
        );
    }
    text
}

/// Returns a flag that is set on an interrupt. Stopping is safe at any time, because the operation can be repeated.
fn stop_flag() -> &'static AtomicBool {
    static STOP: AtomicBool = AtomicBool::new(false);
    if let Ok(runtime) = super::runtime(1) {
        let mut listening = {
            let _within = runtime.enter();
            interruption::listen()
        };
        std::thread::spawn(move || {
            runtime.block_on(listening.asked_to_stop());
            STOP.store(true, Ordering::Relaxed);
        });
    }
    &STOP
}

fn maintenance_error(error: MaintenanceError) -> CommandError {
    let message = sanitise::line(&error_chain(&error)).into_owned();
    let result = CommandError::infrastructure(message);
    match error {
        MaintenanceError::NotWhole { .. } => result.hint(
            "`mcpmark store check` lists everything that is not intact; if it is lost for good, `--despite-loss` removes what nothing else refers to",
        ),
        MaintenanceError::NothingKnown { .. } => result.hint(
            "if the journal was lost, restore it first; if nothing has to be preserved, `--despite-loss` removes all blobs",
        ),
        _ => result,
    }
}
