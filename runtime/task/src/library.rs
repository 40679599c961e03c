//! Libraries: directories with tasks and worlds, and their discovery and listing.

use std::path::{Path, PathBuf};

use crate::document::Place;
use crate::{Error, Task, TaskId, World, WorldId};

/// Directory with `tasks/` and `worlds/`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Library {
    /// Root directory, which contains both.
    pub root: PathBuf,
    /// Directory of the tasks, `tasks/<service>/<world>/<task>/`.
    pub tasks_dir: PathBuf,
    /// Directory of the worlds, `worlds/<service>/<world>/`.
    pub worlds_dir: PathBuf,
}

/// Tasks of a library, valid and broken.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Tasks {
    /// Valid tasks, sorted by id.
    pub tasks: Vec<Task>,
    /// Tasks with errors, sorted by id.
    pub broken: Vec<BrokenTask>,
}

/// Directory that looks like a task but cannot be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub struct BrokenTask {
    /// Id according to the directory; it may be invalid.
    pub id: String,
    /// Reason why it cannot be loaded.
    pub error: Error,
}

/// Worlds of a library, valid and broken.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Worlds {
    /// Valid worlds, sorted by id.
    pub worlds: Vec<World>,
    /// Worlds with errors, sorted by id.
    pub broken: Vec<BrokenWorld>,
}

/// Directory that looks like a world but cannot be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub struct BrokenWorld {
    /// Id according to the directory; it may be invalid.
    pub id: String,
    /// Reason why it cannot be loaded.
    pub error: Error,
}

impl Library {
    /// Creates the library with `tasks/` and `worlds/` in `root`. Does not check that they exist.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            tasks_dir: root.join("tasks"),
            worlds_dir: root.join("worlds"),
            root,
        }
    }

    /// Finds the library that contains `start`: the first of `start` and its ancestors with both directories.
    ///
    /// # Errors
    ///
    /// Returns an error if there is none.
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

    /// Reports whether a directory is a library. A corpus in a published layout may also have both directories, but its
    /// worlds have no `world.json`.
    pub fn is_there(root: &Path) -> bool {
        let library = Self::at(root);
        let has_manifest = |id: &WorldId| {
            let dir = library.worlds_dir.join(id.service()).join(id.name());
            dir.join("world.json").is_file()
        };
        let worlds = library.world_ids();
        library.tasks_dir.is_dir() && worlds.is_ok_and(|ids| ids.iter().any(has_manifest))
    }

    /// Loads all tasks. Errors of single tasks are part of the result.
    ///
    /// # Errors
    ///
    /// Returns an error if a directory cannot be listed.
    pub fn tasks(&self) -> Result<Tasks, Error> {
        let worlds = self.world_ids()?;
        let mut found = Tasks::default();
        for [service, group, name] in
            self.directories::<3>(&self.tasks_dir, Task::looks_like_task)?
        {
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

    /// Loads one task.
    ///
    /// # Errors
    ///
    /// Returns an error if it does not exist or is invalid.
    pub fn task(&self, id: &TaskId) -> Result<Task, Error> {
        let dir = self.task_dir(id);
        if !Task::looks_like_task(&dir) {
            let known = self.directories::<3>(&self.tasks_dir, Task::looks_like_task)?;
            return Err(Error::UnknownTask {
                id: id.to_string(),
                known: known.iter().map(|parts| parts.join("/")).collect(),
            });
        }
        Task::load(id.clone(), &dir, &self.world_ids()?)
    }

    /// Lists the ids of all worlds, valid or not, sorted. Directories with an invalid name are left out.
    ///
    /// # Errors
    ///
    /// Returns an error if a directory cannot be listed.
    pub fn world_ids(&self) -> Result<Vec<WorldId>, Error> {
        let found = self.directories::<2>(&self.worlds_dir, World::looks_like_world)?;
        let named = found
            .iter()
            .filter_map(|[service, name]| WorldId::new(service, name).ok());
        Ok(named.collect())
    }

    /// Loads all worlds. Errors of single worlds are part of the result.
    ///
    /// # Errors
    ///
    /// Returns an error if a directory cannot be listed.
    pub fn worlds(&self) -> Result<Worlds, Error> {
        let mut found = Worlds::default();
        for [service, name] in self.directories::<2>(&self.worlds_dir, World::looks_like_world)? {
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

    /// Loads one world.
    ///
    /// # Errors
    ///
    /// Returns an error if it does not exist or is invalid.
    pub fn world(&self, id: &WorldId) -> Result<World, Error> {
        let dir = self.world_dir(id);
        if !World::looks_like_world(&dir) {
            let known = self.world_ids()?.iter().map(WorldId::to_string).collect();
            return Err(Error::UnknownWorld {
                id: id.to_string(),
                known,
            });
        }
        World::load(id.clone(), &dir)
    }

    /// Returns the build directory for the guests of this library: `target/guests` if the library is also a cargo
    /// workspace, otherwise a directory in `cache`.
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

    /// Lists the directories `DEPTH` levels below `top` for which `matches` holds, as the names on their paths,
    /// sorted.
    fn directories<const DEPTH: usize>(
        &self,
        top: &Path,
        matches: fn(&Place) -> bool,
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
            matches(
                &names
                    .iter()
                    .fold(Place::new(&self.root, top), |dir, name| dir.join(name)),
            )
        });
        found.sort();
        Ok(found)
    }
}

/// Lists the names of the directories in `dir`, without hidden ones and build directories of cargo (`CACHEDIR.TAG`).
fn children(dir: &Place) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&dir.path).map_err(|error| dir.unreadable(error))? {
        let entry = entry.map_err(|error| dir.unreadable(error))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            return Err(Error::Layout {
                place: dir.shown.join(name),
                problem: "the name is not valid UTF-8".to_owned(),
            });
        };
        let path = entry.path();
        if !name.starts_with('.') && path.is_dir() && !path.join("CACHEDIR.TAG").exists() {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}
