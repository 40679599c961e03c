//! Python programs of tests, with packages from PyPI.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mcpmark_test_support::{Need, skip};

/// Packages that are installed in one directory.
pub(crate) struct Packages {
    /// Name of the directory, below the target directory of tests.
    pub(crate) dir: &'static str,
    /// Module whose presence shows that the packages are installed.
    pub(crate) module: &'static str,
    /// Arguments of the `pip install` commands, which run in order until the module is present.
    pub(crate) installs: &'static [&'static [&'static str]],
}

impl Packages {
    /// Runs a script with an input and returns its standard output. Skips the test and returns `None` if the packages
    /// cannot be installed.
    ///
    /// # Panics
    ///
    /// Panics if the script fails.
    pub(crate) fn run(&self, script: &str, input: &[u8]) -> Option<Vec<u8>> {
        let home = match self.install() {
            Ok(home) => home,
            Err(problem) => {
                skip(
                    Need::Python,
                    format!("{} from PyPI: {problem}", self.module),
                );
                return None;
            }
        };
        let mut python = Command::new("python3")
            .args(["-c", script])
            .env("PYTHONPATH", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        python.stdin.take().unwrap().write_all(input).unwrap();
        let output = python.wait_with_output().unwrap();
        assert!(output.status.success());
        Some(output.stdout)
    }

    /// Installs the packages unless they are installed. Returns their directory for `PYTHONPATH`.
    ///
    /// # Errors
    ///
    /// Returns a message if pip is missing or fails.
    pub(crate) fn install(&self) -> Result<PathBuf, String> {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(self.dir);
        let io = |error: std::io::Error| format!("{}: {error}", home.display());
        // Tests that share packages run in parallel; without the lock, one would import what pip is still copying.
        let lock = fs::File::create(home.with_added_extension("lock")).map_err(io)?;
        lock.lock().map_err(io)?;
        let is_there = || home.join(self.module).exists();
        for arguments in self.installs {
            if is_there() {
                break;
            }
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "install", "--quiet", "--target"])
                .arg(&home)
                .args(*arguments);
            let output = pip.output().map_err(|error| format!("python3: {error}"))?;
            if !output.status.success() {
                let words = String::from_utf8_lossy(&output.stderr);
                let last = words.lines().last().unwrap_or("pip said nothing");
                return Err(last.to_owned());
            }
        }
        if is_there() {
            Ok(home)
        } else {
            Err(format!("pip did not install {}", self.module))
        }
    }
}

/// JSON Schema validator.
pub(crate) const JSON_SCHEMA: Packages = Packages {
    dir: "jsonschema",
    module: "jsonschema",
    installs: &[&["jsonschema==4.26.0", "rfc3339-validator==0.1.4"]],
};

/// Script that reads pairs of a schema and a document, and prints for each the first validation error, or null.
pub(crate) const REFUSALS: &str = "
import json, sys
from jsonschema import Draft202012Validator as Validator
refusals = []
for schema, document in json.load(sys.stdin):
    Validator.check_schema(schema)
    errors = Validator(schema, format_checker=Validator.FORMAT_CHECKER).iter_errors(document)
    refusals.append(next((error.message for error in errors), None))
json.dump(refusals, sys.stdout)
";
