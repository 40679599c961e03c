//! Check of the program that the agent `command` runs.

use std::ffi::OsStr;
use std::path::Path;

use mcpmark_agent::CommandSpec;
use rustix::fs::{Access, access};

use super::{ProgramError, Variable};

/// Checks that the program exists and that its environment variables are set. `path` is the value of `PATH`.
pub(super) fn check(
    spec: &CommandSpec,
    variable: &Variable<'_>,
    path: &OsStr,
) -> Result<(), ProgramError> {
    for name in &spec.env {
        if variable(name).is_none() {
            return Err(ProgramError::NoVariable(name.clone()));
        }
    }
    let Some(program) = spec.command.first() else {
        return Err(ProgramError::Empty);
    };
    let is_program = |path: &Path| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    if program.contains('/') {
        if !Path::new(program).is_absolute() {
            Err(ProgramError::Relative(program.clone()))
        } else if is_program(Path::new(program)) {
            Ok(())
        } else {
            Err(ProgramError::NotExecutable(program.clone()))
        }
    } else if std::env::split_paths(path).any(|dir| is_program(&dir.join(program))) {
        Ok(())
    } else {
        Err(ProgramError::NotInPath(program.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(command: &[&str], env: &[&str], path: &str) -> Result<(), ProgramError> {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let spec = CommandSpec {
            command: owned(command),
            env: owned(env),
        };
        let variable = |name: &str| (name == "SET").then(String::new);
        check(&spec, &variable, OsStr::new(path))
    }

    #[test]
    fn programs_that_cannot_be_run_are_refused() {
        assert_eq!(checked(&["/bin/sh"], &["SET"], ""), Ok(()));
        assert_eq!(checked(&["sh", "-c"], &[], "/nowhere:/bin"), Ok(()));
        assert_eq!(
            checked(&["/bin/sh"], &["SET", "UNSET"], ""),
            Err(ProgramError::NoVariable("UNSET".to_owned()))
        );
        assert_eq!(checked(&[], &[], "/bin"), Err(ProgramError::Empty));
        assert_eq!(
            checked(&["bin/sh"], &[], "/bin"),
            Err(ProgramError::Relative("bin/sh".to_owned()))
        );
        for file in ["/nowhere/program", "/bin/", "/etc/passwd"] {
            assert_eq!(
                checked(&[file], &[], "/bin"),
                Err(ProgramError::NotExecutable(file.to_owned()))
            );
        }
        assert_eq!(
            checked(&["sh"], &[], "/nowhere"),
            Err(ProgramError::NotInPath("sh".to_owned()))
        );
    }
}
