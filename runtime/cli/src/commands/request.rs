//! Request of `run`: the command line merged with the file of `--config`.

mod config_file;
mod models;
mod participants;

use std::path::{Path, PathBuf};

use mcpmark_bundle::files;
use mcpmark_experiment::{Concurrency, Cost, Participant, Spec, SpecLimits};
use mcpmark_model::Prices;

use self::config_file::{Amount, File, read};
use self::models::models;
use self::participants::{of_nobody, participants};
use crate::args::{RunArgs, Selection, Tier};
use crate::commands::bundle;
use crate::error::{CommandError, error_chain};
use crate::operands;

/// Merged request, except the tasks, which are selected later.
pub(crate) struct Request {
    pub(crate) selection: Selection,
    /// True if an agent or a model is named.
    pub(crate) names_participants: bool,
    /// Number of attempts of each task, if it is given.
    pub(crate) attempts: Option<u32>,
    /// Seed of the order of attempts, if it is given.
    pub(crate) seed: Option<u64>,
    /// Prices of the file given with `--prices`.
    pub(crate) own_prices: Option<Prices>,
    /// Specification of a new experiment.
    pub(crate) spec: Spec,
}

/// Reads the file of `--config`, if it is given.
pub(crate) fn file(args: &RunArgs) -> Result<File, CommandError> {
    match &args.config {
        Some(path) => read(path),
        None => Ok(File::default()),
    }
}

/// Returns the name of the experiment, if it is given.
pub(crate) fn name(args: &RunArgs, file: &File) -> Option<String> {
    args.experiment.clone().or_else(|| file.experiment.clone())
}

/// Merges the command line and the file, for a new or an existing experiment.
pub(crate) fn resolve(
    args: &mut RunArgs,
    file: &File,
    is_there: bool,
) -> Result<Request, CommandError> {
    let dir = args.config.as_deref().and_then(Path::parent);
    let dir = dir.map(Path::to_owned);
    let beside = |path: &PathBuf| match &dir {
        Some(dir) => dir.join(path),
        None => path.clone(),
    };
    // A location on the command line takes precedence over that of the file.
    let place = operands::take_place(&mut args.selection.selectors)?;
    operands::name(&mut args.published.tasks, place)?;
    let mut tasks = file.tasks.clone();
    let place = operands::take_place(&mut tasks)?;
    let place = place.map(|place| {
        if bundle::is_reference(&place) {
            place
        } else {
            beside(&place)
        }
    });
    args.published.tasks = args.published.tasks.take().or(place);
    args.published.check()?;
    let models = models(args, file)?;
    let names_participants = !models.is_empty()
        || !args.agent.is_empty()
        || !file.agent.is_empty()
        || !file.command.is_empty()
        || args.from.is_some();
    let participants = if is_there && !names_participants {
        of_nobody(args, file)?;
        Vec::new()
    } else {
        participants(args, file, models, dir.as_deref(), beside)?
    };
    let mut selection = Selection {
        selectors: std::mem::take(&mut args.selection.selectors),
        tier: std::mem::take(&mut args.selection.tier),
        tag: std::mem::take(&mut args.selection.tag),
    };
    if selection.selectors.is_empty() {
        selection.selectors = tasks;
    }
    if selection.tag.is_empty() {
        selection.tag.clone_from(&file.tags);
    }
    if selection.tier.is_empty() {
        selection.tier = file
            .tiers
            .iter()
            .map(|name| tier(name))
            .collect::<Result<_, _>>()?;
    }
    let prices = match (&args.models.prices, &file.prices) {
        (Some(path), _) => Some(path.clone()),
        (None, Some(path)) => Some(beside(path)),
        (None, None) => None,
    };
    let own_prices = prices.as_deref().map(own_prices).transpose()?;
    let prices = prices_of(&participants, own_prices.clone());
    let any_model = participants.iter().any(|one| one.model.is_some());
    let spec = Spec {
        attempts: args.attempts.or(file.attempts).unwrap_or(1),
        limits: limits(args, file)?,
        seed: args.models.seed.or(file.seed).or(any_model.then_some(1)),
        prices,
        concurrency: Concurrency {
            jobs: args.jobs.or(file.jobs),
            model_calls: args.models.max_model_calls.or(file.max_model_calls),
            grades: args.models.max_grades.or(file.max_grades),
        },
        ..Spec::new(Vec::new(), participants)
    };
    for (name, number) in [
        ("attempts", Some(u64::from(spec.attempts))),
        ("compact-at", args.models.compact_at.or(file.compact_at)),
    ] {
        if number == Some(0) {
            let message = format!("{name} is 0, but must be at least 1");
            return Err(CommandError::usage(message));
        }
    }
    Ok(Request {
        selection,
        names_participants,
        attempts: args.attempts.or(file.attempts),
        seed: args.models.seed.or(file.seed),
        own_prices,
        spec,
    })
}

fn tier(name: &str) -> Result<Tier, CommandError> {
    <Tier as clap::ValueEnum>::from_str(name, true).map_err(CommandError::usage)
}

fn limits(args: &RunArgs, file: &File) -> Result<SpecLimits, CommandError> {
    let (given, file) = (&args.limits, &file.limits);
    let cost = |given: &Option<String>, file: &Option<Amount>| {
        amount(given.clone().or_else(|| file.as_ref().map(Amount::text)))
    };
    let limits = SpecLimits {
        turns: given.limit_turns.or(file.turns),
        time_seconds: given.limit_time.or(file.time),
        tool_call_seconds: given.limit_tool_time.or(file.tool_time),
        input_tokens: given.limit_input_tokens.or(file.input_tokens),
        output_tokens: given.limit_output_tokens.or(file.output_tokens),
        attempt_cost_nano_usd: cost(&given.limit_attempt_cost, &file.attempt_cost)?,
        experiment_cost_nano_usd: cost(&given.limit_cost, &file.cost)?,
        experiment_tokens: given.limit_tokens.or(file.tokens),
        experiment_time_seconds: given.limit_run_time.or(file.run_time),
    };
    let numbers = [
        ("turns", limits.turns.map(u64::from)),
        ("time", limits.time_seconds),
        ("tool-time", limits.tool_call_seconds),
        ("input-tokens", limits.input_tokens),
        ("output-tokens", limits.output_tokens),
        ("tokens", limits.experiment_tokens),
        ("run-time", limits.experiment_time_seconds),
    ];
    match numbers.into_iter().find(|(_, limit)| *limit == Some(0)) {
        // With a limit of 0, attempts could do nothing and would still be graded.
        Some((name, _)) => Err(CommandError::usage(format!(
            "limit {name} is 0, but must be at least 1"
        ))),
        None => Ok(limits),
    }
}

/// Parses an amount in US dollars.
pub(crate) fn amount(text: Option<String>) -> Result<Option<Cost>, CommandError> {
    text.map(|text| Cost::from_usd(&text))
        .transpose()
        .map_err(CommandError::usage)
}

/// Reads the prices of a file.
fn own_prices(path: &Path) -> Result<Prices, CommandError> {
    let wrong = |message: String| CommandError::usage(format!("{}: {message}", path.display()));
    let text = files::read_text(path).map_err(|error| wrong(error.to_string()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Prices::parse(&text, &name).map_err(|error| wrong(error_chain(&error)))
}

/// Returns the prices of the models. Those of a file take precedence over the shipped ones.
fn prices_of(participants: &[Participant], own: Option<Prices>) -> Prices {
    let prices = Prices::shipped().overridden(own.unwrap_or_default());
    let models = participants.iter().filter_map(|one| one.model.as_ref());
    let names: Vec<&str> = models.map(|model| model.name.as_str()).collect();
    prices.only(&names)
}
