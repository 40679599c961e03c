//! Installation of packages from npm, each in a separate directory and with pinned dependencies.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Timeout of an npm command.
const PATIENCE: Duration = Duration::from_secs(180);

/// Installs the packages of a manifest in `home` unless they are installed there. Returns the path of one of their
/// files; `file` is relative to `node_modules`.
///
/// # Errors
///
/// Returns a message if Node.js or npm is missing, or the installation fails.
pub(crate) fn install(home: &Path, manifest: &Value, file: &str) -> Result<PathBuf, String> {
    run(Command::new("node").arg("--version"), "node")?;
    let manifest = manifest.to_string();
    let wanted = |home: &Path| home.join("node_modules").join(file);
    let cache = home.parent().unwrap_or(home);
    let io = |error: std::io::Error| format!("{}: {error}", cache.display());
    fs::create_dir_all(cache).map_err(io)?;
    // Tests that share packages run in parallel; without the lock, one would replace the directory that another uses.
    let lock = fs::File::create(home.with_added_extension("lock")).map_err(io)?;
    lock.lock().map_err(io)?;
    let installed = fs::read_to_string(home.join("package.json"));
    if installed.is_ok_and(|it| it == manifest) && wanted(home).exists() {
        return Ok(wanted(home));
    }
    let fresh = tempfile::tempdir_in(cache).map_err(io)?;
    fs::write(fresh.path().join("package.json"), manifest).map_err(io)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(fresh.path());
    run(&mut npm, "npm")?;
    if !wanted(fresh.path()).exists() {
        return Err(format!("npm installed packages without {file}"));
    }
    if home.exists() {
        fs::remove_dir_all(home).map_err(io)?;
    }
    fs::rename(fresh.keep(), home).map_err(io)?;
    Ok(wanted(home))
}

/// Runs a program. Returns an error if it fails or exceeds the timeout.
pub(crate) fn run(command: &mut Command, name: &str) -> Result<(), String> {
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
            // Ignores output that is not valid UTF-8.
            let _ = stderr.read_to_string(&mut words);
        }
        words
    });
    let succeeded = wait(&mut child).map_err(|error| format!("{name}: {error}"))?;
    let words = words.join().unwrap_or_default();
    if succeeded {
        Ok(())
    } else {
        Err(format!(
            "{name} failed: {}",
            words.lines().last().unwrap_or("it said nothing")
        ))
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
