//! Selection of tasks by id, tier and tag.

use std::fmt;
use std::str::FromStr;

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use crate::library::{BrokenTask, Tasks};
use crate::published::{PublishedTask, PublishedTasks};
use crate::{Error, Task, TaskId, Tier};

/// Pattern that chooses tasks by id: `filesystem`, `filesystem/<world>`, `filesystem/<world>/<task>`, or a glob.
///
/// A selector with fewer parts than an id chooses everything below it. `*` does not match `/`.
#[derive(Debug, Clone)]
pub struct Selector {
    text: String,
    glob: GlobMatcher,
}

impl Selector {
    /// Reports whether the pattern matches the id or one of its parent directories.
    pub fn matches(&self, id: &TaskId) -> bool {
        self.matches_text(&id.to_string())
    }

    /// Reports whether the pattern matches an id, given as text, or one of its parent directories.
    pub fn matches_text(&self, task: &str) -> bool {
        let ends = task
            .match_indices('/')
            .map(|(end, _)| end)
            .chain([task.len()]);
        ends.into_iter().any(|end| self.glob.is_match(&task[..end]))
    }

    /// Returns the selector as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Selector {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = |reason: String| Error::Name {
            text: text.to_owned(),
            what: "selector",
            reason,
        };
        let pattern = text.strip_suffix('/').unwrap_or(text);
        if pattern.is_empty() {
            return Err(wrong("the selector is empty".to_owned()));
        }
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| wrong(error.kind().to_string()))?;
        Ok(Self {
            text: text.to_owned(),
            glob: glob.compile_matcher(),
        })
    }
}

/// Errors of selecting tasks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// The selector matches no task.
    #[error("selector {selector:?} matches no task{}", hint(near))]
    NoMatch {
        /// The selector.
        selector: String,
        /// Similar ids, or prefixes of ids, as suggestions.
        near: Vec<String>,
    },

    /// Tasks match the selectors, but none of them has the tiers and tags.
    #[error("none of the {chosen} selected tasks has {}", wanted(tiers, tags))]
    NothingLeft {
        /// Number of tasks that match the selectors.
        chosen: usize,
        /// Requested tiers.
        tiers: Vec<Tier>,
        /// Requested tags.
        tags: Vec<String>,
    },

    /// A selected task cannot be loaded.
    #[error("cannot load task {id}")]
    Broken {
        /// Id of the task.
        id: String,
        /// Error of loading it.
        source: Box<Error>,
    },

    /// The library has no tasks.
    #[error("no tasks found")]
    NoTasks,
}

impl Tasks {
    /// Returns the tasks that match at least one selector, have one of the tiers and at least one of the tags, sorted
    /// by id. An empty list of selectors, tiers or tags does not restrict the result.
    ///
    /// # Errors
    ///
    /// Returns an error if a selector matches nothing, a task that matches a selector is broken, or no task is left.
    pub fn select(
        self,
        selectors: &[Selector],
        tiers: &[Tier],
        tags: &[String],
    ) -> Result<Vec<Task>, SelectError> {
        let broken = self.broken.into_iter();
        let broken = broken.map(|task| (task.id, task.error)).collect();
        choose(self.tasks, broken, selectors, tiers, tags)
    }

    /// Returns the tasks that [`select`](Self::select) returns, and the broken tasks that match a selector.
    ///
    /// # Errors
    ///
    /// Returns an error if a selector matches nothing, broken tasks included, or if tasks match the selectors but none
    /// of them has the tiers and tags, and no broken task matches.
    pub fn list(
        self,
        selectors: &[Selector],
        tiers: &[Tier],
        tags: &[String],
    ) -> Result<Self, SelectError> {
        let broken = self.broken.into_iter();
        let broken = broken.map(|task| (task.id, task.error)).collect();
        let (tasks, broken) = sift(self.tasks, broken, selectors, tiers, tags)?;
        let broken = broken.into_iter();
        let broken = broken.map(|(id, error)| BrokenTask { id, error });
        Ok(Self {
            tasks,
            broken: broken.collect(),
        })
    }
}

impl PublishedTasks {
    /// Returns the selected tasks, by the rules of [`Tasks::select`].
    ///
    /// # Errors
    ///
    /// As [`Tasks::select`].
    pub fn select(
        self,
        selectors: &[Selector],
        tiers: &[Tier],
        tags: &[String],
    ) -> Result<Vec<PublishedTask>, SelectError> {
        choose(self.tasks, self.broken, selectors, tiers, tags)
    }

    /// Returns the selected tasks with the broken ones, by the rules of [`Tasks::list`].
    ///
    /// # Errors
    ///
    /// As [`Tasks::list`].
    pub fn list(
        self,
        selectors: &[Selector],
        tiers: &[Tier],
        tags: &[String],
    ) -> Result<Self, SelectError> {
        let (tasks, broken) = sift(self.tasks, self.broken, selectors, tiers, tags)?;
        Ok(Self { tasks, broken })
    }
}

/// Properties by which tasks are selected.
trait Choice {
    fn id(&self) -> &TaskId;
    fn is_of(&self, tiers: &[Tier]) -> bool;
    fn has(&self, tag: &str) -> bool;
}

impl Choice for Task {
    fn id(&self) -> &TaskId {
        &self.id
    }

    fn is_of(&self, tiers: &[Tier]) -> bool {
        tiers.contains(&self.meta.difficulty)
    }

    fn has(&self, tag: &str) -> bool {
        self.meta.tags.iter().any(|own| own == tag)
    }
}

impl Choice for PublishedTask {
    fn id(&self) -> &TaskId {
        &self.id
    }

    fn is_of(&self, tiers: &[Tier]) -> bool {
        let own = self.tier();
        tiers.iter().any(|tier| own == Some(tier.as_str()))
    }

    fn has(&self, tag: &str) -> bool {
        let tags = self.metadata.get("tags").and_then(Value::as_array);
        tags.is_some_and(|tags| tags.iter().any(|own| own == tag))
    }
}

fn choose<T: Choice>(
    tasks: Vec<T>,
    broken: Vec<(String, Error)>,
    selectors: &[Selector],
    tiers: &[Tier],
    tags: &[String],
) -> Result<Vec<T>, SelectError> {
    let (tasks, broken) = sift(tasks, broken, selectors, tiers, tags)?;
    match broken.into_iter().next() {
        Some((id, error)) => Err(SelectError::Broken {
            id,
            source: Box::new(error),
        }),
        None if tasks.is_empty() => Err(SelectError::NoTasks),
        None => Ok(tasks),
    }
}

/// Selected tasks, and the ids and errors of broken ones.
type Sifted<T> = (Vec<T>, Vec<(String, Error)>);

fn sift<T: Choice>(
    tasks: Vec<T>,
    broken: Vec<(String, Error)>,
    selectors: &[Selector],
    tiers: &[Tier],
    tags: &[String],
) -> Result<Sifted<T>, SelectError> {
    for selector in selectors {
        let mut ids = tasks
            .iter()
            .map(|task| task.id().to_string())
            .chain(broken.iter().map(|(id, _)| id.clone()));
        if !ids.clone().any(|id| selector.matches_text(&id)) {
            let near = near(selector.as_str(), &mut ids);
            return Err(SelectError::NoMatch {
                selector: selector.to_string(),
                near,
            });
        }
    }
    let chosen = |id: &str| {
        selectors.is_empty() || selectors.iter().any(|selector| selector.matches_text(id))
    };
    let broken: Vec<_> = broken.into_iter().filter(|(id, _)| chosen(id)).collect();
    let chosen: Vec<T> = tasks
        .into_iter()
        .filter(|task| chosen(&task.id().to_string()))
        .collect();
    if chosen.is_empty() {
        return Ok((chosen, broken));
    }
    let count = chosen.len();
    let of_tier = |task: &T| tiers.is_empty() || task.is_of(tiers);
    let tagged = |task: &T| tags.is_empty() || tags.iter().any(|tag| task.has(tag));
    let left: Vec<T> = chosen
        .into_iter()
        .filter(|task| of_tier(task) && tagged(task))
        .collect();
    if left.is_empty() && broken.is_empty() {
        return Err(SelectError::NothingLeft {
            chosen: count,
            tiers: tiers.to_vec(),
            tags: tags.to_vec(),
        });
    }
    Ok((left, broken))
}

/// Returns up to three suggestions for a selector without matches: ids cut to its number of parts, or whole ids, that
/// are similar by Jaro-Winkler distance, best first.
fn near(text: &str, ids: &mut dyn Iterator<Item = String>) -> Vec<String> {
    const ALIKE: f64 = 0.8;
    let parts = text.trim_end_matches('/').split('/').count();
    let mut scored: Vec<(f64, String)> = ids
        .flat_map(|id| {
            let cut = id.split('/').take(parts).collect::<Vec<_>>().join("/");
            // The user may have written only the last part, the name of a task or world.
            let last = id.rsplit('/').next().unwrap_or_default();
            let whole = strsim::jaro_winkler(text, last);
            [(strsim::jaro_winkler(text, &cut), cut), (whole, id)]
        })
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by(|(a, left), (b, right)| b.total_cmp(a).then_with(|| left.cmp(right)));
    let mut near: Vec<String> = Vec::new();
    for (_, id) in scored {
        if near.len() < 3 && !near.contains(&id) {
            near.push(id);
        }
    }
    near
}

fn hint(near: &[String]) -> String {
    if near.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", near.join(" or "))
    }
}

fn wanted(tiers: &[Tier], tags: &[String]) -> String {
    let tiers = tiers
        .iter()
        .map(|tier| tier.as_str())
        .collect::<Vec<_>>()
        .join(" or ");
    let tags = tags
        .iter()
        .map(|tag| format!("{tag:?}"))
        .collect::<Vec<_>>()
        .join(" or ");
    match (tiers.is_empty(), tags.is_empty()) {
        (false, true) => format!("tier {tiers}"),
        (true, _) => format!("tag {tags}"),
        (false, false) => format!("tier {tiers} and tag {tags}"),
    }
}
