use std::path::{Path, PathBuf};

use crate::document::Place;
use crate::{Error, Task, TaskId, World, WorldId};

/// A directory with `tasks/` and `worlds/`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Library {
    /// The directory that holds both.
    pub root: PathBuf,
    /// `tasks/<service>/<world>/<task>/`.
    pub tasks_dir: PathBuf,
    /// `worlds/<service>/<world>/`.
    pub worlds_dir: PathBuf,
}

/// The tasks of a library, those that can be used and those that cannot.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Tasks {
    /// Sorted by id.
    pub tasks: Vec<Task>,
    /// Sorted by id.
    pub broken: Vec<BrokenTask>,
}

/// A directory that is meant as a task but cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub struct BrokenTask {
    /// The name it would have, which may be no valid one.
    pub id: String,
    /// What is wrong.
    pub error: Error,
}

/// The worlds of a library, those that can be used and those that cannot.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Worlds {
    /// Sorted by id.
    pub worlds: Vec<World>,
    /// Sorted by id.
    pub broken: Vec<BrokenWorld>,
}

/// A directory that is meant as a world but cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub struct BrokenWorld {
    /// The name it would have, which may be no valid one.
    pub id: String,
    /// What is wrong.
    pub error: Error,
}

impl Library {
    /// The library whose `tasks/` and `worlds/` lie in `root`.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            tasks_dir: root.join("tasks"),
            worlds_dir: root.join("worlds"),
            root,
        }
    }

    /// The library that `start` lies in: the first directory from there upwards that has both.
    pub fn discover(start: &Path) -> Result<Self, Error> {
        let absolute = std::path::absolute(start).map_err(|source| Error::Read {
            file: start.to_owned(),
            source,
        })?;
        absolute
            .ancestors()
            .map(Self::at)
            .find(|library| library.tasks_dir.is_dir() && library.worlds_dir.is_dir())
            .ok_or_else(|| Error::NoLibrary {
                start: start.to_owned(),
            })
    }

    /// Whether a directory is a library, and no corpus in a published layout, which may have both
    /// directories, too: its worlds have manifests.
    pub fn is_there(root: &Path) -> bool {
        let library = Self::at(root);
        let has_manifest = |id: &WorldId| {
            let dir = library.worlds_dir.join(id.service()).join(id.name());
            dir.join("world.json").is_file()
        };
        let worlds = library.world_ids();
        library.tasks_dir.is_dir() && worlds.is_ok_and(|ids| ids.iter().any(has_manifest))
    }

    /// All tasks. Fails where a directory cannot be listed; what is wrong with one task is told in the answer.
    pub fn tasks(&self) -> Result<Tasks, Error> {
        let worlds = self.world_ids()?;
        let mut found = Tasks::default();
        for [service, group, name] in self.directories::<3>(&self.tasks_dir, Task::is_meant)? {
            let loaded = TaskId::new(&service, &group, &name).and_then(|id| {
                let dir = self.task_dir(&id);
                Task::load(id, &dir, &worlds)
            });
            match loaded {
                Ok(task) => found.tasks.push(task),
                Err(error) => {
                    let id = format!("{service}/{group}/{name}");
                    found.broken.push(BrokenTask { id, error });
                }
            }
        }
        Ok(found)
    }

    /// One task.
    pub fn task(&self, id: &TaskId) -> Result<Task, Error> {
        let dir = self.task_dir(id);
        if !Task::is_meant(&dir) {
            let known = self.directories::<3>(&self.tasks_dir, Task::is_meant)?;
            return Err(Error::UnknownTask {
                id: id.to_string(),
                known: known.iter().map(|parts| parts.join("/")).collect(),
            });
        }
        Task::load(id.clone(), &dir, &self.world_ids()?)
    }

    /// The ids of all worlds, sorted, whether they can be used or not; a directory whose name is no id has none.
    pub fn world_ids(&self) -> Result<Vec<WorldId>, Error> {
        let found = self.directories::<2>(&self.worlds_dir, World::is_meant)?;
        let named = found
            .iter()
            .filter_map(|[service, name]| WorldId::new(service, name).ok());
        Ok(named.collect())
    }

    /// All worlds; as with [`tasks`](Self::tasks), what is wrong with one is told in the answer.
    pub fn worlds(&self) -> Result<Worlds, Error> {
        let mut found = Worlds::default();
        for [service, name] in self.directories::<2>(&self.worlds_dir, World::is_meant)? {
            let loaded = WorldId::new(&service, &name).and_then(|id| {
                let dir = self.world_dir(&id);
                World::load(id, &dir)
            });
            match loaded {
                Ok(world) => found.worlds.push(world),
                Err(error) => {
                    let id = format!("{service}/{name}");
                    found.broken.push(BrokenWorld { id, error });
                }
            }
        }
        Ok(found)
    }

    /// One world.
    pub fn world(&self, id: &WorldId) -> Result<World, Error> {
        let dir = self.world_dir(id);
        if !World::is_meant(&dir) {
            let known = self.world_ids()?.iter().map(WorldId::to_string).collect();
            return Err(Error::UnknownWorld {
                id: id.to_string(),
                known,
            });
        }
        World::load(id.clone(), &dir)
    }

    /// Where the guests of this library are built: beside the host's own build products
    /// where the library is a cargo workspace too, else in the cache directory.
    pub fn guests_dir(&self, cache: &Path) -> PathBuf {
        if self.root.join("Cargo.toml").is_file() {
            self.root.join("target/guests")
        } else {
            cache.join("guests")
        }
    }

    fn task_dir(&self, id: &TaskId) -> Place {
        Place::new(
            &self.root,
            &self
                .tasks_dir
                .join(id.service())
                .join(id.group())
                .join(id.name()),
        )
    }

    fn world_dir(&self, id: &WorldId) -> Place {
        Place::new(
            &self.root,
            &self.worlds_dir.join(id.service()).join(id.name()),
        )
    }

    /// The names on the way to each directory `DEPTH` levels below `top` that `is_meant`, sorted.
    fn directories<const DEPTH: usize>(
        &self,
        top: &Path,
        is_meant: fn(&Place) -> bool,
    ) -> Result<Vec<[String; DEPTH]>, Error> {
        let mut level = vec![Vec::<String>::new()];
        for _ in 0..DEPTH {
            let mut below = Vec::new();
            for parents in level {
                let mut dir = Place::new(&self.root, top);
                for parent in &parents {
                    dir = dir.join(parent);
                }
                for name in children(&dir)? {
                    below.push(parents.iter().cloned().chain([name]).collect());
                }
            }
            level = below;
        }
        let mut found: Vec<[String; DEPTH]> = level
            .into_iter()
            .filter_map(|names| names.try_into().ok())
            .collect();
        found.retain(|names| {
            is_meant(
                &names
                    .iter()
                    .fold(Place::new(&self.root, top), |dir, name| dir.join(name)),
            )
        });
        found.sort();
        Ok(found)
    }
}

/// Names of the directories in `dir`, without hidden ones and cargo's build products.
fn children(dir: &Place) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&dir.path).map_err(|error| dir.unreadable(error))? {
        let entry = entry.map_err(|error| dir.unreadable(error))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            return Err(Error::Layout {
                place: dir.shown.join(name),
                problem: "the name is not UTF-8".to_owned(),
            });
        };
        let path = entry.path();
        if !name.starts_with('.') && path.is_dir() && !path.join("CACHEDIR.TAG").exists() {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}
