//! `mcpmark report`, `compare` and `export`.

use clap::ValueEnum;
use mcpmark_certify::Certificate;
use mcpmark_experiment::{Journal, JournalError};
use mcpmark_metadata::{ExitCode, ModelComparisons};
use mcpmark_report::compare::{CompareError, compare as compare_models};
use mcpmark_report::export::{ExportError, Exported, Layout, Reason, SftOptions};
use mcpmark_report::{
    CertificateFacts, Details, Format, Options, Report, Source, TaskFacts, TaskIndex,
};
use mcpmark_task::Task;

use crate::args::{CompareArgs, ExportArgs, ExportFormat, ReportArgs, ReportFormat};
use crate::commands::{certified, runs};
use crate::context::Context;
use crate::error::{CommandError, error_chain, journal_error};
use crate::files;
use crate::output::{self, sanitise};

/// Prints a report of one or several experiments.
pub(crate) fn report(context: &Context, args: ReportArgs) -> Result<ExitCode, CommandError> {
    let journal = context.journal()?;
    let mut sources: Vec<Source> = Vec::new();
    let mut cut_off = Vec::new();
    for name in names(&journal, &args.experiments)? {
        if sources.iter().any(|source| source.experiment.name == name) {
            let message = format!("experiment {name:?} is named twice");
            return Err(CommandError::usage(message));
        }
        let mut source = Source::read(&journal, &name).map_err(journal_error)?;
        let number = runs::cut_off(context, &source.experiment, &mut source.survey);
        cut_off.push((name, number));
        sources.push(source);
    }
    let known = known_tasks(context, &sources);
    let report = match &*sources {
        [source] => Report::build(&source.experiment, &source.survey, &known),
        sources => Report::of_several(sources, &known),
    };
    let by_ending = || {
        let ending = args.output.as_deref()?.extension()?.to_str()?;
        ReportFormat::from_str(ending, true).ok()
    };
    let format = match args.format.or_else(by_ending).unwrap_or_default() {
        ReportFormat::Text => Format::Text,
        ReportFormat::Md => Format::Markdown,
        ReportFormat::Json => Format::Json,
        ReportFormat::Csv => Format::Csv,
        ReportFormat::Html => Format::Html,
    };
    let details = if format == Format::Html {
        // Without a store, the page lacks only the changes of states.
        let store = context.store().ok();
        Details::read(&report, &journal, store.as_ref()).map_err(journal_error)?
    } else {
        Details::default()
    };
    let options = Options {
        width: output::columns().filter(|_| args.output.is_none()),
        published: args.published,
        details,
    };
    let text = report
        .render(format, &options)
        .map_err(CommandError::infrastructure)?;
    match args.output {
        None => output::print(&text)?,
        Some(path) => {
            files::write(&path, text.as_bytes()).map_err(|error| {
                CommandError::infrastructure(format!("cannot write {}: {error}", path.display()))
            })?;
            output::note(&format!(
                "{}: {}",
                path.display(),
                output::bytes(text.len() as u64)
            ));
        }
    }
    for (name, number) in cut_off {
        runs::say_cut_off(&name, number);
    }
    Ok(ExitCode::Passed)
}

/// Compares two participants.
pub(crate) fn compare(context: &Context, args: CompareArgs) -> Result<ExitCode, CommandError> {
    let journal = context.journal()?;
    let known = TaskIndex::new();
    let (a, model_a) = side(&journal, &args.a)?;
    let (b, model_b) = side(&journal, &args.b)?;
    let read = |name: &str| Source::read(&journal, name).map_err(journal_error);
    let report = if a == b {
        Report::read(&journal, &a, &known).map_err(journal_error)?
    } else {
        Report::of_several(&[read(&a)?, read(&b)?], &known)
    };
    let compared = compare_models(&report, (&a, model_a.as_deref()), (&b, model_b.as_deref()))
        .map_err(|error| {
            let message = sanitise::line(&error.to_string()).into_owned();
            match error {
                CompareError::NoModel { .. }
                | CompareError::Ambiguous { .. }
                | CompareError::NoPair { .. } => CommandError::usage(message),
                CompareError::NoTask { .. } => CommandError::usage(message)
                    .hint("a comparison pairs graded attempts of the same tasks"),
            }
        })?;
    if args.json {
        output::print_document::<ModelComparisons>(&compared)?;
    } else {
        output::print(&compared.text(output::columns()))?;
    }
    Ok(ExitCode::Passed)
}

/// Exports the attempts of an experiment.
pub(crate) fn export(context: &Context, args: ExportArgs) -> Result<ExitCode, CommandError> {
    let layout = layout(&args)?;
    let journal = context.journal()?;
    let name = runs::named(&journal, &args.experiment)?;
    let exported =
        mcpmark_report::export::export(&journal, &name, layout, &args.output).map_err(|error| {
            match error {
                ExportError::Journal(error) => journal_error(error),
                ExportError::NotEmpty(_) | ExportError::Exists(_) => CommandError::usage(error),
                ExportError::Write { .. } | ExportError::Spec(_) => {
                    CommandError::infrastructure(error_chain(&error))
                }
            }
        })?;
    if exported.attempts == 0 {
        return Err(nothing_exported(&name, &exported));
    }
    let left_out = match exported.left_out() {
        0 => String::new(),
        number => format!(", {number} left out: {}", exported.reasons()),
    };
    output::note(&format!(
        "{}: {}{left_out}",
        args.output.display(),
        output::count(exported.attempts, "attempt")
    ));
    Ok(ExitCode::Passed)
}

/// Returns the layout of an export with its options.
fn layout(args: &ExportArgs) -> Result<Layout, CommandError> {
    let of_sft = [
        ("--include-failures", args.include_failures),
        ("--rewards", args.rewards),
        ("--tools-in-prompt", args.tools_in_prompt),
        ("--max-line-bytes", args.max_line_bytes.is_some()),
    ];
    if args.format != ExportFormat::Sft
        && let Some((option, _)) = of_sft.iter().find(|(_, is_set)| *is_set)
    {
        let message = format!("{option} requires `--format sft`");
        return Err(CommandError::usage(message));
    }
    let default = SftOptions::default();
    Ok(match args.format {
        ExportFormat::Mcpmark => Layout::Mcpmark,
        ExportFormat::Sft => Layout::Sft(SftOptions {
            include_failures: args.include_failures,
            rewards: args.rewards,
            tools_in_prompt: args.tools_in_prompt,
            max_bytes: args
                .max_line_bytes
                .map_or(default.max_bytes, |bytes| bytes.0),
        }),
        ExportFormat::Atif => Layout::Atif,
        ExportFormat::Jsonl => Layout::Tables,
    })
}

/// Returns the error for an export without attempts.
fn nothing_exported(experiment: &str, exported: &Exported) -> CommandError {
    let reasons = match exported.left_out() {
        0 => "it has no attempts".to_owned(),
        _ => format!("left out: {}", exported.reasons()),
    };
    let error = CommandError::usage(format!(
        "nothing to export from experiment {experiment:?}; {reasons}"
    ));
    let is_left_out = |reason| exported.left_out_for(reason) > 0;
    if is_left_out(Reason::Failed) {
        error.hint("`--include-failures` also exports attempts that did not pass")
    } else if is_left_out(Reason::TooLong) {
        error.hint("`--max-line-bytes N` or `--max-line-bytes none` also exports longer ones")
    } else {
        error
    }
}

/// Returns the names of the given experiments, by default that of the one that began last.
fn names(journal: &Journal, given: &[String]) -> Result<Vec<String>, CommandError> {
    if !given.is_empty() {
        return given
            .iter()
            .map(|name| runs::named(journal, name))
            .collect();
    }
    let newest = journal.experiments(1).map_err(journal_error)?.pop();
    let newest = newest.ok_or_else(|| {
        CommandError::usage("no experiments yet").hint("`mcpmark run` starts one")
    })?;
    Ok(vec![newest.name])
}

/// Parses an experiment, or an experiment and a model separated by a colon. Both names may contain colons.
fn side(journal: &Journal, text: &str) -> Result<(String, Option<String>), CommandError> {
    let exists = |name: &str| match journal.experiment(name) {
        Ok(_) => Ok(true),
        Err(JournalError::Unknown { .. }) => Ok(false),
        Err(error) => Err(journal_error(error)),
    };
    if exists(text)? {
        return Ok((text.to_owned(), None));
    }
    if let Some(model) = text.strip_prefix(runs::LATEST)
        && (model.is_empty() || model.starts_with(':'))
        && !exists(runs::LATEST)?
    {
        let name = runs::named(journal, runs::LATEST)?;
        return Ok((name, model.strip_prefix(':').map(str::to_owned)));
    }
    for (at, _) in text.match_indices(':') {
        let (name, model) = (&text[..at], &text[at + 1..]);
        if exists(name)? {
            return Ok((name.to_owned(), Some(model.to_owned())));
        }
    }
    let name = text.split(':').next().unwrap_or(text);
    journal.experiment(name).map_err(journal_error)?;
    Ok((name.to_owned(), None))
}

/// Returns the tiers, tags and certificates of the library's tasks. If the library cannot be read, they are missing.
fn known_tasks(context: &Context, sources: &[Source]) -> TaskIndex {
    let Ok(tasks) = context.library().and_then(|library| {
        library
            .tasks()
            .map_err(|error| CommandError::invalid(error_chain(&error)))
    }) else {
        return TaskIndex::new();
    };
    // In a bundle there are no sources that could be compared.
    let is_bundle = context.is_bundle().unwrap_or(true);
    let certificate = |task: &Task| {
        let id = task.id.to_string();
        let mut specs = sources.iter().map(|source| &source.experiment.spec);
        let is_shown = !is_bundle && specs.any(|spec| spec.contains(&id));
        is_shown.then(|| certificate(task))
    };
    tasks
        .tasks
        .into_iter()
        .map(|task| {
            let facts = TaskFacts {
                id: task.id.to_string(),
                tier: Some(task.meta.difficulty.to_string()),
                tags: task.meta.tags.clone(),
                certificate: certificate(&task),
            };
            (facts.id.clone(), facts)
        })
        .collect()
}

/// Returns what a report shows of a task's certificate. Its task is not built, so a change of code beside the task or of
/// its world is not noticed.
fn certificate(task: &Task) -> CertificateFacts {
    let certificate = match Certificate::read(task) {
        Ok(Some(certificate)) => certificate,
        Ok(None) => {
            return CertificateFacts::Invalid {
                reason: "there is none".to_owned(),
            };
        }
        Err(error) => {
            return CertificateFacts::Invalid {
                reason: error_chain(&error),
            };
        }
    };
    match certificate.differs_in_sources(task) {
        Ok(None) => CertificateFacts::Valid {
            points: certified::points(&certificate),
        },
        Ok(Some(reason)) => CertificateFacts::Invalid { reason },
        Err(error) => CertificateFacts::Invalid {
            reason: error_chain(&error),
        },
    }
}
