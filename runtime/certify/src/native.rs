//! Scripts on the Python of this machine, to compare what they say there with what they say here.
//!
//! That is no sandbox: a script runs as the user who asked for the comparison.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mcpmark_sandbox::ScriptInput;
use mcpmark_snapshot::{MaterialiseOptions, Scratch, materialise};

/// How long a script may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes of output that are read.
const MOST_BYTES: u64 = 8 << 20;

/// What one run of a script came to, as far as two Pythons can agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) exit_code: Option<i32>,
    pub(crate) stdout: String,
}

impl Said {
    /// Leaves out what differs between systems and says nothing: numbers of errors.
    pub(crate) fn new(exit_code: Option<i32>, stdout: &str) -> Self {
        const ERRNO: &str = "[Errno ";
        let mut left = String::new();
        let mut parts = stdout.split(ERRNO);
        left.push_str(parts.next().unwrap_or_default());
        for part in parts {
            left.push_str(ERRNO);
            left.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
        }
        Self {
            exit_code,
            stdout: left,
        }
    }
}

/// What a native run shows.
pub(crate) enum Ran {
    /// How it ended.
    Said(Said),
    /// This machine's Python lacks what the script imports.
    Lacks(String),
}

/// Whether there is a Python whose messages are those of the guest's.
pub(crate) fn check() -> Result<(), String> {
    let asked = Command::new("python3")
        .args([
            "-I",
            "-c",
            "import sys; sys.exit(sys.version_info < (3, 11))",
        ])
        .stdin(Stdio::null())
        .status();
    match asked {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("python3 is older than 3.11".to_owned()),
        Err(error) => Err(format!("python3 cannot be started: {error}")),
    }
}

/// Runs a script on this machine: what it would see is written to a directory below `parent`.
pub(crate) fn run(input: &ScriptInput, parent: &Path) -> Result<Ran, String> {
    let scratch = Scratch::new(parent).map_err(|error| error.to_string())?;
    let root = scratch.path();
    for mount in &input.mounts {
        let snapshot = &mount.snapshot;
        let dest = root.join(&mount.name);
        let options = MaterialiseOptions {
            clock: Some(input.clock),
        };
        materialise(&snapshot.tree, &*snapshot.blobs, &dest, &options)
            .map_err(|error| error.to_string())?;
    }
    // A file that grows and not a pipe, so that nobody has to read while the script runs.
    let file = |name: &str| fs::File::create(root.join(name)).map_err(|error| error.to_string());
    let shown = root.display().to_string();
    let here = |text: &str| {
        let is_path = input.mounts.iter().any(|mount| {
            let rest = text.strip_prefix('/');
            let rest = rest.and_then(|rest| rest.strip_prefix(mount.name.as_str()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        match is_path {
            true => format!("{shown}{text}"),
            false => text.to_owned(),
        }
    };
    let mut child = Command::new("python3")
        .args(["-I", "-B", "-X", "utf8"])
        .arg(here(&input.script))
        .args(&input.arguments)
        .current_dir("/")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs(
            input
                .environment
                .iter()
                .map(|(name, value)| (name, here(value))),
        )
        .stdin(Stdio::null())
        .stdout(file("stdout")?)
        .stderr(file("stderr")?)
        .spawn()
        .map_err(|error| format!("python3 cannot be started: {error}"))?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if start.elapsed() > PATIENCE => {
                // It may have ended by itself just now.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("python3 took longer than {} s", PATIENCE.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let stderr = read(&root.join("stderr"))?;
    if let Some(line) = stderr.lines().find(|it| it.starts_with(MISSING)) {
        return Ok(Ran::Lacks(line.to_owned()));
    }
    let stdout = read(&root.join("stdout"))?.replace(&shown, "");
    Ok(Ran::Said(Said::new(status.code(), &stdout)))
}

const MISSING: &str = "ModuleNotFoundError:";

fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes))
        .map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_errors_are_left_out() {
        let said = Said::new(Some(1), "[Errno 44] No such file\n[Errno 2]: x [Errnoes]\n");
        assert_eq!(
            said.stdout,
            "[Errno ] No such file\n[Errno ]: x [Errnoes]\n"
        );
    }
}
