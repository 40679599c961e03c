//! The published server, installed from npm with everything that decides its answers pinned.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long an installation may take before it counts as impossible.
const PATIENCE: Duration = Duration::from_secs(180);

/// A published version, and the library that makes its diffs.
#[derive(Clone, Copy)]
pub(crate) struct Release {
    pub(crate) version: &'static str,
    diff: &'static str,
}

pub(crate) const RELEASES: [Release; 2] = [
    Release {
        version: "2025.12.18",
        diff: "5.2.2",
    },
    Release {
        version: "2026.8.31",
        diff: "8.0.4",
    },
];

impl Release {
    fn manifest(self) -> Value {
        json!({
            "private": true,
            "dependencies": {"@modelcontextprotocol/server-filesystem": self.version},
            "overrides": {
                "@modelcontextprotocol/sdk": "1.32.2",
                "brace-expansion": "5.0.13",
                "diff": self.diff,
                "minimatch": "10.2.6",
                "zod": "4.6.7",
            },
        })
    }

    /// The script to start with Node.js, installed if it is not there yet; or why it cannot be
    /// had.
    pub(crate) fn install(self, cache: &Path) -> Result<PathBuf, String> {
        run(Command::new("node").arg("--version"), "node")?;
        let manifest = self.manifest().to_string();
        let home = cache.join(self.version);
        let script = |home: &Path| {
            home.join("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js")
        };
        let installed = fs::read_to_string(home.join("package.json"));
        if installed.is_ok_and(|it| it == manifest) && script(&home).exists() {
            return Ok(script(&home));
        }
        let io = |error: std::io::Error| format!("{}: {error}", cache.display());
        fs::create_dir_all(cache).map_err(io)?;
        let fresh = tempfile::tempdir_in(cache).map_err(io)?;
        fs::write(fresh.path().join("package.json"), manifest).map_err(io)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(fresh.path());
        run(&mut npm, "npm")?;
        if !script(fresh.path()).exists() {
            return Err("npm installed a package without the server".to_owned());
        }
        if home.exists() {
            fs::remove_dir_all(&home).map_err(io)?;
        }
        fs::rename(fresh.keep(), &home).map_err(io)?;
        Ok(script(&home))
    }
}

/// Runs a program that must succeed before long.
fn run(command: &mut Command, name: &str) -> Result<(), String> {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| format!("{name} cannot be started: {error}"))?;
    let mut stderr = child.stderr.take();
    let words = std::thread::spawn(move || {
        let mut words = String::new();
        if let Some(stderr) = &mut stderr {
            // Words that are no text are not worth a failure.
            let _ = stderr.read_to_string(&mut words);
        }
        words
    });
    let succeeded = wait(&mut child).map_err(|error| format!("{name}: {error}"))?;
    let words = words.join().unwrap_or_default();
    match succeeded {
        true => Ok(()),
        false => Err(format!(
            "{name} failed: {}",
            words.lines().last().unwrap_or("it said nothing")
        )),
    }
}

fn wait(child: &mut Child) -> std::io::Result<bool> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
