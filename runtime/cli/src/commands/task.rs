//! `mcpmark task`: creates, builds, checks, lists and shows tasks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anstyle::Style;
use mcpmark_bundle::UnpackedCorpus;
use mcpmark_metadata::{BuiltGuest, ExitCode, TaskDetail, TaskSummary};
use mcpmark_task::scaffold::scaffold;
use mcpmark_task::{GuestSource, Library, Task};

use crate::args::{BuildArgs, SelectArgs, TaskCommand};
use crate::commands::{certified, published, task_try};
use crate::context::{self, Context};
use crate::error::{CommandError, error_chain};
use crate::operands;
use crate::output::build::BuildDisplay;
use crate::output::table::Table;
use crate::output::{self, sanitise};

/// Runs `mcpmark task`.
pub(crate) fn task(context: &Context, command: TaskCommand) -> Result<ExitCode, CommandError> {
    match command {
        TaskCommand::Build(mut args) => build(context, &mut args),
        TaskCommand::New { task, title } => new(context, &task, &title),
        TaskCommand::Check(mut args) => {
            operands::settle(&mut args.select.selection, &mut args.published)?;
            let (context, corpus) = context.at_tasks(&mut args.published.tasks)?;
            args.published.states = states_of(corpus, args.published.states);
            super::check::check(&context, &args)
        }
        TaskCommand::List(mut args) => {
            operands::settle(&mut args.select.selection, &mut args.published)?;
            let (context, corpus) = context.at_tasks(&mut args.published.tasks)?;
            args.published.states = states_of(corpus, args.published.states);
            match &args.published.tasks {
                Some(dir) => {
                    let SelectArgs { selection, json } = &args.select;
                    published::list(&context, dir, &args.published, selection, *json)
                }
                None => list(&context, &args.select),
            }
        }
        TaskCommand::Show {
            mut words,
            mut tasks,
            json,
        } => {
            let place = operands::take_place(&mut words)?;
            operands::name(&mut tasks, place)?;
            let [task] = &words[..] else {
                return Err(CommandError::usage("name one task")
                    .hint("`mcpmark task list` lists the tasks of the same location"));
            };
            let (context, _) = context.at_tasks(&mut tasks)?;
            match &tasks {
                Some(dir) => published::show(&context, dir, task, json),
                None => show(&context, task, json),
            }
        }
        TaskCommand::Try(command) => task_try::task_try(context, command),
    }
}

/// Returns the directory of a corpus's starting states: that of a bundle's corpus, or otherwise the given one.
fn states_of(corpus: Option<UnpackedCorpus>, named: Option<PathBuf>) -> Option<PathBuf> {
    corpus.map(|corpus| corpus.states).or(named)
}

fn build(context: &Context, args: &mut BuildArgs) -> Result<ExitCode, CommandError> {
    let without_cheats = args.without_cheats;
    let args = &mut args.select;
    let mut place = operands::take_place(&mut args.selection.selectors)?;
    let (context, _) = context.at_tasks(&mut place)?;
    if let Some(place) = place {
        let message = format!(
            "{}: the verifiers are scripts, which are not built",
            place.display()
        );
        return Err(CommandError::usage(message)
            .hint("other guests of these tasks are built when the tasks are run"));
    }
    let library = context.library()?;
    let tasks = context::select(&library, &args.selection)?;
    let worlds: BTreeSet<_> = tasks.iter().map(|task| &task.world).collect();
    let mut sources: Vec<GuestSource> = Vec::new();
    for id in worlds {
        let world = library
            .world(id)
            .map_err(|error| context::invalid(&error))?;
        sources.extend(world.sources().cloned());
    }
    for task in &tasks {
        if without_cheats {
            sources.push(task.verifier.clone());
            sources.extend(task.solution.clone());
        } else {
            sources.extend(task.guests().cloned());
        }
    }
    let mut builder = context.builder(&library);
    let mut display = BuildDisplay::default();
    let built = builder
        .build(&sources, &mut |event| display.show(event))
        .map_err(|error| context::prepare_error(&error.into()))?;
    drop(display);
    let shown = |source: &GuestSource| {
        let path = source.path();
        path.strip_prefix(&library.root)
            .unwrap_or(path)
            .display()
            .to_string()
    };
    if args.json {
        let guests: Vec<_> = built
            .iter()
            .map(|guest| BuiltGuest {
                source: shown(&guest.source),
                component: guest.path.display().to_string(),
                digest: guest.digest.to_string(),
                size: guest.size,
            })
            .collect();
        output::print_json(&guests)?;
    } else {
        let mut table = Table::new(&["<guest", ">size", "digest"]);
        for guest in &built {
            table.row(vec![
                (shown(&guest.source), Style::new()),
                (output::bytes(guest.size), Style::new()),
                (
                    output::short(&guest.digest.to_string()).to_owned(),
                    output::DIM,
                ),
            ]);
        }
        output::print(&table.render())?;
    }
    Ok(ExitCode::Passed)
}

fn new(context: &Context, id: &str, title: &str) -> Result<ExitCode, CommandError> {
    if context.is_bundle()? {
        return Err(
            CommandError::usage("a task cannot be added to a bundle of tasks")
                .hint("change into a directory with tasks/ and worlds/, or name one with --root"),
        );
    }
    let library = context.library()?;
    let id: mcpmark_task::TaskId = id
        .trim_end_matches('/')
        .parse()
        .map_err(|error| CommandError::usage(crate::error::error_chain(&error)))?;
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !id.name().chars().all(is_plain) {
        return Err(CommandError::usage(format!(
            "task name {:?}: expected only lower-case letters, digits and hyphens",
            id.name()
        )));
    }
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    let kind = context.services().kind(id.service());
    let files = kind.and_then(|kind| kind.scaffold());
    let dir = scaffold(&library, &id, files, title, &today).map_err(|error| match error {
        mcpmark_task::Error::UnknownWorld { .. } => CommandError::usage(error_chain(&error))
            .hint("`mcpmark world list` lists the worlds; a new one is a directory under worlds/"),
        mcpmark_task::Error::Name { .. } => CommandError::usage(error_chain(&error)),
        mcpmark_task::Error::Write { .. } => CommandError::infrastructure(error_chain(&error)),
        mcpmark_task::Error::Read { .. } => context::invalid(&error).hint(
            "the guests of a root are packages of its tasks/Cargo.toml and use its guest-sdk/: \
                 start with a copy of the repository, and remove what you do not need",
        ),
        error => context::invalid(&error),
    })?;
    let shown = dir.strip_prefix(&library.root).unwrap_or(&dir).display();
    output::print(&format!(
        "{shown}\n\nThe new task builds and passes its certification:\n  mcpmark task check {id}\n\n\
         Change it: description.md is the instruction, verifier.rs judges the final state, solution.rs\n\
         solves the task, each file in cheats/ is a wrong solution that the verifier must reject, and each\n\
         file in variants/ is another right one that it must accept.\n"
    ))?;
    Ok(ExitCode::Passed)
}

fn list(context: &Context, args: &SelectArgs) -> Result<ExitCode, CommandError> {
    let library = context.library()?;
    let all = library.tasks().map_err(|error| context::invalid(&error))?;
    let all = context::select_with(&args.selection, |selectors, tiers, tags| {
        all.list(selectors, tiers, tags)
    })?;
    for broken in &all.broken {
        output::note(&format!(
            "{} {}",
            output::paint(output::BAD, "broken:"),
            sanitise::line(&error_chain(&broken.error))
        ));
    }
    let is_broken = !all.broken.is_empty();
    let tasks = all.tasks;
    context::warn_of(&tasks);
    if args.json {
        let tasks: Vec<_> = tasks.iter().map(|task| describe(&library, task)).collect();
        output::print_json(&tasks)?;
    } else {
        let some_held_back = tasks.iter().any(|task| task.verifier.held_back().is_some());
        let mut table = Table::new(if some_held_back {
            &["task", "tier", "verifier held back", "~title"]
        } else {
            &["task", "tier", "~title"]
        });
        for task in &tasks {
            let mut row = vec![
                (task.id.to_string(), Style::new()),
                (task.meta.difficulty.to_string(), Style::new()),
            ];
            if some_held_back {
                let held_back = task.verifier.held_back();
                row.push((published::short(held_back), output::WARN));
            }
            row.push((
                sanitise::line(&task.meta.task_name).into_owned(),
                output::DIM,
            ));
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

fn describe(library: &Library, task: &Task) -> TaskSummary {
    fn below(path: &Path, dir: &Path) -> String {
        path.strip_prefix(dir).unwrap_or(path).display().to_string()
    }
    let held_back = task.verifier.held_back();
    let verifier = held_back
        .is_none()
        .then(|| below(task.verifier.path(), &task.dir));
    TaskSummary {
        id: task.id.to_string(),
        title: task.meta.task_name.clone(),
        description: task.meta.description.clone(),
        tier: task.meta.difficulty.as_str().to_owned(),
        tags: task.meta.tags.clone(),
        world: task.world.to_string(),
        judged_on: judged_on(task).into_iter().map(str::to_owned).collect(),
        dir: below(&task.dir, &library.root),
        verifier,
        held_back: held_back.map(|it| it.verifier.to_string()),
        solution: task
            .solution
            .as_ref()
            .map(|source| below(source.path(), &task.dir)),
        cheats: task.cheats.iter().map(|(name, _)| name.clone()).collect(),
    }
}

fn judged_on(task: &Task) -> Vec<&'static str> {
    let judged = task.meta.judged_on;
    [(judged.state, "state"), (judged.answer, "answer")]
        .into_iter()
        .filter_map(|(is, name)| is.then_some(name))
        .collect()
}

fn show(context: &Context, name: &str, as_json: bool) -> Result<ExitCode, CommandError> {
    let library = context.library()?;
    let task = context::one_task(&library, name)?;
    let certificate = certified::read(&task);
    if as_json {
        output::print_json(&TaskDetail {
            task: describe(&library, &task),
            certificate: certificate.as_ref().map(certified::describe),
            instruction: task.instruction.clone(),
            meta: task.meta.document.clone(),
        })?;
        return Ok(ExitCode::Passed);
    }
    let cheats: Vec<_> = task.cheats.iter().map(|(name, _)| name.as_str()).collect();
    let rows = [
        ("task", task.id.to_string()),
        ("title", task.meta.task_name.clone()),
        ("tier", task.meta.difficulty.to_string()),
        ("tags", task.meta.tags.join(", ")),
        ("world", task.world.to_string()),
        ("judged on", judged_on(&task).join(", ")),
        (
            "held back",
            match task.verifier.held_back() {
                Some(held_back) => format!("verifier {}", held_back.verifier),
                None => String::new(),
            },
        ),
        ("cheats", cheats.join(", ")),
    ];
    let mut text = String::new();
    for (key, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        text.push_str(&format!(
            "{}{}\n",
            output::paint(output::BOLD, format!("{key:<11}")),
            sanitise::line(value)
        ));
    }
    if let Some(certificate) = &certificate {
        text.push_str(&certified::render(certificate));
    }
    for warning in &task.warnings {
        text.push_str(&format!(
            "{} {}\n",
            output::paint(output::WARN, "warning:"),
            sanitise::line(warning)
        ));
    }
    text.push('\n');
    text.push_str(sanitise::block(task.instruction.trim_end()).as_ref());
    text.push('\n');
    output::print(&text)?;
    Ok(ExitCode::Passed)
}
