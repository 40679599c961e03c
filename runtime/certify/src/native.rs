//! Scripts on the Python of this machine, to compare what they say there with what they say here.
//!
//! That is no sandbox: a script runs as the user who asked for the comparison.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use mcpmark_sandbox::ScriptInput;
use mcpmark_snapshot::{MaterialiseOptions, Scratch, Tree, materialise};

use crate::printed::comparable;

/// How long a script may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes that a script may print to either stream.
const MOST_BYTES: u64 = 8 << 20;

/// What one run of a script came to, as far as two Pythons can agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) exit_code: Option<i32>,
    pub(crate) stdout: String,
}

impl Said {
    /// Leaves out what differs between systems and processes and says nothing.
    pub(crate) fn new(exit_code: Option<i32>, stdout: &str) -> Self {
        Self {
            exit_code,
            stdout: comparable(stdout),
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
        tell_apart(&snapshot.tree, &dest).map_err(|error| error.to_string())?;
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
        .map_err(|error| format!("python3 cannot be started: {error}"))?;
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
            .any(|it| *it > MOST_BYTES)
        {
            format!("printed more than {MOST_BYTES} bytes")
        } else {
            std::thread::sleep(Duration::from_millis(2));
            continue;
        };
        // It may have ended by itself just now.
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

/// Gives files of one size and time times that differ by millionths of a second, as they do where
/// nobody set them: `filecmp` takes two that agree in both for the same, and looks into neither.
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
        .and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes))
        .map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
