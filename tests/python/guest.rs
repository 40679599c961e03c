//! The guest for Python scripts, made and compiled once, and a way to run scripts in it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mcpmark_experiment::{GivenToScript, Outcome, Script, grade_script};
use mcpmark_sandbox::{Interpreter, Limits, Sandbox, SandboxConfig, ScriptRun, Snapshot};
use mcpmark_task::python::PythonSource;

/// 2024-05-06T07:08:09Z.
const CLOCK: i64 = 1_714_979_289;

pub(crate) struct Guest {
    pub(crate) sandbox: Sandbox,
    pub(crate) interpreter: Interpreter,
}

pub(crate) fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/python")
        .join(name)
}

/// The guest, or none where it cannot be made.
pub(crate) fn guest() -> Option<&'static Guest> {
    static GUEST: OnceLock<Option<Guest>> = OnceLock::new();
    GUEST.get_or_init(make).as_ref()
}

fn make() -> Option<Guest> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcpmark");
    let given = std::env::var("MCPMARK_PYTHON_GUEST").ok();
    let source = PythonSource {
        given: given.map(|text| text.parse().unwrap()),
        cache: cache.clone(),
        allow_install: true,
    };
    let made = match source.guest(&mut |event| eprintln!("{event}")) {
        Ok(made) => made,
        Err(error) => {
            eprintln!("SKIPPED: nothing about Python scripts is checked: {error}");
            return None;
        }
    };
    let config = SandboxConfig {
        cache: Some(cache.join("compiled")),
        ..SandboxConfig::default()
    };
    let sandbox = Sandbox::new(&config).unwrap();
    let interpreter = sandbox
        .trusting()
        .interpreter_of(made.digest, || std::fs::read(&made.file));
    Some(Guest {
        interpreter: interpreter.unwrap(),
        sandbox,
    })
}

impl Guest {
    /// Has a script judge a directory.
    pub(crate) fn grade(
        &self,
        script: &Path,
        state: &Path,
        limits: &Limits,
    ) -> (Outcome, ScriptRun) {
        let script = Script::read(script).unwrap();
        let input = script.input(GivenToScript {
            state: Snapshot::of_directory(state).unwrap(),
            answer: None,
            arguments: Vec::new(),
            environment: Vec::new(),
            clock: CLOCK,
            services: None,
        });
        grade_script(&self.sandbox, &self.interpreter, &input, limits)
    }
}
