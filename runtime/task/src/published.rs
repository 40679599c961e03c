//! Corpora: directories of tasks in the published layouts, used without changes.
//!
//! A task is a directory with `verify.py`, `description.md` and `meta.json`. There are two layouts. In the first, a
//! task is at `tasks/<service>/<suite>/<category>/<task>/` and starts from the state of its category, which is
//! distributed separately. In the second, its `meta.json` names a world, and the state is in
//! `worlds/[<service>/]<world>/env/`. The id of a task is its path, because the names inside files are not unique and
//! differ from those of directories.

mod states;
mod task;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

pub use self::states::state_place;
pub use self::task::{PublishedTask, TaskWarning};
use crate::document::{Document, Place};
use crate::error::enumeration;
use crate::meta::limits;
use crate::{Error, GuestSource, HeldBack, Limits, TaskId};

/// File name of the verifier script.
pub const SCRIPT: &str = "verify.py";
/// Maximum depth of a task below `tasks/`, in directories.
pub(crate) const MAX_DEPTH: usize = 4;
/// Maximum number of directories that are searched for tasks.
const MAX_DIRECTORIES: usize = 100_000;
/// Keys of `meta.json` under which a task may name its world, in order of precedence.
const WORLD_KEYS: &[&str] = &["world", "world_id", "parent_world"];

/// Directory of published tasks.
#[derive(Debug, Clone)]
pub struct Corpus {
    root: PathBuf,
    tasks_dir: PathBuf,
    /// Services whose tasks may have no starting state.
    stateless: BTreeSet<String>,
}

/// Tasks of a corpus, valid and broken.
#[derive(Debug, Default)]
pub struct PublishedTasks {
    /// Valid tasks, sorted by id.
    pub tasks: Vec<PublishedTask>,
    /// Ids and errors of tasks that cannot be loaded, sorted by id.
    pub broken: Vec<(String, Error)>,
}

impl Corpus {
    /// Opens the corpus in `root`, which contains `tasks/` or is itself the directory of tasks.
    ///
    /// # Errors
    ///
    /// Returns an error if `root` is not a directory.
    pub fn at(root: &Path) -> Result<Self, Error> {
        let below = root.join("tasks");
        let (root, tasks_dir) = match (below.is_dir(), root.is_dir()) {
            (true, _) => (root.to_owned(), below),
            (false, true) => {
                // `worlds/` is then a sibling of this directory.
                let parent = root.parent().filter(|_| root.ends_with("tasks"));
                (parent.unwrap_or(root).to_owned(), root.to_owned())
            }
            (false, false) => {
                return Err(Error::Layout {
                    place: root.to_owned(),
                    problem: "not a directory".to_owned(),
                });
            }
        };
        Ok(Self {
            root,
            tasks_dir,
            stateless: BTreeSet::new(),
        })
    }

    /// Adds services whose tasks need no starting state: if a task of theirs names no world and no state is found for
    /// it, it starts without one.
    #[must_use]
    pub fn with_stateless<'a>(mut self, services: impl IntoIterator<Item = &'a str>) -> Self {
        self.stateless
            .extend(services.into_iter().map(str::to_owned));
        self
    }

    /// Loads all tasks. Errors of single tasks are part of the result.
    ///
    /// # Errors
    ///
    /// Returns an error if a directory cannot be listed or there are no tasks.
    pub fn tasks(&self) -> Result<PublishedTasks, Error> {
        let mut found = PublishedTasks::default();
        let directories = self.directories()?;
        if directories.is_empty() {
            return Err(Error::Layout {
                place: self.tasks_dir.clone(),
                problem: format!("no tasks found: no directory below it contains {SCRIPT}"),
            });
        }
        for names in directories {
            match self.load(&names) {
                Ok(task) => found.tasks.push(task),
                Err(error) => found.broken.push((names.join("/"), error)),
            }
        }
        repeated(&mut found.tasks);
        Ok(found)
    }

    /// Loads one task.
    ///
    /// # Errors
    ///
    /// Returns an error if it does not exist or is invalid.
    pub fn task(&self, id: &str) -> Result<PublishedTask, Error> {
        let all = self.directories()?;
        let found = all.iter().find(|names| names.join("/") == id);
        let found = found.ok_or_else(|| Error::UnknownTask {
            id: id.to_owned(),
            known: all.iter().map(|names| names.join("/")).collect(),
        })?;
        self.load(found)
    }

    /// Lists all directories that look like tasks, as the names on their paths, sorted.
    fn directories(&self) -> Result<Vec<Vec<String>>, Error> {
        let mut found = Vec::new();
        let mut level = vec![Vec::<String>::new()];
        let mut seen = 0;
        for _ in 0..MAX_DEPTH {
            let mut below = Vec::new();
            for parents in level {
                let dir = self.place(&parents);
                for name in subdirectories(&dir)? {
                    seen += 1;
                    if seen > MAX_DIRECTORIES {
                        return Err(dir.layout(format!(
                            "not a corpus: the limit of {MAX_DIRECTORIES} directories is exceeded here"
                        )));
                    }
                    let mut names = parents.clone();
                    names.push(name);
                    let place = self.place(&names);
                    if ["meta.json", SCRIPT]
                        .iter()
                        .any(|it| place.join(it).path.is_file())
                    {
                        found.push(names);
                    } else {
                        below.push(names);
                    }
                }
            }
            level = below;
        }
        found.sort();
        Ok(found)
    }

    fn place(&self, names: &[String]) -> Place {
        let path = names
            .iter()
            .fold(self.tasks_dir.clone(), |dir, name| dir.join(name));
        Place::new(&self.root, &path)
    }

    fn load(&self, names: &[String]) -> Result<PublishedTask, Error> {
        let id = TaskId::of_directories(names)?;
        let dir = self.place(names);
        let script = dir.join(SCRIPT);
        let held_back = if script.path.is_file() {
            None
        } else {
            Some(
                HeldBack::find(&dir)?
                    .ok_or_else(|| dir.layout(format!("no {SCRIPT}; add the verifier script")))?,
            )
        };
        let description = dir.join("description.md");
        let instruction = description
            .text()?
            .ok_or_else(|| dir.layout("no description.md; add the instruction for the agent"))?;
        let (metadata, limits) = match dir.join("meta.json").text()? {
            Some(text) => {
                let document = Document::parse(&dir.join("meta.json").shown, &text)?;
                let limits = limits(&document)?;
                (document.map, limits)
            }
            None => (Map::new(), Limits::default()),
        };
        let text = |key: &str| metadata.get(key).and_then(Value::as_str);
        let mut warnings = Vec::new();
        if let Some(own) = text("task_id").filter(|own| *own != id.name()) {
            warnings.push(TaskWarning::OtherName {
                task_id: own.to_owned(),
                directory: id.name().to_owned(),
            });
        }
        let world = WORLD_KEYS
            .iter()
            .find_map(|key| text(key))
            .map(str::to_owned);
        Ok(PublishedTask {
            solution: GuestSource::find(&dir, "solution", &dir)?,
            dir: dir.path.clone(),
            script: script.path,
            held_back,
            instruction,
            world,
            limits,
            metadata,
            warnings,
            id,
        })
    }
}

/// Adds a warning to all tasks whose `task_id` is not unique.
fn repeated(tasks: &mut [PublishedTask]) {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for task in &*tasks {
        if let Some(own) = task.text("task_id") {
            owners
                .entry(own.to_owned())
                .or_default()
                .push(task.id.to_string());
        }
    }
    for task in tasks {
        let all = task.text("task_id").and_then(|own| owners.get(own));
        let name = task.id.to_string();
        let others: Vec<String> = all
            .into_iter()
            .flatten()
            .filter(|other| **other != name)
            .cloned()
            .collect();
        if !others.is_empty() {
            let others = enumeration(&others);
            task.warnings.push(TaskWarning::SharedName { others });
        }
    }
}

/// Lists the names of the directories in `dir`, sorted. Leaves out names that begin with `.` or `_`, and symlinks,
/// because those of the published corpus point to tasks of other services.
fn subdirectories(dir: &Place) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&dir.path).map_err(|error| dir.unreadable(error))? {
        let entry = entry.map_err(|error| dir.unreadable(error))?;
        let kind = entry.file_type().map_err(|error| dir.unreadable(error))?;
        if let Ok(name) = entry.file_name().into_string()
            && kind.is_dir()
            && !name.starts_with(['.', '_'])
        {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests;
