//! Tasks of a corpus in one of the published layouts.

use std::path::Path;

use anstyle::Style;
use mcpmark_metadata::{ExitCode, PublishedTaskDetail, PublishedTaskSummary};
use mcpmark_task::published::{Corpus, PublishedTask, TaskWarning};
use mcpmark_task::{Error, HeldBack};

use crate::args::{PublishedArgs, Selection};
use crate::context::{self, Context};
use crate::error::{CommandError, error_chain};
use crate::output::table::Table;
use crate::output::{self, sanitise};

/// Lists the tasks of a corpus with their starting states.
pub(crate) fn list(
    context: &Context,
    dir: &Path,
    args: &PublishedArgs,
    selection: &Selection,
    as_json: bool,
) -> Result<ExitCode, CommandError> {
    let corpus = context.corpus_at(dir)?;
    let all = corpus.tasks().map_err(|error| context::invalid(&error))?;
    let all = context::select_with(selection, |selectors, tiers, tags| {
        all.list(selectors, tiers, tags)
    })?;
    for (id, error) in &all.broken {
        let line = format!("{id}: {}", error_chain(error));
        let word = output::paint(output::BAD, "broken:");
        output::note(&format!("{word} {}", sanitise::line(&line)));
    }
    let is_broken = !all.broken.is_empty();
    let tasks = all.tasks;
    sum_up(&tasks);
    let states = args.states.as_deref();
    if as_json {
        let tasks: Vec<_> = tasks
            .iter()
            .map(|task| PublishedTaskSummary {
                id: task.id.to_string(),
                service: task.id.service().to_owned(),
                category: task.id.category().map(str::to_owned),
                world: task.world.clone(),
                state: corpus
                    .state(task, states)
                    .ok()
                    .flatten()
                    .map(|dir| dir.display().to_string()),
                verifier: task
                    .held_back
                    .is_none()
                    .then(|| task.script.display().to_string()),
                held_back: task.held_back.map(|it| it.verifier.to_string()),
                metadata: task.metadata.clone(),
                warnings: task.warnings.iter().map(TaskWarning::to_string).collect(),
            })
            .collect();
        output::print_json(&tasks)?;
    } else {
        let some_held_back = tasks.iter().any(|task| task.held_back.is_some());
        let mut table = Table::new(if some_held_back {
            &["task", "tier", "verifier held back", "starts from"]
        } else {
            &["task", "tier", "starts from"]
        });
        for task in &tasks {
            let tier = task.tier().unwrap_or("-");
            let (state, style) = match corpus.state(task, states) {
                Ok(Some(dir)) => {
                    // A published state may be incomplete.
                    let kind = context.services().kind(task.id.service());
                    match kind.and_then(|kind| kind.lacks(&dir)) {
                        Some(lack) => (format!("{}, which {lack}", dir.display()), output::WARN),
                        None => (dir.display().to_string(), output::DIM),
                    }
                }
                Ok(None) => ("nothing".to_owned(), output::DIM),
                Err(error) => (missing(&error), output::WARN),
            };
            let mut row = vec![
                (
                    sanitise::line(&task.id.to_string()).into_owned(),
                    Style::new(),
                ),
                (sanitise::line(tier).into_owned(), Style::new()),
            ];
            if some_held_back {
                row.push((short(task.held_back.as_ref()), output::WARN));
            }
            row.push((sanitise::line(&state).into_owned(), style));
            table.row(row);
        }
        output::print(&table.render())?;
    }
    Ok(if is_broken {
        ExitCode::Invalid
    } else {
        ExitCode::Passed
    })
}

/// Opens a corpus and finds one task.
fn task(context: &Context, dir: &Path, id: &str) -> Result<PublishedTask, CommandError> {
    let corpus = context.corpus_at(dir)?;
    task_of(&corpus, id)
}

/// Shows one task.
pub(crate) fn show(
    context: &Context,
    dir: &Path,
    id: &str,
    as_json: bool,
) -> Result<ExitCode, CommandError> {
    let task = task(context, dir, id)?;
    if as_json {
        output::print_json(&PublishedTaskDetail {
            id: task.id.to_string(),
            tier: task.tier().map(str::to_owned),
            world: task.world,
            verifier: task.script.display().to_string(),
            metadata: task.metadata,
            instruction: task.instruction,
        })?;
        return Ok(ExitCode::Passed);
    }
    let mut text = String::new();
    for (key, value) in [
        ("task", task.id.to_string()),
        ("tier", task.tier().unwrap_or_default().to_owned()),
        ("world", task.world.clone().unwrap_or_default()),
        ("verifier", task.script.display().to_string()),
    ] {
        if !value.is_empty() {
            text.push_str(&format!(
                "{}{}\n",
                output::paint(output::BOLD, format!("{key:<11}")),
                sanitise::line(&value)
            ));
        }
    }
    let instruction = sanitise::block(task.instruction.trim_end()).into_owned();
    text.push_str(&format!("\n{instruction}\n"));
    output::print(&text)?;
    Ok(ExitCode::Passed)
}

/// Finds one task of an open corpus.
pub(crate) fn task_of(corpus: &Corpus, id: &str) -> Result<PublishedTask, CommandError> {
    let task = corpus
        .task(id.trim_end_matches('/'))
        .map_err(|error| match error {
            Error::UnknownTask { id, known } => context::unknown_task(id, known)
                .hint("`mcpmark task list --tasks DIR` lists the tasks"),
            error => context::invalid(&error),
        })?;
    warn(&task);
    Ok(task)
}

/// Selects tasks of a corpus.
pub(crate) fn select(
    corpus: &Corpus,
    selection: &Selection,
) -> Result<Vec<PublishedTask>, CommandError> {
    let all = corpus.tasks().map_err(|error| context::invalid(&error))?;
    let tasks = context::select_with(selection, |selectors, tiers, tags| {
        all.select(selectors, tiers, tags)
    })?;
    for task in &tasks {
        warn(task);
    }
    Ok(tasks)
}

/// Prints the number of tasks with each kind of warning.
fn sum_up(tasks: &[PublishedTask]) {
    type Is = fn(&TaskWarning) -> bool;
    let kinds: [(Is, &str); 2] = [
        (
            |warning| matches!(warning, TaskWarning::OtherName { .. }),
            "with a task_id that differs from the name of the directory, which is used instead",
        ),
        (
            |warning| matches!(warning, TaskWarning::SharedName { .. }),
            "with the same task_id as another task",
        ),
    ];
    for (is, what) in kinds {
        let odd = tasks.iter().filter(|task| task.warnings.iter().any(is));
        let number = odd.count();
        if number > 0 {
            let word = output::paint(output::WARN, "warning:");
            let tasks = output::count(number, "task");
            output::note(&format!("{word} {tasks} {what}; --json lists each"));
        }
    }
}

fn warn(task: &PublishedTask) {
    for warning in &task.warnings {
        let word = output::paint(output::WARN, "warning:");
        let line = format!("{}: {warning}", task.id);
        output::note(&format!("{word} {}", sanitise::line(&line)));
    }
}

fn missing(error: &Error) -> String {
    match error {
        Error::Layout { problem, .. } => problem.clone(),
        error => error.to_string(),
    }
}

/// Returns the short digest of a held-back verifier, or an empty text.
pub(crate) fn short(held_back: Option<&HeldBack>) -> String {
    held_back.map_or_else(String::new, |it| {
        output::short(&it.verifier.to_string()).to_owned()
    })
}
