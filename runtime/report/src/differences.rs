//! Differences between experiments: limits, settings of agents and models, engine, tasks and numbers of attempts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use mcpmark_journal::{Spec, SpecLimits};
use mcpmark_snapshot::Digest;

use crate::build::{Key, Source};
use crate::data::{Difference, ModelReport};
use crate::numbers::NONE;

/// Length of a shortened digest, in hexadecimal digits.
const DIGEST: usize = 8;

/// Ids of tasks whose digests differ between experiments, for each experiment: the original id, and the id with the
/// digest.
type Versions = Vec<HashMap<String, Arc<str>>>;

/// Prefix of differences in settings.
pub(crate) const SETTINGS: &str = "settings of ";

/// Label of a value that has its default.
const UNSET: &str = "not set";

/// Finds the tasks whose digests differ between experiments. Reports append the digest to their ids.
pub(crate) fn versions(sources: &[Source], specs: &[Option<Spec>]) -> Versions {
    let digests: Vec<BTreeMap<&str, String>> = sources
        .iter()
        .zip(specs)
        .map(|(source, spec)| digests(source, spec.as_ref()))
        .collect();
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (task, digest) in digests.iter().flatten() {
        known.entry(*task).or_default().insert(digest);
    }
    let differs = |task: &str| known.get(task).is_some_and(|digests| digests.len() > 1);
    let own = |digests: &BTreeMap<&str, String>| {
        let differing = digests.iter().filter(|(task, _)| differs(task));
        differing
            .map(|(task, digest)| ((*task).to_owned(), format!("{task}@{digest}").into()))
            .collect()
    };
    digests.iter().map(own).collect()
}

/// Returns the shortened digests of the tasks of an experiment: those of graded attempts, or else the planned ones.
fn digests<'a>(source: &'a Source, spec: Option<&'a Spec>) -> BTreeMap<&'a str, String> {
    let mut digests = BTreeMap::new();
    for (task, digest) in spec.into_iter().flat_map(|spec| &spec.task_digests) {
        digests.insert(&**task, short(digest));
    }
    for (task, graded) in &source.provenance.tasks {
        let shown: Vec<String> = graded
            .iter()
            .map(|digest| short(&digest.untyped()))
            .collect();
        digests.insert(task, shown.join("+"));
    }
    digests
}

fn short(digest: &Digest) -> String {
    digest.hex().chars().take(DIGEST).collect()
}

/// Returns the differences between experiments. `keys` are their participants.
pub(crate) fn between(
    sources: &[Source],
    specs: &[Option<Spec>],
    keys: &[Key],
    versions: &[HashMap<String, Arc<str>>],
) -> Vec<Difference> {
    let mut differences: Vec<Difference> = task_sets(specs).into_iter().collect();
    let mut add =
        |what: String, values: Vec<Option<String>>| differences.extend(differing(what, values));
    let attempts = |spec: &Option<Spec>| Some(spec.as_ref()?.attempts.to_string());
    add(
        "attempts of a task".to_owned(),
        specs.iter().map(attempts).collect(),
    );
    for (what, of) in LIMITS {
        let value = |spec: &Option<Spec>| {
            let spec = spec.as_ref()?;
            Some(of(&spec.limits).map_or_else(|| UNSET.to_owned(), |limit| limit.to_string()))
        };
        add(format!("limit {what}"), specs.iter().map(value).collect());
    }
    let engines = sources.iter().map(|source| {
        let engines: Vec<&str> = source
            .provenance
            .engines
            .iter()
            .map(String::as_str)
            .collect();
        Some(engines.join(" + ")).filter(|engines| !engines.is_empty())
    });
    add("engine".to_owned(), engines.collect());
    let agents: BTreeSet<&str> = keys.iter().map(|key| &*key.agent).collect();
    for agent in agents {
        let of = |key: &Key| (*key.agent == *agent).then(|| key.agent_settings.to_string());
        add(
            format!("{SETTINGS}agent {agent}"),
            settings(sources.len(), keys, &of),
        );
    }
    let models: BTreeSet<&str> = keys.iter().filter_map(|key| key.model.as_deref()).collect();
    for model in models {
        let of = |key: &Key| {
            let is_it = key.model.as_deref() == Some(model);
            is_it.then(|| key.model_settings.to_string())
        };
        add(
            format!("{SETTINGS}{model}"),
            settings(sources.len(), keys, &of),
        );
    }
    let tasks: BTreeSet<&String> = versions.iter().flat_map(HashMap::keys).collect();
    for task in tasks {
        let digest = |versions: &HashMap<String, Arc<str>>| {
            let (_, digest) = versions.get(task)?.rsplit_once('@')?;
            Some(digest.to_owned())
        };
        add(
            format!("task {task}"),
            versions.iter().map(digest).collect(),
        );
    }
    differences
}

/// Returns the difference between the sets of tasks of experiments.
fn task_sets(specs: &[Option<Spec>]) -> Option<Difference> {
    let sets = specs.iter().map(|spec| {
        let tasks = spec.iter().flat_map(|spec| &spec.tasks);
        tasks.map(String::as_str).collect()
    });
    let sets: Vec<BTreeSet<&str>> = sets.collect();
    let is_common = |task: &&&str| sets.iter().all(|set| set.contains(**task));
    let value = |set: &BTreeSet<&str>| {
        let own = set.len() - set.iter().filter(is_common).count();
        match own {
            0 => set.len().to_string(),
            _ => format!("{}, {own} of them not in all", set.len()),
        }
    };
    let differ = sets.windows(2).any(|pair| pair[0] != pair[1]);
    differ.then(|| Difference {
        what: "tasks".to_owned(),
        values: sets.iter().map(value).collect(),
    })
}

/// Returns the settings of the selected participants, for each experiment.
fn settings(
    experiments: usize,
    keys: &[Key],
    of: &dyn Fn(&Key) -> Option<String>,
) -> Vec<Option<String>> {
    let each = |experiment| {
        let own = keys.iter().filter(|key| key.experiment == experiment);
        let settings: BTreeSet<String> = own.filter_map(of).collect();
        let settings: Vec<String> = settings.into_iter().collect();
        Some(settings.join(" + ")).filter(|settings| !settings.is_empty())
    };
    (0..experiments).map(each).collect()
}

/// Returns a difference if at least two of the known values are not equal.
fn differing(what: String, values: Vec<Option<String>>) -> Option<Difference> {
    let there: BTreeSet<&String> = values.iter().flatten().collect();
    (there.len() > 1).then(|| Difference {
        what,
        values: values
            .iter()
            .map(|value| value.clone().unwrap_or_else(|| NONE.to_owned()))
            .collect(),
    })
}

/// Returns the differences between two participants that are compared.
pub(crate) fn of_participants(a: &ModelReport, b: &ModelReport) -> Vec<Difference> {
    let both =
        |what: &str, a: String, b: String| differing(what.to_owned(), vec![Some(a), Some(b)]);
    let text = |value: &serde_json::Value| value.to_string();
    [
        both("agent", a.agent.clone(), b.agent.clone()),
        both(
            "agent settings",
            text(&a.agent_settings),
            text(&b.agent_settings),
        ),
        both("model settings", text(&a.settings), text(&b.settings)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

type LimitOf = fn(&SpecLimits) -> Option<u64>;

/// Limits of an attempt, with their names in experiment files.
const LIMITS: [(&str, LimitOf); 6] = [
    ("turns", |limits| limits.turns.map(u64::from)),
    ("time", |limits| limits.time_seconds),
    ("tool-time", |limits| limits.tool_call_seconds),
    ("input-tokens", |limits| limits.input_tokens),
    ("output-tokens", |limits| limits.output_tokens),
    ("attempt-cost, nano-dollars", |limits| {
        limits.attempt_cost_nano_usd.map(|cost| cost.nano_usd())
    }),
];
