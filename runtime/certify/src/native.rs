//! Runs of scripts with the native Python of this machine, to compare their output with that of the sandbox.
//!
//! A native run is not sandboxed: the script has the rights of the user who requested the comparison.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use mcpmark_sandbox::ScriptInput;
use mcpmark_snapshot::{MaterialiseOptions, Scratch, Tree, materialise};

use crate::printed::comparable;

/// Timeout of a script.
const PATIENCE: Duration = Duration::from_secs(120);
/// Maximum size of each output stream of a script, in bytes.
const MAX_BYTES: u64 = 8 << 20;

/// Result of one run of a script, restricted to the parts that two Python installations can agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) exit_code: Option<i32>,
    pub(crate) stdout: String,
}

impl Said {
    /// Creates a result without the parts of the output that differ between systems and processes.
    pub(crate) fn new(exit_code: Option<i32>, stdout: &str) -> Self {
        Self {
            exit_code,
            stdout: comparable(stdout),
        }
    }
}

/// Outcome of a native run.
pub(crate) enum Ran {
    /// Exit code and output.
    Said(Said),
    /// The native Python lacks a module that the script imports. Contains the error message.
    Lacks(String),
}

/// Checks for a Python version whose messages are the same as those of the interpreter guest.
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
        Ok(_) => Err("expected python3 3.11 or later, found an older version".to_owned()),
        Err(error) => Err(format!("cannot start python3: {error}")),
    }
}

/// Runs a script with native Python. The mounts are written to a temporary directory below `parent`.
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
        tell_apart(&snapshot.tree, &dest).map_err(|error| error.to_string())?;
    }
    // The output goes to files instead of pipes, so that nothing has to read it while the script runs.
    let file = |name: &str| fs::File::create(root.join(name)).map_err(|error| error.to_string());
    let shown = root.display().to_string();
    let here = |text: &str| {
        let is_path = input.mounts.iter().any(|mount| {
            let rest = text.strip_prefix('/');
            let rest = rest.and_then(|rest| rest.strip_prefix(mount.name.as_str()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        if is_path {
            format!("{shown}{text}")
        } else {
            text.to_owned()
        }
    };
    let mut child = Command::new("python3")
        .args(["-I", "-B", "-X", "utf8"])
        .arg(here(&input.script))
        .args(&input.arguments)
        .current_dir("/")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("TZ", "UTC")
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
        .map_err(|error| format!("cannot start python3: {error}"))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        let size = |name| root.join(name).metadata().map_or(0, |it| it.len());
        let excess = if start.elapsed() > PATIENCE {
            format!("took longer than {} s", PATIENCE.as_secs())
        } else if ["stdout", "stderr"]
            .map(size)
            .iter()
            .any(|it| *it > MAX_BYTES)
        {
            format!("printed more than {MAX_BYTES} bytes")
        } else {
            std::thread::sleep(Duration::from_millis(2));
            continue;
        };
        // The process may just have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!("python3 {excess}"));
    };
    let stderr = read(&root.join("stderr"))?;
    if let Some(line) = stderr.lines().find(|it| it.starts_with(MISSING)) {
        return Ok(Ran::Lacks(line.to_owned()));
    }
    let stdout = read(&root.join("stdout"))?.replace(&shown, "");
    Ok(Ran::Said(Said::new(status.code(), &stdout)))
}

/// Gives files with equal size and modification time distinct times, a few microseconds apart, as in a directory that
/// was not written with fixed times. Otherwise `filecmp` treats such files as equal without reading them.
fn tell_apart(tree: &Tree, root: &Path) -> io::Result<()> {
    let mut alike: BTreeMap<(u64, SystemTime), u32> = BTreeMap::new();
    for (path, file) in tree.files() {
        let path = root.join(path.as_str());
        let time = path.metadata()?.modified()?;
        let before = alike.entry((file.size, time)).or_default();
        if *before > 0 {
            let open = fs::File::options().write(true).open(&path)?;
            open.set_modified(time + Duration::from_micros(u64::from(*before)))?;
        }
        *before += 1;
    }
    Ok(())
}

const MISSING: &str = "ModuleNotFoundError:";

fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes))
        .map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
