//! Installed programs: Node.js, the MCP server and a browser.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Variable with the directory whose `node_modules` contains the MCP server.
pub const PACKAGE_VARIABLE: &str = "MCPMARK_PLAYWRIGHT";
/// Variable with the path of the browser.
pub const BROWSER_VARIABLE: &str = "MCPMARK_CHROMIUM";
/// Version of `@playwright/mcp`, the last one whose answers contain snapshots.
pub const SERVER_VERSION: &str = "0.0.68";

/// Name of the package of the MCP server.
const PACKAGE: &str = "@playwright/mcp";
/// Packages that it needs.
const DEPENDENCIES: [&str; 2] = ["playwright", "playwright-core"];
/// Directories of packages that are installed for the whole machine.
const GLOBAL: [&str; 2] = ["/usr/local/lib/node_modules", "/usr/lib/node_modules"];
/// Names of browsers. The first one is the smallest and starts fastest.
const BROWSERS: [&str; 4] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
];

/// Programs that a session needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    pub(super) node: PathBuf,
    pub(super) packages: PathBuf,
    pub(super) browser: PathBuf,
    browser_version: String,
}

/// Missing or unsuitable programs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallationError {
    /// Node.js is missing.
    #[error(
        "node is not in PATH; run `mcpmark service install playwright`, or install Node.js 18 or newer"
    )]
    NoNode,
    /// The MCP server is missing.
    #[error(
        "{PACKAGE} {SERVER_VERSION} is not in {dir}; run `mcpmark service install playwright`, or set \
         {PACKAGE_VARIABLE} to the directory of another installation",
        dir = dir.display()
    )]
    NoServer {
        /// Directory in which it was looked for last.
        dir: PathBuf,
    },
    /// The MCP server has another version.
    #[error(
        "{PACKAGE} in {dir} has version {found}; expected {SERVER_VERSION}; run `mcpmark service install playwright`",
        dir = dir.display()
    )]
    Version {
        /// Directory of the installation.
        dir: PathBuf,
        /// Version of the package.
        found: String,
    },
    /// The browser is missing.
    #[error(
        "no browser found; run `mcpmark service install playwright`, or set {BROWSER_VARIABLE} to the path of Chromium"
    )]
    NoBrowser,
    /// The browser does not start.
    #[error("{path} --version failed: {reason}", path = path.display())]
    Browser {
        /// Path of the program.
        path: PathBuf,
        /// Cause.
        reason: String,
    },
}

impl Installation {
    /// Returns the programs of this machine. `cache` is the directory in which `mcpmark` installs the MCP server.
    ///
    /// # Errors
    ///
    /// Returns an error that names the missing program and a command that installs it.
    pub fn find(cache: &Path) -> Result<Self, InstallationError> {
        let node = in_path("node").ok_or(InstallationError::NoNode)?;
        let packages = find_server(cache)?;
        let browser = find_browser()?;
        let browser_version = version(&browser)?;
        Ok(Self {
            node,
            packages,
            browser,
            browser_version,
        })
    }

    /// Returns the name and version of the browser, such as `Chromium 156.0.8078.108`.
    pub fn browser_version(&self) -> &str {
        &self.browser_version
    }

    /// Returns the path of the browser.
    pub fn browser(&self) -> &Path {
        &self.browser
    }

    /// Returns the directory `node_modules` with the MCP server.
    pub fn packages(&self) -> &Path {
        &self.packages
    }

    /// Returns the path of Node.js.
    pub fn node(&self) -> &Path {
        &self.node
    }
}

/// Programs of a session that this machine does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingPrograms {
    /// Node.js is missing, or npm, which installs the MCP server.
    pub node: bool,
    /// The MCP server is missing, or has another version.
    pub server: bool,
    /// The browser is missing.
    pub browser: bool,
}

impl MissingPrograms {
    /// Looks for the programs. `cache` is the directory in which `mcpmark` installs the MCP server.
    pub fn of_machine(cache: &Path) -> Self {
        let server = find_server(cache).is_err();
        Self {
            node: in_path("node").is_none() || server && in_path("npm").is_none(),
            server,
            browser: find_browser().is_err(),
        }
    }
}

fn variable(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

/// Returns the real path of a program.
fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|file| file.is_file())?;
    found.canonicalize().ok()
}

fn find_server(cache: &Path) -> Result<PathBuf, InstallationError> {
    if let Some(dir) = variable(PACKAGE_VARIABLE) {
        return server_in(&dir.join("node_modules"), &dir);
    }
    let own = server_in(&cache.join("node_modules"), cache);
    let global = GLOBAL.iter().map(Path::new);
    let mut others = global.filter_map(|dir| server_in(dir, dir).ok());
    own.or_else(|error| others.next().ok_or(error))
}

/// Checks the packages in a directory `node_modules`. `dir` is the directory that an error names.
fn server_in(packages: &Path, dir: &Path) -> Result<PathBuf, InstallationError> {
    let missing = || InstallationError::NoServer {
        dir: dir.to_owned(),
    };
    let manifest = fs::read_to_string(packages.join(PACKAGE).join("package.json"));
    let manifest: Value = manifest
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .ok_or_else(missing)?;
    let found = manifest["version"].as_str().unwrap_or_default();
    if found != SERVER_VERSION {
        return Err(InstallationError::Version {
            dir: dir.to_owned(),
            found: found.to_owned(),
        });
    }
    // A package manager may put them elsewhere, where the server would not find them in its own namespaces.
    if !DEPENDENCIES.iter().all(|name| packages.join(name).is_dir()) {
        return Err(missing());
    }
    packages.canonicalize().map_err(|_| missing())
}

fn find_browser() -> Result<PathBuf, InstallationError> {
    if let Some(path) = variable(BROWSER_VARIABLE) {
        return path
            .canonicalize()
            .map_err(|error| InstallationError::Browser {
                path,
                reason: error.to_string(),
            });
    }
    let mut found = BROWSERS.iter().filter_map(|name| in_path(name));
    found.next().ok_or(InstallationError::NoBrowser)
}

fn version(browser: &Path) -> Result<String, InstallationError> {
    let error = |reason: String| InstallationError::Browser {
        path: browser.to_owned(),
        reason,
    };
    let output = Command::new(browser).arg("--version").output();
    let output = output.map_err(|source: io::Error| error(source.to_string()))?;
    if !output.status.success() {
        return Err(error(output.status.to_string()));
    }
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    // Debian's wrapper adds the name of the distribution.
    let words: Vec<&str> = text.split_whitespace().take(2).collect();
    Ok(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(dir: &Path, name: &str, version: &str) {
        let dir = dir.join("node_modules").join(name);
        fs::create_dir_all(&dir).unwrap();
        let manifest = format!("{{\"version\":\"{version}\"}}");
        fs::write(dir.join("package.json"), manifest).unwrap();
    }

    #[test]
    fn another_version_of_the_server_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let find = || server_in(&dir.path().join("node_modules"), dir.path());
        let error = find().unwrap_err().to_string();
        assert!(
            error.contains("mcpmark service install playwright"),
            "{error}"
        );
        package(dir.path(), PACKAGE, "0.0.69");
        let error = find().unwrap_err().to_string();
        assert!(
            error.contains("has version 0.0.69; expected 0.0.68"),
            "{error}"
        );
        package(dir.path(), PACKAGE, SERVER_VERSION);
        assert!(find().is_err(), "its dependencies are missing");
        for name in DEPENDENCIES {
            package(dir.path(), name, "1.59.0");
        }
        assert!(find().unwrap().ends_with("node_modules"));
    }
}
