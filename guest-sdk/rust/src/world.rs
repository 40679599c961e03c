//! Setup routines: building the starting tree of a world.

use serde_json::Value;

use crate::github::RepositoryBuilder;
use crate::host::{self, builder};
use crate::{Random, verifier};

/// Argument of a setup function: the empty tree, the random source and the clock.
#[derive(Debug)]
pub struct World {
    random: Random,
}

/// A file to add, with an optional modification time and executable bit.
#[derive(Clone, Debug)]
pub struct NewFile {
    path: String,
    content: Vec<u8>,
    executable: bool,
    modified: Option<i64>,
}

impl NewFile {
    /// Creates a file with these bytes.
    pub fn new(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            content: content.into(),
            executable: false,
            modified: None,
        }
    }

    /// Sets the modification time, in seconds since 1970-01-01T00:00:00Z. The default is the
    /// world's clock.
    #[must_use]
    pub fn modified(mut self, seconds: i64) -> Self {
        self.modified = Some(seconds);
        self
    }

    /// Marks the file as executable.
    #[must_use]
    pub fn executable(mut self) -> Self {
        self.executable = true;
        self
    }
}

/// # Panics
/// The methods that add to the tree panic when the host refuses: a path that breaks the rules,
/// a path that is taken, a world that is too large. The world cannot be built then.
impl World {
    pub(crate) fn new() -> Self {
        Self {
            random: Random::new(),
        }
    }

    /// Adds a file and the directories above it.
    #[track_caller]
    pub fn file(&mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.add(NewFile::new(path, content));
    }

    /// Adds a file with a modification time of its own or with the executable bit.
    #[track_caller]
    pub fn add(&mut self, file: NewFile) {
        accept(
            &file.path,
            host::write_file(&file.path, &file.content, file.executable, file.modified),
        );
    }

    /// Adds a directory and its ancestors. An existing directory is kept.
    #[track_caller]
    pub fn directory(&mut self, path: &str) {
        accept(path, host::create_directory(path));
    }

    /// Adds a symlink. The target is kept as written and must stay inside the world.
    #[track_caller]
    pub fn symlink(&mut self, path: &str, target: &str) {
        accept(path, host::create_symlink(path, target));
    }

    /// Returns the builder of the repository of a github world, in `repo/.git`.
    pub fn repository(&mut self) -> RepositoryBuilder {
        RepositoryBuilder::new()
    }

    /// Returns the random source.
    pub fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// Returns the virtual clock, in seconds since 1970-01-01T00:00:00Z.
    pub fn now(&self) -> i64 {
        host::now()
    }

    /// Returns the parameters of the task, a JSON object.
    pub fn parameters(&self) -> Value {
        verifier::parameters()
    }

    /// Writes a line to the log, for readers of the setup.
    pub fn log(&self, message: &str) {
        host::log(message);
    }
}

#[track_caller]
fn accept(path: &str, result: Result<(), builder::Error>) {
    if let Err(error) = result {
        let reason = match error {
            builder::Error::InvalidPath(rule) => format!("invalid path: {rule}"),
            builder::Error::Exists(what) => format!("already there: {what}"),
            builder::Error::TooLarge(limit) => format!("too large: {limit}"),
        };
        panic!("cannot add {path:?} to the world: {reason}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::set_up;

    #[test]
    fn a_world_is_built_from_its_seed() {
        let setup = |world: &mut World| {
            let number = world.random().below(1_000_000);
            world.file("a/b.txt", format!("{number}\n"));
            world.add(
                NewFile::new("run.sh", "#!/bin/sh\n")
                    .executable()
                    .modified(world.now() - 60),
            );
            world.directory("empty");
            world.directory("empty");
            world.symlink("link", "a/b.txt");
        };
        let tree = set_up(setup, 1);
        assert_eq!(tree, set_up(setup, 1));
        assert_ne!(tree, set_up(setup, 2));
        assert_eq!(tree.paths(), ["a", "a/b.txt", "empty", "link", "run.sh"]);
    }

    #[test]
    #[should_panic(expected = r#"cannot add "a.txt" to the world: already there: a.txt"#)]
    fn a_path_is_added_once() {
        set_up(
            |world| {
                world.file("a.txt", "1");
                world.file("a.txt", "2");
            },
            1,
        );
    }
}
