//! Running of an experiment from the command line: its runner and tasks, interrupts, and the progress.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use mcpmark_experiment::journal::{AttemptRow, OutcomeKind};
use mcpmark_experiment::preflight::ExternalTools;
use mcpmark_experiment::report::experiment_report;
use mcpmark_experiment::{
    AgentKind, AgentSetup, Journal, JournalError, PrepareError, Prepared, Reached, Runner, Spec,
    TaskVersion,
};
use mcpmark_grading::Baselines;
use mcpmark_kinds::ServiceUnavailable;
use mcpmark_metadata::ExitCode;
use mcpmark_snapshot::Digest;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::args::EngineArgs;
use crate::commands::agent_setup;
use crate::commands::experiment_result::{exit_code, summary, unfinished};
use crate::commands::task_selection::TaskSelection;
use crate::context::{self, Context};
use crate::error::{CommandError, error_chain, journal_error};
use crate::interruption;
use crate::output::progress::Display;
use crate::output::{self, sanitise};
use crate::settings;

/// Timeout for updating the journal after the second interrupt.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Maximum number of differing tasks shown in an error.
const OTHERS_SHOWN: usize = 5;

/// Runner and prepared tasks of an experiment.
pub(crate) struct PreparedRun {
    pub(crate) runner: Arc<Runner>,
    pub(crate) tasks: Vec<Arc<Prepared>>,
}

impl PreparedRun {
    pub(crate) fn open(
        context: &Context,
        chosen: &TaskSelection,
        spec: &Spec,
        jobs: u32,
        engine: EngineArgs,
    ) -> Result<Self, CommandError> {
        for id in chosen.ids() {
            let Err(problem) = context.services().check_available(id.service()) else {
                continue;
            };
            let message = format!("task {id}: {problem}");
            return Err(match problem {
                ServiceUnavailable::Missing { .. } => CommandError::infrastructure(message)
                    .hint("`mcpmark doctor` shows what is available on this machine"),
                ServiceUnavailable::Unknown(_) if spec.published.is_some() => {
                    CommandError::invalid(message)
                        .hint("choose tasks of another service, as in `run --tasks DIR SERVICE`")
                }
                ServiceUnavailable::Unknown(_) => CommandError::invalid(message),
            });
        }
        let solved = spec.tasks_of(AgentKind::Oracle);
        if let Some(id) = chosen.unsolved(&solved) {
            return Err(context::prepare_error(&PrepareError::NoSolution(
                id.clone(),
            )));
        }
        let grades = self::jobs(spec.concurrency.grades);
        // A solution occupies its slot while its tools run, so grades need additional slots.
        let slots = if solved.is_empty() {
            grades
        } else {
            jobs.saturating_add(grades)
        };
        settings::bound_memory()?;
        let sandbox = context.sandbox(slots, engine)?;
        let store = context.store()?;
        let prepared = chosen.prepare(&sandbox, &store)?;
        let runner = Runner {
            journal: context.journal_to_write()?,
            store: Arc::new(store),
            sandbox,
            scratch: context.scratch()?,
            jobs: jobs as usize,
            grades: Arc::new(Semaphore::new(grades as usize)),
            baselines: Baselines::default(),
        };
        Ok(Self {
            runner: Arc::new(runner),
            tasks: prepared.into_iter().map(Arc::new).collect(),
        })
    }

    /// Checks that external tools do not clash with the tools of the opened worlds, some of which have more tools than
    /// their kind.
    pub(crate) fn check_tools(&self, beside: &ExternalTools) -> Result<(), CommandError> {
        if beside.is_empty() {
            return Ok(());
        }
        let tools = super::runtime(1)?.block_on(self.runner.tools(&self.tasks));
        agent_setup::check_clashes(beside, &tools)
    }

    /// Creates an experiment named after the current time in UTC, with a number if that name exists.
    pub(crate) fn create_unnamed(&self, spec: &str) -> Result<(String, String), CommandError> {
        let now = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
        let mut number = 1;
        loop {
            let name = if number == 1 {
                now.clone()
            } else {
                format!("{now}-{number}")
            };
            match self.runner.journal.create_experiment(&name, spec) {
                Ok(id) => return Ok((id, name)),
                Err(JournalError::NameTaken(_)) => number += 1,
                Err(error) => return Err(journal_error(error)),
            }
        }
    }

    /// Returns the task digests by task id.
    pub(crate) fn task_digests(&self) -> BTreeMap<String, Digest> {
        let tasks = self.tasks.iter();
        tasks
            .map(|task| (task.id.to_string(), task.task_digest))
            .collect()
    }

    /// Refuses tasks that differ from those of the experiment's attempts.
    pub(crate) fn require_same_tasks(
        &self,
        name: &str,
        spec: &Spec,
        way_out: &str,
    ) -> Result<(), CommandError> {
        let rows = self.runner.journal.attempts(name).map_err(journal_error)?;
        let tasks = self.versions();
        let others = spec.changed_tasks(&tasks, &rows);
        if others.is_empty() {
            return Ok(());
        }
        let differing = others.iter().take(OTHERS_SHOWN).map(|(task, known)| {
            let TaskVersion { id, digest } = task;
            format!("\n  {id}: expected {known}, found {digest}")
        });
        let more = match others.len().saturating_sub(OTHERS_SHOWN) {
            0 => String::new(),
            more => format!("\n  and {more} more"),
        };
        let message = format!(
            "{} of {} tasks differ from those that experiment {name:?} was started with:{}{more}",
            others.len(),
            self.tasks.len(),
            differing.collect::<String>()
        );
        Err(CommandError::invalid(message).hint(way_out))
    }

    /// Finishes the work of a stopped process: grades final states that it stored, and marks its other running attempts
    /// to be made again.
    pub(crate) fn take_over(&self, id: &str, name: &str, spec: &Spec) -> Result<(), CommandError> {
        let Self { runner, tasks } = self;
        let graded = super::runtime(1)?
            .block_on(runner.grade_ended(name, tasks))
            .map_err(|error| CommandError::infrastructure(error_chain(&error)))?;
        let interrupted = runner.journal.abandon_running(id).map_err(journal_error)?;
        let rows = runner.journal.attempts(name).map_err(journal_error)?;
        let changed = spec.changed(&self.versions(), &rows);
        for (number, what) in [
            (graded, "ended but not graded: graded now"),
            (interrupted.again, "cut off: repeated"),
            (interrupted.died, "cut off too often: not repeated"),
            (changed, "of a task that has changed: repeated"),
        ] {
            if number > 0 {
                output::note(&format!("{} {what}", output::count(number, "attempt")));
            }
        }
        Ok(())
    }

    /// Returns the participants with remaining attempts.
    pub(crate) fn acting(&self, spec: &Spec, rows: &[AttemptRow]) -> BTreeSet<usize> {
        let remaining = spec.remaining(&self.versions(), rows);
        remaining
            .iter()
            .map(|planned| planned.participant)
            .collect()
    }

    /// Returns the ids and digests of the tasks.
    fn versions(&self) -> Vec<TaskVersion> {
        self.tasks.iter().map(|task| task.version()).collect()
    }

    /// Makes the remaining attempts, and prints the report.
    pub(crate) fn run(
        self,
        id: &str,
        name: &str,
        spec: &Spec,
        agent_setup: AgentSetup,
        retry_died: bool,
        json: bool,
    ) -> Result<ExitCode, CommandError> {
        let journal = Arc::clone(&self.runner.journal);
        let rows = journal.attempts(name).map_err(journal_error)?;
        let spending = journal.spending(id).map_err(journal_error)?;
        let counted = counted(&rows, retry_died);
        let remaining = spec.order(spec.remaining(&self.versions(), &counted));
        let plan = spec.plan();
        let planned = plan.len();
        let display = Display::new(&plan, &remaining, &rows, &spending, output::interactive());
        let display = Arc::new(display);
        let agent_setup = Arc::new(agent_setup);
        let cancel = CancellationToken::new();
        let runtime = super::runtime(self.runner.jobs)?;
        let run = runtime.block_on(async {
            let listening = interruption::listen();
            let stop = interrupt(
                listening,
                cancel.clone(),
                Arc::clone(&display),
                (Arc::clone(&journal), id.to_owned()),
            );
            let signal = tokio::spawn(stop);
            let ticking = tokio::spawn(tick(Arc::clone(&display)));
            let listener = Arc::clone(&display);
            let run = self
                .runner
                .run(
                    id,
                    &agent_setup,
                    &self.tasks,
                    remaining,
                    cancel.clone(),
                    Arc::new(move |progress| listener.show(progress)),
                )
                .await;
            signal.abort();
            ticking.abort();
            run
        });
        display.finish();
        run.map_err(|error| {
            CommandError::infrastructure(error_chain(&error)).hint(format!(
                "finished attempts are stored; continue with `mcpmark resume {name}`"
            ))
        })?;
        let rows = journal.attempts(name).map_err(journal_error)?;
        let spending = journal.spending(id).map_err(journal_error)?;
        let reached = agent_setup.budget.reached().is_some();
        let code = exit_code(&rows, planned, cancel.is_cancelled(), reached);
        let unfinished = unfinished(&rows, planned);
        let of_outcome = |kind| rows.iter().filter(|row| row.outcome == Some(kind)).count();
        let died = rows.iter().filter(|row| row.died()).count();
        let lost = of_outcome(OutcomeKind::InfraError) - died;
        let held_back = of_outcome(OutcomeKind::HeldBack);
        let spec = serde_json::to_value(spec).map_err(CommandError::infrastructure)?;
        let report = experiment_report(name, spec, planned, rows, &spending);
        if json {
            output::print_json(&report)?;
        } else {
            let mut text = summary(&report);
            // On a terminal, the progress lines already show the attempts.
            if !output::on_one_terminal() {
                text.insert_str(0, &super::runs::lines(&report.attempts));
            }
            output::print(&text)?;
        }
        if let Some(reached) = agent_setup.budget.reached().filter(|_| unfinished) {
            let flag = match reached {
                Reached::Cost(_) => " --limit-cost USD",
                Reached::Tokens(_) => " --limit-tokens N",
                Reached::Time(_) => "",
            };
            let name = sanitise::line(name);
            output::note(&format!(
                "{reached}; continue with `mcpmark resume {name}{flag}`"
            ));
        }
        if code == ExitCode::Interrupted {
            output::note(&resume_note(name));
        } else if lost > 0 {
            let lost = output::count(lost, "attempt");
            let name = sanitise::line(name);
            output::note(&format!(
                "{lost} ended with infra-error; `mcpmark resume {name}` repeats them"
            ));
        }
        if died > 0 {
            let died = output::count(died, "attempt");
            let name = sanitise::line(name);
            output::note(&format!(
                "{died} not repeated, because the process died each time; `mcpmark resume {name} --retry-died` repeats them"
            ));
        }
        if held_back > 0 {
            let waiting = output::count(held_back, "attempt");
            let name = sanitise::line(name);
            output::note(&format!(
                "{waiting} not graded (held-back); to grade with the verifier, run `mcpmark regrade {name} --held-back FILE`"
            ));
        }
        Ok(code)
    }
}

/// Formats the note that an interrupted experiment can be continued.
pub(crate) fn resume_note(name: &str) -> String {
    let name = sanitise::line(name);
    format!("interrupted; continue with `mcpmark resume {name}`")
}

/// Handles interrupts. The first one lets running attempts end and be journaled. The second one records them as
/// cancelled and exits, so that they do not count as died.
#[expect(clippy::exit, reason = "a person who asks twice wants no clean-up")]
async fn interrupt(
    mut listening: interruption::Listening,
    cancel: CancellationToken,
    display: Arc<Display>,
    (journal, experiment): (Arc<Journal>, String),
) {
    listening.asked_to_stop().await;
    display.line("stopping; press Ctrl-C again to stop immediately");
    cancel.cancel();
    listening.asked_to_stop().await;
    let cancelled = tokio::task::spawn_blocking(move || journal.cancel_running(&experiment));
    // Attempts that are not updated in time are handled when the experiment is resumed.
    let _ = tokio::time::timeout(LAST_WORDS, cancelled).await;
    mcpmark_experiment::stop_programs();
    std::process::exit(ExitCode::Interrupted.into());
}

/// Refreshes the display every second, so that it shows what is waited for.
async fn tick(display: Arc<Display>) {
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    loop {
        seconds.tick().await;
        display.tick();
    }
}

/// Warns about models whose price is unknown.
pub(crate) fn warn_of_prices(spec: &Spec) {
    // Deduplicated, because a model may be used with several settings.
    let names: BTreeSet<&str> = spec.models().map(|model| &*model.name).collect();
    for name in names
        .into_iter()
        .filter(|name| spec.prices.of(name).is_none())
    {
        output::warn(&format!(
            "model {}: its price is unknown, so its cost is not computed; set prices with --prices FILE",
            sanitise::line(name)
        ));
    }
}

/// Refuses an experiment of `mcp serve` or `task try`, because its client or its person cannot be started from here.
pub(crate) fn refuse_clients(name: &str, spec: &Spec) -> Result<(), CommandError> {
    let has = |agent: AgentKind| spec.participants.iter().any(|one| one.agent == agent);
    if has(AgentKind::Client) {
        Err(CommandError::usage(format!(
            "experiment {name:?} is a session of `mcpmark mcp serve`, whose client has disconnected"
        ))
        .hint("`mcpmark mcp serve --attempt` starts another session; `mcpmark report A B` compares experiments"))
    } else if has(AgentKind::Manual) {
        Err(CommandError::usage(format!(
            "experiment {name:?} is an attempt of `mcpmark task try`, which no agent can continue"
        ))
        .hint("`mcpmark task try start` starts another attempt; `mcpmark report A B` compares experiments"))
    } else {
        Ok(())
    }
}

/// Returns the number of concurrent attempts: as many as there are cores unless another number is wanted.
pub(crate) fn jobs(wanted: Option<u32>) -> u32 {
    wanted.unwrap_or_else(|| {
        std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
    })
}

/// Checks the name of an experiment, which is used on command lines and in file names.
pub(crate) fn check_name(name: String) -> Result<String, CommandError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty()
        || name.len() > 100
        || !name.chars().all(allowed)
        || name.starts_with(['-', '.'])
    {
        return Err(
            CommandError::usage(format!("invalid experiment name {name:?}")).hint(
                "expected up to 100 letters, digits, `-`, `_` and `.`, not beginning with `-` or `.`",
            ),
        );
    }
    Ok(name)
}

/// Returns the name of an experiment if it exists.
pub(crate) fn find(context: &Context, name: &str) -> Result<Option<String>, CommandError> {
    // Opening the journal would create it, and a dry run must not do that.
    if !context.home().journal_file().exists() {
        return Ok(None);
    }
    match context.journal()?.experiment(name) {
        Ok(experiment) => Ok(Some(experiment.name)),
        Err(JournalError::Unknown { .. }) => Ok(None),
        Err(error) => Err(journal_error(error)),
    }
}

/// Returns the attempts that count as made. With `retry_died`, attempts whose process died are not counted.
pub(crate) fn counted(rows: &[AttemptRow], retry_died: bool) -> Vec<AttemptRow> {
    let counts = |row: &&AttemptRow| !retry_died || !row.died();
    rows.iter().filter(counts).cloned().collect()
}
