//! `mcpmark run` and `mcpmark resume`: attempts of an experiment.

use std::collections::BTreeSet;

use mcpmark_experiment::journal::ExperimentRow;
use mcpmark_experiment::preflight::{ActingModels, ExternalTools};
use mcpmark_experiment::{AgentKind, Journal, JournalError, Spec};
use mcpmark_metadata::ExitCode;

use crate::args::{PublishedArgs, ResumeArgs, RunArgs};
use crate::commands::experiment_run::{
    PreparedRun, check_name, counted, find, jobs, refuse_clients, resume_note, warn_of_prices,
};
use crate::commands::request::{self, Request};
use crate::commands::runs::LATEST;
use crate::commands::task_selection::{self, TaskSelection};
use crate::commands::{agent_setup, dry_run, grow, imported_plan};
use crate::context::Context;
use crate::diagnosis::home_error;
use crate::error::{CommandError, journal_error};
use crate::interruption;
use crate::output::sanitise;

/// Runs tasks in a new experiment, or extends an existing one.
pub(crate) fn run(context: &Context, mut args: RunArgs) -> Result<ExitCode, CommandError> {
    let file = request::file(&args)?;
    let experiment = request::name(&args, &file).map(check_name).transpose()?;
    let there = match &experiment {
        Some(name) => find(context, name)?,
        None => None,
    };
    let request = request::resolve(&mut args, &file, there.is_some())?;
    if let Some(name) = there {
        return grow::grow(context, args, request, &name);
    }
    let Request {
        selection,
        mut spec,
        ..
    } = request;
    spec.published = task_selection::place(&args.published)?;
    let chosen = match &args.from {
        Some(prefix) => {
            let attempt = context.journal()?.attempt(prefix).map_err(journal_error)?;
            let participants = spec.participants.iter_mut();
            for participant in participants.filter(|one| one.agent == AgentKind::Replay) {
                participant.agent_settings.replay = Some(attempt.id.clone());
            }
            TaskSelection::by_id(context, spec.published.as_ref(), &[attempt.task])?
        }
        None => {
            let mut chosen = TaskSelection::select(context, spec.published.as_ref(), &selection)?;
            // Tasks that are named must run.
            if selection.selectors.is_empty() {
                chosen.leave_out_unavailable();
            }
            chosen
        }
    };
    spec.tasks = chosen.ids().map(ToString::to_string).collect();
    if let Some(place) = &mut spec.published {
        place.bundle = chosen.bundle()?;
    }
    let models = agent_setup::models(&spec, &everybody(&spec))?;
    super::runtime(1)?.block_on(agent_setup::check(&models, &spec))?;
    agent_setup::check_filters(&models, &spec, &chosen.tools())?;
    if args.dry_run {
        dry_run::say(&spec, 0, jobs(spec.concurrency.jobs), args.json)?;
        return Ok(ExitCode::Passed);
    }
    interruption::say("interrupted; nothing was started");
    interruption::watch();
    let beside = if args.models.no_preflight {
        ExternalTools::new()
    } else {
        super::runtime(1)?.block_on(agent_setup::preflight(&models, &spec, &chosen.tools()))?
    };
    let jobs = jobs(spec.concurrency.jobs);
    let prepared_run = PreparedRun::open(context, &chosen, &spec, jobs, args.engine)?;
    prepared_run.check_tools(&beside)?;
    spec.task_digests = prepared_run.task_digests();
    let text = serde_json::to_string(&spec).map_err(CommandError::infrastructure)?;
    let (id, name) = match experiment {
        Some(name) => {
            let journal = &prepared_run.runner.journal;
            (
                journal
                    .create_experiment(&name, &text)
                    .map_err(journal_error)?,
                name,
            )
        }
        None => prepared_run.create_unnamed(&text)?,
    };
    interruption::say(resume_note(&name));
    warn_of_prices(&spec);
    let _lock = context
        .home()
        .lock_experiment(&id, &name)
        .map_err(|error| home_error(&error))?;
    let agent_setup =
        agent_setup::open_participants(&spec, models, &prepared_run.runner.journal, &id, jobs)?;
    prepared_run.run(&id, &name, &spec, agent_setup, false, args.json)
}

/// Resumes an experiment.
pub(crate) fn resume(context: &Context, args: ResumeArgs) -> Result<ExitCode, CommandError> {
    let journal = context.journal_to_write()?;
    let experiment = match args.experiment.as_deref() {
        None => latest_local(&journal)?,
        Some(name) => match journal.experiment(name) {
            Err(JournalError::Unknown { .. }) if name == LATEST => latest_local(&journal)?,
            experiment => experiment.map_err(journal_error)?,
        },
    };
    let mut spec: Spec = serde_json::from_str(&experiment.spec).map_err(|error| {
        CommandError::infrastructure(format!("experiment {:?}: {error}", experiment.name))
    })?;
    refuse_clients(&experiment.name, &spec)?;
    let begun = spec.clone();
    let place = task_selection::place(&PublishedArgs {
        tasks: args.tasks,
        states: args.states,
    })?;
    let is_elsewhere = place.is_some();
    let planned = spec.published.as_ref().filter(|_| !is_elsewhere);
    let agreed = args.accept_plan.as_deref();
    let is_settled = imported_plan::require_approval(&experiment, &spec, planned, agreed)?;
    spec.published = place.or(spec.published);
    if let Some(limit) = request::amount(args.limit_cost.clone())? {
        spec.limits.experiment_cost_nano_usd = Some(limit);
    }
    let limits = &mut spec.limits;
    limits.experiment_tokens = args.limit_tokens.or(limits.experiment_tokens);
    limits.experiment_time_seconds = args.limit_run_time.or(limits.experiment_time_seconds);
    interruption::say(resume_note(&experiment.name));
    interruption::watch();
    let rows = journal.attempts(&experiment.name).map_err(journal_error)?;
    let acting = spec.acting(&counted(&rows, args.retry_died));
    let mut models = agent_setup::models(&spec, &acting)?;
    super::runtime(1)?.block_on(agent_setup::check(&models, &spec))?;
    let way_out = format!(
        "`mcpmark resume {} --tasks PLACE` continues with the new location of the same tasks",
        sanitise::line(&experiment.name)
    );
    let lacking = &mut |_: &str, error: CommandError| {
        // The tasks at the new location are not those of the experiment.
        let code = if is_elsewhere {
            ExitCode::Invalid
        } else {
            error.code
        };
        Err(CommandError { code, ..error })
    };
    let chosen = TaskSelection::known(context, spec.published.as_ref(), &spec.tasks, lacking)
        .map_err(|error| task_selection::with_location_hint(&spec, &way_out, error))?;
    let preflight = |models: &ActingModels| {
        if args.no_preflight {
            Ok(ExternalTools::new())
        } else {
            super::runtime(1)?.block_on(agent_setup::preflight(models, &spec, &chosen.tools()))
        }
    };
    let mut beside = preflight(&models)?;
    let _lock = context
        .home()
        .lock_experiment(&experiment.id, &experiment.name)
        .map_err(|error| home_error(&error))?;
    // Checked again, because another process may have removed it.
    journal
        .experiment(&experiment.name)
        .map_err(journal_error)?;
    let jobs = jobs(args.jobs.or(spec.concurrency.jobs));
    let prepared_run = PreparedRun::open(context, &chosen, &spec, jobs, args.engine)?;
    // Read again, because another process may have made attempts before it was locked.
    let rows = journal.attempts(&experiment.name).map_err(journal_error)?;
    let left = prepared_run.acting(&spec, &counted(&rows, args.retry_died));
    if !left.is_subset(&acting) {
        // Changed tasks are attempted again, also by participants that were finished.
        models = agent_setup::models(&spec, &left)?;
        super::runtime(1)?.block_on(agent_setup::check(&models, &spec))?;
        beside = preflight(&models)?;
    }
    prepared_run.check_tools(&beside)?;
    // The approval of an imported plan covers only the tasks of its recorded attempts.
    if is_elsewhere || experiment.is_foreign() {
        let way_out = "name the location of the original tasks; `mcpmark run` starts another experiment with these";
        prepared_run.require_same_tasks(&experiment.name, &spec, way_out)?;
    }
    spec.task_digests = prepared_run.task_digests();
    if let Some(place) = &mut spec.published {
        place.bundle = chosen.bundle()?;
    }
    let kept = Spec {
        task_digests: spec.task_digests.clone(),
        published: spec.published.clone(),
        ..begun.clone()
    };
    if kept != begun {
        let text = serde_json::to_string(&kept).map_err(CommandError::infrastructure)?;
        journal
            .keep_spec(&experiment.id, &text)
            .map_err(journal_error)?;
    }
    if is_settled {
        journal
            .approve_plan(&experiment.id)
            .map_err(journal_error)?;
    }
    prepared_run.take_over(&experiment.id, &experiment.name, &spec)?;
    let journal = &prepared_run.runner.journal;
    let agent_setup = agent_setup::open_participants(&spec, models, journal, &experiment.id, jobs)?;
    let (id, name) = (&experiment.id, &experiment.name);
    prepared_run.run(id, name, &spec, agent_setup, args.retry_died, args.json)
}

/// Returns the newest experiment that was not imported. Imported ones are resumed only by name.
fn latest_local(journal: &Journal) -> Result<ExperimentRow, CommandError> {
    let newest = journal.latest_local().map_err(journal_error)?;
    newest.ok_or_else(|| {
        CommandError::usage("no experiment was started here yet")
            .hint("`mcpmark run` starts one; to continue an imported experiment, name it")
    })
}

/// Returns all participants of a spec.
fn everybody(spec: &Spec) -> BTreeSet<usize> {
    (0..spec.participants.len()).collect()
}
