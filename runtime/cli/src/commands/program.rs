//! Program of `--agent command:…`.

use std::path::{Path, PathBuf, absolute};

use mcpmark_experiment::CommandSpec;
use rustix::fs::{Access, access};

use crate::error::CommandError;
use crate::output::sanitise;

/// Resolves the words of a command that begin with `./` or `../` relative to a directory, because the program runs in
/// another directory.
pub(crate) fn beside(words: &[String], dir: &Path) -> Result<Vec<String>, CommandError> {
    let word = |word: &String| {
        if !(word.starts_with("./") || word.starts_with("../")) {
            return Ok(word.clone());
        }
        let whole = dir.join(word);
        // Canonical, so that each file has only one path.
        let path = whole.canonicalize().or_else(|_| absolute(&whole));
        let path: PathBuf = path.map_err(CommandError::infrastructure)?;
        path.into_os_string().into_string().map_err(|path| {
            CommandError::usage(format!("the path {} is not valid UTF-8", path.display()))
        })
    };
    words.iter().map(word).collect()
}

/// Checks before a run that the program exists and that its environment variables are set.
pub(crate) fn check(spec: &CommandSpec) -> Result<(), CommandError> {
    for name in &spec.env {
        if std::env::var(name).is_err() {
            return Err(CommandError::usage(format!(
                "--agent-env {}: the variable is not set, or is not valid UTF-8",
                sanitise::line(name)
            )));
        }
    }
    let Some(program) = spec.command.first() else {
        return Err(CommandError::usage("the agent's command is empty"));
    };
    let is_program = |path: &Path| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    let shown = sanitise::line(program);
    if program.contains('/') {
        return match (
            is_program(Path::new(program)),
            Path::new(program).is_absolute(),
        ) {
            (_, false) => Err(CommandError::usage(format!(
                "agent program {shown}: the path is relative, but the program runs in its own directory"
            ))
            .hint("begin the path with ./, ../ or /")),
            (false, _) => Err(CommandError::usage(format!(
                "agent program {shown}: the file does not exist or is not executable"
            ))),
            (true, true) => Ok(()),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|dir| is_program(&dir.join(program))) {
        Ok(())
    } else {
        Err(
            CommandError::usage(format!("agent program {shown}: not found in PATH"))
                .hint("write ./NAME for a file in this directory"),
        )
    }
}
