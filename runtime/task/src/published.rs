//! Corpora of tasks in the published layouts, taken as they are.
//!
//! A task is a directory with `verify.py`, `description.md` and `meta.json`. In one layout it
//! lies in `tasks/<service>/<suite>/<category>/<task>/` and starts from the state of its
//! category, which comes apart from it. In the other its `meta.json` names a world, and
//! `worlds/[<service>/]<world>/env/` holds it. A task is named by where it lies: names within
//! files repeat, and differ from those of directories.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::document::{Document, Place};
use crate::error::there_are;
use crate::meta::limits;
use crate::{Error, GuestSource, HeldBack, Limits, TaskId};

/// What judges.
pub const SCRIPT: &str = "verify.py";
/// How deep below `tasks/` a task may lie.
pub(crate) const MAX_DEPTH: usize = 4;
/// Directories that are looked into.
const MAX_DIRECTORIES: usize = 100_000;
/// Keys under which a task names its world.
const WORLD_KEYS: &[&str] = &["world", "world_id", "parent_world"];
/// Services whose tasks have no state of their own: they ask about the web, and the last message
/// is judged.
const STATELESS: &[&str] = &["playwright"];

/// A directory of published tasks.
#[derive(Debug, Clone)]
pub struct Corpus {
    root: PathBuf,
    tasks_dir: PathBuf,
}

/// A task of a corpus.
#[derive(Debug, Clone)]
pub struct PublishedTask {
    /// Where it lies.
    pub id: TaskId,
    /// Its directory.
    pub dir: PathBuf,
    /// What the agent is told.
    pub instruction: String,
    /// What judges the final state.
    pub script: PathBuf,
    /// What is known of the script where somebody else has it.
    pub held_back: Option<HeldBack>,
    /// Plays the task as it is meant, where somebody put one beside the script: `solution.wasm`,
    /// or `solution.rs` with a package.
    pub solution: Option<GuestSource>,
    /// All of `meta.json`, keys that nobody here knows among them.
    pub metadata: Map<String, Value>,
    /// The world that it names, where it names one.
    pub world: Option<String>,
    /// Limits of its own, under the key and by the names that our own tasks have.
    pub limits: Limits,
    /// What is odd about it and keeps nothing from working.
    pub warnings: Vec<Oddity>,
}

/// What is odd about a task of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Oddity {
    /// Its file names it otherwise than its directory.
    OtherName {
        /// What the file says.
        task_id: String,
        /// What the directory says, which counts.
        directory: String,
    },
    /// Its file names it as those of others name them.
    SharedName {
        /// The others.
        others: String,
    },
}

impl std::fmt::Display for Oddity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OtherName { task_id, directory } => write!(
                f,
                "its task_id is {task_id:?}, and its directory {directory:?}, which counts"
            ),
            Self::SharedName { others } => write!(f, "its task_id is also that of {others}"),
        }
    }
}

/// What a corpus holds.
#[derive(Debug, Default)]
pub struct PublishedTasks {
    /// Sorted by id.
    pub tasks: Vec<PublishedTask>,
    /// Those that cannot be used, and why; sorted by id.
    pub broken: Vec<(String, Error)>,
}

impl PublishedTask {
    /// A text of `meta.json`.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).and_then(Value::as_str)
    }

    /// How hard it is said to be.
    pub fn tier(&self) -> Option<&str> {
        self.text("difficulty").or_else(|| self.text("tier"))
    }
}

impl Corpus {
    /// The corpus in `root`, which holds `tasks/` or is that directory itself.
    ///
    /// # Errors
    ///
    /// When it is no directory.
    pub fn at(root: &Path) -> Result<Self, Error> {
        let below = root.join("tasks");
        let (root, tasks_dir) = match (below.is_dir(), root.is_dir()) {
            (true, _) => (root.to_owned(), below),
            (false, true) => {
                // Worlds then lie beside it.
                let parent = root.parent().filter(|_| root.ends_with("tasks"));
                (parent.unwrap_or(root).to_owned(), root.to_owned())
            }
            (false, false) => {
                return Err(Error::Layout {
                    place: root.to_owned(),
                    problem: "is no directory".to_owned(),
                });
            }
        };
        Ok(Self { root, tasks_dir })
    }

    /// All tasks.
    ///
    /// # Errors
    ///
    /// When a directory cannot be listed, or there is no task at all; what is wrong with one task
    /// is told in the answer.
    pub fn tasks(&self) -> Result<PublishedTasks, Error> {
        let mut found = PublishedTasks::default();
        let directories = self.directories()?;
        if directories.is_empty() {
            return Err(Error::Layout {
                place: self.tasks_dir.clone(),
                problem: format!("no {SCRIPT} lies below it, so that there is no task"),
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

    /// One task.
    ///
    /// # Errors
    ///
    /// When there is none of that name, or it cannot be used.
    pub fn task(&self, id: &str) -> Result<PublishedTask, Error> {
        let all = self.directories()?;
        let found = all.iter().find(|names| names.join("/") == id);
        let found = found.ok_or_else(|| Error::UnknownTask {
            id: id.to_owned(),
            known: all.iter().map(|names| names.join("/")).collect(),
        })?;
        self.load(found)
    }

    /// The directory that a task starts from; `states` is where those of categories lie. None
    /// where it starts from nothing.
    ///
    /// # Errors
    ///
    /// When it is in none of the places where it could be. They are named.
    pub fn state(
        &self,
        task: &PublishedTask,
        states: Option<&Path>,
    ) -> Result<Option<PathBuf>, Error> {
        self.start(task, states).map_err(|missing| Error::Layout {
            place: task.dir.clone(),
            problem: format!("its {missing}"),
        })
    }

    /// The directories that tasks start from, in their order.
    ///
    /// # Errors
    ///
    /// When some are not there: all that lack, each once.
    pub fn states(
        &self,
        tasks: &[PublishedTask],
        states: Option<&Path>,
    ) -> Result<Vec<Option<PathBuf>>, Error> {
        let mut found = Vec::new();
        let mut missing: BTreeMap<String, usize> = BTreeMap::new();
        for task in tasks {
            match self.start(task, states) {
                Ok(place) => found.push(place),
                Err(what) => *missing.entry(what).or_default() += 1,
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        if let [task] = tasks {
            self.state(task, states)?;
        }
        Err(Error::Missing {
            starts: missing.into_iter().collect(),
        })
    }

    /// Where a task starts from, or what is missing.
    fn start(
        &self,
        task: &PublishedTask,
        states: Option<&Path>,
    ) -> Result<Option<PathBuf>, String> {
        let places = self.places(task, states);
        if let Some(place) = places.iter().find(|place| place.is_dir()) {
            return Ok(Some(place.clone()));
        }
        if task.world.is_none() && STATELESS.contains(&task.id.service()) {
            return Ok(None);
        }
        let wanted = match (&task.world, task.id.category()) {
            (Some(world), _) => format!("world {world:?}"),
            (None, Some(category)) => format!("state of category {category:?}"),
            (None, None) => "starting state".to_owned(),
        };
        let shown: Vec<String> = places.iter().map(|it| it.display().to_string()).collect();
        let wherever = match &shown[..] {
            [] => match (&task.world, task.id.category()) {
                (None, Some(category)) => format!(
                    "name the directory with the states of all categories; there it goes to {}/{category} or {category}",
                    task.id.service()
                ),
                (Some(_), _) => "that is no name of a directory".to_owned(),
                (None, None) => format!(
                    "a task of no category names its world, under the key {:?}",
                    WORLD_KEYS[0]
                ),
            },
            places => format!("put it at {}", places.join(" or ")),
        };
        Err(format!("{wanted} is not there; {wherever}"))
    }

    fn places(&self, task: &PublishedTask, states: Option<&Path>) -> Vec<PathBuf> {
        let service = task.id.service();
        let below = |top: &Path, name: &str| [top.join(service).join(name), top.join(name)];
        let worlds = self.root.join("worlds");
        match (&task.world, task.id.category()) {
            // A name from a file leads nowhere else.
            (Some(world), _) if !is_name(world) => Vec::new(),
            (Some(world), _) => [Some(worlds.as_path()), states]
                .into_iter()
                .flatten()
                .flat_map(|top| below(top, world))
                .map(|dir| dir.join("env"))
                .collect(),
            (None, Some(category)) => states
                .into_iter()
                .flat_map(|top| {
                    spellings(category)
                        .into_iter()
                        .flat_map(move |it| below(top, &it))
                })
                .collect(),
            (None, None) => Vec::new(),
        }
    }

    /// All directories that are meant as tasks, by the names on the way to them, sorted.
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
                            "more than {MAX_DIRECTORIES} directories lie here and beside it; this is no corpus"
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
        let held_back = match script.path.is_file() {
            true => None,
            false => Some(
                HeldBack::find(&dir)?
                    .ok_or_else(|| dir.layout(format!("no {SCRIPT}, which judges")))?,
            ),
        };
        let description = dir.join("description.md");
        let instruction = description
            .text()?
            .ok_or_else(|| dir.layout("no description.md, which tells the agent what to do"))?;
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
            warnings.push(Oddity::OtherName {
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

/// Where the state of a task lies in a corpus whose states lie in `states/` beside its `tasks/`; none where a
/// task names no world and no category, or one that is no name.
pub fn state_place(id: &TaskId, metadata: &Map<String, Value>) -> Option<PathBuf> {
    let world = WORLD_KEYS
        .iter()
        .find_map(|key| metadata.get(*key).and_then(Value::as_str));
    match (world, id.category()) {
        (Some(world), _) if is_name(world) => {
            let worlds = Path::new("worlds").join(id.service());
            Some(worlds.join(world).join("env"))
        }
        (None, Some(category)) => Some(Path::new("states").join(id.service()).join(category)),
        _ => None,
    }
}

/// Tells of tasks that have one `task_id` between them.
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
            let others = there_are(&others);
            let others = others.trim_start_matches("; there are: ").to_owned();
            task.warnings.push(Oddity::SharedName { others });
        }
    }
}

/// A name as it stands, and with the other sign between its words: directories of categories have
/// `_` where those of their states have `-`.
fn spellings(name: &str) -> Vec<String> {
    let mut all = vec![name.to_owned()];
    for other in [name.replace('_', "-"), name.replace('-', "_")] {
        if !all.contains(&other) {
            all.push(other);
        }
    }
    all
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(['/', '\\', '\0']) && text != "." && text != ".."
}

/// Names of directories, sorted; links, of which published ones lead to other services' tasks,
/// and hidden ones are left out.
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
mod tests {
    use std::fs;

    use super::*;

    fn task(root: &Path, path: &str, meta: &str) {
        let dir = root.join(path);
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("meta.json"), meta).unwrap();
        fs::write(dir.join("description.md"), "Sort the desk.\n").unwrap();
        fs::write(dir.join(SCRIPT), "").unwrap();
    }

    fn ids(tasks: &PublishedTasks) -> Vec<String> {
        tasks.tasks.iter().map(|task| task.id.to_string()).collect()
    }

    #[test]
    fn a_task_is_named_by_where_it_lies() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        task(
            root,
            "tasks/filesystem/standard/desktop/sort",
            r#"{"task_id": "sort", "new": [1]}"#,
        );
        task(
            root,
            "tasks/filesystem/easy/desktop/sort",
            r#"{"task_id": "sort"}"#,
        );
        task(
            root,
            "tasks/notion/easy/resume/simple__lessons",
            r#"{"task_id": "lessons"}"#,
        );
        task(
            root,
            "tasks/github/l2-007",
            r#"{"task_id": "l2-007", "world": "w3"}"#,
        );
        fs::create_dir_all(root.join("tasks/utils/__pycache__")).unwrap();
        std::os::unix::fs::symlink("notion", root.join("tasks/supabase")).unwrap();

        for top in [root.to_owned(), root.join("tasks")] {
            let found = Corpus::at(&top).unwrap().tasks().unwrap();
            assert!(found.broken.is_empty(), "{:?}", found.broken);
            assert_eq!(
                ids(&found),
                [
                    "filesystem/easy/desktop/sort",
                    "filesystem/standard/desktop/sort",
                    "github/l2-007",
                    "notion/easy/resume/simple__lessons",
                ]
            );
            let warnings: Vec<String> = found
                .tasks
                .iter()
                .flat_map(|task| &task.warnings)
                .map(Oddity::to_string)
                .collect();
            assert_eq!(
                warnings,
                [
                    "its task_id is also that of filesystem/standard/desktop/sort",
                    "its task_id is also that of filesystem/easy/desktop/sort",
                    "its task_id is \"lessons\", and its directory \"simple__lessons\", which counts",
                ]
            );
            assert_eq!(found.tasks[1].metadata["new"], serde_json::json!([1]));
            assert_eq!(found.tasks[2].world.as_deref(), Some("w3"));
        }
    }

    #[test]
    fn what_is_wrong_with_one_task_keeps_no_other_away() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        task(root, "tasks/a/one", "{");
        task(root, "tasks/a/two", "{}");
        task(root, "tasks/a/three", "{}");
        fs::remove_file(root.join("tasks/a/three").join(SCRIPT)).unwrap();
        let corpus = Corpus::at(root).unwrap();
        let found = corpus.tasks().unwrap();
        assert_eq!(ids(&found), ["a/two"]);
        let broken: Vec<String> = found
            .broken
            .iter()
            .map(|(id, error)| format!("{id}: {error}"))
            .collect();
        assert!(
            broken[0].starts_with("a/one: tasks/a/one/meta.json: line 1"),
            "{broken:?}"
        );
        assert_eq!(
            broken[1],
            "a/three: tasks/a/three: no verify.py, which judges"
        );
        assert_eq!(
            corpus.task("a/four").unwrap_err().to_string(),
            "no task named \"a/four\"; there are: a/one, a/three, a/two"
        );
        assert!(Corpus::at(&root.join("nothing")).is_err());
        let empty = root.join("empty");
        fs::create_dir(&empty).unwrap();
        let error = Corpus::at(&empty).unwrap().tasks().unwrap_err().to_string();
        assert!(
            error.ends_with("empty: no verify.py lies below it, so that there is no task"),
            "{error}"
        );
    }

    #[test]
    fn the_state_is_the_worlds_or_the_categorys() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        task(root, "tasks/filesystem/standard/desktop/sort", "{}");
        task(root, "tasks/github/l2-007", r#"{"world_id": "w3"}"#);
        task(root, "tasks/github/l2-008", r#"{"world": "../../etc"}"#);
        let corpus = Corpus::at(root).unwrap();
        let states = root.join("states");
        let find = |id: &str| {
            let found = corpus.state(&corpus.task(id).unwrap(), Some(&states));
            found.map(Option::unwrap)
        };
        let sort = "filesystem/standard/desktop/sort";
        let missing = find(sort).unwrap_err().to_string();
        assert!(
            missing.contains("its state of category \"desktop\" is not there; put it at ")
                && missing.contains("states/filesystem/desktop"),
            "{missing}"
        );
        fs::create_dir_all(states.join("desktop")).unwrap();
        assert!(find(sort).unwrap().ends_with("states/desktop"));

        assert!(
            find("github/l2-007")
                .unwrap_err()
                .to_string()
                .contains("world \"w3\"")
        );
        fs::create_dir_all(root.join("worlds/github/w3/env")).unwrap();
        assert!(
            find("github/l2-007")
                .unwrap()
                .ends_with("worlds/github/w3/env")
        );
        let misnamed = find("github/l2-008").unwrap_err().to_string();
        assert!(
            misnamed.ends_with("is not there; that is no name of a directory"),
            "{misnamed}"
        );
        let unnamed = corpus
            .state(&corpus.task(sort).unwrap(), None)
            .unwrap_err()
            .to_string();
        assert!(
            unnamed.ends_with("there it goes to filesystem/desktop or desktop"),
            "{unnamed}"
        );
    }

    #[test]
    fn a_state_may_be_spelt_otherwise_or_not_be_needed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        task(root, "tasks/github/standard/build_your_own-x/find", "{}");
        task(root, "tasks/playwright/standard/web_search/birth", "{}");
        let corpus = Corpus::at(root).unwrap();
        let states = root.join("states");
        let find = |id: &str| {
            corpus
                .state(&corpus.task(id).unwrap(), Some(&states))
                .unwrap()
        };
        fs::create_dir_all(states.join("build_your_own_x")).unwrap();
        let id = "github/standard/build_your_own-x/find";
        assert_eq!(find(id), Some(states.join("build_your_own_x")));
        fs::create_dir_all(states.join("github/build-your-own-x")).unwrap();
        assert_eq!(find(id), Some(states.join("github/build-your-own-x")));

        let id = "playwright/standard/web_search/birth";
        assert_eq!(find(id), None);
        fs::create_dir_all(states.join("web_search")).unwrap();
        assert_eq!(find(id), Some(states.join("web_search")));
    }

    #[test]
    fn all_states_that_lack_are_told_once_each() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for path in [
            "filesystem/easy/desk/a",
            "filesystem/standard/desk/b",
            "filesystem/standard/shelf/c",
            "filesystem/standard/there/d",
        ] {
            task(root, &format!("tasks/{path}"), "{}");
        }
        let corpus = Corpus::at(root).unwrap();
        let tasks = corpus.tasks().unwrap().tasks;
        let states = root.join("s");
        fs::create_dir_all(states.join("there")).unwrap();
        let told = corpus
            .states(&tasks, Some(&states))
            .unwrap_err()
            .to_string();
        let at = |name: &str| {
            let top = states.display();
            format!("put it at {top}/filesystem/{name} or {top}/{name}")
        };
        assert_eq!(
            told,
            format!(
                "2 starting states are not there:\nstate of category \"desk\" is not there; {} (2 tasks)\n\
                 state of category \"shelf\" is not there; {} (1 task)",
                at("desk"),
                at("shelf"),
            )
        );
        let one = corpus.states(&tasks[..1], Some(&states)).unwrap_err();
        assert_eq!(
            one.to_string(),
            corpus
                .state(&tasks[0], Some(&states))
                .unwrap_err()
                .to_string()
        );
        let two = corpus.states(&tasks[..2], Some(&states)).unwrap_err();
        assert!(
            two.to_string()
                .starts_with("1 starting state is not there:\n"),
            "{two}"
        );
        let there = corpus.states(&tasks[3..], Some(&states)).unwrap();
        assert_eq!(there, [Some(states.join("there"))]);
    }
}
