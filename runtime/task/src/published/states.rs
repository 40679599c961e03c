//! Starting states of the tasks of a corpus.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Corpus, PublishedTask, WORLD_KEYS};
use crate::document::Place;
use crate::{Error, GuestRole, GuestSource, TaskId};

/// Subdirectory of a world or state that holds the state itself, if the directory also contains guests.
const ENV: &str = "env";

impl Corpus {
    /// Finds the guests of a state, which are next to its `env` directory.
    ///
    /// # Errors
    ///
    /// Returns an error if a role has two guests.
    pub fn guests(&self, state: &Path) -> Result<BTreeMap<GuestRole, GuestSource>, Error> {
        let Some(dir) = state.parent().filter(|_| state.ends_with(ENV)) else {
            return Ok(BTreeMap::new());
        };
        crate::world::guests(&Place::new(&self.root, dir))
    }

    /// Finds the directory of a task's starting state; `states` is the directory with the states of categories. Returns
    /// `None` if the task starts without a state.
    ///
    /// # Errors
    ///
    /// Returns an error with the expected paths if the state is not at any of them.
    pub fn state(
        &self,
        task: &PublishedTask,
        states: Option<&Path>,
    ) -> Result<Option<PathBuf>, Error> {
        self.start(task, states).map_err(|problem| Error::Layout {
            place: task.dir.clone(),
            problem,
        })
    }

    /// Finds the directories of the starting states of tasks, in the order of the tasks.
    ///
    /// # Errors
    ///
    /// Returns an error that lists all missing states, each once.
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

    /// Finds the directory of a starting state. The error is a message that names the missing state and the expected
    /// paths.
    fn start(
        &self,
        task: &PublishedTask,
        states: Option<&Path>,
    ) -> Result<Option<PathBuf>, String> {
        let places = self.places(task, states);
        if let Some(place) = places.iter().find(|place| place.is_dir()) {
            // With guests, the state is in a subdirectory, as in a world.
            let inner = place.join(ENV);
            let mut files = GuestRole::ALL.iter().flat_map(|role| role.files());
            let has_guest = files.any(|file| place.join(file).is_file());
            return Ok(Some(if has_guest && inner.is_dir() {
                inner
            } else {
                place.clone()
            }));
        }
        if task.world.is_none() && self.stateless.contains(task.id.service()) {
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
                    "specify a directory with the states of all categories; it must contain {}/{category} or {category}",
                    task.id.service()
                ),
                (Some(_), _) => "its name is not a valid name of a directory".to_owned(),
                (None, None) => format!(
                    "a task without a category must name its world with the key {:?}",
                    WORLD_KEYS[0]
                ),
            },
            places => format!("put it at {}", places.join(" or ")),
        };
        Err(format!("{wanted} is missing; {wherever}"))
    }

    fn places(&self, task: &PublishedTask, states: Option<&Path>) -> Vec<PathBuf> {
        let service = task.id.service();
        let below = |top: &Path, name: &str| [top.join(service).join(name), top.join(name)];
        let worlds = self.root.join("worlds");
        match (&task.world, task.id.category()) {
            // The name is untrusted, so it must not contain path separators.
            (Some(world), _) if !is_name(world) => Vec::new(),
            (Some(world), _) => [Some(worlds.as_path()), states]
                .into_iter()
                .flatten()
                .flat_map(|top| below(top, world))
                .map(|dir| dir.join(ENV))
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
}

/// Returns the relative path of a task's state in a corpus whose `states/` is next to its `tasks/`. Returns `None` if
/// the task names neither a valid world nor a category. The guests of the state are in the parent directory of the
/// returned path.
pub fn state_place(
    id: &TaskId,
    metadata: &Map<String, Value>,
    has_guests: bool,
) -> Option<PathBuf> {
    let world = WORLD_KEYS
        .iter()
        .find_map(|key| metadata.get(*key).and_then(Value::as_str));
    match (world, id.category()) {
        (Some(world), _) if is_name(world) => {
            let worlds = Path::new("worlds").join(id.service());
            Some(worlds.join(world).join(ENV))
        }
        (None, Some(category)) => {
            let state = Path::new("states").join(id.service()).join(category);
            Some(if has_guests { state.join(ENV) } else { state })
        }
        _ => None,
    }
}

/// Returns the spellings of a category: unchanged, with `-` for `_`, and with `_` for `-`. Published corpora use `_`
/// for the directories of categories and `-` for those of their states.
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
