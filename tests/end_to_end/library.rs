//! Libraries of tasks and worlds for tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::environment::{Environment, Output, copy_tree, repository, write_files};
use crate::guests;

/// A library with `tasks/` and `worlds/`. It begins with one world, `filesystem/office`.
pub(crate) struct Library<'a> {
    environment: &'a Environment,
    pub(crate) root: PathBuf,
}

impl<'a> Library<'a> {
    pub(crate) fn new(environment: &'a Environment) -> Self {
        let root = environment.path("library");
        fs::create_dir_all(root.join("tasks")).unwrap();
        let library = Self { environment, root };
        let world = library.world("office");
        write_files(
            &world,
            &[
                ("world.json", WORLD),
                ("files/note.txt", "as it was\n"),
                ("files/letters/one.txt", "Dear all\n"),
            ],
        );
        library
    }

    /// Returns the directory of a world of the filesystem service.
    pub(crate) fn world(&self, name: &str) -> PathBuf {
        self.root.join("worlds/filesystem").join(name)
    }

    /// Copies a shipped world, such as `filesystem/household`.
    pub(crate) fn shipped_world(&self, id: &str) {
        let world = Path::new("worlds").join(id);
        copy_tree(&repository().join(&world), &self.root.join(&world));
    }

    /// Returns the directory of the task `filesystem/office/<name>`.
    pub(crate) fn task_dir(&self, name: &str) -> PathBuf {
        self.root.join("tasks/filesystem/office").join(name)
    }

    /// Creates a task with this verifier and without a solution.
    pub(crate) fn task(&self, name: &str, verifier: &[u8]) -> PathBuf {
        self.task_with(name, verifier, &json!({"difficulty": "L1"}))
    }

    pub(crate) fn task_with(&self, name: &str, verifier: &[u8], meta: &Value) -> PathBuf {
        let dir = self.task_dir(name);
        write_files(
            &dir,
            &[
                ("meta.json", &meta.to_string()),
                ("description.md", "Leave everything as it is.\n"),
            ],
        );
        fs::write(dir.join("verifier.wasm"), verifier).unwrap();
        dir
    }

    /// Creates a task that always passes.
    pub(crate) fn easy_task(&self, name: &str) -> PathBuf {
        self.task(name, &guests::verdict(true, "fine"))
    }

    /// Fills the world with files, and returns the arguments of `search_files` for a search that takes seconds.
    pub(crate) fn long_search(&self) -> Value {
        let files = self.world("office").join("files");
        for number in 0..7_000 {
            let name = format!("{}{number}", "ab".repeat(100));
            fs::write(files.join(name), "").unwrap();
        }
        json!({"path": ".", "pattern": "*(a|b)".repeat(4_000)})
    }

    pub(crate) fn command<S: AsRef<std::ffi::OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = self.environment.command(args);
        command.env("MCPMARK_ROOT", &self.root);
        command
    }

    pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
    ) -> Output {
        Output::of(&mut self.command(args))
    }
}

const WORLD: &str =
    r#"{"title": "An office", "license": "CC0-1.0", "clock": "2026-03-02T09:00:00Z"}"#;

/// Returns the number of files below a directory, or 0 if it does not exist.
pub(crate) fn count_files(dir: &Path) -> usize {
    let Ok(entries) = fs::read_dir(dir) else {
        return 0;
    };
    entries
        .map(|entry| {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                count_files(&entry.path())
            } else {
                1
            }
        })
        .sum()
}
