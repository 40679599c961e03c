//! Construction of a report from rows of the journal.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use mcpmark_journal::report::{program, reasoning_effort};
use mcpmark_journal::{
    ExperimentRow, Journal, JournalError, OutcomeKind, Provenance, ScoreRule, Spec, Survey,
    SurveyRow,
};
use mcpmark_metrics::{Comparison, Consumption, Resources, Sample, Score, TaskCount};
use serde::Serialize;
use serde_json::Value;

use crate::certificates::CertificateFacts;
use crate::data::{
    AttemptRef, Cell, Difference, ExperimentFacts, Group, ModelReport, Pair, Report, Slice, Spent,
    ToolUse, TurnBar,
};
use crate::differences;
use crate::format::instant;
use crate::parallel;

/// Maximum number of models for which pairs are compared. Larger tables of pairs are not useful, and each comparison
/// takes time.
const MAX_COMPARED: usize = 24;

/// Maximum number of bars in the distribution of turns.
const TURN_BARS: u32 = 25;

/// Metadata of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TaskFacts {
    /// Id of the task, `<service>/<world>/<task>`.
    pub id: String,
    /// Tier, if it is known.
    pub tier: Option<String>,
    /// Tags, if they are known.
    pub tags: Vec<String>,
    /// Certificate of the present task. `None` if it was not looked for.
    pub certificate: Option<CertificateFacts>,
}

impl TaskFacts {
    /// Returns the service, the first part of the id.
    pub fn service(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// Returns the id of the world, `<service>/<world>`.
    pub fn world(&self) -> &str {
        world(&self.id)
    }
}

fn world(task: &str) -> &str {
    task.rsplit_once('/').map_or(task, |(world, _)| world)
}

/// Metadata of tasks by id. The journal has no tiers and tags, so callers with a library supply them.
pub type TaskIndex = HashMap<String, TaskFacts>;

/// Planned attempt, with its row if it has begun.
struct Entry<'a> {
    task: usize,
    k: u32,
    row: Option<&'a SurveyRow>,
}

/// Identity of a participant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// Index of the experiment.
    pub(crate) experiment: usize,
    pub(crate) agent: Arc<str>,
    pub(crate) agent_settings: Arc<str>,
    pub(crate) model: Option<Arc<str>>,
    pub(crate) model_settings: Arc<str>,
}

/// Source of a report: an experiment, its attempts, and their provenance.
#[derive(Debug)]
pub struct Source {
    /// Row of the experiment.
    pub experiment: ExperimentRow,
    /// Attempts of the experiment.
    pub survey: Survey,
    /// Provenance of the attempts. Only used in reports of several experiments.
    pub provenance: Provenance,
}

impl Source {
    /// Reads an experiment.
    ///
    /// # Errors
    ///
    /// Returns an error if the experiment does not exist, or if the journal cannot be read.
    pub fn read(journal: &Journal, name: &str) -> Result<Self, JournalError> {
        Ok(Self {
            experiment: journal.experiment(name)?,
            survey: journal.survey(name)?,
            provenance: journal.provenance(name)?,
        })
    }
}

impl Report {
    /// Reads an experiment from the journal and builds its report.
    ///
    /// # Errors
    ///
    /// Returns an error if the experiment does not exist, or if the journal cannot be read.
    pub fn read(journal: &Journal, name: &str, known: &TaskIndex) -> Result<Self, JournalError> {
        Ok(Self::build(
            &journal.experiment(name)?,
            &journal.survey(name)?,
            known,
        ))
    }

    /// Builds the report of an experiment from its rows.
    pub fn build(experiment: &ExperimentRow, survey: &Survey, known: &TaskIndex) -> Self {
        let mut plan = Plan::default();
        let spec = serde_json::from_str(&experiment.spec).ok();
        plan.take(0, spec.as_ref(), survey, known, &HashMap::new());
        Self::of(plan, &[(experiment, survey)], Vec::new())
    }

    /// Builds one report of several experiments. A task whose digest differs between them counts as several tasks, so
    /// that attempts on different versions are not paired.
    pub fn of_several(sources: &[Source], known: &TaskIndex) -> Self {
        let specs: Vec<Option<Spec>> = sources
            .iter()
            .map(|source| serde_json::from_str(&source.experiment.spec).ok())
            .collect();
        let versions = differences::versions(sources, &specs);
        let mut plan = Plan::default();
        for (index, (source, spec)) in sources.iter().zip(&specs).enumerate() {
            plan.take(
                index,
                spec.as_ref(),
                &source.survey,
                known,
                &versions[index],
            );
        }
        let differences = differences::between(sources, &specs, &plan.keys, &versions);
        let experiments: Vec<_> = sources
            .iter()
            .map(|source| (&source.experiment, &source.survey))
            .collect();
        Self::of(plan, &experiments, differences)
    }

    fn of(
        mut plan: Plan<'_>,
        experiments: &[(&ExperimentRow, &Survey)],
        differences: Vec<Difference>,
    ) -> Self {
        plan.sort();
        let own_names: Vec<String> = own_names(&plan.keys);
        let names: Vec<String> = match experiments.len() {
            1 => own_names.clone(),
            _ => {
                let named = plan.keys.iter().zip(&own_names);
                named
                    .map(|(key, name)| format!("{}:{name}", experiments[key.experiment].0.name))
                    .collect()
            }
        };
        let mut models = parallel::each(names.len(), |index| {
            let key = &plan.keys[index];
            let entries = &plan.entries[index];
            ModelReport {
                experiment: experiments[key.experiment].0.name.clone(),
                own_name: own_names[index].clone(),
                ..model(key, &names[index], entries, &plan.tasks)
            }
        });
        let comparisons = comparisons(&plan, &names);
        models.sort_by(|a, b| {
            let rate = |model: &ModelReport| model.overall.score.pass_1().value().unwrap_or(-1.0);
            rate(b)
                .total_cmp(&rate(a))
                .then_with(|| a.name.cmp(&b.name))
        });
        let facts = experiments.iter().enumerate().map(|(index, (row, _))| {
            let own = plan.keys.iter().zip(&plan.entries);
            let own = own.filter(|(key, _)| key.experiment == index);
            ExperimentFacts {
                name: row.name.clone(),
                begun: instant(row.created_ms),
                planned: own.map(|(_, entries)| entries.len()).sum(),
            }
        });
        let facts: Vec<ExperimentFacts> = facts.filter(|_| experiments.len() > 1).collect();
        let named: Vec<&str> = experiments.iter().map(|(row, _)| &*row.name).collect();
        let begun = experiments.iter().map(|(row, _)| row.created_ms).min();
        let spent = experiments.iter().map(|(_, survey)| survey.spent_nano_usd);
        let ks = plan.entries.iter().flatten().map(|entry| entry.k);
        Self {
            experiment: named.join(", "),
            experiments: facts,
            differences,
            begun: instant(begun.unwrap_or_default()),
            k: ks.max().unwrap_or(0),
            planned: plan.entries.iter().map(Vec::len).sum(),
            spent: Spent {
                usd: spent.fold(0, u64::saturating_add) as f64 / 1e9,
                some_unknown: experiments
                    .iter()
                    .any(|(_, survey)| survey.spent_some_unknown),
            },
            tasks: plan.tasks,
            models,
            comparisons,
        }
    }
}

/// Planned attempts by participant, with their tasks.
#[derive(Default)]
struct Plan<'a> {
    keys: Vec<Key>,
    entries: Vec<Vec<Entry<'a>>>,
    tasks: Vec<TaskFacts>,
    task_index: HashMap<Arc<str>, usize>,
    key_index: HashMap<Key, usize>,
}

impl<'a> Plan<'a> {
    /// Adds an experiment. `versions` contains other ids for the tasks whose digests differ between experiments.
    fn take(
        &mut self,
        experiment: usize,
        spec: Option<&Spec>,
        survey: &'a Survey,
        known: &TaskIndex,
        versions: &HashMap<String, Arc<str>>,
    ) {
        let mut add = |key: Key, task: &Arc<str>, k: u32, row: Option<&'a SurveyRow>| {
            let id = versions.get(&**task).unwrap_or(task);
            self.add(key, (task, id), k, row, known);
        };
        match spec.map(Spec::plan) {
            Some(planned) => {
                // The rows and the plan are in the same order.
                let mut rows = survey.rows.iter().peekable();
                for planned in planned {
                    while rows
                        .next_if(|row| row.position < planned.position)
                        .is_some()
                    {}
                    let row = rows.next_if(|row| row.position == planned.position);
                    let own = planned.key;
                    let key = Key {
                        experiment,
                        agent: own.agent,
                        agent_settings: own.agent_settings,
                        model: own.model,
                        model_settings: own.model_settings,
                    };
                    add(key, &own.task, own.k, row);
                }
            }
            // The specification cannot be parsed, for example because another version of the program wrote it, so only
            // attempts that have begun are known.
            None => {
                for row in &survey.rows {
                    let key = Key {
                        experiment,
                        agent: Arc::clone(&row.agent),
                        agent_settings: Arc::clone(&row.agent_settings),
                        model: row.model.clone(),
                        model_settings: Arc::clone(&row.model_settings),
                    };
                    add(key, &row.task, row.k, Some(row));
                }
            }
        }
    }

    fn add(
        &mut self,
        key: Key,
        // Original id of the task, and its id in this report.
        (task, id): (&Arc<str>, &Arc<str>),
        k: u32,
        row: Option<&'a SurveyRow>,
        known: &TaskIndex,
    ) {
        let task = match self.task_index.get(id) {
            Some(index) => *index,
            None => {
                let facts = known.get(&**task).cloned();
                self.tasks.push(TaskFacts {
                    id: id.to_string(),
                    ..facts.unwrap_or_default()
                });
                self.task_index.insert(Arc::clone(id), self.tasks.len() - 1);
                self.tasks.len() - 1
            }
        };
        let model = match self.key_index.get(&key) {
            Some(index) => *index,
            None => {
                self.keys.push(key.clone());
                self.entries.push(Vec::new());
                self.key_index.insert(key, self.keys.len() - 1);
                self.keys.len() - 1
            }
        };
        self.entries[model].push(Entry { task, k, row });
    }

    /// Sorts the attempts of each participant by task. Later steps rely on this order to group them.
    fn sort(&mut self) {
        let mut tasks: Vec<usize> = (0..self.tasks.len()).collect();
        tasks.sort_by(|a, b| self.tasks[*a].id.cmp(&self.tasks[*b].id));
        let mut ranks = vec![0; tasks.len()];
        for (rank, task) in tasks.into_iter().enumerate() {
            ranks[task] = rank;
        }
        for entries in &mut self.entries {
            entries.sort_by_key(|entry| (ranks[entry.task], entry.k));
        }
    }
}

/// Returns a unique name for each participant within its experiment: the shortest of several forms that is unique.
fn own_names(keys: &[Key]) -> Vec<String> {
    let short = |key: &Key| key.model.as_ref().unwrap_or(&key.agent).to_string();
    let with_effort = |key: &Key| match reasoning_effort(&key.model_settings) {
        Some(effort) => format!("{} ({effort})", short(key)),
        None => short(key),
    };
    let with_program = |key: &Key| match program(&key.agent_settings) {
        Some(program) => format!("{} {program}", short(key)),
        None => with_effort(key),
    };
    let with_agent = |key: &Key| format!("{}, {}", with_effort(key), key.agent);
    let whole = |key: &Key| {
        format!(
            "{} {} {}",
            with_agent(key),
            key.agent_settings,
            key.model_settings
        )
    };
    let forms: [&dyn Fn(&Key) -> String; 5] =
        [&short, &with_effort, &with_program, &with_agent, &whole];
    keys.iter()
        .map(|key| {
            let beside = || {
                keys.iter()
                    .filter(|other| other.experiment == key.experiment)
            };
            let alone = forms.iter().find(|form| {
                let name = form(key);
                beside().filter(|other| form(other) == name).count() == 1
            });
            alone.map_or_else(|| whole(key), |form| form(key))
        })
        .collect()
}

fn model(key: &Key, name: &str, entries: &[Entry<'_>], tasks: &[TaskFacts]) -> ModelReport {
    let all: Vec<&Entry<'_>> = entries.iter().collect();
    let rows = || entries.iter().filter_map(|entry| entry.row);
    let group = |of| groups(entries, tasks, of);
    let mut ungraded = BTreeMap::new();
    let mut ended = BTreeMap::new();
    let mut failures = BTreeMap::new();
    let mut state_faults = BTreeMap::new();
    for entry in entries {
        if entry.row.is_none_or(|row| row.passed.is_none()) {
            let why = result(entry.row).to_owned();
            *ungraded.entry(why).or_default() += 1;
        }
        if let Some(row) = entry.row {
            if let Some(end) = row.ended {
                *ended.entry(end.to_string()).or_default() += 1;
            }
            if let Some(kind) = row.state_fault {
                *state_faults.entry(kind.to_string()).or_default() += 1;
            }
            if let Some(failure) = &row.failure {
                *failures.entry(failure.class).or_default() += 1;
            }
        }
    }
    ModelReport {
        name: name.to_owned(),
        experiment: String::new(),
        own_name: String::new(),
        agent: key.agent.to_string(),
        agent_settings: serde_json::from_str(&key.agent_settings).unwrap_or(Value::Null),
        model: key.model.as_deref().map(str::to_owned),
        settings: serde_json::from_str(&key.model_settings).unwrap_or(Value::Null),
        effort: reasoning_effort(&key.model_settings),
        overall: slice(&all, tasks, Score::of),
        services: group(|task| vec![task.service()]),
        tiers: group(|task| task.tier.as_deref().into_iter().collect()),
        tags: group(|task| task.tags.iter().map(String::as_str).collect()),
        worlds: group(|task| vec![task.world()]),
        ungraded,
        ended,
        failures,
        state_faults,
        malformed_calls: rows().map(|row| u64::from(row.malformed_calls)).sum(),
        tools: tools(rows()),
        turns: turn_bars(rows()),
        matrix: matrix(entries, tasks.len()),
    }
}

/// Returns `pass`, `fail`, or the reason why there is no grade.
fn result(row: Option<&SurveyRow>) -> &'static str {
    match row {
        None => "not begun",
        Some(row) => match row.passed {
            Some(true) => "pass",
            Some(false) => "fail",
            None => match (row.outcome, row.ended) {
                // The outcome is `cancelled` in several cases, and the end of the agent's part is more specific.
                (Some(OutcomeKind::Cancelled), Some(end)) => end.as_str(),
                (Some(outcome), _) => outcome.as_str(),
                (None, _) => row.status.as_str(),
            },
        },
    }
}

fn groups(
    entries: &[Entry<'_>],
    tasks: &[TaskFacts],
    of: fn(&TaskFacts) -> Vec<&str>,
) -> Vec<Group> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<&Entry<'_>>> = Vec::new();
    for together in entries.chunk_by(|a, b| a.task == b.task) {
        for name in of(&tasks[together[0].task]) {
            let place = *places.entry(name).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            groups[place].extend(together);
        }
    }
    places
        .into_iter()
        .map(|(name, place)| Group {
            name: name.to_owned(),
            slice: slice(&groups[place], tasks, Score::brief),
        })
        .collect()
}

fn slice(entries: &[&Entry<'_>], tasks: &[TaskFacts], score: fn(&[Sample<'_>]) -> Score) -> Slice {
    let samples: Vec<Sample<'_>> = entries.iter().map(|entry| sample(entry, tasks)).collect();
    let consumption: Vec<Consumption> = entries
        .iter()
        .filter_map(|entry| entry.row.filter(|row| row.ended.is_some()))
        .map(|row| Consumption {
            turns: row.turns,
            tool_calls: row.tool_calls,
            input_tokens: row.usage.map(|usage| usage.input),
            output_tokens: row.usage.map(|usage| usage.output),
            cost_nano_usd: row.cost.map(|cost| cost.nano_usd()),
            agent_us: row.agent_us,
        })
        .collect();
    Slice {
        score: score(&samples),
        mean_score: mean_score(entries),
        score_rules: score_rules(entries),
        resources: Resources::of(&consumption),
    }
}

/// Returns the mean over tasks of the mean score of their graded attempts. Entries of the same task must be adjacent.
fn mean_score(entries: &[&Entry<'_>]) -> Option<f64> {
    let mean = |values: &[f64]| {
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let scored = |entry: &&Entry<'_>| entry.row.and_then(|row| row.passed.and(row.score));
    let tasks: Vec<f64> = entries
        .chunk_by(|a, b| a.task == b.task)
        .filter_map(|task| mean(&task.iter().filter_map(scored).collect::<Vec<_>>()))
        .collect();
    mean(&tasks)
}

/// Counts the graded attempts by the rule of their score.
fn score_rules(entries: &[&Entry<'_>]) -> BTreeMap<ScoreRule, usize> {
    let mut rules = BTreeMap::new();
    for rule in entries.iter().filter_map(|entry| entry.row?.score_rule) {
        *rules.entry(rule).or_default() += 1;
    }
    rules
}

fn sample<'a>(entry: &Entry<'_>, tasks: &'a [TaskFacts]) -> Sample<'a> {
    let task = &tasks[entry.task];
    Sample {
        task: &task.id,
        world: task.world(),
        k: entry.k,
        passed: entry.row.and_then(|row| row.passed),
    }
}

fn tools<'a>(rows: impl Iterator<Item = &'a SurveyRow>) -> Vec<ToolUse> {
    let mut counts: HashMap<&str, (u64, u64)> = HashMap::new();
    for (name, calls, errors) in rows.flat_map(|row| &row.tools) {
        let count = counts.entry(&**name).or_default();
        count.0 += calls;
        count.1 += errors;
    }
    let mut tools: Vec<ToolUse> = counts
        .into_iter()
        .map(|(name, (calls, errors))| ToolUse {
            name: name.to_owned(),
            calls,
            errors,
        })
        .collect();
    tools.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.name.cmp(&b.name)));
    tools
}

fn turn_bars<'a>(rows: impl Iterator<Item = &'a SurveyRow>) -> Vec<TurnBar> {
    let graded: Vec<(u32, bool)> = rows
        .filter_map(|row| Some((row.turns, row.passed?)))
        .collect();
    let Some(most) = graded.iter().map(|(turns, _)| *turns).max() else {
        return Vec::new();
    };
    let width = (most + 1).div_ceil(TURN_BARS);
    let mut bars: Vec<TurnBar> = (0..=most / width)
        .map(|bar| TurnBar {
            from: bar * width,
            to: (bar + 1) * width - 1,
            ..TurnBar::default()
        })
        .collect();
    for (turns, passed) in graded {
        let bar = &mut bars[(turns / width) as usize];
        if passed {
            bar.passed += 1;
        } else {
            bar.failed += 1;
        }
    }
    bars
}

fn matrix(entries: &[Entry<'_>], tasks: usize) -> Vec<Cell> {
    let mut cells: Vec<Cell> = (0..tasks)
        .map(|_| Cell {
            count: TaskCount::default(),
            attempts: Vec::new(),
        })
        .collect();
    for entry in entries {
        let cell = &mut cells[entry.task];
        if let Some(passed) = entry.row.and_then(|row| row.passed) {
            cell.count.graded += 1;
            cell.count.passed += u32::from(passed);
        }
        cell.attempts.push(AttemptRef {
            id: entry.row.map(|row| row.id.clone()),
            k: entry.k,
            result: result(entry.row),
            turns: entry.row.map_or(0, |row| row.turns),
            tool_calls: entry.row.map_or(0, |row| row.tool_calls),
            failure: entry.row.and_then(|row| row.failure.clone()),
        });
    }
    cells
}

fn comparisons(plan: &Plan<'_>, names: &[String]) -> Vec<Pair> {
    if names.len() > MAX_COMPARED {
        return Vec::new();
    }
    let samples: Vec<Vec<Sample<'_>>> = plan
        .entries
        .iter()
        .map(|entries| {
            entries
                .iter()
                .map(|entry| sample(entry, &plan.tasks))
                .collect()
        })
        .collect();
    let all: Vec<(usize, usize)> = (0..names.len())
        .flat_map(|a| (a + 1..names.len()).map(move |b| (a, b)))
        .collect();
    let compared = parallel::each(all.len(), |index| {
        let (a, b) = all[index];
        Comparison::of(&samples[a], &samples[b])
    });
    let pairs: Vec<(usize, usize, Comparison)> = all
        .into_iter()
        .zip(compared)
        .filter_map(|((a, b), comparison)| Some((a, b, comparison?)))
        .collect();
    let values: Vec<f64> = pairs
        .iter()
        .map(|(_, _, comparison)| comparison.p)
        .collect();
    let adjusted = mcpmark_metrics::holm(&values);
    pairs
        .into_iter()
        .zip(adjusted)
        .map(|((a, b, comparison), p_holm)| Pair {
            a: names[a].clone(),
            b: names[b].clone(),
            comparison,
            p_holm,
        })
        .collect()
}

/// Returns the samples of one model as task index, repetition and result, for a comparison across experiments.
pub(crate) fn samples_of(report: &Report, model: &ModelReport) -> Vec<(usize, u32, Option<bool>)> {
    debug_assert_eq!(report.tasks.len(), model.matrix.len());
    model
        .matrix
        .iter()
        .enumerate()
        .flat_map(|(task, cell)| {
            cell.attempts.iter().map(move |attempt| {
                let passed = match attempt.result {
                    "pass" => Some(true),
                    "fail" => Some(false),
                    _ => None,
                };
                (task, attempt.k, passed)
            })
        })
        .collect()
}
