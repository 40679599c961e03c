//! `run --experiment NAME` with an existing experiment: extends its plan.

use mcpmark_experiment::journal::ExperimentRow;
use mcpmark_experiment::preflight::ExternalTools;
use mcpmark_experiment::{Added, AgentKind, Journal, PlanError, Spec, SpecLimits, TaskSource};
use mcpmark_metadata::ExitCode;

use crate::args::RunArgs;
use crate::commands::experiment_run::{
    PreparedRun, jobs, refuse_clients, resume_note, warn_of_prices,
};
use crate::commands::request::Request;
use crate::commands::task_selection::{self, TaskSelection};
use crate::commands::{agent_setup, dry_run, imported_plan};
use crate::context::Context;
use crate::diagnosis::home_error;
use crate::error::{CommandError, journal_error};
use crate::interruption;
use crate::output::{self, sanitise};

/// Extends an experiment, and makes the remaining attempts of its plan.
pub(crate) fn grow(
    context: &Context,
    mut args: RunArgs,
    request: Request,
    name: &str,
) -> Result<ExitCode, CommandError> {
    let journal = if args.dry_run {
        context.journal()?
    } else {
        context.journal_to_write()?
    };
    let experiment = journal.experiment(name).map_err(journal_error)?;
    let lock = (!args.dry_run).then(|| context.home().lock_experiment(&experiment.id, name));
    let _lock = lock.transpose().map_err(|error| home_error(&error))?;
    // Read again, because another process may have changed it before it was locked.
    let experiment = journal.experiment(name).map_err(journal_error)?;
    let Grown {
        spec,
        added,
        is_settled,
    } = plan(context, &mut args, request, &journal, &experiment)?;
    let jobs_at_once = jobs(spec.concurrency.jobs);
    let rows = journal.attempts(name).map_err(journal_error)?;
    let models = agent_setup::models(&spec, &spec.acting(&rows))?;
    super::runtime(1)?.block_on(agent_setup::check(&models, &spec))?;
    let chosen = TaskSelection::by_id(context, spec.published.as_ref(), &spec.tasks)?;
    agent_setup::check_filters(&models, &spec, &chosen.tools())?;
    if args.dry_run {
        output::note(&told(name, &added));
        dry_run::say(&spec, added.before, jobs_at_once, args.json)?;
        return Ok(ExitCode::Passed);
    }
    interruption::say("interrupted; nothing was added");
    interruption::watch();
    let beside = if args.models.no_preflight {
        ExternalTools::new()
    } else {
        super::runtime(1)?.block_on(agent_setup::preflight(&models, &spec, &chosen.tools()))?
    };
    let prepared_run = PreparedRun::open(context, &chosen, &spec, jobs_at_once, args.engine)?;
    prepared_run.check_tools(&beside)?;
    let way_out = format!(
        "`mcpmark resume {name}` repeats the attempts of changed tasks; \
         `mcpmark run --experiment OTHER` starts another experiment"
    );
    prepared_run.require_same_tasks(name, &spec, &way_out)?;
    let mut spec = spec;
    spec.task_digests = prepared_run.task_digests();
    if let Some(place) = &mut spec.published {
        place.bundle = chosen.bundle()?;
    }
    let text = serde_json::to_string(&spec).map_err(CommandError::infrastructure)?;
    if text != experiment.spec {
        journal
            .keep_spec(&experiment.id, &text)
            .map_err(journal_error)?;
    }
    if is_settled {
        journal
            .approve_plan(&experiment.id)
            .map_err(journal_error)?;
    }
    output::note(&told(name, &added));
    interruption::say(resume_note(name));
    warn_of_prices(&spec);
    prepared_run.take_over(&experiment.id, name, &spec)?;
    let agent_setup =
        agent_setup::open_participants(&spec, models, &journal, &experiment.id, jobs_at_once)?;
    prepared_run.run(&experiment.id, name, &spec, agent_setup, false, args.json)
}

/// Extended plan, with the additions.
struct Grown {
    spec: Spec,
    added: Added,
    /// True if an imported plan has no part left to accept.
    is_settled: bool,
}

fn plan(
    context: &Context,
    args: &mut RunArgs,
    request: Request,
    journal: &Journal,
    experiment: &ExperimentRow,
) -> Result<Grown, CommandError> {
    let name = &experiment.name;
    let mut spec: Spec = serde_json::from_str(&experiment.spec)
        .map_err(|error| CommandError::infrastructure(format!("experiment {name:?}: {error}")))?;
    refuse_clients(name, &spec)?;
    let is_settled =
        imported_plan::require_approval(experiment, &spec, spec.published.as_ref(), None)?;
    agree(name, &mut spec, &request)?;
    let place = task_selection::place(&args.published)?;
    same_place(name, spec.published.as_ref(), place.as_ref())?;
    let mut participants = request.spec.participants;
    let tasks = match &args.from {
        Some(prefix) => {
            let attempt = journal.attempt(prefix).map_err(journal_error)?;
            for one in participants
                .iter_mut()
                .filter(|one| one.agent == AgentKind::Replay)
            {
                one.agent_settings.replay = Some(attempt.id.clone());
            }
            Some(vec![attempt.task])
        }
        None if request.selection.is_empty() && place.is_none() => None,
        None => {
            let chosen =
                TaskSelection::select(context, spec.published.as_ref(), &request.selection)?;
            Some(chosen.ids().map(ToString::to_string).collect())
        }
    };
    let participants = request.names_participants.then_some(participants);
    let added = match (tasks, participants, request.attempts) {
        (None, None, attempts) => spec.raise(attempts.unwrap_or(0)),
        (tasks, participants, attempts) => {
            let tasks = tasks.unwrap_or_else(|| spec.tasks.clone());
            let participants = participants.unwrap_or_else(|| spec.participants.clone());
            spec.add(&tasks, &participants, attempts.unwrap_or(spec.attempts))
        }
    };
    let added = added.map_err(|error: PlanError| {
        CommandError::usage(format!("cannot add to experiment {name:?}: {error}"))
    })?;
    Ok(Grown {
        spec,
        added,
        is_settled,
    })
}

/// Formats the attempts that were added, and those that existed already.
fn told(name: &str, added: &Added) -> String {
    let name = sanitise::line(name);
    let asked = output::count(added.asked, "attempt");
    if added.attempts == 0 {
        return match added.asked {
            0 => format!("nothing added to experiment {name}"),
            _ => {
                format!("nothing added to experiment {name}: it already has the requested {asked}")
            }
        };
    }
    let new: Vec<String> = [
        (added.tasks.len(), "new task"),
        (added.participants.len(), "new participant"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| output::count(number, what))
    .collect();
    let new = if new.is_empty() {
        String::new()
    } else {
        format!(" with {}", new.join(" and "))
    };
    let there = match added.asked - added.attempts {
        0 => String::new(),
        there => format!("; of the requested {asked}, {there} existed already"),
    };
    format!(
        "{} added to the {} of experiment {name}{new}{there}",
        output::count(added.attempts, "attempt"),
        added.before,
    )
}

/// Applies the settings that may change. Refuses changes of limits and prices, because attempts of one experiment must
/// have the same ones.
fn agree(name: &str, spec: &mut Spec, request: &Request) -> Result<(), CommandError> {
    let (kept, asked) = (&spec.limits, &request.spec.limits);
    let differing = |what: &str, flag: &str, kept: &str, asked: &str| {
        Err(CommandError::usage(format!(
            "{what} of experiment {name:?} is {kept}, but {asked} was requested"
        ))
        .hint(format!(
            "omit {flag} to use the value of the experiment, or name another experiment"
        )))
    };
    for (what, flag, of) in ATTEMPT_LIMITS {
        if let Some(limit) = of(asked)
            && of(kept) != Some(limit.clone())
        {
            let kept = of(kept).unwrap_or_else(|| "not set".to_owned());
            return differing(&format!("the limit {what}"), flag, &kept, &limit);
        }
    }
    for row in request.own_prices.iter().flat_map(|prices| prices.rows()) {
        let known = spec.prices.of(&row.model);
        if let Some(known) = known.filter(|known| known.price != row.price) {
            let shown = |price: &mcpmark_model::Price| {
                let [input, cached, output] =
                    [price.input, price.cached, price.output].map(|cost| cost.usd());
                format!("{input},{cached},{output}")
            };
            let what = format!("the price of {}", sanitise::line(&row.model));
            return differing(&what, "--prices", &shown(&known.price), &shown(&row.price));
        }
    }
    let known: Vec<&str> = spec.models().map(|model| &*model.name).collect();
    let own = request.own_prices.iter();
    let own = own.fold(request.spec.prices.clone(), |prices, own| {
        prices.overridden(own.only(&known))
    });
    spec.prices = own.overridden(spec.prices.clone());
    let limits = &mut spec.limits;
    limits.experiment_cost_nano_usd = asked
        .experiment_cost_nano_usd
        .or(limits.experiment_cost_nano_usd);
    limits.experiment_tokens = asked.experiment_tokens.or(limits.experiment_tokens);
    limits.experiment_time_seconds = asked
        .experiment_time_seconds
        .or(limits.experiment_time_seconds);
    spec.seed = request.seed.or(spec.seed).or(request.spec.seed);
    let (own, concurrency) = (&request.spec.concurrency, &mut spec.concurrency);
    concurrency.jobs = own.jobs.or(concurrency.jobs);
    concurrency.model_calls = own.model_calls.or(concurrency.model_calls);
    concurrency.grades = own.grades.or(concurrency.grades);
    Ok(())
}

type LimitOf = fn(&SpecLimits) -> Option<String>;

/// Limits of an attempt, which can affect its outcome.
const ATTEMPT_LIMITS: [(&str, &str, LimitOf); 6] = [
    ("turns", "--limit-turns", |limits| {
        Some(limits.turns?.to_string())
    }),
    ("time", "--limit-time", |limits| {
        Some(format!("{} s", limits.time_seconds?))
    }),
    ("tool-time", "--limit-tool-time", |limits| {
        Some(format!("{} s", limits.tool_call_seconds?))
    }),
    ("input-tokens", "--limit-input-tokens", |limits| {
        Some(limits.input_tokens?.to_string())
    }),
    ("output-tokens", "--limit-output-tokens", |limits| {
        Some(limits.output_tokens?.to_string())
    }),
    ("attempt-cost", "--limit-attempt-cost", |limits| {
        Some(limits.attempt_cost_nano_usd?.to_string())
    }),
];

/// Refuses a location of tasks that differs from that of the experiment.
fn same_place(
    name: &str,
    known: Option<&TaskSource>,
    place: Option<&TaskSource>,
) -> Result<(), CommandError> {
    let Some(place) = place else {
        return Ok(());
    };
    let is_same =
        known.is_some_and(|known| (&known.tasks, &known.states) == (&place.tasks, &place.states));
    if is_same {
        return Ok(());
    }
    let shown = |place: &TaskSource| {
        let states = place.states.as_ref();
        let states = states.map_or_else(String::new, |dir| {
            format!(" with states in {}", dir.display())
        });
        format!("{}{states}", place.tasks.display())
    };
    let known = match known {
        Some(known) => format!("in {}", shown(known)),
        None => "in a library".to_owned(),
    };
    let message = format!(
        "the tasks of experiment {name:?} are {known}, not in {}",
        shown(place)
    );
    Err(CommandError::usage(sanitise::line(&message)).hint(
        "an experiment has one location of tasks: omit it, or name another experiment; \
         `mcpmark report A B` compares experiments",
    ))
}
